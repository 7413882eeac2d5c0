"""From samples to the few points that can be seen: smallest and largest of each bucket of time, gaps kept."""

import math

import numpy as np

from core.telemetry.store import ChannelKey, SampleStore

MOST_POINTS = 3600
"""Upper bound of the points of one curve."""

_COLUMNS = 4
_STEPS_PER_OCTAVE = 2
_MARGIN_SHARE = 0.02
# One sample beyond the edge of the view is needed to draw up to it; slow quantities come every 5 s.
_MARGIN_S = 6.0
_KEEP_LENGTHS = 3


def bucketed(times: np.ndarray, values: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of each bucket `[n * width, (n + 1) * width)`, in the order in which they run.

    A bucket with one or two samples keeps them as they are; missing samples (NaN) break the curve where they lie.
    """
    if len(times) == 0:
        return times, values
    buckets = np.floor_divide(times, width)
    starts = np.concatenate(([0], np.flatnonzero(np.diff(buckets)) + 1))
    ends = np.concatenate((starts[1:], [len(times)])) - 1
    missing = np.isnan(values)
    low = np.fmin.reduceat(values, starts)
    high = np.fmax.reduceat(values, starts)
    holes = np.logical_or.reduceat(missing, starts)
    falling = values[starts] > values[ends]
    single = (starts == ends) | np.isnan(low)
    hole_first = missing[starts]
    x = np.repeat(times[starts], _COLUMNS).reshape(-1, _COLUMNS)
    x[:, 2:] = times[ends][:, None]
    y = np.full((len(starts), _COLUMNS), np.nan)
    y[:, 1] = np.where(falling, high, low)
    y[:, 2] = np.where(falling, low, high)
    keep = np.empty(y.shape, dtype=bool)
    keep[:, 0] = hole_first
    keep[:, 1] = ~np.isnan(low)
    keep[:, 2] = ~single
    keep[:, 3] = holes & (~hole_first | missing[ends]) & ~np.isnan(low)
    return x[keep], y[keep]


def bucket_width(span_s: float, buckets: int) -> float:
    """Seconds of one of at most `buckets` buckets over `span_s`; one of few widths, so that buckets seldom change."""
    return 2.0 ** (math.ceil(_STEPS_PER_OCTAVE * math.log2(span_s / buckets)) / _STEPS_PER_OCTAVE)


class CurveFeed:
    """The visible points of one curve, brought forward by the samples that are new.

    Buckets lie on a fixed grid of time, so a peak does not flicker while the view moves on.

    Args:
        store: where the samples are.
        key: which curve.
    """

    def __init__(self, store: SampleStore, key: ChannelKey) -> None:
        self._store = store
        self._key = key
        self._width = 0.0
        self._from = math.inf
        # Everything before this moment, the start of the bucket that is still filling, has been condensed.
        self._until = -math.inf
        self._last_condensed: float | None = None
        self._x = np.empty(0)
        self._y = np.empty(0)

    def points(self, t0: float, t1: float, buckets: int) -> tuple[np.ndarray, np.ndarray]:
        """Times and values to draw from `t0` to `t1`, at most `MOST_POINTS`, with one more at each end.

        Args:
            t0: start of the view.
            t1: its end, above `t0`.
            buckets: how many stretches can be told apart on the screen.
        """
        buckets = min(buckets, MOST_POINTS // 3)
        x, y = self._points(t0, t1, bucket_width(t1 - t0, buckets))
        while len(x) > MOST_POINTS:
            buckets //= 2
            x, y = self._points(t0, t1, bucket_width(t1 - t0, buckets))
        return x, y

    def _points(self, t0: float, t1: float, width: float) -> tuple[np.ndarray, np.ndarray]:
        margin = max(_MARGIN_S, _MARGIN_SHARE * (t1 - t0))
        start = math.floor((t0 - margin) / width) * width
        if width != self._width or start < self._from or start > self._until or not self._still_there():
            self._forget(width, start)
        open_x, open_y = self._read(t1 + margin)
        x = np.concatenate((self._x, open_x))
        y = np.concatenate((self._y, open_y))
        first, last = np.searchsorted(x, (t0 - margin, t1 + margin))
        if first > _KEEP_LENGTHS * max(1, last - first):
            self._drop_before(start)
        return x[first:last], y[first:last]

    def _read(self, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Condense what is complete; return the points of the bucket that is still filling."""
        raw_t, raw_v = self._store.window(self._key, self._until, end)
        if not raw_t:
            return np.empty(0), np.empty(0)
        times = np.frombuffer(raw_t)
        values = np.frombuffer(raw_v)
        filling = math.floor(times[-1] / self._width) * self._width
        complete = int(np.searchsorted(times, filling))
        if complete:
            x, y = bucketed(times[:complete], values[:complete], self._width)
            self._x = np.concatenate((self._x, x))
            self._y = np.concatenate((self._y, y))
            self._last_condensed = float(times[complete - 1])
            self._until = filling
        return bucketed(times[complete:], values[complete:], self._width)

    def _still_there(self) -> bool:
        """Whether the store still has the sample that was condensed last; a cleared store has not."""
        moment = self._last_condensed
        return moment is None or len(self._store.window(self._key, moment, moment)[0]) > 0

    def _forget(self, width: float, start: float) -> None:
        self._width = width
        self._from = self._until = start
        self._last_condensed = None
        self._x = np.empty(0)
        self._y = np.empty(0)

    def _drop_before(self, start: float) -> None:
        first = int(np.searchsorted(self._x, start))
        self._x = self._x[first:].copy()
        self._y = self._y[first:].copy()
        self._from = start
