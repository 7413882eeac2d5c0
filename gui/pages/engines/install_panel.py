"""What to install: kind of build, version, name."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout

from gui import theme
from gui.theme import SPACE
from gui.widgets import FilledButton, heading, note


class InstallPanel(QFrame):
    """Asks for three things, all of which may be left as they are.

    Attributes:
        wanted: backend, version or "", name or "".
    """

    wanted = Signal(str, str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("installPanel")
        self.backend = QComboBox()
        for text, value in (
            (self.tr("Automatic: CUDA where a driver is, else CPU"), "auto"),
            (self.tr("CUDA, for NVIDIA cards"), "cuda"),
            (self.tr("CPU, runs everywhere and is slow"), "cpu"),
        ):
            self.backend.addItem(text, value)
        self.version = QLineEdit()
        self.version.setPlaceholderText(self.tr("newest"))
        self.name = QLineEdit()
        self.name.setPlaceholderText(self.tr("made from the version"))
        form = QFormLayout()
        form.setHorizontalSpacing(SPACE * 2)
        form.setVerticalSpacing(SPACE)
        for label, editor in (
            (self.tr("Build"), self.backend),
            (self.tr("vLLM version"), self.version),
            (self.tr("Name"), self.name),
        ):
            editor.setAccessibleName(label)
            form.addRow(label, editor)
        self.install_button = FilledButton(self.tr("Install"))
        self.install_button.clicked.connect(self._wanted)
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(lambda: self.setVisible(False))
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE)
        buttons.addWidget(self.install_button)
        buttons.addWidget(close)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE * 2, SPACE * 2, SPACE * 2, SPACE * 2)
        layout.setSpacing(SPACE)
        layout.addWidget(heading(self.tr("Install an engine")))
        layout.addWidget(
            note(
                self.tr(
                    "vLLM goes into an environment of its own; nothing else on this machine changes. "
                    "A CUDA build takes about 8 GB of disk, a CPU build about 3 GB."
                )
            )
        )
        layout.addLayout(form)
        layout.addLayout(buttons)
        for editor in (self.version, self.name):
            editor.returnPressed.connect(self._wanted)
        self.setMinimumWidth(SPACE * 80)
        theme.notifier().changed.connect(self._paint)
        self._paint()

    def _wanted(self) -> None:
        self.wanted.emit(self.backend.currentData(), self.version.text().strip(), self.name.text().strip())

    def _paint(self) -> None:
        look = theme.colors()
        self.setStyleSheet(
            f"#installPanel {{ background: {look.surface}; border: 1px solid {look.border}; border-radius: 6px; }}"
        )
