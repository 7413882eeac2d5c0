"""The line under the mouse and the points where it meets the curves."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gui import theme

_RADIUS = 3.0
_REACH = _RADIUS + 2


class Crosshair(pg.GraphicsObject):
    """One plot's part of the crosshair; it covers a narrow stripe, so that moving it repaints little.

    Args:
        area: the plot's view box; this item lies in its pixels.
    """

    def __init__(self, area: pg.ViewBox) -> None:
        super().__init__()
        self.setParentItem(area)
        self.setZValue(50)
        self._area = area
        self._x = 0.0
        self._dots: Sequence[tuple[float, QColor]] = ()
        self.hide()

    def place(self, x: float, dots: Sequence[tuple[float, QColor]]) -> None:
        """Stand at `x` pixels from the left, with dots at these heights (0 at the bottom to 1)."""
        self.prepareGeometryChange()
        self._x = x
        self._dots = dots
        self.show()
        self.update()

    def boundingRect(self) -> QRectF:
        """A stripe around the line."""
        area = self._area.rect()
        return QRectF(self._x - _REACH, area.top() - _REACH, 2 * _REACH, area.height() + 2 * _REACH)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw line and dots."""
        area = self._area.rect()
        look = theme.colors()
        x = round(self._x) + 0.5
        painter.setPen(QPen(QColor(look.text), 1))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(look.surface), 1.5))
        for share, color in self._dots:
            painter.setBrush(color)
            painter.drawEllipse(QPointF(x, area.bottom() - share * area.height()), _RADIUS, _RADIUS)
