"""One curve of a plot, drawn so that a noisy one does not hold up the window."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

_FILL_ALPHA = 34
# Stroking an antialiased path wider than one pixel costs a hundred times more when the curve is noisy. The same path
# drawn a few times, a fraction of a pixel apart, looks the same and stays cheap.
_OFFSETS = ((0.0, -0.3), (0.3, 0.3), (-0.3, 0.3))
_FINE_OFFSETS = ((0.0, -0.4), (0.4, 0.0), (0.0, 0.4), (-0.4, 0.0))
_THIN_OFFSETS = ((0.0, 0.0),)
# A curve that goes up and down more than this many widths of the plot is a band of ink; one pass draws that as well.
_DENSE = 12.0
# Tinting an area costs the square of the ups and downs of its edge; a noisy edge is averaged to so many points.
_NOISY = 8.0
_NOISY_EDGE_POINTS = 240


class Curve(pg.PlotCurveItem):
    """A curve over time whose values are shares of its axis: 0 is the bottom of the plot, 1 the top.

    Args:
        thin: a hair line, for limits.
    """

    def __init__(self, thin: bool) -> None:
        super().__init__(connect="finite", antialias=True)
        self._thin = thin
        self._dash: tuple[float, ...] = ()
        self._color = QColor()
        self._tint: QColor | None = None
        self._area: QPainterPath | None = None
        # Way up and down altogether, in heights of the plot.
        self._climb = 0.0
        self.setZValue(-1 if thin else 0)

    def set_style(self, color: QColor, dash: tuple[float, ...], fill: bool) -> None:
        """Change the look.

        Args:
            color: of the line.
            dash: dash pattern in pixels; empty is a full line.
            fill: tint the area below.
        """
        self._color = color
        self._dash = dash
        self._tint = None
        if fill:
            self._tint = QColor(color)
            self._tint.setAlpha(_FILL_ALPHA)
        self.update()

    def set_points(self, x: np.ndarray, y: np.ndarray) -> None:
        """Draw these points; NaN in `y` breaks the curve."""
        self._area = None
        self._climb = float(np.nansum(np.abs(np.diff(y))))
        self.setData(x, y)

    def boundingRect(self) -> QRectF:
        """From the first to the last point, over the plot's whole height."""
        x = self.xData
        if x is None or len(x) == 0:
            return QRectF()
        return QRectF(float(x[0]), -0.1, float(x[-1] - x[0]), 1.2)

    def shape(self) -> QPainterPath:
        """Nothing to touch: the mouse acts on the plot, and looking for it along each curve would be slow."""
        return QPainterPath()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the area, then the line."""
        if self.xData is None or len(self.xData) == 0:
            return
        if self._tint is not None:
            if self._area is None:
                self._area = _area_path(self.xData, self.yData, self._climb > _NOISY)
            # The line lies on the edge, so smoothing it would only cost time.
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.fillPath(self._area, self._tint)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ratio = painter.device().devicePixelRatioF()
        painter.setPen(self._pen(ratio))
        base = painter.worldTransform()
        path = self.getPath()
        for dx, dy in self._offsets(ratio, base):
            painter.setWorldTransform(base * QTransform.fromTranslate(dx, dy))
            painter.drawPath(path)
        painter.setWorldTransform(base)

    def _pen(self, ratio: float) -> QPen:
        pen = QPen(self._color, 1.0)
        pen.setCosmetic(True)
        if self._dash:
            # Cosmetic pens count in pixels of the screen, whatever its scale.
            pen.setDashPattern([part * ratio for part in self._dash])
        return pen

    def _offsets(self, ratio: float, base: QTransform) -> tuple[tuple[float, float], ...]:
        if self._thin or self._climb * abs(base.m22()) > _DENSE * self.boundingRect().width() * abs(base.m11()):
            return _THIN_OFFSETS
        return _OFFSETS if ratio < 1.5 else _FINE_OFFSETS


def _area_path(x: np.ndarray, y: np.ndarray, noisy: bool) -> QPainterPath:
    """The area between a curve and 0, one closed part for each stretch without a gap."""
    group = -(-len(x) // _NOISY_EDGE_POINTS)
    if noisy and group > 1:
        starts = np.arange(0, len(x), group)
        counts = np.diff(np.append(starts, len(x)))
        x = np.concatenate((x[starts], x[-1:]))
        y = np.concatenate((np.add.reduceat(y, starts) / counts, y[-1:]))
    finite = np.isfinite(y)
    edges = np.diff(np.concatenate(([False], finite, [False])).astype(np.int8))
    firsts = np.flatnonzero(edges == 1)
    lasts = np.flatnonzero(edges == -1) - 1
    places = np.concatenate((firsts, lasts + 1))
    area_x = np.insert(x, places, np.concatenate((x[firsts], x[lasts])))
    area_y = np.insert(y, places, 0.0)
    return pg.arrayToQPath(area_x, area_y, connect="finite")
