"""What is plotted where, and what the table lists: described once, as data."""

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gui.format import number

_CONTEXT = "monitor"
_GIB = 1 / 1024

SOLID: tuple[float, ...] = ()
DASHED = (6.0, 3.0)
DOTTED = (2.0, 2.0)
DASH_DOT = (8.0, 3.0, 2.0, 3.0)
SPARSE = (2.0, 5.0)


class Side(Enum):
    """Which axis a curve is read against."""

    LEFT = "left"
    RIGHT = "right"
    FAR_RIGHT = "far_right"


@dataclass(frozen=True, slots=True)
class Axis:
    """One value axis.

    Attributes:
        unit: its title.
        least_upper: the upper end never goes below this, so that an idle machine's noise does not fill the plot.
    """

    unit: str
    least_upper: float


@dataclass(frozen=True, slots=True)
class Quantity:
    """One measured quantity.

    Attributes:
        source: "gpu", "host" or "engine".
        name: the quantity's key in the store.
        label: its name in the table.
        unit: the unit it is shown in.
        factor: shown value = stored value times this.
        short: its name in the legend; empty for what the table alone shows.
        side: the axis of its curve.
        dash: the curve's dash pattern while one device is shown; empty is a full line.
        fill: the area under the curve is tinted.
        held: the curve is a limit that is read seldom: it holds until the newest sample.
        optional: left out of the legend until it has had a value.
    """

    source: str
    name: str
    label: str
    unit: str
    factor: float = 1.0
    short: str = ""
    side: Side = Side.LEFT
    dash: tuple[float, ...] = SOLID
    fill: bool = False
    held: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot.

    Attributes:
        key: a short name for settings and tests.
        title: what it shows.
        source: whose silence leaves it empty.
        axes: its value axes.
        quantities: its curves, in the order of the legend.
        names_devices: its legend says which line belongs to which device.
    """

    key: str
    title: str
    source: str
    axes: dict[Side, Axis]
    quantities: tuple[Quantity, ...]
    names_devices: bool = False


def translated(text: str) -> str:
    """A title, label or unit of this module in the person's language."""
    return QCoreApplication.translate(_CONTEXT, text) if text else ""


SOURCE_TITLES = {
    "gpu": QT_TRANSLATE_NOOP("monitor", "GPU"),
    "host": QT_TRANSLATE_NOOP("monitor", "CPU"),
    "engine": QT_TRANSLATE_NOOP("monitor", "Tokens"),
}
"""What stands above the folded plots of a source."""

COUNT = ""
"""The unit of a quantity that is counted: whole numbers are shown whole."""

YES_NO = "yes/no"
"""The unit of a quantity that is 0 or 1; its average is shown as a share in percent."""


def value_text(quantity: Quantity, stored: float | None) -> str:
    """A stored value as it is shown, without its unit."""
    if stored is None:
        return number(None)
    shown = stored * quantity.factor
    return number(shown, digits=1 if quantity.unit == COUNT and shown == round(shown) else 3)


PANELS: tuple[Panel, ...] = (
    Panel(
        "memory",
        QT_TRANSLATE_NOOP("monitor", "GPU memory"),
        "gpu",
        {Side.LEFT: Axis("GiB", 1)},
        (
            Quantity(
                "gpu",
                "memory_used_mib",
                QT_TRANSLATE_NOOP("monitor", "GPU memory used"),
                "GiB",
                _GIB,
                QT_TRANSLATE_NOOP("monitor", "used"),
                fill=True,
            ),
            Quantity(
                "gpu",
                "memory_engine_mib",
                QT_TRANSLATE_NOOP("monitor", "GPU memory, engine"),
                "GiB",
                _GIB,
                QT_TRANSLATE_NOOP("monitor", "engine"),
                dash=DASHED,
            ),
            Quantity(
                "gpu",
                "memory_others_mib",
                QT_TRANSLATE_NOOP("monitor", "GPU memory, others"),
                "GiB",
                _GIB,
                QT_TRANSLATE_NOOP("monitor", "others"),
                dash=DOTTED,
            ),
            Quantity(
                "gpu",
                "memory_total_mib",
                QT_TRANSLATE_NOOP("monitor", "GPU memory, total"),
                "GiB",
                _GIB,
                QT_TRANSLATE_NOOP("monitor", "total"),
                dash=SPARSE,
                held=True,
            ),
        ),
        names_devices=True,
    ),
    Panel(
        "thermal",
        QT_TRANSLATE_NOOP("monitor", "GPU"),
        "gpu",
        {Side.LEFT: Axis("°C", 100), Side.RIGHT: Axis("W", 100)},
        (
            Quantity(
                "gpu",
                "temperature_c",
                QT_TRANSLATE_NOOP("monitor", "GPU temperature"),
                "°C",
                short=QT_TRANSLATE_NOOP("monitor", "temperature"),
            ),
            Quantity(
                "gpu",
                "power_w",
                QT_TRANSLATE_NOOP("monitor", "GPU power"),
                "W",
                short=QT_TRANSLATE_NOOP("monitor", "power"),
                side=Side.RIGHT,
                dash=DASHED,
            ),
            Quantity(
                "gpu",
                "power_limit_w",
                QT_TRANSLATE_NOOP("monitor", "GPU power limit"),
                "W",
                short=QT_TRANSLATE_NOOP("monitor", "limit"),
                side=Side.RIGHT,
                dash=SPARSE,
                held=True,
            ),
        ),
    ),
    Panel(
        "cpu",
        QT_TRANSLATE_NOOP("monitor", "CPU"),
        "host",
        {Side.LEFT: Axis("%, °C", 100), Side.RIGHT: Axis("GiB", 1)},
        (
            Quantity(
                "host",
                "cpu_pct",
                QT_TRANSLATE_NOOP("monitor", "CPU load"),
                "%",
                short=QT_TRANSLATE_NOOP("monitor", "load"),
                fill=True,
            ),
            Quantity(
                "host",
                "cpu_engine_pct",
                QT_TRANSLATE_NOOP("monitor", "CPU load, engine"),
                "%",
                short=QT_TRANSLATE_NOOP("monitor", "engine"),
                dash=DOTTED,
            ),
            Quantity(
                "host",
                "cpu_temperature_c",
                QT_TRANSLATE_NOOP("monitor", "CPU temperature"),
                "°C",
                short=QT_TRANSLATE_NOOP("monitor", "temperature"),
                dash=DASH_DOT,
                optional=True,
            ),
            Quantity(
                "host",
                "ram_used_mib",
                QT_TRANSLATE_NOOP("monitor", "RAM used"),
                "GiB",
                _GIB,
                QT_TRANSLATE_NOOP("monitor", "RAM"),
                side=Side.RIGHT,
                dash=DASHED,
            ),
            Quantity(
                "host",
                "ram_engine_mib",
                QT_TRANSLATE_NOOP("monitor", "RAM, engine"),
                "GiB",
                _GIB,
                QT_TRANSLATE_NOOP("monitor", "RAM engine"),
                side=Side.RIGHT,
                dash=DASH_DOT,
            ),
            Quantity(
                "host",
                "ram_total_mib",
                QT_TRANSLATE_NOOP("monitor", "RAM, total"),
                "GiB",
                _GIB,
                QT_TRANSLATE_NOOP("monitor", "RAM total"),
                side=Side.RIGHT,
                dash=SPARSE,
                held=True,
            ),
        ),
    ),
    Panel(
        "tokens",
        QT_TRANSLATE_NOOP("monitor", "Tokens"),
        "engine",
        {Side.LEFT: Axis("tok/s", 10), Side.RIGHT: Axis("%", 100), Side.FAR_RIGHT: Axis("req", 4)},
        (
            Quantity(
                "engine",
                "generation_tokens_s",
                QT_TRANSLATE_NOOP("monitor", "Generation"),
                "tok/s",
                short=QT_TRANSLATE_NOOP("monitor", "generation"),
                fill=True,
            ),
            Quantity(
                "engine",
                "prompt_tokens_s",
                QT_TRANSLATE_NOOP("monitor", "Prompt"),
                "tok/s",
                short=QT_TRANSLATE_NOOP("monitor", "prompt"),
                dash=DASHED,
            ),
            Quantity(
                "engine",
                "kv_cache_pct",
                QT_TRANSLATE_NOOP("monitor", "KV cache in use"),
                "%",
                short=QT_TRANSLATE_NOOP("monitor", "KV cache"),
                side=Side.RIGHT,
                dash=DASH_DOT,
            ),
            Quantity(
                "engine",
                "requests_running",
                QT_TRANSLATE_NOOP("monitor", "Requests running"),
                COUNT,
                short=QT_TRANSLATE_NOOP("monitor", "running"),
                side=Side.FAR_RIGHT,
            ),
            Quantity(
                "engine",
                "requests_waiting",
                QT_TRANSLATE_NOOP("monitor", "Requests waiting"),
                COUNT,
                short=QT_TRANSLATE_NOOP("monitor", "waiting"),
                side=Side.FAR_RIGHT,
                dash=DOTTED,
            ),
        ),
    ),
)

MORE: tuple[Quantity, ...] = (
    Quantity("engine", "ttft_mean_s", QT_TRANSLATE_NOOP("monitor", "Time to first token"), "ms", 1000),
    Quantity("engine", "itl_mean_s", QT_TRANSLATE_NOOP("monitor", "Time between tokens"), "ms", 1000),
    Quantity("engine", "prefix_cache_hit_pct", QT_TRANSLATE_NOOP("monitor", "Prefix cache hits"), "%"),
    Quantity("engine", "preemptions_s", QT_TRANSLATE_NOOP("monitor", "Preemptions"), "1/s"),
    Quantity("engine", "spec_acceptance_pct", QT_TRANSLATE_NOOP("monitor", "Draft tokens accepted"), "%"),
    Quantity("gpu", "utilization_pct", QT_TRANSLATE_NOOP("monitor", "GPU load"), "%"),
    Quantity("gpu", "memory_utilization_pct", QT_TRANSLATE_NOOP("monitor", "GPU memory bus load"), "%"),
    Quantity("gpu", "sm_clock_mhz", QT_TRANSLATE_NOOP("monitor", "GPU clock"), "MHz"),
    Quantity("gpu", "memory_clock_mhz", QT_TRANSLATE_NOOP("monitor", "GPU memory clock"), "MHz"),
    Quantity("gpu", "fan_pct", QT_TRANSLATE_NOOP("monitor", "GPU fan"), "%"),
    Quantity("gpu", "throttled", QT_TRANSLATE_NOOP("monitor", "GPU held down"), YES_NO),
    Quantity("gpu", "pcie_tx_mib_s", QT_TRANSLATE_NOOP("monitor", "PCIe sent"), "MiB/s"),
    Quantity("gpu", "pcie_rx_mib_s", QT_TRANSLATE_NOOP("monitor", "PCIe received"), "MiB/s"),
)
"""What the table shows below the plotted quantities."""


def table_quantities(with_gpu: bool) -> tuple[Quantity, ...]:
    """The table's rows in order: plotted ones first, the token rates at the very top; the GPU's last without a GPU."""
    panels = sorted(PANELS, key=lambda panel: panel.source != "engine")
    plotted = [quantity for panel in panels for quantity in panel.quantities]
    rows = [*plotted, *MORE]
    if not with_gpu:
        rows.sort(key=lambda quantity: quantity.source == "gpu")
    return tuple(rows)
