"""Round numbers for axes: where a value axis ends, and where its ticks and those of the time axis stand."""

import math
import time
from collections.abc import Sequence

from core.base.clock import to_wall
from gui.format import clock

_UPPER_STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_TICK_STEPS = (1.0, 2.0, 5.0, 10.0)
_HEADROOM = 1.03
_SHRINK_BELOW = 0.7
_SHRINK_AFTER_S = 8.0
_TIME_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)


class StableUpper:
    """The upper end of a value axis that starts at 0: it grows at once and shrinks only after a while.

    Args:
        least: never below this.
    """

    def __init__(self, least: float) -> None:
        self._least = least
        self._low_since: float | None = None
        self.value = nice_upper(least, headroom=1.0)

    def update(self, largest: float | None, moment_s: float, at_once: bool = False) -> float:
        """Take the largest visible value into account.

        Args:
            largest: None when no value is visible; the axis then stays as it is.
            moment_s: when, on any steady clock.
            at_once: also shrink now, since the person has moved the view.
        """
        if largest is None:
            return self.value
        wanted = self._wanted(largest)
        if wanted > self.value or (at_once and wanted != self.value):
            self.value = wanted
            self._low_since = None
        elif wanted > _SHRINK_BELOW * self.value:
            self._low_since = None
        elif self._low_since is None:
            self._low_since = moment_s
        elif moment_s - self._low_since >= _SHRINK_AFTER_S:
            self.value = wanted
            self._low_since = None
        return self.value

    def _wanted(self, largest: float) -> float:
        if largest <= self._least:
            return nice_upper(self._least, headroom=1.0)
        return nice_upper(largest)


def nice_upper(value: float, headroom: float = _HEADROOM) -> float:
    """The smallest round number with some room above `value`, which is above 0."""
    wanted = value * headroom
    power = 10.0 ** math.floor(math.log10(wanted))
    # The division may come out a hair above a step that was meant exactly.
    return next(step for step in _UPPER_STEPS if step * power >= wanted * (1 - 1e-9)) * power


def value_ticks(upper: float, most: int) -> list[float]:
    """Round values from 0 to `upper`, at most `most` steps apart."""
    wanted = upper / max(1, most)
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(step for step in _TICK_STEPS if step * power >= wanted * (1 - 1e-9)) * power
    return [index * step for index in range(int(upper / step * (1 + 1e-9)) + 1)]


def tick_text(value: float, ticks: Sequence[float]) -> str:
    """A tick's label with as many decimals as the step needs; thousands as `12k` from 10,000 on."""
    step = ticks[1] if len(ticks) > 1 else 1.0
    if ticks[-1] >= 10_000:
        thousands = f"{value / 1000:,.1f}".removesuffix(".0")
        return f"{thousands}k" if value else "0"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:,.{decimals}f}"


def time_step(span_s: float, most: int) -> int:
    """Whole seconds between two ticks so that `span_s` holds at most `most` of them."""
    return next((step for step in _TIME_STEPS_S if step * max(1, most) >= span_s), _TIME_STEPS_S[-1])


def time_ticks(t0: float, t1: float, step: int, origin: float | None) -> list[float]:
    """Moments at round times since `origin`, or at round wall-clock times when that is None."""
    zero = _midnight_offset(t0) if origin is None else origin
    first = math.ceil((t0 - zero) / step)
    last = math.floor((t1 - zero) / step)
    return [zero + index * step for index in range(first, last + 1)]


def time_text(t: float, origin: float | None, seconds: bool = True) -> str:
    """A moment as running time since `origin` (`-0:30`, `1:23`), or as wall clock when that is None."""
    if origin is None:
        return time.strftime("%H:%M:%S" if seconds else "%H:%M", time.localtime(to_wall(t) + 0.001))
    passed = t - origin
    # The sign goes by the shown, whole second.
    return f"-{clock(-passed + 0.001)}" if passed <= -1 else clock(max(0.0, passed + 0.001))


def _midnight_offset(t: float) -> float:
    """The last local midnight, on the samples' clock."""
    wall = to_wall(t)
    day = time.localtime(wall)
    return t - (day.tm_hour * 3600 + day.tm_min * 60 + day.tm_sec) - wall % 1
