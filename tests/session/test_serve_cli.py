"""`vllm-dyno serve`: the headless twin."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import DynoError
from core.base.paths import Paths
from core.cli import serve
from core.cli.main import build_parser
from core.engine.session import SessionSnapshot, Stage, State
from core.services import Services
from tests.session.helpers import EngineCase, children_of, get, living, seconds_until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def services(paths: Paths, fake: EngineCase) -> Iterator[Services]:
    """The real services, with the fake engine added and preferred."""
    built = Services.build(paths)
    added = built.registry.add(fake.environment.prefix)
    built.registry.set_default(added.name)
    yield built
    built.close()


def run(services: Services, *words: str) -> int:
    return serve.run(build_parser().parse_args(["serve", *words]), services)


def interrupt_when(services: Services, number: int, condition: Callable[[SessionSnapshot], bool]) -> threading.Thread:
    """Send ourselves a signal once the session is so far."""

    def wait() -> None:
        services.session.wait(condition, 20)
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def ready(snapshot: SessionSnapshot) -> bool:
    return snapshot.state is State.READY


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_from_start_to_ctrl_c(services: Services, fake: EngineCase, number: int, capsys) -> None:
    before = signal.getsignal(signal.SIGINT)
    thread = interrupt_when(services, number, ready)
    assert run(services, "--", fake.model, "--max-model-len", "1024") == 0
    thread.join()
    out, err = capsys.readouterr()
    last = services.session.snapshot
    assert out == f"{last.base_url}/v1\n"
    assert err.startswith("log: "), err
    for words in (
        " s  Importing vLLM",
        " s  Loading weights",
        "Try it: curl http://127.0.0.1:",
        "Ready after",
        "Stopping",
        "Stopped after",
    ):
        assert words in err, err
    assert str(last.log_path) in err and "INFO 12-01" not in err
    assert signal.getsignal(signal.SIGINT) is before


def test_json_and_the_log(services: Services, fake: EngineCase, capsys) -> None:
    thread = interrupt_when(services, signal.SIGINT, ready)
    assert run(services, "--json", "--log", "--", fake.model) == 0
    thread.join()
    out, err = capsys.readouterr()
    begin, end = (json.loads(line) for line in out.splitlines())
    assert (
        begin["state"] == "ready" and begin["base_url"].startswith("http://127.0.0.1:") and begin["model"] == fake.model
    )
    assert begin["openai_base_url"] == f"{begin['base_url']}/v1"
    assert end["state"] == "stopped" and end["stop_rung"] == "SIGINT" and end["leftover_processes"] == 0
    assert "Resolved architecture" in err and "Application startup complete" in err


def test_called_off_before_it_was_ready(services: Services, fake: EngineCase, monkeypatch, capsys) -> None:
    monkeypatch.setenv("FAKE_START_S", "60")
    thread = interrupt_when(services, signal.SIGINT, lambda now: now.engine_pid is not None)
    assert run(services, "--", fake.model) == 130
    thread.join()
    assert capsys.readouterr().out == ""


def test_a_failure_has_the_engines_own_exit_code(services: Services, fake: EngineCase, monkeypatch, capsys) -> None:
    monkeypatch.setenv("FAKE_CRASH", "config")
    monkeypatch.setenv("FAKE_EXIT_CODE", "7")
    assert run(services, "--json", "--", fake.model) == 7
    out, err = capsys.readouterr()
    assert json.loads(out)["problem"].startswith("The engine ended with exit code 7")
    assert "error: The engine ended with exit code 7" in err and "hint: See the log." in err


def test_reachable_from_outside_tells_where_the_key_is(
    services: Services, fake: EngineCase, paths: Paths, capsys
) -> None:
    thread = interrupt_when(services, signal.SIGINT, ready)
    assert run(services, "--", fake.model, "--host", "0.0.0.0") == 0
    thread.join()
    out, err = capsys.readouterr()
    key = (paths.config / "api-key").read_text()
    assert "Bearer $VLLM_API_KEY" in err
    assert str(paths.config / "api-key") in err and key not in out + err


def test_an_engine_by_name(services: Services, fake: EngineCase) -> None:
    with pytest.raises(DynoError):
        run(services, "--engine", "no-such-engine", "--", fake.model)


def test_no_engine_at_all(paths: Paths, fake: EngineCase, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    built = Services.build(paths)
    with pytest.raises(DynoError, match="no engine"):
        run(built, "--", fake.model)
    built.close()


def test_no_model(services: Services) -> None:
    with pytest.raises(DynoError, match="No model"):
        run(services, "--")


@pytest.mark.parametrize(
    ("snapshot", "code"),
    [
        (SessionSnapshot(state=State.STOPPED, ready_after_s=1.0, exit_code=-9), 0),
        (SessionSnapshot(state=State.STOPPED), 130),
        (SessionSnapshot(state=State.FAILED, exit_code=2), 2),
        (SessionSnapshot(state=State.FAILED, exit_code=0), 1),
        (SessionSnapshot(state=State.FAILED, exit_code=-9), 1),
        (SessionSnapshot(state=State.FAILED), 1),
    ],
)
def test_exit_codes(snapshot: SessionSnapshot, code: int) -> None:
    assert serve.exit_code(snapshot) == code


def test_the_curl_example_is_what_a_shell_would_send() -> None:
    model = 'it\'s a "model"'
    words = shlex.split(serve.curl_example(SessionSnapshot(base_url="http://127.0.0.1:8000", model=model)))
    assert words[:2] == ["curl", "http://127.0.0.1:8000/v1/chat/completions"]
    assert not any("Authorization" in word for word in words)
    assert json.loads(words[-1])["model"] == model


def test_the_log_is_named_before_the_first_stage(services: Services, capsys) -> None:
    reporter = serve._Reporter(services.session, as_json=False, with_log=False, key_file="")
    starting = SessionSnapshot(state=State.STARTING, stage=Stage.LAUNCH)
    reporter._report(starting)
    assert capsys.readouterr().err == ""
    reporter._report(replace(starting, log_path=Path("/logs/a.log")))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "log: /logs/a.log"
    assert second.endswith(" s  Launching the process")


def test_leftovers_and_notices_are_told(services: Services, capsys) -> None:
    reporter = serve._Reporter(services.session, as_json=False, with_log=False, key_file="")
    reporter.close(SessionSnapshot(state=State.STOPPED, stop_rung="SIGKILL", problem="1 process left."))
    reporter._report(SessionSnapshot(state=State.READY, notice="The log cannot be written: full.", base_url="http://x"))
    err = capsys.readouterr().err
    assert "Stopped, last signal SIGKILL." in err and "1 process left." in err and "cannot be written" in err


def test_the_command_killed_leaves_nothing(paths: Paths, fake: EngineCase) -> None:
    """As a terminal that is closed, or a machine that kills it, would."""
    registered = Services.build(paths)
    registered.registry.add(fake.environment.prefix)
    registered.close()
    root = paths.config.parent
    command = [sys.executable, "-c", "import sys; from core.cli.main import main; sys.exit(main())", "serve"]
    process = subprocess.Popen(
        [*command, "--engine", _name(paths, fake), "--", fake.model],
        env={**os.environ, "VLLM_DYNO_HOME": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    with process:
        url = process.stdout.readline().decode().strip()
        assert get(f"{url}/models")[0] == 200
        everything = children_of(process.pid)
        process.kill()
        seconds_until(lambda: living(everything) == [], 10)


def _name(paths: Paths, fake: EngineCase) -> str:
    registry = Services.build(paths).registry
    return next(found.name for found in registry.list() if found.prefix == fake.environment.prefix.resolve())
