"""The samples of one quantity: times and values side by side, bounded in length, statistics kept while they grow."""

import math
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

# A source that was silent for this many of its own periods has left a gap; fewer is jitter.
GAP_PERIODS = 2.5
# The oldest samples go in blocks of this share of the capacity, so that moving the rest stays rare.
_TRIM_SHARE = 8


@dataclass(frozen=True, slots=True)
class Stats:
    """What a quantity did over a stretch of time; missing samples count nowhere.

    Attributes:
        current: the newest sample; None when that one is missing.
        minimum: smallest value; None without any value.
        maximum: largest value; None without any value.
        average: mean over samples, which a steady rate makes the mean over time; None without any value.
        count: how many values these are made of.
    """

    current: float | None
    minimum: float | None
    maximum: float | None
    average: float | None
    count: int


class _Tally:
    """Statistics from one moment on, brought forward by each sample, so that asking costs nothing."""

    __slots__ = ("count", "maximum", "minimum", "since", "total")

    def __init__(self, since: float) -> None:
        self.since = since
        self.minimum = math.inf
        self.maximum = -math.inf
        self.total = 0.0
        self.count = 0

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.minimum = min(self.minimum, value)
        self.maximum = max(self.maximum, value)


class Series:
    """One quantity's samples in the order of time. Not thread-safe by itself: the store holds the lock.

    Args:
        capacity: samples kept; older ones are dropped in blocks of an eighth of that.
    """

    __slots__ = ("_capacity", "_everything", "_period_s", "_recent", "_times", "_values")

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._times: array[float] = array("d")
        self._values: array[float] = array("d")
        self._period_s = 0.0
        self._everything = _Tally(-math.inf)
        self._recent: _Tally | None = None

    def __len__(self) -> int:
        return len(self._times)

    def append(self, t: float, value: float | None, period_s: float) -> bool:
        """Add a sample (None = missing); a silence of more than 2.5 periods before it becomes a missing sample.

        Returns:
            False when `t` is older than the newest sample, which is then left as it is.
        """
        if self._times:
            last = self._times[-1]
            if t < last:
                return False
            # A rate that has just been changed must not make a gap in either direction.
            if t - last > GAP_PERIODS * max(period_s, self._period_s) and not math.isnan(self._values[-1]):
                self._push(last + min(period_s, self._period_s), math.nan)
        self._period_s = period_s
        self._push(t, math.nan if value is None else float(value))
        return True

    def end(self, t: float) -> bool:
        """Close the curve: nothing is known from `t` on until the next sample. False when it was closed already."""
        if not self._times or math.isnan(self._values[-1]):
            return False
        self._push(max(t, self._times[-1]), math.nan)
        return True

    def window(self, t0: float, t1: float) -> "tuple[array[float], array[float]]":
        """Copies of times and values from `t0` to `t1`, both included."""
        first = bisect_left(self._times, t0)
        last = bisect_right(self._times, t1)
        return self._times[first:last], self._values[first:last]

    def latest(self) -> tuple[float, float] | None:
        """Time and value (NaN = missing) of the newest sample; None when there is none."""
        return (self._times[-1], self._values[-1]) if self._times else None

    def stats(self, since: float | None) -> Stats:
        """Statistics from `since` on; over everything that was ever added when it is None.

        The last `since` is carried along: repeating the question costs no walk over the samples.
        """
        tally = self._everything
        if since is not None:
            if self._recent is None or self._recent.since != since:
                self._recent = self._count_from(since)
            tally = self._recent
        current = self._values[-1] if self._values else math.nan
        return Stats(
            current=None if math.isnan(current) else current,
            minimum=tally.minimum if tally.count else None,
            maximum=tally.maximum if tally.count else None,
            average=tally.total / tally.count if tally.count else None,
            count=tally.count,
        )

    def _count_from(self, since: float) -> _Tally:
        tally = _Tally(since)
        for value in self._values[bisect_left(self._times, since) :]:
            if not math.isnan(value):
                tally.add(value)
        return tally

    def _push(self, t: float, value: float) -> None:
        self._times.append(t)
        self._values.append(value)
        if not math.isnan(value):
            self._everything.add(value)
            if self._recent is not None and t >= self._recent.since:
                self._recent.add(value)
        block = max(1, self._capacity // _TRIM_SHARE)
        if len(self._times) >= self._capacity + block:
            del self._times[:block]
            del self._values[:block]
