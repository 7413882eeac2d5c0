"""The monitor: controls, plots and table, refreshed by one timer.

This module imports neither pyqtgraph nor numpy; they come with `MonitorView.build`.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from core.telemetry.marks import Mark
from core.telemetry.sampler import FASTEST_HZ, SLOWEST_HZ
from core.telemetry.source import DeviceInfo
from core.telemetry.store import ChannelKey, SampleStore
from gui import theme
from gui.monitor.catalog import table_quantities
from gui.monitor.placeholder import Placeholder
from gui.monitor.readings import Extent
from gui.monitor.reasons import missing_reason, source_reason
from gui.monitor.table import StatsTable
from gui.monitor.timeline import Timeline
from gui.monitor.toolbar import SPANS_S, MonitorBar

if TYPE_CHECKING:
    from core.telemetry.sampler import SourceStatus
    from gui.monitor.stack import PlotStack

_REFRESH_MS = 250
_DEFAULT_SPAN_S = 300.0
_DEFAULT_HZ = 2.0
_SHARES = (7, 3)
_FIT_MARGIN = 0.02
_MOST_PIXELS = 1_000_000
# Once the newest sample is this far beyond the end of a view that stands still, nothing in it changes any more.
_SETTLED_S = 30.0


def preload() -> None:
    """Import what `MonitorView.build` needs; costs half a second and may run on any thread."""
    import gui.monitor.stack  # noqa: F401 - wanted in sys.modules


class MonitorView(QWidget):
    """Live plots over one time axis, and a table of statistics.

    Args:
        store: where the samples are.
        devices: gives the GPUs found so far.
        status: says how each source stands.

    Attributes:
        rate_requested: samples a second, chosen by the person.
        settings_changed: something that `save_settings` keeps has changed.
    """

    rate_requested = Signal(float)
    settings_changed = Signal()

    def __init__(
        self,
        store: SampleStore,
        devices: Callable[[], Sequence[DeviceInfo]],
        status: "Callable[[], Sequence[SourceStatus]]",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._devices = devices
        self._status = status
        self._extent = Extent(store)
        self._seen_version = -1
        self._seen_devices: tuple[int, ...] | None = None
        self._chosen_device: int | None = None
        self._marks: tuple[Mark, ...] = ()
        self._origin: float | None = None
        self._since: float | None = None
        self._hz = _DEFAULT_HZ
        self._hidden: set[str] = set()
        self._first: float | None = None
        self._newest: float | None = None
        self._settled = False
        self.timeline = Timeline(_DEFAULT_SPAN_S)
        self.plots: PlotStack | None = None
        self.bar = MonitorBar()
        self.table = StatsTable(store, self._why_missing)
        self._placeholder = Placeholder()
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._tick)
        self._lay_out()
        self._connect()

    # Life

    @property
    def is_built(self) -> bool:
        """Whether the plots stand."""
        return self.plots is not None

    def build(self) -> None:
        """Put the plots in the placeholder's place. Quick once `preload` has run; a second call does nothing."""
        if self.plots is not None:
            return
        from gui.monitor.stack import PlotStack

        sizes = self._splitter.sizes()
        plots = self.plots = PlotStack(self._store)
        self._splitter.replaceWidget(0, plots)
        self._placeholder.deleteLater()
        self._splitter.setSizes(sizes)
        plots.panned.connect(self._pan)
        plots.zoomed.connect(self._zoom)
        plots.live_asked.connect(self.go_live)
        plots.pause_asked.connect(lambda: self.set_following(not self.timeline.following))
        plots.curves_hidden.connect(self._keep_hidden)
        for panel in plots.panels:
            panel.set_hidden(self._hidden)
        self._seen_devices = None
        plots.set_marks(self._marks)
        self.refresh()

    def start(self) -> None:
        """Begin to refresh; while hidden, and while nothing is new, a refresh costs nothing."""
        self._timer.start()

    def stop(self) -> None:
        """Stop refreshing."""
        self._timer.stop()

    # What others tell

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Show these moments as lines across all plots."""
        self._marks = tuple(marks)
        if self.plots is not None:
            self.plots.set_marks(self._marks)

    def set_origin(self, t: float | None) -> None:
        """Count the running time from this moment, the start of a run; None counts from the first sample."""
        self._origin = t
        self.refresh()

    def show_rate(self, hz: float) -> None:
        """Show this many samples a second as the rate in force."""
        self._hz = hz
        self.bar.set_rate(hz)

    # Moving along time

    def set_following(self, following: bool) -> None:
        """Follow the newest sample, or stand still."""
        if following:
            self.go_live()
            return
        self.timeline.pause()
        self._moved(at_once=False)

    def go_live(self) -> None:
        """Follow the newest sample with the chosen length of window."""
        self.timeline.go_live()
        self._moved()

    def set_span(self, span_s: float | None) -> None:
        """Show this many seconds (None: everything), following."""
        self.bar.set_span(span_s)
        self.timeline.set_span(span_s)
        self._moved()
        self.settings_changed.emit()

    def fit(self) -> None:
        """Show the run from its start to the newest sample, and fit the value axes."""
        if self._first is None or self._newest is None:
            return
        start = max(self._first, self._origin) if self._origin is not None else self._first
        length = max(self._newest - start, 1.0)
        self.timeline.show(start - _FIT_MARGIN * length, self._newest + _FIT_MARGIN * length)
        self._moved()

    def reset_statistics(self) -> None:
        """Count min, max and average from the newest sample on."""
        self._since = self._newest
        self.table.stats.reset_statistics(self._since)

    def show_device(self, index: int | None) -> None:
        """Show one GPU, or all of them when None."""
        self._chosen_device = index
        self._seen_devices = None
        self.refresh()
        self.settings_changed.emit()

    # Settings

    def save_settings(self) -> dict[str, Any]:
        """How the person likes to see it, as JSON values."""
        return {
            "span_s": self.timeline.span_s,
            "wall_clock": self.bar.clock.isChecked(),
            "device": self._chosen_device,
            "rate_hz": self._hz,
            "hidden": sorted(self._hidden),
            "sizes": self._splitter.sizes(),
        }

    def restore_settings(self, settings: dict[str, Any]) -> None:
        """Take up what `save_settings` gave; what is missing or makes no sense stays as it is."""
        span = settings.get("span_s", self.timeline.span_s)
        if span in SPANS_S:
            self.bar.set_span(span)
            self.timeline.set_span(span)
        self.bar.clock.setChecked(settings.get("wall_clock") is True)
        device = settings.get("device")
        self._chosen_device = device if isinstance(device, int) else None
        rate = settings.get("rate_hz")
        if isinstance(rate, int | float) and SLOWEST_HZ <= rate <= FASTEST_HZ:
            self.show_rate(float(rate))
        hidden = settings.get("hidden")
        if isinstance(hidden, list):
            self._hidden = {name for name in hidden if isinstance(name, str)}
        sizes = settings.get("sizes")
        if isinstance(sizes, list) and len(sizes) == 2 and all(map(_is_size, sizes)):
            self._splitter.setSizes(sizes)
        self._seen_devices = None
        if self.plots is not None:
            for panel in self.plots.panels:
                panel.set_hidden(self._hidden)
        self.refresh()

    # Refreshing

    def refresh(self, at_once: bool = True, moved: bool = True) -> None:
        """Bring table and plots to what the store holds now.

        Args:
            at_once: value axes may shrink now.
            moved: draw even when the view stands still and cannot have changed by new samples.
        """
        self._seen_version = self._store.version
        extent = self._extent.read()
        self._first, self._newest = extent or (None, None)
        self._take_up_devices()
        self.table.stats.refresh()
        if extent is not None:
            self.timeline.see(*extent, pixels=self.plots.pixels() if self.plots else math.inf)
        self._say_why_empty()
        if moved or self.timeline.following or not self._settled:
            self._draw(at_once)
        elif self.plots is not None:
            self.plots.read()

    def _tick(self) -> None:
        # Without any sample the sentences that say why are all there is to show, and they change by themselves.
        if self.isVisible() and (self._store.version != self._seen_version or self._newest is None):
            self.refresh(at_once=False, moved=False)

    def _draw(self, at_once: bool) -> None:
        if self.plots is None:
            return
        from gui.monitor.panel import Stretch

        start, end = self.timeline.start, self.timeline.end
        newest = end if self._newest is None else self._newest
        self._settled = newest > end + _SETTLED_S
        origin = None if self.bar.clock.isChecked() else self._zero()
        self.plots.draw(Stretch(start, end, newest, at_once), origin)

    def _zero(self) -> float:
        """The moment that the time axis calls 0:00."""
        if self._origin is not None:
            return self._origin
        return self.timeline.start if self._first is None else self._first

    def _take_up_devices(self) -> None:
        keys = self._store.keys()
        found = tuple(sorted({key.device for key in keys if key.source == "gpu" and key.device is not None}))
        if found == self._seen_devices:
            return
        self._seen_devices = found
        infos = {info.index: info for info in self._devices()}
        self.bar.set_devices([(index, infos.get(index)) for index in found], self._chosen_device)
        shown = (self._chosen_device,) if self._chosen_device in found else found
        self.table.stats.set_rows(table_quantities(with_gpu=bool(found)), shown)
        if self.plots is not None:
            self.plots.set_devices(shown)

    def _say_why_empty(self) -> None:
        if self.plots is None:
            return
        status = self._status()
        keys = self._store.keys()
        sources = {key.source for key in keys}
        reasons = {
            source: reason
            for source in ("gpu", "host", "engine")
            if source not in sources and (reason := source_reason(status, source))
        }
        rest = self.tr("Memory, temperature and power stay empty.")
        self.plots.set_empty({"gpu": f"{reasons['gpu']} {rest}"} if "gpu" in reasons else {})
        self.plots.set_notes(reasons)

    def _why_missing(self, key: ChannelKey) -> str:
        return missing_reason(key, self._status(), self._devices())

    # Wiring

    def _lay_out(self) -> None:
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self._placeholder)
        self._splitter.addWidget(self.table)
        for index, share in enumerate(_SHARES):
            self._splitter.setStretchFactor(index, share)
        self._splitter.setSizes([100 * share for share in _SHARES])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self._splitter, 1)
        self.bar.set_span(_DEFAULT_SPAN_S)
        self.bar.set_rate(_DEFAULT_HZ)

    def _connect(self) -> None:
        self.bar.live_toggled.connect(self.set_following)
        self.bar.span_chosen.connect(self.set_span)
        self.bar.fit_asked.connect(self.fit)
        self.bar.reset_asked.connect(self.reset_statistics)
        self.bar.rate_chosen.connect(self._ask_rate)
        self.bar.device_chosen.connect(self.show_device)
        self.bar.wall_clock_toggled.connect(self._clock_changed)
        self._splitter.splitterMoved.connect(self._keep_sizes)
        theme.notifier().changed.connect(self._theme_changed)

    def _ask_rate(self, hz: float) -> None:
        self._hz = hz
        self.rate_requested.emit(hz)
        self.settings_changed.emit()

    def _keep_sizes(self) -> None:
        self.settings_changed.emit()

    def _clock_changed(self) -> None:
        self._draw(at_once=False)
        self.settings_changed.emit()

    def _keep_hidden(self) -> None:
        if self.plots is not None:
            self._hidden = set().union(*(panel.hidden for panel in self.plots.panels))
        self._draw(at_once=True)
        self.settings_changed.emit()

    def _pan(self, share: float) -> None:
        self.timeline.pan(share)
        self._moved(at_once=False)

    def _zoom(self, factor: float, at: float | None) -> None:
        self.timeline.zoom(factor, at)
        self._moved(at_once=False)

    def _moved(self, at_once: bool = True) -> None:
        self.bar.set_following(self.timeline.following)
        self.refresh(at_once)

    def _theme_changed(self) -> None:
        self.table.apply_theme()
        if self.plots is not None:
            self.plots.apply_theme()
        self._draw(at_once=False)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what came while it was hidden."""
        super().showEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        """A new font changes the room that axes need."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and hasattr(self, "table"):
            self._theme_changed()


def _is_size(value: object) -> bool:
    return isinstance(value, int) and 0 < value <= _MOST_PIXELS
