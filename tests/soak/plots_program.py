"""Refreshes the monitor some thousand times over growing data and prints what that cost, as JSON.

Started by `test_plots_soak.py` in a process of its own, so that an abort of the interpreter is seen as such.
"""

import gc
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import psutil
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.telemetry.marks import Mark
from core.telemetry.sampler import SourceStatus
from core.telemetry.source import DeviceInfo
from core.telemetry.store import SampleStore
from gui import theme
from gui.monitor import MonitorView

START = 1000.0
PERIOD_S = 0.5
ROWS_BEFORE = 7200
ROWS_EACH = 2
WARM_UP = 300
SPANS_S = (None, 60.0, 300.0, 900.0, 3600.0)
GAP_EVERY = 997


@dataclass
class Stall:
    """Durations of one kind of work on the GUI thread: its own time, and by the clock on the wall."""

    cpu_ms: list[float] = field(default_factory=list)
    wall_ms: list[float] = field(default_factory=list)


class Growing:
    """A store that gets noisy samples of a GPU, the host and an engine."""

    def __init__(self) -> None:
        self.store = SampleStore()
        self._random = random.Random(5)
        self._row = 0

    def grow(self, rows: int) -> float:
        """Add rows; returns the time of the last one."""
        noise = self._random.random
        t = START
        for _ in range(rows):
            self._row += 1
            t = START + self._row * PERIOD_S
            if self._row % GAP_EVERY < 10:
                continue
            self.store.append(
                "gpu",
                0,
                t,
                {
                    "memory_total_mib": 24564.0,
                    "memory_used_mib": 21000 + 300 * noise(),
                    "memory_engine_mib": 19500.0,
                    "memory_others_mib": 1500 + 300 * noise(),
                    "temperature_c": 60 + 4 * noise(),
                    "power_w": 280 + 90 * noise(),
                    "power_limit_w": 450.0,
                },
            )
            self.store.append(
                "host",
                None,
                t,
                {
                    "cpu_pct": 30 + 40 * noise(),
                    "cpu_engine_pct": 25 + 40 * noise(),
                    "cpu_temperature_c": 55 + 5 * noise(),
                    "ram_used_mib": 12000 + 100 * noise(),
                    "ram_engine_mib": 8000.0,
                    "ram_total_mib": 32000.0,
                },
            )
            self.store.append(
                "engine",
                None,
                t,
                {
                    "generation_tokens_s": 700 + 200 * noise(),
                    "prompt_tokens_s": 2000 * noise(),
                    "kv_cache_pct": 40 + 20 * noise(),
                    "requests_running": float(int(16 * noise())),
                    "requests_waiting": float(int(4 * noise())),
                },
            )
        return t


def main(refreshes: int) -> None:
    """Run and print the figures."""
    app = QApplication([])
    theme.apply(app)
    growing = Growing()
    growing.grow(ROWS_BEFORE)
    cards = [DeviceInfo(0, "Card", None, 24564.0, None, None, None)]
    status = [SourceStatus(name, True, "") for name in ("gpu", "host", "engine")]
    view = MonitorView(growing.store, lambda: cards, lambda: status)
    view.resize(640, 720)
    view.show()
    view.build()
    view.set_marks([Mark(START + 600 * index, f"mark {index}", "other") for index in range(20)])
    process = psutil.Process()
    before = 0
    stalls: dict[str, Stall] = {}

    def measured(name: str, work: Callable[[], object]) -> None:
        """One stretch in which the event loop can do nothing else."""
        wall, cpu = time.perf_counter(), time.thread_time()
        work()
        stall = stalls.setdefault(name, Stall())
        stall.cpu_ms.append(1000 * (time.thread_time() - cpu))
        stall.wall_ms.append(1000 * (time.perf_counter() - wall))

    def hover(step: int) -> None:
        area = view.plots.panel("tokens").area.sceneBoundingRect()
        place = QPointF(area.left() + step % 400, area.center().y())
        QTest.mouseMove(view.plots.viewport(), view.plots.mapFromScene(place))

    for index in range(refreshes):
        growing.grow(ROWS_EACH)
        if index == WARM_UP:
            gc.collect()
            before = process.memory_info().rss
            stalls.clear()
        if index % 200 == 0:
            span_s = SPANS_S[index // 200 % len(SPANS_S)]
            measured("span", partial(view.set_span, span_s))
        if index % 500 == 499:
            scheme = theme.Scheme.DARK if index % 1000 == 499 else theme.Scheme.LIGHT
            measured("theme", partial(theme.apply, app, scheme))
        if index % 10 == 0:
            measured("hover", partial(hover, index))
        measured("refresh", partial(view.refresh, at_once=False))
        measured("paint", app.processEvents)
    gc.collect()
    grown = process.memory_info().rss - before
    figures = {
        "refreshes": refreshes,
        "curves": sum(len(panel.lines()) for panel in view.plots.panels),
        "growth_mib": round(grown / 2**20, 2),
        "refresh_median_ms": round(statistics.median(stalls["refresh"].cpu_ms), 1),
        "paint_median_ms": round(statistics.median(stalls["paint"].cpu_ms), 1),
        "worst_ms": {name: round(max(stall.cpu_ms), 1) for name, stall in stalls.items()},
        "worst_wall_ms": {name: round(max(stall.wall_ms), 1) for name, stall in stalls.items()},
    }
    print(json.dumps(figures))
    view.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
