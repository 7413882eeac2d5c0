"""Where a message is typed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from gui.theme import SPACE

_LINES = 3


class PromptBox(QPlainTextEdit):
    """Enter sends, Shift+Enter begins a new line."""

    sent = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(self.tr("Message to the model (Enter sends, Shift+Enter begins a new line)"))
        self.setAccessibleName(self.tr("Message"))
        self.setTabChangesFocus(True)
        self.set_lines(_LINES)

    def set_lines(self, count: int) -> None:
        """How many lines it is high."""
        self.setFixedHeight(self.fontMetrics().lineSpacing() * count + SPACE * 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.sent.emit()
        else:
            super().keyPressEvent(event)
