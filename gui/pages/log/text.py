"""The text of the log: appended in batches, coloured by level, bounded; follows its end unless one reads further up."""

import re
import time
from collections import deque
from collections.abc import Iterable
from itertools import groupby

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QColor, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from gui import theme

MOST_LINES = 50_000
_TRIM_LINES = 1_000
_LONGEST_LINE = 4_000
_BATCH_BUDGET_S = 0.006
_SMALLEST_BATCH = 50
_PICTURE_PAUSE_S = 0.05
_LARGEST_BATCH = 600
_LEVEL = re.compile(r"^(?:\([^)]{1,60}\) )?(DEBUG|INFO|WARNING|ERROR|CRITICAL|Traceback)\b")
_ROLES = {
    "DEBUG": "muted",
    "WARNING": "warning",
    "ERROR": "error",
    "CRITICAL": "error",
    "Traceback": "error",
}


class LogText(QPlainTextEdit):
    """A read-only log. Lines are queued and drawn a batch at a time, so that no batch takes longer than some 10 ms.

    Attributes:
        following_changed: whether it follows its end from now on.
    """

    following_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._queue: deque[str] = deque(maxlen=MOST_LINES)
        self._following = True
        self._appending = False
        self._empty = True
        self._batch = 200
        self._shown_s = 0.0
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(theme.font_mono(small=True))
        self.setAccessibleName(self.tr("Log of the engine"))
        self._drawer = QTimer(self)
        self._drawer.setInterval(0)
        self._drawer.timeout.connect(self._draw_batch)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        theme.notifier().changed.connect(self._repaint_all)

    @property
    def following(self) -> bool:
        """Whether the newest line stays in view."""
        return self._following

    def waiting(self) -> int:
        """How many lines are not drawn yet."""
        return len(self._queue)

    def line_count(self) -> int:
        """How many lines are drawn."""
        return 0 if self._empty else self.blockCount()

    def add_lines(self, lines: Iterable[str]) -> None:
        """Queue lines; they are drawn from the event loop."""
        self._queue.extend(lines)
        if self._queue and not self._drawer.isActive():
            self._drawer.start()

    def clear_all(self) -> None:
        """Forget everything, and follow again."""
        self._queue.clear()
        self._drawer.stop()
        self.viewport().setUpdatesEnabled(True)
        self.clear()
        self._empty = True
        self.set_following(True)

    def set_following(self, on: bool) -> None:
        """Keep the newest line in view, or stand still."""
        if on:
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())
        if on != self._following:
            self._following = on
            self.following_changed.emit(on)

    def _draw_batch(self) -> None:
        count = min(self._batch, len(self._queue))
        begun = time.perf_counter()
        # In a flood a picture of every batch would cost more than the batches: twenty a second are enough. Scrolling
        # is part of it, since it lays lines out, and lines that were laid out keep some kilobytes each.
        shown = count == len(self._queue) or begun - self._shown_s >= _PICTURE_PAUSE_S
        self._append([self._queue.popleft() for _ in range(count)], scroll=shown)
        self.viewport().setUpdatesEnabled(shown)
        if shown:
            self._shown_s = begun
        spent = max(1e-4, time.perf_counter() - begun)
        # The cost of a line depends on the machine and on wrapping: steer the batch to the budget. Down at once, up
        # slowly: a batch too small costs little, one too large is a stall.
        wished = self._batch * _BATCH_BUDGET_S / spent
        steered = wished if wished < self._batch else self._batch * 0.9 + wished * 0.1
        self._batch = int(min(_LARGEST_BATCH, max(_SMALLEST_BATCH, steered)))
        if not self._queue:
            self._drawer.stop()

    def _append(self, lines: list[str], scroll: bool) -> None:
        bar = self.verticalScrollBar()
        place = bar.value()
        self._appending = True
        try:
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.beginEditBlock()
            for level, run in groupby(lines, key=_level):
                text = "\n".join(_short(line) for line in run)
                if not self._empty:
                    cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
                self._empty = False
                cursor.insertText(text, self._format(level))
            cursor.endEditBlock()
            removed = self._trim()
            if not self._following:
                # Lines that fell off the top must not move what is being read.
                bar.setValue(max(0, place - removed))
            elif scroll:
                bar.setValue(bar.maximum())
        finally:
            self._appending = False

    def _trim(self) -> int:
        # In chunks and not line by line, as setMaximumBlockCount would: each removal lays out the lines in view anew.
        excess = self.blockCount() - MOST_LINES
        if excess < _TRIM_LINES:
            return 0
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.document().findBlockByNumber(excess).position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        return excess

    def _format(self, level: str) -> QTextCharFormat:
        made = QTextCharFormat()
        role = _ROLES.get(level)
        if role is not None:
            made.setForeground(QColor(getattr(theme.colors(), role)))
        return made

    def _scrolled(self, value: int) -> None:
        if self._appending:
            return
        at_end = value >= self.verticalScrollBar().maximum()
        if at_end != self._following:
            self._following = at_end
            self.following_changed.emit(at_end)

    def _repaint_all(self) -> None:
        self.setFont(theme.font_mono(small=True))
        if self._empty:
            return
        lines = [*self.toPlainText().split("\n"), *self._queue]
        self.clear_all()
        self.add_lines(lines)


def _level(line: str) -> str:
    found = _LEVEL.match(line)
    return found.group(1) if found else ""


def _short(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_LONGEST_LINE]} … (+{len(line) - _LONGEST_LINE:,})"
