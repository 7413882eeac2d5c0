"""Moments such as "ready": where their labels stand, and the strip above the plots that shows them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsSceneHoverEvent, QGraphicsSceneResizeEvent, QStyleOptionGraphicsItem, QWidget

from core.telemetry.marks import Mark
from gui import theme

LANES = 2
_GAP = 4
_TOUCH = 5
_ROLES = {"ready": "ok", "failed": "error"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mark stands.

    Attributes:
        mark: the mark.
        x: its line, in pixels from the left.
        left: left end of its label; None when there was no room for it.
        lane: the label's line, 0 at the bottom.
    """

    mark: Mark
    x: float
    left: float | None
    lane: int


def place_marks(
    marks: Sequence[Mark],
    to_x: Callable[[float], float],
    width_of: Callable[[str], float],
    *,
    width: float,
    room: float,
    lanes: int = LANES,
) -> list[Place]:
    """Give the marks in sight their places, so that a label overlaps neither another one nor a line.

    Labels stand at the right of their lines. Where marks are close the earlier one moves up a lane, since a line
    reaches up to its own label only. A label that finds no room is left out.

    Args:
        marks: in any order.
        to_x: from a moment to pixels.
        width_of: width of a label in pixels.
        width: of the plots, where lines can stand.
        room: where labels have to end.
        lanes: how many labels can stand above each other.
    """
    # In each lane, where the next thing to the right begins.
    free_until = [room] * lanes
    places = []
    for mark in sorted(marks, key=lambda mark: mark.t, reverse=True):
        x = to_x(mark.t)
        if not 0 <= x <= width:
            continue
        left = x + _GAP
        end = left + width_of(mark.label)
        lane = next((index for index, limit in enumerate(free_until) if end <= limit), None)
        if lane is None:
            places.append(Place(mark, x, None, 0))
            continue
        places.append(Place(mark, x, left, lane))
        for index in range(lane + 1):
            free_until[index] = x - _GAP
    return places[::-1]


def mark_pen() -> QPen:
    """The pen of mark lines."""
    color = QColor(theme.colors().muted)
    color.setAlpha(170)
    pen = QPen(color, 1)
    pen.setDashPattern([3, 3])
    return pen


class MarkStrip(pg.GraphicsWidget):
    """Labels of the marks, above the plots."""

    def __init__(self) -> None:
        super().__init__()
        self._marks: Sequence[Mark] = ()
        self._range = (0.0, 1.0)
        self._beside = 0.0
        self._places: list[Place] = []
        self._text_at: Callable[[float], str] = str
        self.setAcceptHoverEvents(True)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Take fonts and colours anew."""
        self._font = theme.font_small()
        self._metrics = QFontMetricsF(self._font)
        self._look = theme.colors()
        self._fix_height()
        self.update()

    def set_marks(self, marks: Sequence[Mark], text_at: Callable[[float], str]) -> None:
        """Show these marks; `text_at` writes a moment for their tooltips."""
        self._marks = tuple(marks)
        self._text_at = text_at
        self._fix_height()
        self._arrange()

    def set_range(self, t0: float, t1: float, beside: float) -> None:
        """Show this stretch of time; `beside` is how far the strip reaches beyond the plots, in pixels."""
        self._range = (t0, t1)
        self._beside = beside
        self._arrange()

    def places(self) -> Sequence[Place]:
        """Where the marks in sight stand."""
        return self._places

    def resizeEvent(self, event: QGraphicsSceneResizeEvent) -> None:
        """Arrange anew."""
        super().resizeEvent(event)
        self._arrange()

    def mark_near(self, x: float) -> Mark | None:
        """The mark whose line is under this place, if any."""
        near = [place for place in self._places if abs(place.x - x) <= _TOUCH]
        return min(near, key=lambda place: abs(place.x - x)).mark if near else None

    def hoverMoveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Name the mark under the mouse, which matters where its label found no room."""
        x = event.pos().x()
        mark = self.mark_near(x) or next(
            (
                place.mark
                for place in self._places
                if place.left is not None and place.left <= x <= place.left + self._width_of(place.mark.label)
            ),
            None,
        )
        self.setToolTip(f"{mark.label}, {self._text_at(mark.t)}" if mark else "")

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the labels, and the lines from them down to the plots."""
        area = self.rect()
        painter.setFont(self._font)
        pen = mark_pen()
        lane_height = self._metrics.height()
        for place in self._places:
            x = round(area.left() + place.x) + 0.5
            top = area.bottom() - lane_height * (place.lane + 1) + 2
            if place.left is None:
                continue
            painter.setPen(pen)
            painter.drawLine(QPointF(x, top), QPointF(x, area.bottom()))
            painter.setPen(QColor(getattr(self._look, _ROLES.get(place.mark.kind, "text"))))
            box = QRectF(
                area.left() + place.left,
                area.bottom() - lane_height * (place.lane + 1),
                self._width_of(place.mark.label),
                lane_height,
            )
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, place.mark.label)

    def _width_of(self, label: str) -> float:
        return self._metrics.horizontalAdvance(label) + 2

    def _fix_height(self) -> None:
        height = LANES * self._metrics.height() + 2 if self._marks else 0
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)

    def _arrange(self) -> None:
        t0, t1 = self._range
        room = self.size().width()
        width = max(1.0, room - self._beside)
        self._places = place_marks(
            self._marks, lambda t: (t - t0) / (t1 - t0) * width, self._width_of, width=width, room=room
        )
        self.update()
