"""The title of a dock: a word or tabs, and two buttons; dragging its free part moves the dock."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QWidget

from gui import theme
from gui.theme import SPACE
from gui.widgets import tool_button

_BUTTON = 14


class DockTitle(QWidget):
    """See the module.

    Args:
        front: what stands at the left; the dock's name when not given.
    """

    def __init__(self, dock: QDockWidget, front: QWidget | None = None) -> None:
        super().__init__(dock)
        if front is None:
            label = QLabel(dock.windowTitle())
            label.setFont(theme.font_small())
            label.setContentsMargins(SPACE, 0, 0, 0)
            front = label
        self._dock = dock
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, SPACE // 2, 0)
        layout.setSpacing(0)
        layout.addWidget(front)
        layout.addStretch(1)

    def complete(self) -> None:
        """Add the buttons, which the first picture does without."""
        dock = self._dock
        self.float_button = tool_button(
            "external", self.tr("Float or dock"), lambda: dock.setFloating(not dock.isFloating())
        )
        self.close_button = tool_button("close", self.tr("Hide"), dock.close)
        for button in (self.float_button, self.close_button):
            button.setIconSize(QSize(_BUTTON, _BUTTON))
            self.layout().addWidget(button)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(SPACE * 10, self.sizeHint().height())

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), max(hint.height(), SPACE * 4))
