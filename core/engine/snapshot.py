"""What is known about the engine at one moment, and the board on which the newest such picture hangs."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.engine.stages import Stage, StageMark

_POLL_S = 0.25


class State(StrEnum):
    """The life cycle. A start is possible in IDLE, STOPPED and FAILED."""

    IDLE = "idle"
    """Nothing was started yet."""
    STARTING = "starting"
    READY = "ready"
    """Our own process answers requests."""
    STOPPING = "stopping"
    STOPPED = "stopped"
    """It ended because the person wanted it."""
    FAILED = "failed"
    """It could not start, or ended by itself."""

    @property
    def at_rest(self) -> bool:
        """Whether no engine runs."""
        return self in (State.IDLE, State.STOPPED, State.FAILED)


@dataclass(frozen=True, slots=True)
class SessionSnapshot:
    """One engine's life as far as it has come. Unknown is None.

    Attributes:
        stage: the step of the start; READY from then on.
        stage_detail: words of progress within the stage (`shard 1 of 4`); may be empty.
        stage_fraction: progress within the stage from 0 to 1.
        started_s: when Start was pressed, by `core.base.clock.now`.
        ready_after_s: from Start until our own process answered.
        base_url: where the API is, without a trailing slash; known from the choice of the port on.
        api_key: what clients must show; kept out of the repr.
        model: what requests call the model.
        engine_prefix: the folder of the engine environment that this life is of.
        exit_code: of the engine's first process; negative for a signal.
        stop_rung: the last signal that was needed (`SIGINT`, `SIGTERM`, `SIGKILL`), `none` when it went by itself.
        stop_took_s: from the wish to stop, or from the engine's own end, to the last process.
        leftover_pids: processes that could not be ended.
        problem: what went wrong, in a sentence; empty when nothing did.
        hint: what can be done about it.
        notice: something worth knowing while it runs (the log cannot be written, say).
    """

    state: State = State.IDLE
    stage: Stage | None = None
    stage_detail: str = ""
    stage_fraction: float | None = None
    stages: tuple[StageMark, ...] = ()
    started_s: float | None = None
    ready_after_s: float | None = None
    host: str | None = None
    port: int | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None
    engine_prefix: Path | None = None
    log_path: Path | None = None
    engine_pid: int | None = None
    exit_code: int | None = None
    stop_rung: str | None = None
    stop_took_s: float | None = None
    leftover_pids: tuple[int, ...] = ()
    problem: str = ""
    hint: str = ""
    notice: str = ""

    @property
    def openai_base_url(self) -> str | None:
        """The address that clients of the OpenAI API want: `base_url` with `/v1`."""
        return None if self.base_url is None else f"{self.base_url}/v1"


class Board:
    """Holds the newest snapshot; any thread may read, change and wait."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._snapshot = SessionSnapshot()

    @property
    def snapshot(self) -> SessionSnapshot:
        """The newest one."""
        return self._snapshot

    def change(self, **fields: Any) -> SessionSnapshot:
        """Hang up a copy with these fields changed."""
        with self._condition:
            self._snapshot = replace(self._snapshot, **fields)
            self._condition.notify_all()
            return self._snapshot

    def begin(self, fresh: SessionSnapshot) -> bool:
        """Begin a new life with this snapshot; False while another one is not over."""
        with self._condition:
            if not self._snapshot.state.at_rest:
                return False
            self._snapshot = fresh
            self._condition.notify_all()
            return True

    def stopping(self) -> bool:
        """Note that the end is wanted; False when there is nothing to end, or when that is noted already."""
        with self._condition:
            if self._snapshot.state not in (State.STARTING, State.READY):
                return False
            self._snapshot = replace(self._snapshot, state=State.STOPPING)
            self._condition.notify_all()
            return True

    def wait(self, until: Callable[[SessionSnapshot], bool], timeout_s: float) -> SessionSnapshot:
        """Wait for a snapshot that satisfies `until`; after the time is over, give the newest one.

        The condition is asked at least four times a second, so that it may look at other things too.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            seen = self._snapshot
            remaining = deadline - time.monotonic()
            if until(seen) or remaining <= 0:
                return seen
            with self._condition:
                if self._snapshot is seen:
                    self._condition.wait(min(_POLL_S, remaining))
