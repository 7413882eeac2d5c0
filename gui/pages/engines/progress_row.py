"""How far an installation is."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QVBoxLayout

from core.engine.installer import InstallProgress
from gui import theme
from gui.format import bytes_text, clock
from gui.theme import SPACE
from gui.widgets import ElidedLabel, row

_STEPS = 1000


class ProgressRow(QFrame):
    """Step, bar, size, time; and a way out."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.step = QLabel()
        self.detail = ElidedLabel()
        theme.muted(self.detail)
        self.figures = QLabel()
        self.figures.setFont(theme.font_tabular(small=True))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(SPACE)
        self.bar.setAccessibleName(self.tr("Progress of the installation"))
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self._cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACE, 0, SPACE)
        layout.setSpacing(SPACE // 2)
        layout.addLayout(row(self.step, None, self.figures, SPACE, self.cancel_button))
        layout.addWidget(self.bar)
        layout.addWidget(self.detail)
        self.setVisible(False)

    def begin(self) -> None:
        """Show it, with nothing known yet."""
        self.step.setText(self.tr("Working"))
        self.detail.set_whole("")
        self.figures.setText("")
        self.bar.setRange(0, 0)
        self.cancel_button.setEnabled(True)
        self.setVisible(True)

    def show_progress(self, progress: InstallProgress) -> None:
        """Show how far it is."""
        self.step.setText(progress.step)
        self.detail.set_whole(progress.detail)
        parts = []
        if progress.done_bytes is not None and progress.total_bytes is not None:
            parts.append(
                self.tr("{0} of {1}").format(bytes_text(progress.done_bytes), bytes_text(progress.total_bytes))
            )
        elif progress.done_bytes is not None:
            parts.append(bytes_text(progress.done_bytes))
        parts.append(clock(progress.elapsed_s))
        if progress.remaining_s is not None:
            parts.append(self.tr("about {0} left").format(clock(progress.remaining_s)))
        self.figures.setText("  ·  ".join(parts))
        if progress.fraction is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(round(progress.fraction * _STEPS))

    def _cancel(self) -> None:
        self.cancel_button.setEnabled(False)
        self.step.setText(self.tr("Cancelling"))
        self.cancelled.emit()
