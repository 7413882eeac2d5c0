"""Find in the log."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QWidget

from gui import theme
from gui.theme import SPACE
from gui.widgets import tool_button


class FindBar(QWidget):
    """A line to type into; Enter goes on, Shift+Enter goes back, Esc closes."""

    closed = Signal()

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__()
        self._view = view
        self.edit = QLineEdit()
        self.edit.setPlaceholderText(self.tr("Find in the log"))
        self.edit.setAccessibleName(self.tr("Find in the log"))
        self.edit.setClearButtonEnabled(True)
        self.result = theme.muted(QLabel())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SPACE, SPACE // 2, SPACE, SPACE // 2)
        layout.setSpacing(SPACE // 2)
        layout.addWidget(self.edit, 1)
        layout.addWidget(self.result)
        layout.addWidget(tool_button("chevron-up", self.tr("Previous (Shift+Enter)"), lambda: self.find(back=True)))
        layout.addWidget(tool_button("chevron-down", self.tr("Next (Enter)"), self.find))
        layout.addWidget(tool_button("close", self.tr("Close (Esc)"), self.close_bar))
        self.edit.textEdited.connect(self._typed)
        self.edit.returnPressed.connect(self.find)
        for key, run in ((Qt.Key.Key_Escape, self.close_bar), ("Shift+Return", lambda: self.find(back=True))):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(run)
        self.setVisible(False)

    def open_bar(self) -> None:
        """Show it, with what is selected in the log as the first thing to find."""
        selected = self._view.textCursor().selectedText()
        if selected and "\u2029" not in selected:
            self.edit.setText(selected)
        self.setVisible(True)
        self.edit.selectAll()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_bar(self) -> None:
        """Hide it and go back to the log."""
        self.setVisible(False)
        self._view.setFocus()
        self.closed.emit()

    def find(self, back: bool = False) -> bool:
        """Go to the next place; round the end. Returns whether there is one."""
        text = self.edit.text()
        if not text:
            self.result.setText("")
            return False
        flags = QTextDocument.FindFlag.FindBackward if back else QTextDocument.FindFlag(0)
        found = self._view.find(text, flags)
        if not found:
            # Round the end; without a second hit the place stays as it was.
            before = self._view.textCursor()
            move = QTextCursor.MoveOperation.End if back else QTextCursor.MoveOperation.Start
            self._view.moveCursor(move)
            found = self._view.find(text, flags)
            if not found:
                self._view.setTextCursor(before)
        self.result.setText("" if found else self.tr("not found"))
        return found

    def _typed(self, _: str) -> None:
        # Stay on the hit while it is typed further.
        cursor = self._view.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._view.setTextCursor(cursor)
        self.find()
