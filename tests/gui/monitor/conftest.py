"""A monitor over a store that the test fills."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.telemetry.sampler import SourceStatus
from core.telemetry.source import DeviceInfo
from core.telemetry.store import ChannelKey, SampleStore
from gui.monitor import MonitorView

START = 1000.0
"""When the samples of these tests begin."""

RUNNING = (
    SourceStatus("gpu", True, ""),
    SourceStatus("host", True, "No CPU temperature: this machine shows no CPU temperature sensor."),
    SourceStatus("engine", True, ""),
)
CARD = DeviceInfo(0, "NVIDIA H200", None, 24576.0, None, None, None, {"fan_pct": "not supported by this card"})


@dataclass
class Bench:
    """A view and what it looks at."""

    store: SampleStore
    view: MonitorView
    devices: list[DeviceInfo] = field(default_factory=list)
    status: list[SourceStatus] = field(default_factory=list)

    def key(self, quantity: str, device: int | None = None) -> ChannelKey:
        """The key of a quantity by its name alone."""
        return next(key for key in self.store.keys() if (key.quantity, key.device) == (quantity, device))  # noqa: SIM118

    def points(self, quantity: str, device: int | None = None) -> list[tuple[float, float]]:
        """What is drawn of a curve: moments and shares of its axis."""
        for panel in self.view.plots.panels:
            for key, curve in panel.lines():
                if (key.quantity, key.device) == (quantity, device):
                    return [] if curve.xData is None else list(zip(curve.xData, curve.yData, strict=True))
        raise AssertionError(f"no curve of {quantity}")

    def legend(self, panel: str) -> dict[str, str]:
        """Label to value of a plot's legend."""
        return {entry.label: entry.value for entry in self.view.plots.panel(panel).header.entries()}

    def table(self) -> dict[str, tuple[str, ...]]:
        """Label to now, least, largest and average."""
        return {row.label: row.texts for row in self.view.table.stats.rows()}

    def place(self, t: float, panel: str = "tokens") -> QPoint:
        """Where a moment is in a plot, in the plots' viewport."""
        plots = self.view.plots
        area = plots.panel(panel).area.sceneBoundingRect()
        share = (t - self.view.timeline.start) / self.view.timeline.length_s
        return plots.mapFromScene(QPointF(area.left() + share * area.width(), area.center().y()))

    def hover(self, t: float, panel: str = "tokens") -> None:
        """Put the mouse over a moment."""
        QTest.mouseMove(self.view.plots.viewport(), self.place(t, panel) + QPoint(2, 0))
        QTest.mouseMove(self.view.plots.viewport(), self.place(t, panel))
        QApplication.processEvents()

    def wheel(self, t: float, steps: int, sideways: bool = False) -> None:
        """Turn the wheel over a moment."""
        viewport = self.view.plots.viewport()
        place = QPointF(self.place(t))
        angle = QPoint(120 * steps, 0) if sideways else QPoint(0, 120 * steps)
        event = QWheelEvent(
            place,
            QPointF(viewport.mapToGlobal(place)),
            QPoint(),
            angle,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(viewport, event)


Fill = Callable[..., None]


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    """A shown and built view over an empty store; every source runs, and there is one card."""
    store = SampleStore()
    made = Bench(store, MonitorView(store, lambda: made.devices, lambda: made.status), [CARD], list(RUNNING))
    made.view.resize(900, 900)
    qtbot.addWidget(made.view)
    made.view.show()
    made.view.build()
    QApplication.processEvents()
    yield made
    made.view.stop()


def fill(store: SampleStore, seconds: int, hz: int = 2, start: float = START) -> None:
    """Steady samples of all sources: power counts up by one watt a sample, tokens stand at 800."""
    for index in range(seconds * hz):
        t = start + index / hz
        store.append(
            "gpu",
            0,
            t,
            {
                "memory_total_mib": 24576.0,
                "memory_used_mib": 20480.0,
                "memory_engine_mib": 18432.0,
                "memory_others_mib": 2048.0,
                "temperature_c": 61.0,
                "power_w": 100.0 + index,
                "power_limit_w": 450.0,
                "fan_pct": None,
                "throttled": float(index % 2),
            },
            1 / hz,
        )
        store.append(
            "host",
            None,
            t,
            {"cpu_pct": 50.0, "ram_used_mib": 8192.0, "ram_total_mib": 32768.0, "cpu_temperature_c": None},
            1 / hz,
        )
        store.append(
            "engine",
            None,
            t,
            {
                "generation_tokens_s": 800.0,
                "prompt_tokens_s": 0.0,
                "requests_running": 8.0,
                "requests_waiting": 0.0,
                "kv_cache_pct": 42.0,
            },
            1 / hz,
        )
