"""The outline that all editors share: one look for lines, lists and boxes, in light and dark."""

from functools import lru_cache

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from gui import theme
from gui.theme import Colors

RADIUS = 4.0
ICON = 16
"""Size of the small pictures in rows, in device-independent pixels."""


def paint_frame(painter: QPainter, rect: QRect, look: Colors, *, focused: bool, wrong: bool = False) -> None:
    """Outline an editor. The line is clear enough to be seen in both looks (3 : 1), stronger with the keyboard."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor(0, 0, 0, 0))
    painter.setPen(outline(look, focused=focused, wrong=wrong))
    inset = 1.0 if focused else 0.5
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), RADIUS, RADIUS)


@lru_cache(maxsize=16)
def outline(look: Colors, *, focused: bool, wrong: bool = False) -> QPen:
    """The pen of an outline."""
    if wrong:
        return QPen(QColor(look.error), 2.0 if focused else 1.0)
    if focused:
        return QPen(QColor(look.accent), 2.0)
    color = QColor(look.muted)
    color.setAlphaF(0.6)
    return QPen(color, 1.0)


@lru_cache(maxsize=64)
def picture(name: str, role: str, ratio: float, look: Colors) -> QPixmap:
    """A small icon in the colour of a role; drawn once for each look."""
    return theme.pixmap(name, ICON, role, ratio)
