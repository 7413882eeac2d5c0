"""Questions to the store that the plots and the table share."""

import math

from core.telemetry.store import ChannelKey, SampleStore

# Samples further away than this are not looked at.
_REACH_S = 25.0
_RECHECK_S = 30.0
BEYOND_S = 1.0
"""How far beyond a curve's last point, in seconds, its value still counts."""


def value_at(store: SampleStore, key: ChannelKey, t: float, beyond_s: float = BEYOND_S) -> float | None:
    """The sample nearest to `t`, where a curve is drawn.

    Returns:
        None where the sample is missing, in a gap, and further than `beyond_s` from an end of the curve.
    """
    times, values = store.window(key, t - _REACH_S, t + _REACH_S)
    nearest = min(range(len(times)), key=lambda index: abs(times[index] - t), default=None)
    if nearest is None or math.isnan(values[nearest]):
        return None
    other = nearest + 1 if times[nearest] <= t else nearest - 1
    drawn_through = 0 <= other < len(times) and not math.isnan(values[other])
    return values[nearest] if drawn_through or abs(times[nearest] - t) <= beyond_s else None


class Extent:
    """From when to when there are samples. Cheap to ask several times a second.

    Args:
        store: whose samples.
    """

    def __init__(self, store: SampleStore) -> None:
        self._store = store
        self._firsts: dict[ChannelKey, float] = {}
        self._checked = -math.inf

    def read(self) -> tuple[float, float] | None:
        """First and newest moment; None while there is no sample."""
        newest = -math.inf
        keys = self._store.keys()
        for key in keys:
            latest = self._store.latest(key)
            if latest is not None:
                newest = max(newest, latest[0])
        if newest == -math.inf:
            self._firsts.clear()
            return None
        # The store drops its oldest samples now and then.
        if newest - self._checked > _RECHECK_S or newest < self._checked:
            self._firsts.clear()
            self._checked = newest
        for key in keys:
            if key not in self._firsts:
                times, _ = self._store.window(key, -math.inf, math.inf)
                self._firsts[key] = times[0] if times else newest
        return min(self._firsts[key] for key in keys), newest
