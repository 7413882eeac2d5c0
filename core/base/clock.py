"""One clock for samples, stages and marks, so that they share a time axis even when the wall clock jumps."""

import time

_WALL_AT_ZERO = time.time() - time.monotonic()


def now() -> float:
    """Seconds on the monotonic clock: the time of every sample, stage and mark."""
    return time.monotonic()


def to_wall(moment_s: float) -> float:
    """Seconds since the epoch for a `now()` value, by the wall clock as it stood when the program started."""
    return _WALL_AT_ZERO + moment_s
