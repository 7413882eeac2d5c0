"""What stands in the middle while one tunes: a welcome where there is no engine, the form, and where it comes from."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui import theme
from gui.theme import SPACE
from gui.widgets import note

if TYPE_CHECKING:
    from gui.pages.welcome import WelcomeBanner


class TuneArea(QWidget):
    """See the module.

    Args:
        form: the settings.
    """

    install_wanted = Signal()
    demo_wanted = Signal()

    def __init__(self, form: QWidget) -> None:
        super().__init__()
        self._welcome: WelcomeBanner | None = None
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
        layout.addWidget(self._note_line)
        layout.addWidget(form, 1)
        theme.notifier().changed.connect(self._paint)

    @property
    def welcome(self) -> "WelcomeBanner | None":
        """The banner, once it was needed."""
        return self._welcome

    def show_welcome(self) -> None:
        """Say what to do while there is no engine."""
        if self._welcome is None:
            from gui.pages.welcome import WelcomeBanner

            self._welcome = WelcomeBanner()
            self._welcome.install_wanted.connect(self.install_wanted)
            self._welcome.demo_wanted.connect(self.demo_wanted)
            self.layout().insertWidget(0, self._welcome)
        self._welcome.setVisible(True)

    def hide_welcome(self) -> None:
        """There is an engine now."""
        if self._welcome is not None:
            self._welcome.setVisible(False)

    def show_note(self, text: str) -> None:
        """Say where the arguments come from; an empty text takes the line away."""
        self.note.setText(text)
        self._paint()
        self._note_line.setVisible(bool(text))

    def _paint(self) -> None:
        self._icon.setPixmap(theme.pixmap("info", 16, "accent", self.devicePixelRatioF()))
