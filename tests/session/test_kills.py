"""Whoever is killed, nothing of the engine is left within ten seconds; on the fake engine and on a real one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from core.engine import life
from core.engine.session import EngineSession, SessionSnapshot, State
from tests.session.helpers import (
    EngineCase,
    ask,
    children_of,
    living,
    process_named,
    seconds_until,
    until_ready,
    until_rest,
)

LIMIT_S = 10.0
_PARALLEL = 4


@contextlib.contextmanager
def under_load(base_url: str, model: str) -> Iterator[None]:
    """Several requests in flight; what becomes of them does not matter."""

    def talk() -> None:
        with contextlib.suppress(OSError, ValueError, LookupError):
            ask(base_url, model, max_tokens=900)

    threads = [threading.Thread(target=talk, name="load") for _ in range(_PARALLEL)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()


def shared_memory() -> set[str]:
    return {path.name for path in Path("/dev/shm").glob("psm_*")}


def start(engine: EngineCase, session: EngineSession, **habits: str) -> tuple[SessionSnapshot, list[int]]:
    session.start(engine.environment, engine.plan(**habits))
    ready = until_ready(session, engine.limit_s)
    seconds_until(lambda: len(session.engine_pids()) > 2, 5)
    return ready, session.engine_pids()


def worker_of(session: EngineSession) -> int:
    return process_named(children_of(os.getpid()), "core.engine.worker")


def report(engine: EngineCase, what: str, took_s: float) -> None:
    print(f"\n{engine.name}: {what} killed, nothing left after {took_s:.2f} s")


def test_window_killed(engine: EngineCase, tmp_path: Path) -> None:
    before = shared_memory()
    plan = engine.plan()
    command = [sys.executable, "-m", "tests.session.window", str(tmp_path), str(engine.environment.prefix)]
    window = subprocess.Popen(
        [*command, engine.model, json.dumps(engine.flags), json.dumps(plan.environment)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    with window:
        told = json.loads(window.stdout.readline())
        assert told["state"] == State.READY, told
        everything = {*told["pids"], *children_of(window.pid)}
        assert len(everything) > 3
        with under_load(told["base_url"], engine.model):
            window.kill()
            took_s = seconds_until(lambda: not living(everything), LIMIT_S)
    report(engine, "window", took_s)
    assert shared_memory() <= before


def test_worker_killed(engine: EngineCase, session: EngineSession) -> None:
    before = shared_memory()
    ready, pids = start(engine, session)
    with under_load(ready.base_url, ready.model):
        os.kill(worker_of(session), signal.SIGKILL)
        took_s = seconds_until(lambda: not living(pids), LIMIT_S)
    report(engine, "worker", took_s)
    last = until_rest(session)
    assert last.state is State.FAILED and "supervises" in last.problem and last.leftover_pids == ()
    assert shared_memory() <= before


def test_api_server_killed(engine: EngineCase, session: EngineSession) -> None:
    before = shared_memory()
    ready, pids = start(engine, session)
    with under_load(ready.base_url, ready.model):
        os.kill(ready.engine_pid, signal.SIGKILL)
        took_s = seconds_until(lambda: not living(pids), LIMIT_S)
    report(engine, "API server", took_s)
    last = until_rest(session)
    assert last.state is State.FAILED and last.exit_code == -signal.SIGKILL
    assert "killed by SIGKILL while serving" in last.problem and last.leftover_pids == ()
    assert shared_memory() <= before


def test_engine_core_killed(engine: EngineCase, session: EngineSession) -> None:
    before = shared_memory()
    ready, pids = start(engine, session)
    with under_load(ready.base_url, ready.model):
        os.kill(process_named(pids, "EngineCore"), signal.SIGKILL)
        took_s = seconds_until(lambda: not living(pids), LIMIT_S)
    report(engine, "engine core", took_s)
    last = until_rest(session)
    assert last.state is State.FAILED and "Its core process died" in last.problem
    assert shared_memory() <= before


def test_worker_and_api_server_killed_together(fake: EngineCase, session: EngineSession) -> None:
    """Nobody supervises and nobody leads: the children of the API server end by themselves."""
    ready, pids = start(fake, session)
    os.kill(worker_of(session), signal.SIGKILL)
    os.kill(ready.engine_pid, signal.SIGKILL)
    took_s = seconds_until(lambda: not living(pids), LIMIT_S)
    report(fake, "worker and API server", took_s)
    assert until_rest(session).state is State.FAILED


@pytest.mark.parametrize("victim", ["worker", "API server"])
def test_killed_with_children_that_ignore_signals(fake: EngineCase, session: EngineSession, victim: str) -> None:
    ready, pids = start(fake, session, IGNORE="SIGINT,SIGTERM")
    os.kill(worker_of(session) if victim == "worker" else ready.engine_pid, signal.SIGKILL)
    took_s = seconds_until(lambda: not living(pids), LIMIT_S)
    report(fake, f"{victim} of a deaf engine", took_s)
    last = until_rest(session)
    assert last.leftover_pids == () and last.state is State.FAILED


@pytest.mark.parametrize("kind", ["session", "orphan"])
@pytest.mark.parametrize("victim", ["worker", "API server"])
def test_killed_with_processes_that_left_the_group(
    fake: EngineCase, session: EngineSession, kind: str, victim: str
) -> None:
    ready, pids = start(fake, session, STRAY=kind)
    groups = {os.getpgid(pid) for pid in pids}
    assert len(groups) > 1, "no process left the group"
    os.kill(worker_of(session) if victim == "worker" else ready.engine_pid, signal.SIGKILL)
    took_s = seconds_until(lambda: not living(pids), LIMIT_S)
    report(fake, f"{victim} of an engine with a stray process", took_s)
    assert until_rest(session).leftover_pids == ()


def test_a_worker_that_does_not_answer_is_given_up(fake: EngineCase, session: EngineSession, monkeypatch) -> None:
    monkeypatch.setattr(life, "_WORKER_PATIENCE_S", 0.5)
    _, pids = start(fake, session)
    os.kill(worker_of(session), signal.SIGSTOP)
    session.stop()
    last = until_rest(session)
    assert last.state is State.STOPPED and last.leftover_pids == () and not living(pids)


def test_window_killed_while_the_engine_starts(fake: EngineCase, tmp_path: Path) -> None:
    variables = fake.plan(START_S="60").environment
    command = [sys.executable, "-m", "tests.session.window", str(tmp_path), str(fake.environment.prefix)]
    window = subprocess.Popen(
        [*command, fake.model, "[]", json.dumps(variables)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    with window:
        # worker, API server, engine core
        seconds_until(lambda: len(children_of(window.pid)) >= 3, 20)
        everything = children_of(window.pid)
        window.kill()
        took_s = seconds_until(lambda: not living(everything), LIMIT_S)
    report(fake, "window of a starting engine", took_s)
    assert not any(psutil.pid_exists(pid) and psutil.Process(pid).is_running() for pid in living(everything))
