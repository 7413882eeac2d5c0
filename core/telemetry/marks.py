"""Moments worth a line across the plots."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment on the time axis.

    Attributes:
        t: when, by `core.base.clock.now()`.
        label: what began.
        kind: "start", "ready", "stop" or "other"; what it looks like follows from that.
    """

    t: float
    label: str
    kind: str
