"""Ctrl+C in the terminal and the system's wish to end, turned into an orderly close."""

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class EndSignals(QObject):
    """While installed, the first signal calls `wanted` from the event loop; the second one ends the process.

    Python runs its handlers only when the interpreter gets a turn, and Qt may sleep for minutes: the wake-up
    descriptor gives it one.
    """

    def __init__(self, wanted: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted = wanted
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._before: dict[signal.Signals, object] = {}

    def install(self) -> None:
        """Begin to listen. Main thread only."""
        reader, writer = socket.socketpair()
        reader.setblocking(False)
        writer.setblocking(False)
        self._ends = (reader, writer)
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._asked)

    def uninstall(self) -> None:
        """Put back what was there before."""
        if self._ends is None:
            return
        signal.set_wakeup_fd(-1)
        self._notifier.setEnabled(False)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for end in self._ends:
            end.close()
        self._ends = None

    def _woken(self) -> None:
        if self._ends is not None:
            self._ends[0].recv(64)

    def _asked(self, number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        self._wanted()
