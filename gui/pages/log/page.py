"""The log page: the engine's whole output, pulled in batches, with find, wrap, follow and copy."""

from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QStackedLayout, QVBoxLayout, QWidget

from core.engine.polling import is_polling
from gui import theme
from gui.format import home_path, number
from gui.pages.log.find_bar import FindBar
from gui.pages.log.text import MOST_LINES, LogText
from gui.theme import SPACE
from gui.widgets import ElidedLabel, EmptyState, copy_text, tool_button

_PULL_MS = 100
_MOST_WAITING = 4_000


class LogSource(Protocol):
    """Where lines come from: the follower of the engine's log file."""

    @property
    def path(self) -> Path | None: ...

    @property
    def dropped(self) -> int: ...

    def take(self, max_lines: int = 2000) -> list[str]: ...


class LogPage(QWidget):
    """See the module.

    Args:
        source: gives the follower of the present run.
    """

    wrap_changed = Signal(bool)

    def __init__(self, source: Callable[[], LogSource]) -> None:
        super().__init__()
        self._source = source
        self._taken = 0
        self._hidden = 0
        self._kept: deque[str] = deque(maxlen=MOST_LINES)
        self.text = LogText()
        self.find_bar = FindBar(self.text)
        self.follow_button = tool_button("follow", self.tr("Follow the newest line (End)"))
        self.follow_button.setCheckable(True)
        self.follow_button.setChecked(True)
        self.follow_button.clicked.connect(lambda: self.text.set_following(self.follow_button.isChecked()))
        self.text.following_changed.connect(self.follow_button.setChecked)
        self.wrap_button = tool_button("wrap", self.tr("Wrap long lines"))
        self.wrap_button.setCheckable(True)
        self.wrap_button.toggled.connect(self._wrap)
        self.polling_button = tool_button(
            "eye",
            self.tr(
                "Show polling: this program asks the engine for /metrics, /health and /v1/models all the time. "
                "The lines of answered requests to these are hidden here; the file has them all."
            ),
        )
        self.polling_button.setAccessibleName(self.tr("Show polling"))
        self.polling_button.setCheckable(True)
        self.polling_button.toggled.connect(self._show_again)
        self.status = ElidedLabel()
        theme.muted(self.status)
        tools = QHBoxLayout()
        tools.setContentsMargins(SPACE, SPACE // 2, SPACE, SPACE // 2)
        tools.setSpacing(SPACE // 2)
        tools.addWidget(self.status, 1)
        tools.addWidget(self.polling_button)
        tools.addWidget(self.follow_button)
        tools.addWidget(self.wrap_button)
        tools.addWidget(tool_button("search", self.tr("Find (Ctrl+F)"), self.find_bar.open_bar))
        tools.addWidget(tool_button("copy", self.tr("Copy the selection, or everything"), self.copy))
        tools.addWidget(tool_button("folder", self.tr("Open the folder of the log files"), self.open_folder))
        self._empty = EmptyState(
            "log",
            self.tr("No output yet"),
            "",
        )
        self.set_waiting("")
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.text)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(tools)
        layout.addWidget(self.find_bar)
        layout.addWidget(body, 1)
        self._puller = QTimer(self)
        self._puller.setInterval(_PULL_MS)
        self._puller.timeout.connect(self.pull)

    def start(self) -> None:
        """Begin to pull."""
        self._puller.start()

    def stop(self) -> None:
        """Pull no more; what is shown stays."""
        self._puller.stop()

    def begin_run(self) -> None:
        """A new engine life begins: forget the old one's lines (its file keeps them)."""
        self._taken = 0
        self._hidden = 0
        self._kept.clear()
        self.text.clear_all()

    def set_waiting(self, waiting: str) -> None:
        """Say on the empty page what goes on.

        Args:
            waiting: a sentence while an engine is on its way; empty when there is none.
        """
        if waiting:
            text = self.tr("{0} Everything it writes appears here and in a file of its own.").format(waiting)
        else:
            text = self.tr("Start an engine: everything it writes appears here and in a file of its own.")
        self._empty.text.setText(text)

    def pull(self) -> None:
        """Take what is new, as far as drawing keeps up."""
        if self.text.waiting() > _MOST_WAITING:
            return
        lines = self._source().take()
        if lines:
            self._taken += len(lines)
            self._kept.extend(lines)
            self._stack.setCurrentWidget(self.text)
            self.text.add_lines(self._wanted(lines))
        self._tell()

    def copy(self) -> None:
        """Copy the selection; everything when nothing is selected."""
        cursor = self.text.textCursor()
        selected = cursor.selectedText().replace("\u2029", "\n") if cursor.hasSelection() else ""
        copy_text(selected or self.text.toPlainText())

    def open_folder(self) -> None:
        """Show the folder in the system's file manager."""
        path = self._source().path
        if path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))

    def set_wrap(self, on: bool) -> None:
        """Wrap long lines, or let them run out of sight."""
        self.wrap_button.setChecked(on)

    def _wanted(self, lines: Iterable[str]) -> list[str]:
        if self.polling_button.isChecked():
            return list(lines)
        wanted: list[str] = []
        for line in lines:
            if is_polling(line):
                self._hidden += 1
            else:
                wanted.append(line)
        return wanted

    def _show_again(self) -> None:
        self._hidden = 0
        self.text.clear_all()
        self.text.add_lines(self._wanted(self._kept))
        self._tell()

    def _wrap(self, on: bool) -> None:
        mode = QPlainTextEdit.LineWrapMode
        self.text.setLineWrapMode(mode.WidgetWidth if on else mode.NoWrap)
        self.wrap_changed.emit(on)

    def _tell(self) -> None:
        source = self._source()
        parts = [self.tr("{0} lines").format(number(self._taken))] if self._taken else []
        if self._hidden:
            parts.append(self.tr("{0} of polling hidden").format(number(self._hidden)))
        if source.dropped:
            parts.append(self.tr("{0} skipped here, all are in the file").format(number(source.dropped)))
        if source.path is not None:
            parts.append(home_path(source.path))
        self.status.set_whole("  ·  ".join(parts))
