"""Bad habits of engines, each with a fake one that has it."""

import dataclasses
import os
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

from core.base.paths import Paths
from core.engine.session import EngineSession, Stage, State
from tests.session.helpers import (
    EngineCase,
    get,
    living,
    log_text,
    make_plan,
    private,
    seconds_until,
    until_ready,
    until_rest,
)


def test_ignoring_sigint_costs_a_rung(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, fake.plan(IGNORE="SIGINT"))
    until_ready(session)
    session.stop()
    last = until_rest(session)
    assert last.state is State.STOPPED and last.stop_rung == "SIGTERM" and last.exit_code == 0
    assert 4.5 <= last.stop_took_s < 6.5


def test_ignoring_everything_ends_in_sigkill(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, fake.plan(IGNORE="SIGINT,SIGTERM"))
    until_ready(session)
    session.stop()
    last = until_rest(session)
    assert last.state is State.STOPPED and last.stop_rung == "SIGKILL" and last.exit_code == -9
    assert last.stop_took_s < 10.0 and last.leftover_pids == ()


def test_requests_may_finish_where_the_person_wants_that(fake: EngineCase, session: EngineSession) -> None:
    plan = make_plan(fake.model, "--shutdown-timeout", "3", variables={"FAKE_IGNORE": "SIGINT"})
    session.start(fake.environment, plan)
    until_ready(session)
    session.stop()
    last = until_rest(session)
    assert last.stop_rung == "SIGTERM" and 7.5 <= last.stop_took_s < 9.5


def test_a_start_is_interrupted_faster_than_a_service(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, fake.plan(IGNORE="SIGINT", START_S="60"))
    session.wait(lambda now: now.stage is Stage.WEIGHTS, 20)
    session.stop()
    last = until_rest(session)
    assert last.stop_rung == "SIGTERM" and last.stop_took_s < 4.0


@pytest.mark.parametrize("stage", [Stage.LAUNCH, Stage.IMPORT, Stage.CONFIG, Stage.WEIGHTS])
def test_stop_while_starting(fake: EngineCase, session: EngineSession, stage: Stage) -> None:
    session.start(fake.environment, fake.plan(START_S="60"))
    if stage is not Stage.LAUNCH:
        session.wait(lambda now: now.stage is stage, 20)
    pids = session.engine_pids()
    session.stop()
    assert session.snapshot.state is State.STOPPING
    last = until_rest(session)
    assert last.state is State.STOPPED and last.problem == "" and last.ready_after_s is None
    assert living(pids) == []


@pytest.mark.parametrize("kind", ["session", "orphan"])
def test_processes_that_left_the_group_are_ended_too(fake: EngineCase, session: EngineSession, kind: str) -> None:
    session.start(fake.environment, fake.plan(STRAY=kind))
    until_ready(session)
    seconds_until(lambda: len(session.engine_pids()) >= 5, 5)
    pids = session.engine_pids()
    session.stop()
    last = until_rest(session)
    assert last.leftover_pids == () and living(pids) == []


@pytest.mark.parametrize(
    ("habits", "words", "code"),
    [
        ({"CRASH": "import", "EXIT_CODE": "2"}, "The engine ended with exit code 2 while importing.", 2),
        ({"CRASH": "import", "EXIT_CODE": "0"}, "The engine ended with exit code 0 while importing.", 0),
        (
            {"CRASH": "config", "ERROR": "ValueError: no such model"},
            "The engine ended with exit code 1 while reading its configuration. ValueError: no such model",
            1,
        ),
        (
            {"CRASH": "weights", "ERROR": "torch.OutOfMemoryError: CUDA out of memory."},
            "The engine ended with exit code 1 while loading the weights. torch.OutOfMemoryError: CUDA out of memory.",
            1,
        ),
    ],
)
def test_a_start_that_fails_is_told(
    fake: EngineCase, session: EngineSession, habits: dict[str, str], words: str, code: int
) -> None:
    session.start(fake.environment, fake.plan(**habits))
    last = until_rest(session)
    assert last.state is State.FAILED
    assert (last.problem, last.exit_code, last.hint) == (words, code, "See the log.")
    assert last.stop_rung == "none" and last.leftover_pids == ()


def test_an_argument_that_the_engine_does_not_know(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, make_plan(fake.model, "--no-such-thing"))
    last = until_rest(session)
    assert last.exit_code == 2
    assert last.problem.endswith("unrecognized arguments: --no-such-thing")


def test_a_crash_while_serving_is_noticed(fake: EngineCase, session: EngineSession) -> None:
    habits = {"CRASH": "serving", "CRASH_AFTER_S": "0.3", "EXIT_CODE": "7", "ERROR": "RuntimeError: lost the card"}
    session.start(fake.environment, fake.plan(**habits))
    last = until_rest(session)
    assert last.state is State.FAILED and last.exit_code == 7 and last.ready_after_s is not None
    assert last.problem == "The engine ended with exit code 7 while serving. RuntimeError: lost the card"


def test_an_interpreter_that_is_gone(fake: EngineCase, session: EngineSession, tmp_path: Path) -> None:
    gone = dataclasses.replace(fake.environment, python=tmp_path / "gone" / "bin" / "python")
    session.start(gone, fake.plan())
    last = until_rest(session)
    assert last.state is State.FAILED and "No such file" in last.problem and "moved or removed" in last.hint


@pytest.mark.parametrize("health", ["hang", "503", "never"])
def test_alive_is_not_ready(fake: EngineCase, session: EngineSession, health: str) -> None:
    session.start(fake.environment, fake.plan(HEALTH=health))
    session.wait(lambda now: now.stage is Stage.SERVER, 20)
    assert session.wait(lambda now: now.state is not State.STARTING, 1.0).state is State.STARTING
    session.stop()
    assert until_rest(session).state is State.STOPPED


def test_a_flood_of_lines_reaches_the_log_and_stops_nobody(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, fake.plan(FLOOD="200000"))
    ready = until_ready(session)
    seconds_until(lambda: "flood over" in log_text(ready)[-2000:], 30)
    assert get(f"{ready.base_url}/health")[0] == 200
    assert log_text(ready).count("x" * 80) == 200_000
    turns_s, taken = [], 0  # of processor time, since a busy machine makes everybody wait
    while True:
        began = time.thread_time()
        lines = session.log.take()
        turns_s.append(time.thread_time() - began)
        if not lines:
            break
        taken += len(lines)
    usual_s = sorted(turns_s)[int(len(turns_s) * 0.9)]
    print(f"\n200,000 lines: 90 % of the turns below {usual_s * 1000:.1f} ms, longest {max(turns_s) * 1000:.1f} ms")
    assert taken + session.log.dropped >= 200_000 and usual_s < 0.01
    session.stop()
    assert until_rest(session).stop_rung == "SIGINT"


def test_a_line_without_end_and_broken_text(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, fake.plan(FLOOD_BYTES=str(5_000_000), BROKEN_TEXT="1"))
    ready = until_ready(session)
    seconds_until(lambda: "broken" in log_text(ready)[-100:], 20)
    lines = []
    while (taken := session.log.take()) or not session.log.caught_up:
        lines += taken
    assert max(map(len, lines)) < 40_000
    assert any(line.endswith("(cut)") for line in lines)


def test_a_wanted_port_that_is_busy(fake: EngineCase, session: EngineSession) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        session.start(fake.environment, make_plan(fake.model, port=port))
        last = until_rest(session)
    assert last.state is State.FAILED and last.port is None
    assert f"Port {port} is in use by" in last.problem and str(os.getpid()) in last.problem and last.hint


class _Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


class _Sharing(ThreadingHTTPServer):
    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Healthy, bind_and_activate=False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.server_bind()
        self.server_activate()


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


@pytest.fixture
def impostor():
    """A server that answers like ours; call it with a port to let it take that port."""
    servers = []

    def take(port: int) -> None:
        server = _Sharing(port)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        servers.append((server, thread))

    yield take
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_server_that_takes_the_port_between_check_and_bind(
    fake: EngineCase, session: EngineSession, impostor
) -> None:
    """It answers /health; the engine cannot bind. That is no readiness, and the taker is named."""
    port = free_port()
    session.start(fake.environment, make_plan(fake.model, port=port, variables={"FAKE_START_S": "1"}))
    session.wait(lambda now: now.port == port, 5)
    impostor(port)
    last = until_rest(session)
    assert last.ready_after_s is None and last.state is State.FAILED
    assert last.problem.startswith(f"Port {port} was taken by ") and f"process {os.getpid()}" in last.problem
    assert "another port" in last.hint


def test_a_server_that_shares_the_port(fake: EngineCase, session: EngineSession, impostor) -> None:
    """Both bind with SO_REUSEPORT, as two vLLM do; requests would be dealt out between them."""
    port = free_port()
    session.start(fake.environment, make_plan(fake.model, port=port, variables={"FAKE_SHARE_PORT": "1"}))
    session.wait(lambda now: now.port == port, 5)
    impostor(port)
    last = until_rest(session)
    assert last.ready_after_s is None and last.state is State.FAILED
    assert f"Port {port} is shared with" in last.problem and f"process {os.getpid()}" in last.problem


def test_reachable_from_outside_only_with_a_key(fake: EngineCase, session: EngineSession, paths: Paths) -> None:
    session.start(fake.environment, make_plan(fake.model, host="0.0.0.0"))
    ready = until_ready(session)
    key = ready.api_key
    assert key and len(key) > 30
    assert ready.base_url == f"http://127.0.0.1:{ready.port}"
    assert get(f"{ready.base_url}/v1/models")[0] == 401
    assert get(f"{ready.base_url}/v1/models", key)[0] == 200
    assert private(paths.config / "api-key")
    for pid in session.engine_pids():
        assert key not in " ".join(psutil.Process(pid).cmdline())
    assert key not in repr(ready) and key not in log_text(ready)
    session.stop()
    until_rest(session)
    session.start(fake.environment, make_plan(fake.model, host="0.0.0.0"))
    assert until_ready(session).api_key == key, "clients would have to be set up anew"


def test_a_key_of_the_person_is_kept(fake: EngineCase, session: EngineSession, paths: Paths) -> None:
    session.start(fake.environment, make_plan(fake.model, variables={"VLLM_API_KEY": "secret-of-mine"}))
    ready = until_ready(session)
    assert ready.api_key == "secret-of-mine" and get(f"{ready.base_url}/v1/models", "secret-of-mine")[0] == 200
    assert get(f"{ready.base_url}/v1/models")[0] == 401 and not (paths.config / "api-key").exists()


def test_the_model_is_asked_for_where_the_plan_does_not_name_it(fake: EngineCase, session: EngineSession) -> None:
    plan = dataclasses.replace(make_plan(fake.model, "--served-model-name", "little"), served_name="")
    session.start(fake.environment, plan)
    assert until_ready(session).model == "little"


def test_a_log_folder_that_cannot_be_written(fake: EngineCase, session: EngineSession, paths: Paths) -> None:
    """The start goes on without a log, and says so."""
    paths.state.mkdir(parents=True)
    paths.logs.write_text("a file where the folder should be")
    session.start(fake.environment, fake.plan())
    ready = until_ready(session)
    assert ready.notice == "The log cannot be written: Not a directory."
    session.stop()
    last = until_rest(session)
    assert last.state is State.STOPPED and "bytes of the log were lost" in last.notice
