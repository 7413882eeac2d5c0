"""Sources with bad habits, for the sampler's tests. They are real sources; only what they measure is made up."""

import threading
from collections.abc import Callable

from core.base.clock import now
from core.telemetry.source import Row, Source


class ScriptedSource(Source):
    """Calls the given functions and remembers when."""

    def __init__(
        self,
        name: str = "gpu",
        *,
        fast: Callable[[], list[Row]] = lambda: [Row(0, {"power_w": 1.0})],
        slow: Callable[[], list[Row]] = list,
        opening: Callable[[], None] = lambda: None,
        slow_period_s: float = 5.0,
    ) -> None:
        self.name = name
        self.slow_period_s = slow_period_s
        self.longest_pause_s = 0.05
        self.read_at: list[float] = []
        self.slow_at: list[float] = []
        self.opened = 0
        self.closed = 0
        self._fast = fast
        self._slow = slow
        self._opening = opening

    def open(self) -> None:
        self.opened += 1
        self._opening()

    def read_fast(self) -> list[Row]:
        self.read_at.append(now())
        return self._fast()

    def read_slow(self) -> list[Row]:
        self.slow_at.append(now())
        return self._slow()

    def close(self) -> None:
        self.closed += 1


class Hang:
    """A driver call that does not come back until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.let_go = threading.Event()

    def __call__(self) -> list[Row]:
        self.entered.set()
        self.let_go.wait(30)
        return [Row(0, {"power_w": 99.0})]
