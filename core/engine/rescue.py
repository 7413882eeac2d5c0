"""Ends an engine whose worker is gone."""

import signal
from collections.abc import Iterable
from dataclasses import dataclass

from core.base.processes import ProcessRef
from core.engine.kin import kill, marked, wait_gone

_BY_ITSELF_S = 4.0
_KILL_S = 3.0


@dataclass(frozen=True, slots=True)
class Rescue:
    """What it took.

    Attributes:
        rung: `SIGTERM` where the engine's own lifeline was enough, else `SIGKILL`.
        leftovers: pids that live on.
    """

    rung: str
    leftovers: tuple[int, ...]


def end_without_worker(engine_id: str, known: Iterable[ProcessRef]) -> Rescue:
    """See that nothing of the engine is left.

    The engine feels the worker's end by its lifeline and ends itself; whatever is left after that is killed.

    Args:
        engine_id: the mark that the engine's processes carry.
        known: processes that the worker had told of.
    """
    told = list(known)

    def remaining() -> list[ProcessRef]:
        return sorted({*(process for process in told if process.alive()), *marked(engine_id)}, key=lambda p: p.pid)

    if wait_gone(remaining, _BY_ITSELF_S):
        return Rescue(signal.SIGTERM.name, ())
    kill(remaining, _KILL_S)
    return Rescue(signal.SIGKILL.name, tuple(process.pid for process in remaining()))
