"""What the session's tests do again and again."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

from core.config.command import LaunchPlan
from core.engine.environments import EngineEnvironment
from core.engine.session import EngineSession, SessionSnapshot, State


@dataclass(frozen=True)
class EngineCase:
    """One engine to run a test on.

    Attributes:
        limit_s: how long its start may take.
    """

    name: str
    environment: EngineEnvironment
    model: str
    limit_s: float
    variables: dict[str, str]
    flags: tuple[str, ...] = ()

    def plan(self, **habits: str) -> LaunchPlan:
        """A plan for this engine; `START_S="3"` and the like give the fake one its habits."""
        variables = {**self.variables, **{f"FAKE_{name}": value for name, value in habits.items()}}
        return make_plan(self.model, *self.flags, variables=variables)


def make_plan(
    model: str, *flags: str, variables: dict[str, str] | None = None, host: str | None = None, port: int | None = None
) -> LaunchPlan:
    return LaunchPlan((model, *flags), dict(variables or {}), host, port, model, model)


def until_settled(session: EngineSession, limit_s: float = 30.0) -> SessionSnapshot:
    """Wait until a start came to something."""
    snapshot = session.wait(lambda now: now.state is not State.STARTING, limit_s)
    assert snapshot.state is not State.STARTING, f"still starting after {limit_s} s: {snapshot}"
    return snapshot


def until_ready(session: EngineSession, limit_s: float = 30.0) -> SessionSnapshot:
    snapshot = until_settled(session, limit_s)
    assert snapshot.state is State.READY, f"{snapshot.problem}\n{log_text(snapshot)}"
    return snapshot


def until_rest(session: EngineSession, limit_s: float = 30.0) -> SessionSnapshot:
    snapshot = session.wait(lambda now: now.state.at_rest, limit_s)
    assert snapshot.state.at_rest, f"not at rest after {limit_s} s: {snapshot}"
    return snapshot


def log_text(snapshot: SessionSnapshot) -> str:
    return snapshot.log_path.read_text(errors="replace") if snapshot.log_path and snapshot.log_path.exists() else ""


def get(url: str, key: str | None = None, timeout_s: float = 10.0) -> tuple[int, bytes]:
    """Status and body, whatever the status."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def ask(base_url: str, model: str, max_tokens: int, key: str | None = None) -> str:
    """One streamed answer, as text."""
    body = {"model": model, "messages": [{"role": "user", "content": "Name a city."}], "max_tokens": max_tokens}
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(
        f"{base_url}/v1/chat/completions", json.dumps({**body, "stream": True}).encode(), headers
    )
    text = ""
    with urllib.request.urlopen(request, timeout=60) as answer:
        for line in answer:
            if line.startswith(b"data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    text += choice["delta"].get("content") or ""
    return text


def living(pids: Iterable[int]) -> list[int]:
    """Those that are still there; a zombie is not."""
    found = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
        except psutil.NoSuchProcess:
            continue
    return found


def seconds_until(condition: Callable[[], bool], limit_s: float) -> float:
    """How long it took until this held."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < limit_s, f"not within {limit_s} s"
        time.sleep(0.02)
    return time.monotonic() - began


def process_named(pids: Iterable[int], word: str) -> int:
    """The first of these processes that carries a word in its title or command line."""
    for pid in pids:
        process = psutil.Process(pid)
        if word in process.name() or word in " ".join(process.cmdline()):
            return pid
    raise AssertionError(f"no process {word}")


def children_of(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def private(path: Path) -> bool:
    """Whether only the owner may read it."""
    return path.stat().st_mode & 0o077 == 0
