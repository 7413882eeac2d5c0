"""Small pieces that several parts of the window share."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui import theme
from gui.theme import SPACE

_ROOM_FOR_PICTURE = SPACE * 30
_ROOM_FOR_TITLE = SPACE * 15


class ElidedLabel(QLabel):
    """One line that shortens itself where there is no room; the whole text is its tooltip."""

    def __init__(self, text: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__()
        self._mode = mode
        self._whole = ""
        self._tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_whole(text)

    def whole(self) -> str:
        """The text before it was shortened."""
        return self._whole

    def set_whole(self, text: str, tip: str = "") -> None:
        """Show another text.

        Args:
            tip: the tooltip, when it is to say more than the whole text.
        """
        if (text, tip) != (self._whole, self._tip):
            self._whole, self._tip = text, tip
            self.setAccessibleName(text)
            self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._elide()

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, self._mode, self.width())
        self.setText(shown)
        self.setToolTip(self._tip or (self._whole if shown != self._whole else ""))


class FilledButton(QPushButton):
    """The one button of a page that stands out.

    Args:
        role: `accent_fill` or `error_fill`.
    """

    def __init__(self, text: str = "", role: str = "accent_fill") -> None:
        super().__init__(text)
        self._role = role
        self.setIconSize(QSize(18, 18))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.notifier().changed.connect(self._paint_role)
        self._paint_role()

    def set_role(self, role: str) -> None:
        """Change the fill."""
        if role != self._role:
            self._role = role
            self._paint_role()

    def _paint_role(self) -> None:
        look = theme.colors()
        fill = getattr(look, self._role)
        self.setStyleSheet(
            f"QPushButton {{ background: {fill}; color: {look.on_fill}; border: 1px solid {fill};"
            f" border-radius: 4px; padding: 5px {SPACE * 2}px; font-weight: 600; }}"
            f"QPushButton:focus {{ border: 1px solid {look.text}; }}"
            f"QPushButton:pressed {{ background: {look.text}; color: {look.background}; }}"
            f"QPushButton:disabled {{ background: {look.raised}; color: {look.muted}; border-color: {look.border}; }}"
        )


def tool_button(icon: str, tooltip: str, clicked: Callable[[], object] | None = None) -> QToolButton:
    """A flat button with an icon. The tooltip is its name for screen readers too."""
    button = QToolButton()
    button.setAutoRaise(True)
    button.setIconSize(QSize(18, 18))
    theme.set_icon(button, icon)
    button.setToolTip(tooltip)
    button.setAccessibleName(tooltip)
    if clicked is not None:
        button.clicked.connect(lambda _checked=False: clicked())
    return button


def action_button(action: QAction) -> QToolButton:
    """A flat button for an action; icon, tooltip and key are the action's."""
    button = QToolButton()
    button.setAutoRaise(True)
    button.setIconSize(QSize(18, 18))
    button.setDefaultAction(action)
    button.setAccessibleName(action.text())
    return button


def heading(text: str) -> QLabel:
    """The title of a page or a group."""
    label = QLabel(text)
    label.setFont(theme.font_heading())
    return label


def note(text: str = "") -> QLabel:
    """Second-rank text that wraps; selectable, plain."""
    label = theme.muted(QLabel(text))
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def separator() -> QFrame:
    """A thin horizontal line."""
    line = QFrame()
    line.setFrameShape(QFrame.Shape.HLine)
    line.setForegroundRole(QPalette.ColorRole.Mid)
    line.setFixedHeight(1)
    return line


def row(*items: QWidget | int | None, space: int = SPACE) -> QHBoxLayout:
    """Widgets side by side; a number is a fixed gap, None takes the room that is left."""
    layout = QHBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(space)
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        else:
            layout.addWidget(item)
    return layout


class EmptyState(QWidget):
    """What an empty page says: what is missing, what to do first, and the buttons for it."""

    def __init__(self, icon: str, title: str, text: str, buttons: Sequence[QPushButton] = ()) -> None:
        super().__init__()
        self._icon = icon
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.title = heading(title)
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.text = QLabel(text)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.text.setMaximumWidth(SPACE * 64)
        self.text.setMinimumWidth(SPACE * 20)
        layout = QVBoxLayout(self)
        layout.setSpacing(SPACE)
        layout.addStretch(2)
        layout.addWidget(self._picture)
        layout.addWidget(self.title)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self.text, 20)
        middle.addStretch(1)
        layout.addLayout(middle)
        if buttons:
            layout.addSpacing(SPACE)
            layout.addLayout(row(None, *buttons, None))
        layout.addStretch(3)
        theme.notifier().changed.connect(self._draw)
        self._draw()

    def minimumSizeHint(self) -> QSize:
        return QSize(SPACE * 16, SPACE * 5)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In a small place the words matter more than the picture.
        self._picture.setVisible(self.height() > _ROOM_FOR_PICTURE)
        self.title.setVisible(self.height() > _ROOM_FOR_TITLE)

    def _draw(self) -> None:
        self._picture.setPixmap(theme.pixmap(self._icon, 48, "muted", self.devicePixelRatioF()))


def copy_text(text: str) -> None:
    """Put text on the clipboard."""
    QGuiApplication.clipboard().setText(text)
