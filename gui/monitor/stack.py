"""The four plots over one time axis. Only this module and those it imports need pyqtgraph and numpy."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsLayoutItem, QWidget

from core.telemetry.marks import Mark
from core.telemetry.store import SampleStore
from gui import theme
from gui.monitor.axes import TimeAxis, ValueAxis
from gui.monitor.catalog import PANELS, SOURCE_TITLES, Side, translated
from gui.monitor.marks import MarkStrip
from gui.monitor.panel import PanelView, Stretch

_COLUMNS = {Side.LEFT: 0, Side.RIGHT: 2, Side.FAR_RIGHT: 3}
_PLOT_COLUMN = 1
_PAN_STEP = 0.1
_ZOOM_STEP = 1.5


class PlotStack(pg.GraphicsLayoutWidget):
    """Plots, axes, legends, marks and crosshair.

    Attributes:
        panned: by a share of the width, positive towards later.
        zoomed: factor of the length, and the moment that stays in place (None: the middle).
        live_asked: the person wants to follow the newest sample.
        pause_asked: the person wants to switch between following and standing still.
        curves_hidden: the set of hidden curves changed.
    """

    panned = Signal(float)
    zoomed = Signal(float, object)
    live_asked = Signal()
    pause_asked = Signal()
    curves_hidden = Signal()

    def __init__(self, store: SampleStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Plots"))
        self.setAccessibleDescription(
            self.tr("Arrow keys move along time, plus and minus zoom, Home goes back to live, Space pauses")
        )
        self.setMinimumSize(0, 0)
        self.panels = [PanelView(panel, store, self) for panel in PANELS]
        self.strip = MarkStrip()
        self.time_axis = TimeAxis()
        self._marks: Sequence[Mark] = ()
        self._origin: float | None = None
        self._hover_x: float | None = None
        self._stretch = Stretch(0.0, 1.0, 0.0, False)
        self._empty: dict[str, str] = {}
        self._lay_out()
        for panel in self.panels:
            panel.area.panned.connect(self.panned)
            panel.area.zoomed.connect(self.zoomed.emit)
            panel.area.live_asked.connect(self.live_asked)
            panel.header.entry_clicked.connect(self.curves_hidden)
        self.apply_theme()

    def panel(self, key: str) -> PanelView:
        """The plot with this key of the catalog."""
        return next(view for view in self.panels if view.panel.key == key)

    def set_devices(self, shown: Sequence[int]) -> None:
        """Show these GPUs."""
        for view in self.panels:
            view.set_devices(shown if view.panel.source == "gpu" else (None,))

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Show these moments."""
        self._marks = tuple(marks)
        self.strip.set_marks(self._marks, self.time_axis.text_at)
        self._draw_columns()

    def set_empty(self, reasons: dict[str, str]) -> None:
        """Fold the plots of these sources and say why; all others are shown.

        Args:
            reasons: source to the sentence that stands in the plots' place.
        """
        if reasons == self._empty:
            return
        self._empty = dict(reasons)
        self._fold()

    def set_notes(self, notes: dict[str, str]) -> None:
        """Say a word above the plots of these sources, which stay open and empty so far."""
        for view in self.panels:
            if view.panel.source not in self._empty:
                view.header.set_message(notes.get(view.panel.source, ""))

    def draw(self, stretch: Stretch, origin: float | None) -> None:
        """Bring everything to this stretch of time.

        Args:
            stretch: what to draw.
            origin: times count from here; None shows the wall clock.
        """
        self._stretch = stretch
        self._origin = origin
        for view in self._open():
            view.refresh_entries()
            view.draw(stretch)
        self._draw_columns()
        self.read()

    def read(self) -> None:
        """Write the values under the crosshair, or the newest ones, into the legends."""
        t = self.hover_time()
        for view in self._open():
            view.read(t)
        self.time_axis.set_hover(t)

    def pixels(self) -> float:
        """Width of the plots."""
        return max(1.0, self._any_area().width())

    def hover_time(self) -> float | None:
        """The moment under the mouse; None when it is elsewhere."""
        if self._hover_x is None:
            return None
        area = self._any_area()
        share = (self._hover_x - area.left()) / self.pixels()
        return self._stretch.t0 + share * (self._stretch.t1 - self._stretch.t0) if 0 <= share <= 1 else None

    def apply_theme(self) -> None:
        """Take fonts and colours anew."""
        self.setBackground(theme.colors().surface)
        self.strip.apply_theme()
        self.time_axis.apply_theme()
        for view in self.panels:
            view.apply_theme()
        grid = self.ci.layout
        for side, column in _COLUMNS.items():
            grid.setColumnFixedWidth(column, ValueAxis.width_for(side))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, zoom, go live, pause."""
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.panned.emit(-_PAN_STEP if key == Qt.Key.Key_Left else _PAN_STEP)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Up):
            self.zoomed.emit(1 / _ZOOM_STEP, self.hover_time())
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Down):
            self.zoomed.emit(_ZOOM_STEP, self.hover_time())
        elif key == Qt.Key.Key_Home:
            self.live_asked.emit()
        elif key == Qt.Key.Key_Space:
            self.pause_asked.emit()
        else:
            event.ignore()
            return
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The crosshair goes along; the scene's own signal leaves out moves that come fast."""
        super().mouseMoveEvent(event)
        position = self.mapToScene(event.position().toPoint())
        area = self._any_area()
        inside = area.left() <= position.x() <= area.right() and 0 <= position.y() <= self.height()
        self._hover_x = position.x() if inside else None
        self.read()

    def leaveEvent(self, event: QEvent) -> None:
        """The crosshair goes with the mouse."""
        super().leaveEvent(event)
        self._hover_x = None
        self.read()

    def resizeEvent(self, event: QEvent) -> None:
        """Ticks depend on the size."""
        super().resizeEvent(event)
        if hasattr(self, "panels"):
            self.ci.layout.activate()
            self._draw_columns()

    def _lay_out(self) -> None:
        self.ci.setContentsMargins(0, theme.SPACE / 2, 0, theme.SPACE / 2)
        self.ci.layout.setSpacing(0)
        self.ci.addItem(self.strip, row=0, col=_PLOT_COLUMN, colspan=3)
        for index, view in enumerate(self.panels):
            self.ci.addItem(view.header, row=2 * index + 1, col=0, colspan=4)
            self.ci.addItem(view.area, row=2 * index + 2, col=_PLOT_COLUMN)
            for side, axis in view.axes.items():
                self.ci.addItem(axis, row=2 * index + 2, col=_COLUMNS[side])
            self.ci.layout.setRowStretchFactor(2 * index + 2, 1)
        self.ci.addItem(self.time_axis, row=2 * len(self.panels) + 1, col=_PLOT_COLUMN)

    def _fold(self) -> None:
        """Give folded plots no height, and the others equal shares."""
        grid = self.ci.layout
        said: set[str] = set()
        for index, view in enumerate(self.panels):
            source = view.panel.source
            reason = self._empty.get(source, "")
            view.header.set_title(translated(SOURCE_TITLES[source] if reason else view.panel.title))
            view.header.set_message(reason, folded=bool(reason))
            # One sentence for all plots of a source is enough.
            repeated = bool(reason) and source in said
            said.add(source)
            row = 2 * index + 1
            _place(grid, view.header, not repeated, (row, 0), 4)
            _place(grid, view.area, not reason, (row + 1, _PLOT_COLUMN))
            for side, axis in view.axes.items():
                _place(grid, axis, not reason, (row + 1, _COLUMNS[side]))
            grid.setRowStretchFactor(row + 1, 0 if reason else 1)

    def _open(self) -> list[PanelView]:
        return [view for view in self.panels if view.panel.source not in self._empty]

    def _any_area(self) -> QRectF:
        return self._open()[-1].area.sceneBoundingRect()

    def _draw_columns(self) -> None:
        t0, t1 = self._stretch.t0, self._stretch.t1
        ticks = self.time_axis.set_range(t0, t1, self._origin)
        self.strip.set_range(t0, t1, ValueAxis.width_for(Side.RIGHT) + ValueAxis.width_for(Side.FAR_RIGHT))
        length = t1 - t0
        columns = [(tick - t0) / length for tick in ticks]
        marks = [(mark.t - t0) / length for mark in self._marks if t0 <= mark.t <= t1]
        for view in self._open():
            view.backdrop.set_columns(columns, marks)


def _place(
    grid: QGraphicsGridLayout, item: QGraphicsLayoutItem, wanted: bool, place: tuple[int, int], width: int = 1
) -> None:
    """Put an item into the grid or take it out: a hidden one would still claim its height."""
    inside = item.parentLayoutItem() is grid
    if wanted and not inside:
        grid.addItem(item, *place, 1, width)
    elif not wanted and inside:
        grid.removeItem(item)
    item.setVisible(wanted)
