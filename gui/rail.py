"""The rail at the left: one button for each page."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QToolBar, QToolButton

from gui import theme
from gui.theme import SPACE


class Rail(QToolBar):
    """Exclusive buttons with icon and word; the chosen one has a bar beside it."""

    def __init__(self, actions: Sequence[QAction]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setWindowTitle(self.tr("Pages"))
        self.setAccessibleName(self.tr("Pages"))
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setOrientation(Qt.Orientation.Vertical)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setIconSize(QSize(24, 24))
        self.setFont(theme.font_small())
        self._group = QActionGroup(self)
        for action in actions:
            self._group.addAction(action)
            self.addAction(action)
            button = self.widgetForAction(action)
            if isinstance(button, QToolButton):
                button.setAccessibleName(action.text())
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                button.setMinimumWidth(SPACE * 9)
        theme.notifier().changed.connect(self._paint)
        self._paint()

    def _paint(self) -> None:
        look = theme.colors()
        self.setStyleSheet(
            f"#rail {{ background: {look.background}; border: 0; border-right: 1px solid {look.border};"
            " spacing: 0; padding: 0; }"
            f"QToolButton {{ border: 0; border-left: 3px solid transparent; padding: {SPACE}px 2px;"
            f" margin: 0; color: {look.muted}; }}"
            f"QToolButton:hover {{ background: {look.raised}; color: {look.text}; }}"
            f"QToolButton:checked {{ border-left-color: {look.accent}; color: {look.text};"
            f" background: {look.raised}; }}"
            f"QToolButton:focus {{ border: 1px solid {look.accent}; border-left: 3px solid {look.accent}; }}"
        )
