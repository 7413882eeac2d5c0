"""`vllm-dyno serve -- MODEL [vllm arguments]`: starts an engine without a window, as the window does."""

import argparse
import json
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from core.base.errors import DynoError
from core.engine.launch import key_file
from core.engine.raw_plan import raw_plan
from core.engine.session import EngineSession, SessionSnapshot, State
from core.engine.stages import Stage, stage_text
from core.services import Services

EXIT_CANCELLED = 130
_TURN_S = 0.1
_LINES_PER_TURN = 20_000


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "serve",
        help="start an engine without a window",
        description="Start an engine as the window does and keep it until Ctrl-C. Standard output gets the endpoint.",
        epilog="Everything after -- goes to `vllm serve`: vllm-dyno serve -- org/model --max-model-len 8192",
    )
    parser.add_argument("--engine", metavar="NAME", help="engine environment (default: the preferred one)")
    parser.add_argument("--json", action="store_true", help="one JSON object when ready, and one at the end")
    parser.add_argument("--log", action="store_true", help="show the engine's output too")
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="-- MODEL [vllm arguments]")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Start, wait, stop.

    Returns:
        0 after a stop that was asked for, 130 when that came before it was ready; else the engine's own exit code, or
        1 where it has none.
    """
    words = arguments.words[1:] if arguments.words[:1] == ["--"] else arguments.words
    plan = raw_plan(words)
    environment = services.registry.get(arguments.engine) if arguments.engine else services.registry.default()
    if environment is None:
        raise DynoError("There is no engine on this machine.", "Install one: vllm-dyno engines install")
    session = services.session
    with _stop_on_signals(session):
        session.start(environment, plan)
        kept_key = str(key_file(services.paths))
        reporter = _Reporter(session, as_json=arguments.json, with_log=arguments.log, key_file=kept_key)
        last = reporter.follow()
    reporter.close(last)
    return exit_code(last)


def exit_code(last: SessionSnapshot) -> int:
    """What the shell gets for this ending."""
    if last.state is State.STOPPED:
        return EXIT_CANCELLED if last.ready_after_s is None else 0
    return last.exit_code if last.exit_code is not None and 0 < last.exit_code < 256 else 1


def curl_example(snapshot: SessionSnapshot) -> str:
    """A request to the ready engine as a line for a shell; a key is named, not shown."""
    body = {"model": snapshot.model, "messages": [{"role": "user", "content": "Hello"}]}
    key = ' -H "Authorization: Bearer $VLLM_API_KEY"' if snapshot.api_key else ""
    return (
        f"curl {snapshot.openai_base_url}/chat/completions -H 'Content-Type: application/json'{key} "
        f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}"
    )


class _Reporter:
    """Tells each stage once, the endpoint when it is there, and the end."""

    def __init__(self, session: EngineSession, *, as_json: bool, with_log: bool, key_file: str) -> None:
        self._session = session
        self._as_json = as_json
        self._with_log = with_log
        self._key_file = key_file
        self._told: set[object] = set()
        self._began = time.monotonic()

    def follow(self) -> SessionSnapshot:
        """Report until the engine is at rest."""
        while True:
            snapshot = self._session.snapshot
            self._report(snapshot)
            self._copy_log()
            if snapshot.state.at_rest:
                return snapshot
            time.sleep(_TURN_S)

    def close(self, last: SessionSnapshot) -> None:
        """Report how it ended."""
        if self._as_json:
            print(json.dumps(_end(last)), flush=True)
        if last.state is State.FAILED:
            _say(f"error: {last.problem}")
            if last.hint:
                _say(f"hint: {last.hint}")
            return
        took = "" if last.stop_took_s is None else f" after {last.stop_took_s:.1f} s"
        _say(f"Stopped{took}, last signal {last.stop_rung}.")
        if last.problem:
            _say(last.problem)

    def _report(self, snapshot: SessionSnapshot) -> None:
        if snapshot.log_path is not None:
            self._once(snapshot.log_path, f"log: {snapshot.log_path}")
        if snapshot.notice:
            self._once(snapshot.notice, snapshot.notice)
        # The name of the log file comes a moment after the first stage, and belongs above the table.
        unnamed = snapshot.stage is Stage.LAUNCH and snapshot.log_path is None
        if snapshot.stage is not None and snapshot.state is State.STARTING and not unnamed:
            text = stage_text(snapshot.stage, snapshot.stage_detail)
            self._once((snapshot.stage, snapshot.stage_detail), f"{time.monotonic() - self._began:7.1f} s  {text}")
        # Not by the state: a stop may follow before anybody has looked.
        if snapshot.ready_after_s is not None and State.READY not in self._told:
            self._told.add(State.READY)
            self._tell_ready(snapshot)
        if snapshot.state is State.STOPPING:
            self._once(State.STOPPING, "Stopping")

    def _tell_ready(self, snapshot: SessionSnapshot) -> None:
        _say(f"Ready after {snapshot.ready_after_s or 0:.1f} s; Ctrl-C stops it.")
        if snapshot.api_key:
            _say(f"Requests need the API key that you set, or else the one in {self._key_file}")
        _say(f"Try it: {curl_example(snapshot)}")
        print(json.dumps(_ready(snapshot)) if self._as_json else snapshot.openai_base_url, flush=True)

    def _once(self, key: object, text: str) -> None:
        if key not in self._told:
            self._told.add(key)
            _say(text)

    def _copy_log(self) -> None:
        if self._with_log:
            for line in self._session.log.take(_LINES_PER_TURN):
                _say(line)


@contextmanager
def _stop_on_signals(session: EngineSession) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the engine; the ladder then takes its course, whatever else is pressed."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        # Not here: the handler may have interrupted the very lock that stopping needs.
        threading.Thread(target=session.stop, name="serve-stop", daemon=True).start()

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _ready(snapshot: SessionSnapshot) -> dict[str, object]:
    return {
        "state": State.READY,
        "base_url": snapshot.base_url,
        "openai_base_url": snapshot.openai_base_url,
        "model": snapshot.model,
        "ready_s": snapshot.ready_after_s,
        "pid": snapshot.engine_pid,
        "log": str(snapshot.log_path),
    }


def _end(last: SessionSnapshot) -> dict[str, object]:
    return {
        "state": last.state,
        "exit_code": last.exit_code,
        "stop_rung": last.stop_rung,
        "stop_s": last.stop_took_s,
        "leftover_processes": len(last.leftover_pids),
        "problem": last.problem,
        "hint": last.hint,
        "log": str(last.log_path) if last.log_path else None,
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
