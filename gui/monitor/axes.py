"""The axes beside and below the plots, and the grid behind the curves."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gui import theme
from gui.monitor.catalog import Side
from gui.monitor.marks import mark_pen
from gui.monitor.ranges import tick_text, time_step, time_text, time_ticks, value_ticks

_TICK_GAP = 5
_WIDEST = {Side.LEFT: "1,000", Side.RIGHT: "1,000", Side.FAR_RIGHT: "100"}
_VALUE_PITCH = 1.7
_MOST_STEPS = 6
_TIME_PITCH = 2.2


class ValueAxis(pg.GraphicsWidget):
    """Labels of one value axis, from 0 to `upper`. As wide as the widest label it may ever need, so that plots align.

    Args:
        side: where it stands.
    """

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side = side
        self.upper = 1.0
        self.apply_theme()

    @staticmethod
    def width_for(side: Side) -> float:
        """Width in device-independent pixels."""
        return QFontMetricsF(theme.font_tabular(small=True)).horizontalAdvance(_WIDEST[side]) + 2 * _TICK_GAP

    def apply_theme(self) -> None:
        """Take fonts and colours anew."""
        self._font = theme.font_tabular(small=True)
        self._metrics = QFontMetricsF(self._font)
        self._color = QColor(theme.colors().muted)
        self.update()

    def set_upper(self, upper: float) -> None:
        """Show 0 to `upper`."""
        if upper != self.upper:
            self.upper = upper
            self.update()

    def ticks(self) -> list[float]:
        """Where the labels stand, in the axis's unit."""
        most = int(self.size().height() / (_VALUE_PITCH * self._metrics.height()))
        return value_ticks(self.upper, min(most, _MOST_STEPS))

    def boundingRect(self) -> QRectF:
        """Labels at both ends stand over the edge by half their height."""
        half = self._metrics.height() / 2
        return QRectF(self.rect()).adjusted(0, -half, 0, half)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the labels."""
        area = self.rect()
        ticks = self.ticks()
        height = self._metrics.height()
        flag = Qt.AlignmentFlag.AlignRight if self._side is Side.LEFT else Qt.AlignmentFlag.AlignLeft
        painter.setFont(self._font)
        painter.setPen(self._color)
        for tick in ticks:
            y = area.bottom() - tick / self.upper * area.height()
            box = QRectF(area.left() + _TICK_GAP, y - height / 2, area.width() - 2 * _TICK_GAP, height)
            painter.drawText(box, flag | Qt.AlignmentFlag.AlignVCenter, tick_text(tick, ticks))


class TimeAxis(pg.GraphicsWidget):
    """Labels of the common time axis, and the moment under the crosshair."""

    def __init__(self) -> None:
        super().__init__()
        self._range = (0.0, 1.0)
        self._origin: float | None = None
        self._hover: float | None = None
        self._ticks: list[float] = []
        self._step = 1
        self.apply_theme()

    def apply_theme(self) -> None:
        """Take fonts and colours anew."""
        self._font = theme.font_tabular(small=True)
        self._metrics = QFontMetricsF(self._font)
        self._look = theme.colors()
        height = self._metrics.height() + theme.SPACE / 2
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)
        self.update()

    def set_range(self, t0: float, t1: float, origin: float | None) -> list[float]:
        """Show this stretch; times count from `origin`, or are wall-clock times when it is None.

        Returns:
            Moments of the labels.
        """
        self._range = (t0, t1)
        self._origin = origin
        width = max(1.0, self.size().width())
        sample = "00:00:00" if origin is None else "00:00"
        most = max(1, int(width / (self._metrics.horizontalAdvance(sample) * _TIME_PITCH)))
        self._step = time_step(t1 - t0, most)
        self._ticks = time_ticks(t0, t1, self._step, origin)
        self.update()
        return self._ticks

    def set_hover(self, t: float | None) -> None:
        """The moment to point out, or None."""
        if t != self._hover:
            self._hover = t
            self.update()

    def text_at(self, t: float) -> str:
        """How this moment is written."""
        return time_text(t, self._origin)

    def boundingRect(self) -> QRectF:
        """The first and the last label stand over the edge."""
        return QRectF(self.rect()).adjusted(-60, 0, 60, 0)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the labels, and the moment under the crosshair on a raised ground."""
        painter.setFont(self._font)
        painter.setPen(QColor(self._look.muted))
        box = QRectF() if self._hover is None else self._box(self._hover, theme.SPACE)
        for tick in self._ticks:
            label = self._box(tick, 0)
            if not label.intersects(box):
                painter.drawText(label, Qt.AlignmentFlag.AlignCenter, time_text(tick, self._origin, self._step < 60))
        if self._hover is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._look.border), 1))
        painter.setBrush(QColor(self._look.raised))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setPen(QColor(self._look.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text_at(self._hover))

    def _box(self, t: float, padding: float) -> QRectF:
        t0, t1 = self._range
        area = self.rect()
        x = area.left() + (t - t0) / (t1 - t0) * area.width()
        wide = self._metrics.horizontalAdvance(time_text(t, self._origin)) + padding
        return QRectF(x - wide / 2, area.top() + 2, wide, area.height() - 2)


class Backdrop(pg.GraphicsObject):
    """Grid and mark lines of one plot, behind its curves.

    Args:
        area: the plot's view box; this item lies in its pixels.
    """

    def __init__(self, area: pg.ViewBox) -> None:
        super().__init__()
        self.setParentItem(area)
        self.setZValue(-10)
        self._area = area
        self._rows: Sequence[float] = ()
        self._columns: Sequence[float] = ()
        self._marks: Sequence[float] = ()

    def set_rows(self, shares: Sequence[float]) -> None:
        """Heights of the horizontal lines, 0 at the bottom to 1."""
        if shares != self._rows:
            self._rows = shares
            self.update()

    def set_columns(self, shares: Sequence[float], marks: Sequence[float]) -> None:
        """Places of the vertical lines and of the marks, 0 at the left to 1."""
        self._columns = shares
        self._marks = marks
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole plot."""
        return QRectF(self._area.rect())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the lines, each on whole pixels."""
        area = self.boundingRect()
        look = theme.colors()
        grid = QColor(look.border)
        grid.setAlpha(110)
        painter.setPen(QPen(grid, 1))
        for share in self._columns:
            _vertical(painter, area, share)
        for share in self._rows:
            y = round(area.bottom() - share * area.height()) - 0.5
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(mark_pen())
        for share in self._marks:
            _vertical(painter, area, share)


def _vertical(painter: QPainter, area: QRectF, share: float) -> None:
    x = round(area.left() + share * area.width()) + 0.5
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
