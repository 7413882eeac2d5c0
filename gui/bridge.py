"""The one place where core's threads reach the window: core signals in, queued Qt signals out."""

import threading

from PySide6.QtCore import QObject, Qt, Signal

from core.config.document import Change, ConfigDocument
from core.engine.session import EngineSession, SessionSnapshot


class Bridge(QObject):
    """Repeats core signals on the GUI thread. Rare facts only; samples and log lines are pulled by timers.

    Attributes:
        session_changed: a `SessionSnapshot`, always delivered through the event loop.
        config_changed: a `Change`, delivered at once, since the document lives on the GUI thread.
    """

    session_changed = Signal(object)
    config_changed = Signal(object)
    _session_arrived = Signal(object)

    def __init__(self, session: EngineSession, document: ConfigDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._document = document
        self._lock = threading.Lock()
        self._open = False
        self._session_arrived.connect(self.session_changed, Qt.ConnectionType.QueuedConnection)

    def open(self) -> None:
        """Begin to listen."""
        self._open = True
        self._session.changed.connect(self._on_session)
        self._document.changed.connect(self._on_change)

    def close(self) -> None:
        """Stop listening; a core thread that is just telling something is waited for."""
        with self._lock:
            if not self._open:
                return
            self._open = False
        self._session.changed.disconnect(self._on_session)
        self._document.changed.disconnect(self._on_change)

    def _on_session(self, snapshot: SessionSnapshot) -> None:
        with self._lock:
            if self._open:
                self._session_arrived.emit(snapshot)

    def _on_change(self, change: Change) -> None:
        self.config_changed.emit(change)
