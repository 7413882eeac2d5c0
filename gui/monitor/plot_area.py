"""The view box of one plot: it lets the person move along the time axis and nowhere else."""

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

_WHEEL_STEP = 1.0015


class PlotArea(pg.ViewBox):
    """Shows times on x and shares of the axes (0 to 1) on y.

    Attributes:
        panned: the person dragged or scrolled sideways; by this share of the width, positive towards later.
        zoomed: the wheel was turned; factor of the length, and the moment that stays in place.
        live_asked: a double click.
    """

    panned = Signal(float)
    zoomed = Signal(float, float)
    live_asked = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False, enableMouse=False, defaultPadding=0.0)
        self.disableAutoRange()
        self._shown: tuple[float, float] | None = None

    def show_times(self, t0: float, t1: float) -> None:
        """Show this stretch."""
        if (t0, t1) != self._shown:
            self._shown = (t0, t1)
            self.setRange(xRange=(t0, t1), yRange=(0.0, 1.0), padding=0.0, disableAutoRange=False)

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        """Zoom around the mouse; a sideways wheel pans."""
        event.accept()
        if event.orientation() is Qt.Orientation.Horizontal:
            self.panned.emit(-event.delta() / 1200)
            return
        self.zoomed.emit(_WHEEL_STEP ** -event.delta(), self.mapToView(event.pos()).x())

    def mouseDragEvent(self, event: MouseDragEvent, axis: int | None = None) -> None:
        """Pan with the left button."""
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        moved = event.pos().x() - event.lastPos().x()
        if self.width() > 0 and moved:
            self.panned.emit(-moved / self.width())

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """A double click goes back to live."""
        if event.double() and event.button() is Qt.MouseButton.LeftButton:
            event.accept()
            self.live_asked.emit()
        else:
            event.ignore()
