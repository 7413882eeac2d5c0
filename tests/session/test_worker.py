"""The worker process by itself, spoken to as the session speaks to it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.engine.kin import ID_VARIABLE
from tests.session.helpers import living, seconds_until

SLEEPER = "import time; print('up', flush=True); time.sleep(600)"


class Talk:
    """A worker and both its streams."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "engine.log"
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "core.engine.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def start(self, code: str, *, python: str = sys.executable, mark: str = "test-worker") -> None:
        environment = {**os.environ, ID_VARIABLE: mark}
        self.send(do="start", argv=[python, "-c", code], environment=environment, folder="/", log=str(self.log))

    def send(self, **command: object) -> None:
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()

    def event(self, name: str) -> dict[str, Any]:
        """The next event of this name."""
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == name:
                return event
        raise AssertionError(f"no event {name}: {self.process.stderr.read().decode()}")

    def up(self) -> int:
        """Wait until the engine has written its first line; gives its pid."""
        pid = self.event("started")["pid"]
        seconds_until(lambda: self.log.exists() and b"up" in self.log.read_bytes(), 10)
        return pid

    def close(self) -> None:
        with self.process:
            self.process.kill()


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    made = Talk(tmp_path)
    yield made
    made.close()


def test_start_and_stop(talk: Talk) -> None:
    talk.start(SLEEPER)
    pid = talk.up()
    assert os.getpgid(pid) == os.getsid(pid) == pid
    assert [found for found, _ in talk.event("processes")["processes"]] == [pid]
    talk.send(do="ready")
    talk.send(do="stop", drain_s=0)
    assert talk.event("rung")["signal"] == "SIGINT"
    ended = talk.event("ended")
    assert ended["exit_code"] == -signal.SIGINT and ended["rung"] == "SIGINT" and ended["leftovers"] == []
    assert talk.process.wait(5) == 0 and talk.process.stderr.read() == b""


def test_the_end_of_the_commands_ends_the_engine(talk: Talk) -> None:
    talk.start(SLEEPER)
    pid = talk.up()
    talk.process.stdin.close()
    assert talk.event("ended")["rung"] == "SIGINT" and living([pid]) == []
    assert talk.process.wait(5) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_engine_first(talk: Talk, number: int) -> None:
    talk.start(SLEEPER)
    pid = talk.up()
    talk.process.send_signal(number)
    assert talk.event("ended")["rung"] == "SIGINT" and living([pid]) == []
    assert talk.process.wait(5) == 0


def test_ctrl_c_is_not_for_the_worker(talk: Talk) -> None:
    talk.start(SLEEPER)
    pid = talk.up()
    talk.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert living([pid, talk.process.pid]) == [pid, talk.process.pid]


def test_without_an_engine_it_ends_at_once(talk: Talk) -> None:
    talk.process.stdin.close()
    assert talk.process.wait(5) == 0


def test_it_starts_fast_and_light(talk: Talk) -> None:
    began = time.monotonic()
    talk.start("print('up')")
    talk.event("started")
    took_s = time.monotonic() - began
    talk.event("ended")
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", "import sys, core.engine.worker; print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    print(f"\nworker: engine process started {took_s:.2f} s after the first command")
    assert not {"msgspec", "httpx", "psygnal", "platformdirs", "http.client", "PySide6"} & set(loaded)
    assert took_s < 3


def test_an_interpreter_that_is_not_there(talk: Talk) -> None:
    talk.start("", python="/no/such/python")
    assert talk.event("refused")["reason"] == "No such file or directory: /no/such/python"
    assert talk.process.wait(5) == 0


def test_exit_codes_are_told(talk: Talk) -> None:
    talk.start("raise SystemExit(3)")
    ended = talk.event("ended")
    assert (ended["exit_code"], ended["rung"], ended["strays"]) == (3, "none", 0)


def test_a_second_start_is_not_obeyed(talk: Talk) -> None:
    talk.start(SLEEPER)
    pid = talk.up()
    talk.start(SLEEPER)
    talk.send(do="stop", drain_s=0)
    talk.event("ended")
    assert living([pid]) == []


def test_children_of_a_first_process_that_went_are_ended(talk: Talk) -> None:
    talk.start(f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}]); sys.exit(5)")
    ended = talk.event("ended")
    assert ended["exit_code"] == 5 and ended["rung"] == "SIGTERM" and ended["leftovers"] == []


def test_orphans_are_adopted_collected_and_ended(talk: Talk) -> None:
    """One that ends by itself becomes no zombie; one in a session of its own is ended with the engine."""
    brief = (
        "import os, subprocess, sys\n"
        "if os.fork() == 0:\n    subprocess.Popen([sys.executable, '-c', 'pass'])\n    os._exit(0)\n"
        "os.wait()\n"
    )
    lasting = f"subprocess.run(['setsid', '-f', sys.executable, '-c', {SLEEPER!r}])\n"
    talk.start(brief + lasting + SLEEPER)
    talk.up()
    seen: list[int] = []
    while len(seen) < 2:
        seen = [pid for pid, _ in talk.event("processes")["processes"]]
    seconds_until(lambda: _zombies(talk.process.pid) == [], 5)
    talk.send(do="stop", drain_s=0)
    ended = talk.event("ended")
    assert ended["strays"] == 1 and ended["leftovers"] == [] and living(seen) == []


def test_a_process_that_hid_from_its_parents_is_found_by_its_mark(tmp_path: Path) -> None:
    """Started beside the worker, as one that some service started for the engine would be."""
    talk = Talk(tmp_path)
    marked = {**os.environ, ID_VARIABLE: "hidden-test"}
    hidden = subprocess.Popen([sys.executable, "-c", SLEEPER], env=marked, stdout=subprocess.DEVNULL)
    try:
        talk.start(SLEEPER, mark="hidden-test")
        talk.up()
        talk.send(do="stop", drain_s=0)
        ended = talk.event("ended")
        assert ended["strays"] == 1
        assert hidden.wait(5) == -signal.SIGTERM
    finally:
        hidden.kill()
        hidden.wait()
        talk.close()


def test_a_log_that_cannot_be_written_is_told(talk: Talk) -> None:
    talk.log.symlink_to("/dev/full")
    talk.start("print('x' * 1000)")
    assert talk.event("log_trouble")["reason"] == "No space left on device"
    assert talk.event("ended")["lost_bytes"] == 1001


def _zombies(parent: int) -> list[int]:
    return [child.pid for child in psutil.Process(parent).children() if child.status() == psutil.STATUS_ZOMBIE]


def test_a_dead_parent_counts_even_if_the_commands_stay_open(tmp_path: Path) -> None:
    """The parent dies, but a copy of the command stream's far end is held by somebody else."""
    log = tmp_path / "engine.log"
    reader, writer = os.pipe()
    code = (
        "import json, os, subprocess, sys, time\n"
        f"worker = subprocess.Popen([sys.executable, '-P', '-m', 'core.engine.worker'], stdin={reader},"
        " stdout=subprocess.PIPE, start_new_session=True)\n"
        "started = json.loads(worker.stdout.readline())\n"
        "print(worker.pid, started['pid'], flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, pass_fds=(reader,))
    with parent:
        os.close(reader)
        start = {"do": "start", "argv": [sys.executable, "-c", SLEEPER], "environment": dict(os.environ)}
        os.write(writer, json.dumps({**start, "folder": "/", "log": str(log)}).encode() + b"\n")
        pids = [int(word) for word in parent.stdout.readline().split()]
        parent.kill()
        seconds_until(lambda: living(pids) == [], 10)
    os.close(writer)
