"""Where every sample of the last hours lies: written by the sources' threads, read by whoever draws or counts."""

import threading
from array import array
from collections.abc import Mapping
from typing import NamedTuple

from core.telemetry.series import Series, Stats

__all__ = ["ChannelKey", "SampleStore", "Stats"]


class ChannelKey(NamedTuple):
    """Names one curve.

    Attributes:
        source: "gpu", "host" or "engine".
        device: the GPU's index; None where there is only one of the kind.
        quantity: what is measured, with its unit, such as "memory_used_mib".
    """

    source: str
    device: int | None
    quantity: str


class SampleStore:
    """Bounded, thread-safe memory of samples. Missing values are NaN, and where a source was silent there is a NaN.

    Args:
        capacity_s: how far back it reaches at `hz` samples a second; a faster rate fills it sooner.
        hz: the usual rate, which also tells what counts as silence where an append does not say its own period.
    """

    def __init__(self, capacity_s: float = 4 * 3600, hz: float = 2.0) -> None:
        self._capacity = max(16, int(capacity_s * hz))
        self._period_s = 1.0 / hz
        self._lock = threading.Lock()
        self._series: dict[ChannelKey, Series] = {}
        self._rows: dict[str, int] = {}
        self._version = 0

    @property
    def version(self) -> int:
        """Grows with every change: an equal number means that nothing is new."""
        return self._version

    def append(
        self,
        source: str,
        device: int | None,
        t: float,
        values: Mapping[str, float | None],
        period_s: float | None = None,
    ) -> None:
        """Add one row of samples.

        Args:
            source: who measured.
            device: the GPU's index, or None.
            t: when, by `core.base.clock.now()`. Samples older than the newest of their curve are left out.
            values: quantity to value; None is a missing sample.
            period_s: when the next row may be expected; silence beyond 2.5 of it shows as a gap.
        """
        period = self._period_s if period_s is None else period_s
        with self._lock:
            added = False
            for quantity, value in values.items():
                key = ChannelKey(source, device, quantity)
                series = self._series.get(key)
                if series is None:
                    series = self._series[key] = Series(self._capacity)
                added = series.append(t, value, period) or added
            if added:
                self._rows[source] = self._rows.get(source, 0) + 1
                self._version += 1

    def end(self, source: str, t: float) -> None:
        """Say that a source went silent at `t`: its curves stop there and its current values become unknown."""
        with self._lock:
            ended = [series.end(t) for key, series in self._series.items() if key.source == source]
            self._version += any(ended)

    def keys(self) -> list[ChannelKey]:
        """All curves so far, in the order in which they first appeared."""
        with self._lock:
            return list(self._series)

    def window(self, key: ChannelKey, t0: float, t1: float) -> "tuple[array[float], array[float]]":
        """Copies of times and values (NaN = missing) from `t0` to `t1`, both included; empty for an unknown curve."""
        with self._lock:
            series = self._series.get(key)
            return series.window(t0, t1) if series else (array("d"), array("d"))

    def latest(self, key: ChannelKey) -> tuple[float, float] | None:
        """Time and value of the newest sample (NaN = missing); None when there is none."""
        with self._lock:
            series = self._series.get(key)
            return series.latest() if series else None

    def stats(self, key: ChannelKey, since: float | None = None) -> Stats:
        """Current, smallest, largest and mean value from `since` on (None: since the last `clear`)."""
        with self._lock:
            series = self._series.get(key)
            return series.stats(since) if series else Stats(None, None, None, None, 0)

    def counts(self) -> dict[str, int]:
        """How many rows each source has written since the last `clear`."""
        with self._lock:
            return dict(self._rows)

    def clear(self) -> None:
        """Forget all samples and curves."""
        with self._lock:
            self._series.clear()
            self._rows.clear()
            self._version += 1
