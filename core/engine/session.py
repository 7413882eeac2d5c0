"""The life cycle of the engine: one at a time, started and stopped from any thread."""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from psygnal import EmitLoopError, Signal

from core.base.clock import now
from core.base.errors import DynoError
from core.base.paths import Paths
from core.config.command import LaunchPlan
from core.engine.logfile import LogFollower
from core.engine.snapshot import Board, SessionSnapshot, State
from core.engine.stages import Stage, StageMark

if TYPE_CHECKING:
    from core.engine.environment_model import EngineEnvironment
    from core.engine.life import EngineLife

__all__ = ["EngineSession", "SessionSnapshot", "Stage", "StageMark", "State"]


class EngineSession:
    """Starts the engine, watches it, stops it. The same object serves any number of lives, one after another.

    Signals:
        changed: a `SessionSnapshot` after each change, on a thread of the session.
    """

    changed = Signal(SessionSnapshot)

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._board = Board()
        self._life: EngineLife | None = None
        self._lock = threading.Lock()

    @property
    def snapshot(self) -> SessionSnapshot:
        """What is known now."""
        return self._board.snapshot

    @property
    def log(self) -> LogFollower:
        """The log of the current life, or of the last one; each life has a follower of its own, so ask again."""
        return self._life.log if self._life is not None else LogFollower()

    def engine_pids(self) -> list[int]:
        """All processes of the running engine; empty when there is none."""
        return self._life.pids() if self._life is not None else []

    def start(self, environment: "EngineEnvironment", plan: LaunchPlan) -> None:
        """Begin to start this engine; returns at once, and what comes of it shows in the snapshots.

        Raises:
            DynoError: another one runs, or is not over yet.
        """
        from core.engine.life import EngineLife  # http and psutil, which the window's first paint does not need

        fresh = SessionSnapshot(
            state=State.STARTING,
            stage=Stage.LAUNCH,
            started_s=now(),
            model=plan.served_name or None,
            engine_prefix=environment.prefix,
        )
        with self._lock:
            if not self._board.begin(fresh):
                raise DynoError("An engine is running already.", "Stop it first.")
            self._life = EngineLife(self._paths, environment, plan, self._board, self._announce)
            self._life.start()

    def stop(self) -> None:
        """Begin to stop, in whatever state; returns at once. Nothing happens when no engine runs."""
        with self._lock:
            if self._life is not None and self._board.stopping():
                self._life.request_stop()

    def wait(self, until: Callable[[SessionSnapshot], bool], timeout_s: float) -> SessionSnapshot:
        """Wait for a snapshot that satisfies `until`; after the time is over, give the newest one."""
        return self._board.wait(until, timeout_s)

    def close(self) -> None:
        """Stop and wait until nothing is left; may be called twice."""
        self.stop()
        if self._life is not None:
            self._life.join()

    def _announce(self) -> None:
        try:
            self.changed.emit(self._board.snapshot)
        except EmitLoopError:
            # A listener's mistake must not end the thread that watches over the engine.
            logging.getLogger(__name__).exception("A listener of the session failed")
