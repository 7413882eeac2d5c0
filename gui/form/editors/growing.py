"""A box of text that grows with its lines."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from gui.form.editors.line import is_undo_key
from gui.theme import SPACE


class GrowingEdit(QPlainTextEdit):
    """Text of a few lines. Tab leaves it; Up and Down leave it at its edges.

    Undo: while the text could not be written, it is this box's own; otherwise it is the document's (see `LineEdit`).

    Args:
        has_draft: whether the text could not be written.
        most_lines: it grows up to this and scrolls beyond.
    """

    def __init__(self, has_draft: Callable[[], bool], most_lines: int) -> None:
        super().__init__()
        self._has_draft = has_draft
        self._most_lines = most_lines
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(SPACE // 2)

    def wanted_height(self) -> int:
        """Height for the lines that are there, up to the most."""
        lines = max(1, round(self.document().size().height()))
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > self._most_lines else None
        self.setVerticalScrollBarPolicy(policy or Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        spacing = self.fontMetrics().lineSpacing()
        return min(lines, self._most_lines) * spacing + SPACE

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and is_undo_key(event):
            event.setAccepted(self._own_undo(event))
            return event.isAccepted()
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._repaint_outline()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._repaint_outline()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_undo_key(event) and not self._own_undo(event):
            event.ignore()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self._at_edge(event.key()):
            event.ignore()
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus() and self.verticalScrollBar().maximum() > 0:
            super().wheelEvent(event)
        else:
            event.ignore()

    def _repaint_outline(self) -> None:
        owner = self.parentWidget()
        if owner is not None:
            owner.update()

    def _own_undo(self, event: QKeyEvent) -> bool:
        if not self._has_draft():
            return False
        undo = event.matches(QKeySequence.StandardKey.Undo)
        return self.document().isUndoAvailable() if undo else self.document().isRedoAvailable()

    def _at_edge(self, key: int) -> bool:
        cursor = self.textCursor()
        if cursor.hasSelection():
            return False
        return cursor.block() == (self.document().firstBlock() if key == Qt.Key.Key_Up else self.document().lastBlock())
