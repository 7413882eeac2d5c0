"""What stands in the plots' place until pyqtgraph is there: the same ground, so that nothing jumps."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui import theme


class Placeholder(QWidget):
    """An empty area with one quiet sentence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.label = theme.muted(QLabel(self.tr("The plots appear in a moment.")))
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.addWidget(self.label)

    def changeEvent(self, event: QEvent) -> None:
        """The palette is the application's; nothing of our own is kept."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.update()
