"""Makes rows while nothing else goes on, so that searching and scrolling find them ready."""

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

_BEGIN_AFTER_MS = 150
_PAUSE_MS = 12
_SLICE_S = 0.004


class WarmUp(QObject):
    """Works in slices of a few milliseconds, with pauses in which the window does what the person wants.

    Args:
        steps: gives the work anew; each step of it is short.
    """

    def __init__(self, steps: Callable[[], Iterator[None]], parent: QObject) -> None:
        super().__init__(parent)
        self._steps = steps
        self._work: Iterator[None] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin anew, once the first picture is on the screen."""
        self._work = None
        self._timer.start(_BEGIN_AFTER_MS)

    def stop(self) -> None:
        """Leave the rest undone."""
        self._work = None
        self._timer.stop()

    def _go_on(self) -> None:
        if self._work is None:
            self._work = self._steps()
        end = time.perf_counter() + _SLICE_S
        for _ in self._work:
            if time.perf_counter() > end:
                self._timer.start(_PAUSE_MS)
                return
        self._work = None
