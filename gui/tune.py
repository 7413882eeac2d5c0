"""What stands in the middle while one tunes: a welcome where there is no engine, the form, and where it comes from."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui import theme
from gui.pages.welcome import WelcomeBanner
from gui.theme import SPACE
from gui.widgets import note


class TuneArea(QWidget):
    """See the module.

    Args:
        form: the settings.
    """

    def __init__(self, form: QWidget) -> None:
        super().__init__()
        self.welcome = WelcomeBanner()
        self.welcome.setVisible(False)
        self.form = form
        self._icon = QLabel()
        self.note = note()
        self._note_line = QWidget()
        line = QHBoxLayout(self._note_line)
        line.setContentsMargins(SPACE * 2, SPACE // 2, SPACE * 2, SPACE // 2)
        line.setSpacing(SPACE)
        line.addWidget(self._icon)
        line.addWidget(self.note, 1)
        self._note_line.setVisible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.welcome)
        layout.addWidget(self._note_line)
        layout.addWidget(form, 1)
        theme.notifier().changed.connect(self._paint)
        self._paint()

    def show_note(self, text: str) -> None:
        """Say where the arguments come from; an empty text takes the line away."""
        self.note.setText(text)
        self._note_line.setVisible(bool(text))

    def _paint(self) -> None:
        self._icon.setPixmap(theme.pixmap("info", 16, "accent", self.devicePixelRatioF()))
