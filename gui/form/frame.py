"""The outline that all editors share: one look for lines, lists and boxes, in light and dark.

Outlines are drawn once for each size and kept as pictures: a screenful has dozens of them, in a handful of sizes, and
smooth corners are slow to draw.
"""

from functools import lru_cache

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from gui import theme
from gui.theme import Colors

RADIUS = 4.0
ICON = 16
"""Size of the small pictures in rows, in device-independent pixels."""


def paint_frame(painter: QPainter, widget: QWidget, *, focused: bool, wrong: bool = False) -> None:
    """Outline a widget. The line is clear enough to be seen in both looks (3 : 1), stronger with the keyboard."""
    size = (widget.width(), widget.height())
    painter.drawPixmap(0, 0, _drawn(size, widget.devicePixelRatioF(), theme.colors(), focused=focused, wrong=wrong))


def blank(size: QSize, ratio: float) -> QPixmap:
    """A transparent picture to draw on, sharp on a screen of this pixel ratio."""
    made = QPixmap(size * ratio)
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    return made


def draw_outline(painter: QPainter, rect: QRectF, look: Colors, *, focused: bool, wrong: bool = False) -> None:
    """Draw the outline itself."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    color = QColor(look.error if wrong else look.accent if focused else look.muted)
    if not focused and not wrong:
        color.setAlphaF(0.6)
    painter.setPen(QPen(color, 2.0 if focused else 1.0))
    inset = 1.0 if focused else 0.5
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), RADIUS, RADIUS)


@lru_cache(maxsize=256)
def color(name: str) -> QColor:
    """A colour by its `#rrggbb`."""
    return QColor(name)


@lru_cache(maxsize=64)
def picture(name: str, role: str, ratio: float, look: Colors) -> QPixmap:
    """A small icon in the colour of a role; drawn once for each look."""
    return theme.pixmap(name, ICON, role, ratio)


@lru_cache(maxsize=128)
def _drawn(size: tuple[int, int], ratio: float, look: Colors, *, focused: bool, wrong: bool) -> QPixmap:
    made = blank(QSize(*size), ratio)
    painter = QPainter(made)
    draw_outline(painter, QRectF(0, 0, *size), look, focused=focused, wrong=wrong)
    painter.end()
    return made
