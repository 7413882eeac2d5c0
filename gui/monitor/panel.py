"""One plot with its header and its axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from core.telemetry.store import ChannelKey, SampleStore
from gui import theme
from gui.format import number
from gui.monitor.axes import Backdrop, ValueAxis
from gui.monitor.catalog import Panel, Quantity, Side, translated, value_text
from gui.monitor.crosshair import Crosshair
from gui.monitor.curves import Curve
from gui.monitor.decimate import CurveFeed
from gui.monitor.header import Entry, Header
from gui.monitor.plot_area import PlotArea
from gui.monitor.ranges import StableUpper
from gui.monitor.readings import BEYOND_S, value_at

# A limit that is read every few seconds holds until the newest sample, but not when its source has fallen silent.
_HELD_S = 15.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """What to draw.

    Attributes:
        t0, t1: the shown stretch of time.
        newest: the newest sample of all.
        at_once: the person has just moved the view, so axes shrink now.
    """

    t0: float
    t1: float
    newest: float
    at_once: bool


class _Line:
    """A curve with where its points come from."""

    def __init__(self, store: SampleStore, quantity: Quantity, key: ChannelKey) -> None:
        self.quantity = quantity
        self.key = key
        self.feed = CurveFeed(store, key)
        self.curve = Curve(thin=quantity.held)
        self.x = np.empty(0)
        self.y = np.empty(0)


class PanelView(QObject):
    """Curves, axes and legend of one plot.

    Args:
        panel: what it shows.
        store: where the samples are.
    """

    def __init__(self, panel: Panel, store: SampleStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.panel = panel
        self._store = store
        self.area = PlotArea()
        self.backdrop = Backdrop(self.area)
        self.crosshair = Crosshair(self.area)
        self.header = Header(
            translated(panel.title), {side: translated(axis.unit) for side, axis in panel.axes.items()}
        )
        self.axes = {side: ValueAxis(side) for side in panel.axes}
        self._uppers = {side: StableUpper(axis.least_upper) for side, axis in panel.axes.items()}
        self._lines: dict[ChannelKey, _Line] = {}
        self._devices: tuple[int | None, ...] = ()
        self.hidden: set[str] = set()
        self.header.entry_clicked.connect(self._toggle)

    def lines(self) -> Sequence[tuple[ChannelKey, Curve]]:
        """The curves by their keys."""
        return [(line.key, line.curve) for line in self._lines.values()]

    def upper(self, side: Side) -> float:
        """Where an axis ends."""
        return self._uppers[side].value

    def set_devices(self, devices: Sequence[int | None]) -> None:
        """Show the curves of these devices; (None,) where the panel has none."""
        self._devices = tuple(devices)
        wanted = set(self._devices)
        for key in [key for key in self._lines if key.device not in wanted]:
            self.area.removeItem(self._lines.pop(key).curve)
        for device in self._devices:
            for quantity in self.panel.quantities:
                key = ChannelKey(quantity.source, device, quantity.name)
                if key not in self._lines:
                    line = self._lines[key] = _Line(self._store, quantity, key)
                    self.area.addItem(line.curve, ignoreBounds=True)
        self.apply_theme()

    def set_hidden(self, names: set[str]) -> None:
        """Hide the curves of these quantities."""
        self.hidden = names & {quantity.name for quantity in self.panel.quantities}
        self._show_hidden()

    def apply_theme(self) -> None:
        """Take fonts and colours anew."""
        self.header.apply_theme()
        for axis in self.axes.values():
            axis.apply_theme()
        several = len(self._devices) > 1
        for line in self._lines.values():
            device = line.key.device or 0
            dash = theme.series_dash(device) if several else line.quantity.dash
            line.curve.set_style(theme.series_color(line.quantity.name, device), dash, line.quantity.fill)
        self.backdrop.update()
        self.crosshair.update()
        self._make_entries()
        self._show_hidden()

    def draw(self, stretch: Stretch) -> None:
        """Bring the curves and the axes to this stretch of time."""
        buckets = max(64, int(self.area.width()))
        for line in self._lines.values():
            line.x, line.y = line.feed.points(stretch.t0, stretch.t1, buckets)
            if line.quantity.held:
                _hold(line, stretch.newest)
        for side, upper in self._uppers.items():
            upper.update(self._largest(side, stretch), stretch.newest, stretch.at_once)
            self.axes[side].set_upper(upper.value)
        left = self.axes[Side.LEFT]
        self.backdrop.set_rows([tick / left.upper for tick in left.ticks()])
        for line in self._lines.values():
            scale = line.quantity.factor / self._uppers[line.quantity.side].value
            line.curve.set_points(line.x, line.y * scale)
        self.area.show_times(stretch.t0, stretch.t1)

    def read(self, t: float | None) -> None:
        """Write the values at `t` into the legend, or the newest ones when it is None; place the crosshair's dots."""
        values: dict[ChannelKey, float | None] = {}
        for key, line in self._lines.items():
            values[key] = self._newest(key) if t is None else self._at(line, t)
        self.header.set_values([self._entry_text(entry.key, values) for entry in self.header.entries()])
        if t is None:
            self.crosshair.hide()
            return
        dots = [
            (
                value * line.quantity.factor / self._uppers[line.quantity.side].value,
                theme.series_color(line.quantity.name, key.device or 0),
            )
            for key, line in self._lines.items()
            if (value := values[key]) is not None and line.quantity.name not in self.hidden
        ]
        x0, x1 = self.area.viewRange()[0]
        self.crosshair.place((t - x0) / (x1 - x0) * self.area.width(), dots)

    def refresh_entries(self) -> None:
        """Take up quantities that have had their first value."""
        wanted = [quantity.name for quantity in self._legend()]
        if wanted != [entry.key for entry in self.header.entries() if entry.key]:
            self._make_entries()

    def _legend(self) -> list[Quantity]:
        return [quantity for quantity in self.panel.quantities if not quantity.optional or self._was_seen(quantity)]

    def _was_seen(self, quantity: Quantity) -> bool:
        return any(
            self._store.stats(ChannelKey(quantity.source, device, quantity.name)).count for device in self._devices
        )

    def _make_entries(self) -> None:
        several = len(self._devices) > 1
        first = self._devices[0] if self._devices else None
        entries = []
        if several and self.panel.names_devices:
            text = theme.colors().muted
            entries += [
                Entry("", self.tr("GPU {index}").format(index=device), QColor(text), theme.series_dash(device))
                for device in self._devices
            ]
        for quantity in self._legend():
            color = theme.series_color(quantity.name, first or 0)
            dash = () if several else quantity.dash
            entries.append(
                Entry(
                    quantity.name,
                    translated(quantity.short),
                    color,
                    dash,
                    value=number(None),
                    shown=quantity.name not in self.hidden,
                )
            )
        self.header.set_entries(entries)

    def _entry_text(self, name: str, values: dict[ChannelKey, float | None]) -> str:
        if not name:
            return ""
        quantity = next(quantity for quantity in self.panel.quantities if quantity.name == name)
        found = [values.get(ChannelKey(quantity.source, device, name)) for device in self._devices]
        if all(value is None for value in found):
            return number(None)
        unit = translated(quantity.unit)
        return f"{' / '.join(value_text(quantity, value) for value in found)} {unit}".rstrip()

    def _newest(self, key: ChannelKey) -> float | None:
        latest = self._store.latest(key)
        return None if latest is None or math.isnan(latest[1]) else latest[1]

    def _at(self, line: _Line, t: float) -> float | None:
        return value_at(self._store, line.key, t, _HELD_S if line.quantity.held else BEYOND_S)

    def _largest(self, side: Side, stretch: Stretch) -> float | None:
        largest = -math.inf
        for line in self._lines.values():
            if line.quantity.side is side and line.quantity.name not in self.hidden and len(line.y):
                first, last = np.searchsorted(line.x, (stretch.t0, stretch.t1))
                seen = line.y[max(0, first - 1) : last + 1]
                largest = max(largest, float(np.fmax.reduce(seen, initial=-math.inf)) * line.quantity.factor)
        return None if largest == -math.inf else largest

    def _toggle(self, name: str) -> None:
        self.set_hidden(self.hidden ^ {name})

    def _show_hidden(self) -> None:
        for line in self._lines.values():
            line.curve.setVisible(line.quantity.name not in self.hidden)
        for entry in self.header.entries():
            entry.shown = entry.key not in self.hidden
        self.header.update()


def _hold(line: _Line, newest: float) -> None:
    """Draw a limit on to the newest sample."""
    if len(line.x) and not math.isnan(line.y[-1]) and 0 < newest - line.x[-1] < _HELD_S:
        line.x = np.append(line.x, newest)
        line.y = np.append(line.y, line.y[-1])
