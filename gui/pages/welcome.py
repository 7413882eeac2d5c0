"""What the window says while there is no engine: what it needs, and two ways to get it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from gui import theme
from gui.theme import SPACE
from gui.widgets import FilledButton, heading, row


class WelcomeBanner(QFrame):
    """Stands above the form until an engine was found."""

    install_wanted = Signal()
    demo_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("welcome")
        text = QLabel(
            self.tr(
                "There is no vLLM on this machine yet. Install one, or let the demo do everything: it installs an "
                "engine, makes a small model, starts it and asks it something. The settings below can be looked "
                "through already."
            )
        )
        text.setWordWrap(True)
        self.install_button = FilledButton(self.tr("Install an engine"))
        self.install_button.clicked.connect(self.install_wanted)
        self.demo_button = QPushButton(self.tr("Run the demo"))
        self.demo_button.clicked.connect(self.demo_wanted)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE * 2, SPACE, SPACE * 2, SPACE * 2)
        layout.setSpacing(SPACE)
        layout.addWidget(heading(self.tr("Welcome")))
        layout.addWidget(text)
        layout.addLayout(row(self.install_button, self.demo_button, None))
        theme.notifier().changed.connect(self._paint)
        self._paint()

    def _paint(self) -> None:
        look = theme.colors()
        self.setStyleSheet(
            f"#welcome {{ background: {look.surface}; border: 1px solid {look.border};"
            f" border-left: 4px solid {look.accent}; }}"
        )
