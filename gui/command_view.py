"""The live command line: what the settings come to."""

from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from gui import theme
from gui.theme import SPACE
from gui.widgets import copy_text, note, tool_button


class CommandView(QWidget):
    """Shows the command that Start runs, one argument a line, secrets masked."""

    def __init__(self) -> None:
        super().__init__()
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(theme.font_mono())
        self.text.setAccessibleName(self.tr("Command line"))
        self.text.setPlaceholderText(self.tr("Choose a model: the command line appears here."))
        self.copy_button = tool_button("copy", self.tr("Copy the command line (Ctrl+Shift+C)"), self.copy)
        top = QHBoxLayout()
        top.setContentsMargins(SPACE, SPACE // 2, SPACE, 0)
        top.addWidget(note(self.tr("Only what you set. Keys and tokens travel by environment and are masked here.")), 1)
        top.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE // 2)
        layout.addLayout(top)
        layout.addWidget(self.text, 1)
        theme.notifier().changed.connect(self._restyle)

    def show_command(self, multiline: str) -> None:
        """Show another command; the place one has scrolled to stays."""
        if multiline != self.text.toPlainText():
            place = self.text.verticalScrollBar().value()
            self.text.setPlainText(multiline)
            self.text.verticalScrollBar().setValue(place)

    def _restyle(self) -> None:
        self.text.setFont(theme.font_mono())

    def copy(self) -> None:
        """Copy the command, as it stands here."""
        copy_text(self.text.toPlainText())
