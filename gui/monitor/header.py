"""The line above a plot: title, axis units, and the legend that is also the readout of values."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsSceneHoverEvent, QGraphicsSceneResizeEvent, QStyleOptionGraphicsItem, QWidget

from gui import theme
from gui.monitor.axes import ValueAxis
from gui.monitor.catalog import Side
from gui.monitor.swatch import SAMPLE_WIDTH, draw_sample

_GAP = 5
_BETWEEN = 14
# Keeps the units clear of the lowest label of the axis above.
_ABOVE = 6


@dataclass(slots=True)
class Entry:
    """One legend entry.

    Attributes:
        key: the quantity's name; empty for a word that is no curve.
        label: what it is.
        color, dash: its line.
        value: its value as text, with unit; empty where there is none to show.
        shown: the curve is drawn.
    """

    key: str
    label: str
    color: QColor
    dash: tuple[float, ...]
    value: str = ""
    shown: bool = True


class Header(pg.GraphicsWidget):
    """Title at the left, then the legend, wrapped where it does not fit; units above their axes.

    A click on an entry asks to hide or show its curve.

    Attributes:
        entry_clicked: the key of the entry.
        height_changed: the number of lines changed.
    """

    entry_clicked = Signal(str)
    height_changed = Signal()

    def __init__(self, title: str, units: dict[Side, str]) -> None:
        super().__init__()
        self._title = title
        self._units = units
        self._entries: list[Entry] = []
        # A value keeps the widest room it ever took, so that the legend does not dance.
        self._room: dict[str, float] = {}
        self._places: list[QRectF] = []
        self._message = ""
        self._folded = False
        self.setAcceptHoverEvents(True)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Take fonts and colours anew."""
        self._bold = QFont(theme.font_small())
        self._bold.setWeight(QFont.Weight.DemiBold)
        self._font = theme.font_small()
        self._digits = theme.font_tabular(small=True)
        self._metrics = QFontMetricsF(self._font)
        self._line = max(self._metrics.height(), QFontMetricsF(self._bold).height()) + 2
        self._look = theme.colors()
        self._axis_widths = {side: ValueAxis.width_for(side) for side in Side}
        self._digit_metrics = QFontMetricsF(self._digits)
        self._bold_metrics = QFontMetricsF(self._bold)
        self._room.clear()
        self._arrange()

    def set_title(self, title: str) -> None:
        """Change the title."""
        if title != self._title:
            self._title = title
            self._arrange()

    def set_message(self, text: str, folded: bool = False) -> None:
        """Say this instead of the legend; empty shows the legend.

        Args:
            text: one sentence.
            folded: there is no plot below, hence no axis whose unit to name.
        """
        if (text, folded) != (self._message, self._folded):
            self._message = text
            self._folded = folded
            self._arrange()

    @property
    def message(self) -> str:
        """What is said instead of the legend."""
        return self._message

    def entries(self) -> Sequence[Entry]:
        """The legend as it stands."""
        return self._entries

    def set_entries(self, entries: list[Entry]) -> None:
        """Show these entries."""
        self._entries = entries
        self._arrange()

    def set_values(self, values: Sequence[str]) -> None:
        """Change the values of all entries, in their order."""
        changed = False
        for entry, value in zip(self._entries, values, strict=True):
            if entry.value != value:
                entry.value = value
                changed = True
        if changed:
            self._arrange()

    def resizeEvent(self, event: QGraphicsSceneResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._arrange()

    def _right(self) -> float:
        if Side.RIGHT not in self._units:
            return self.size().width()
        return self.size().width() - self._axis_widths[Side.RIGHT] - self._axis_widths[Side.FAR_RIGHT]

    def _width_of(self, entry: Entry) -> float:
        wide = self._metrics.horizontalAdvance(entry.label) + SAMPLE_WIDTH + _GAP
        if entry.value:
            value = self._digit_metrics.horizontalAdvance(entry.value)
            self._room[entry.key] = max(self._room.get(entry.key, 0.0), value)
            wide += _GAP + self._room[entry.key]
        return wide

    def _arrange(self) -> None:
        """Give every entry its place; tells when the number of lines changes."""
        places = []
        x = self._axis_widths[Side.LEFT] + self._bold_metrics.horizontalAdvance(self._title) + _BETWEEN
        y = float(_ABOVE)
        indent = x
        for entry in self._entries:
            wide = self._width_of(entry)
            if x + wide > self._right() and x > indent:
                x = indent
                y += self._line
            places.append(QRectF(x, y, wide, self._line))
            x += wide + _BETWEEN
        self._places = places
        lines = 1 if self._message or not places else round((places[-1].top() - _ABOVE) / self._line) + 1
        height = _ABOVE + lines * self._line + theme.SPACE / 2
        if height != self.maximumHeight():
            self.setMinimumHeight(height)
            self.setMaximumHeight(height)
            self.height_changed.emit()
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw it all on the bottom lines of its area."""
        centre = Qt.AlignmentFlag.AlignVCenter
        left, right = self._axis_widths[Side.LEFT], self._right()
        look = self._look
        painter.setFont(self._bold)
        painter.setPen(QColor(look.text))
        painter.drawText(QRectF(left, _ABOVE, right - left, self._line), centre, self._title)
        painter.setFont(self._font)
        painter.setPen(QColor(look.muted))
        if not self._folded:
            self._paint_units(painter, left, right)
        if self._message:
            start = left + self._bold_metrics.horizontalAdvance(self._title) + _BETWEEN
            room = max(0.0, (self.size().width() if self._folded else right) - start)
            text = self._metrics.elidedText(self._message, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(start, _ABOVE, room, self._line), centre, text)
            return
        for entry, place in zip(self._entries, self._places, strict=True):
            self._paint_entry(painter, entry, place)

    def _paint_units(self, painter: QPainter, left: float, right: float) -> None:
        bottom = self.size().height() - self._line - theme.SPACE / 2
        wide = self._axis_widths[Side.RIGHT]
        for side, unit in self._units.items():
            if side is Side.LEFT:
                box = QRectF(0, bottom, left - _GAP, self._line)
                flag = Qt.AlignmentFlag.AlignRight
            else:
                start = right if side is Side.RIGHT else right + wide
                box = QRectF(start + _GAP, bottom, self.size().width() - start, self._line)
                flag = Qt.AlignmentFlag.AlignLeft
            painter.drawText(box, flag | Qt.AlignmentFlag.AlignVCenter, unit)

    def _paint_entry(self, painter: QPainter, entry: Entry, place: QRectF) -> None:
        middle = place.center().y()
        painter.save()
        painter.setOpacity(1.0 if entry.shown else 0.45)
        draw_sample(painter, entry.color, entry.dash, place.left(), middle)
        x = place.left() + SAMPLE_WIDTH + _GAP
        painter.setPen(QColor(self._look.muted))
        painter.setFont(self._font)
        rest = QRectF(x, place.top(), place.right() - x, place.height())
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, entry.label)
        if entry.value:
            painter.setPen(QColor(self._look.text))
            painter.setFont(self._digits)
            painter.drawText(
                rest.adjusted(self._metrics.horizontalAdvance(entry.label) + _GAP, 0, 4, 0),
                Qt.AlignmentFlag.AlignVCenter,
                entry.value,
            )
        painter.restore()

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """Ask to hide or show the curve of the entry under the mouse."""
        entry = self._entry_at(event.pos())
        if entry is not None and entry.key:
            event.accept()
            self.entry_clicked.emit(entry.key)
        else:
            event.ignore()

    def hoverMoveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Say in a tooltip what a click does, or the whole of a message that was cut."""
        entry = self._entry_at(event.pos())
        if self._message:
            self.setToolTip(self._message)
        elif entry is not None and entry.key:
            self.setToolTip(self.tr("Click to hide or show this curve"))
        else:
            self.setToolTip("")

    def _entry_at(self, point: QPointF) -> Entry | None:
        if self._message:
            return None
        return next(
            (entry for entry, place in zip(self._entries, self._places, strict=True) if place.contains(point)), None
        )
