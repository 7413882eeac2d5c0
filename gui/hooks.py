"""What nobody caught: into the log file, and one line of it to the person."""

import logging
import logging.handlers
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler

_LOG_BYTES = 1_000_000
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class UncaughtHooks(QObject):
    """Hooks for the main thread, for other threads and for Qt.

    Attributes:
        told: (one line for the person, the whole text), on the GUI thread. Qt's own warnings go to the log file alone.
    """

    told = Signal(str, str)
    _arrived = Signal(str, str)

    def __init__(self, log_path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.log_path = log_path
        self._logger = logging.getLogger("vllm_dyno.window")
        self._handler: logging.Handler | None = None
        self._before = (sys.excepthook, threading.excepthook)
        self._arrived.connect(self.told, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Put the hooks in place. The log file is made when there is something to write."""
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            self.log_path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8", delay=True
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(message)s"))
        self._handler = handler
        self._logger.addHandler(handler)
        self._logger.setLevel(logging.INFO)
        self._logger.propagate = False
        self._before = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_in_thread
        qInstallMessageHandler(self._qt_message)

    def uninstall(self) -> None:
        """Put back what was there before."""
        if self._handler is None:
            return
        sys.excepthook, threading.excepthook = self._before
        qInstallMessageHandler(None)
        self._logger.removeHandler(self._handler)
        self._handler.close()
        self._handler = None

    def _uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None, where: str = ""
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before[0](kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        self._logger.error("uncaught%s\n%s", where, text)
        self._arrived.emit(f"{kind.__name__}: {error}", text)

    def _uncaught_in_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is None or issubclass(arguments.exc_type, SystemExit):
            return
        name = arguments.thread.name if arguments.thread else "unknown thread"
        self._uncaught(arguments.exc_type, arguments.exc_value, arguments.exc_traceback, f" in {name}")

    def _qt_message(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        self._logger.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s (%s)", message, context.category)
