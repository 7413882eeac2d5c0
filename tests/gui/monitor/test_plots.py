"""The plots: values, gaps, axes, marks, crosshair, several GPUs, none at all."""

import math
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.telemetry.marks import Mark
from core.telemetry.replay import ReplaySource
from core.telemetry.sampler import SourceStatus
from core.telemetry.source import DeviceInfo
from gui import theme
from gui.monitor.catalog import PANELS, Side
from gui.monitor.decimate import MOST_POINTS
from tests.gui.monitor.conftest import START, Bench, fill

RECORDING = Path(__file__).parents[2] / "data" / "telemetry" / "h200_vllm0.26.jsonl"
NO_DRIVER = SourceStatus("gpu", False, "No NVIDIA driver found.")


def test_curves_show_the_samples_at_the_right_height(bench: Bench) -> None:
    fill(bench.store, 10)
    bench.view.refresh()
    used = bench.points("memory_used_mib", 0)
    assert len(used) == 20
    assert used[0] == (START, pytest.approx(20 / 25))
    power = bench.points("power_w", 0)
    assert bench.view.plots.panel("thermal").upper(Side.RIGHT) == 500
    assert power[-1] == (START + 9.5, pytest.approx(119 / 500))


def test_the_legend_shows_the_newest_values(bench: Bench) -> None:
    fill(bench.store, 10)
    bench.view.refresh()
    assert bench.legend("memory") == {
        "used": "20.0 GiB",
        "engine": "18.0 GiB",
        "others": "2.00 GiB",
        "total": "24.0 GiB",
    }
    assert bench.legend("tokens")["KV cache"] == "42.0 %"
    assert bench.legend("tokens")["running"] == "8"


def test_a_gap_stays_a_gap(bench: Bench) -> None:
    fill(bench.store, 10)
    fill(bench.store, 10, start=START + 60)
    bench.view.refresh()
    moments = dict(bench.points("cpu_pct"))
    assert [t for t, value in moments.items() if math.isnan(value)] == [START + 10]
    assert not [t for t in moments if START + 10 < t < START + 60]


def test_nothing_is_painted_into_a_gap(bench: Bench) -> None:
    fill(bench.store, 20)
    fill(bench.store, 20, start=START + 40)
    bench.view.refresh()
    plots = bench.view.plots
    picture = plots.grab().toImage()
    area = plots.panel("cpu").area.sceneBoundingRect()
    middle = plots.mapFromScene(QPointF(area.center().x(), area.center().y())).y()

    def colors(t: float) -> set[str]:
        x = bench.place(t, "cpu").x()
        return {picture.pixelColor(x, y).name() for y in range(middle - 40, middle + 40)}

    drawn, silent = colors(START + 12), colors(START + 27.3)
    assert len(drawn) > 5
    # Ground and grid.
    assert len(silent) == 2
    assert theme.colors().surface in silent


def test_a_sentence_is_brought_up_to_date_without_any_sample(bench: Bench, qtbot: QtBot) -> None:
    bench.status[0] = SourceStatus("gpu", False, "Waiting for the first reading.")
    bench.view.refresh()
    bench.view.start()
    bench.status[0] = NO_DRIVER
    qtbot.waitUntil(lambda: "No NVIDIA driver" in bench.view.plots.panel("memory").header.message, timeout=2000)


def test_what_is_missing_is_not_zero(bench: Bench) -> None:
    fill(bench.store, 10)
    bench.store.append("gpu", 0, START + 10, {"memory_engine_mib": None, "memory_used_mib": 20480.0}, 0.5)
    bench.view.refresh()
    assert math.isnan(bench.points("memory_engine_mib", 0)[-1][1])
    assert bench.legend("memory")["engine"] == "n/a"
    assert "temperature" not in bench.legend("cpu")


def test_a_sensor_that_answers_enters_the_legend(bench: Bench) -> None:
    fill(bench.store, 2)
    bench.view.refresh()
    bench.store.append("host", None, START + 2, {"cpu_temperature_c": 55.0}, 0.5)
    bench.view.refresh()
    assert bench.legend("cpu")["temperature"] == "55.0 °C"


def test_a_limit_is_drawn_on_to_the_newest_sample(bench: Bench) -> None:
    fill(bench.store, 2)
    bench.store.append("host", None, START + 6, {"cpu_pct": 1.0}, 0.5)
    bench.view.refresh()
    assert bench.points("power_limit_w", 0)[-1] == (START + 6, pytest.approx(0.9))
    assert bench.points("power_w", 0)[-1][0] == START + 1.5


def test_the_crosshair_reads_all_plots_at_one_moment(bench: Bench) -> None:
    fill(bench.store, 20)
    bench.view.refresh()
    bench.hover(START + 6)
    assert bench.view.plots.hover_time() == pytest.approx(START + 6, abs=0.2)
    assert bench.legend("thermal")["power"] == "112 W"
    assert bench.legend("tokens")["generation"] == "800 tok/s"
    assert all(panel.crosshair.isVisible() for panel in bench.view.plots.panels)


def test_the_crosshair_in_a_gap_reads_nothing(bench: Bench) -> None:
    fill(bench.store, 10)
    fill(bench.store, 10, start=START + 50)
    bench.view.refresh()
    bench.hover(START + 30)
    assert set(bench.legend("thermal").values()) | set(bench.legend("cpu").values()) == {"n/a"}


def test_the_readout_returns_to_now_when_the_mouse_leaves(bench: Bench) -> None:
    fill(bench.store, 20)
    bench.view.refresh()
    bench.hover(START + 6)
    QTest.mouseMove(bench.view.plots.viewport(), QPoint(2, 2))
    QApplication.processEvents()
    assert bench.legend("thermal")["power"] == "139 W"
    assert not any(panel.crosshair.isVisible() for panel in bench.view.plots.panels)


def test_marks_stand_at_their_moments(bench: Bench) -> None:
    fill(bench.store, 60)
    bench.view.set_marks([Mark(START, "start", "start"), Mark(START + 30, "ready", "ready")])
    bench.view.refresh()
    places = bench.view.plots.strip.places()
    assert [place.mark.label for place in places] == ["start", "ready"]
    assert all(place.left is not None for place in places)
    width = bench.view.plots.panel("tokens").area.width()
    assert places[1].x == pytest.approx(30 / bench.view.timeline.length_s * width, abs=1.5)
    assert bench.view.plots.strip.mark_near(places[1].x + 3) == Mark(START + 30, "ready", "ready")


def test_marks_given_before_the_plots_stand_are_kept(bench: Bench) -> None:
    bench.view.set_marks([Mark(START + 1, "start", "start")])
    fill(bench.store, 10)
    bench.view.refresh()
    assert [place.mark.label for place in bench.view.plots.strip.places()] == ["start"]


def test_all_plots_show_the_same_time_in_the_same_place(bench: Bench) -> None:
    fill(bench.store, 60)
    bench.view.refresh()
    areas = [panel.area for panel in bench.view.plots.panels]
    assert len({(round(area.sceneBoundingRect().left()), round(area.width())) for area in areas}) == 1
    assert len({tuple(area.viewRange()[0]) for area in areas}) == 1


def test_a_machine_without_a_gpu_says_so_and_gives_the_room_to_the_others(bench: Bench) -> None:
    bench.status[0] = NO_DRIVER
    bench.devices.clear()
    heights = bench.view.plots.panel("cpu").area.height()
    bench.store.append("host", None, START, {"cpu_pct": 50.0}, 0.5)
    bench.view.refresh()
    QApplication.processEvents()
    plots = bench.view.plots
    assert "No NVIDIA driver found." in plots.panel("memory").header.message
    assert not plots.panel("memory").area.isVisible()
    assert not plots.panel("thermal").header.isVisible()
    assert plots.panel("cpu").area.height() > 1.6 * heights
    assert bench.legend("cpu")["load"] == "50.0 %"
    assert bench.table()["GPU memory used"][0] == "n/a"


def test_a_gpu_that_appears_later_gets_its_plots(bench: Bench) -> None:
    bench.status[0] = NO_DRIVER
    bench.store.append("host", None, START, {"cpu_pct": 50.0}, 0.5)
    bench.view.refresh()
    fill(bench.store, 4, start=START + 1)
    bench.view.refresh()
    QApplication.processEvents()
    assert bench.view.plots.panel("memory").area.isVisible()
    assert bench.view.plots.panel("memory").area.height() > 60
    assert bench.legend("memory")["used"] == "20.0 GiB"


def test_an_engine_that_does_not_run_is_told_above_its_plot(bench: Bench) -> None:
    bench.status[2] = SourceStatus("engine", False, "No engine is ready.")
    bench.store.append("host", None, START, {"cpu_pct": 50.0}, 0.5)
    bench.view.refresh()
    assert bench.view.plots.panel("tokens").header.message == "No engine is ready."
    assert bench.view.plots.panel("tokens").area.isVisible()
    fill(bench.store, 4, start=START + 1)
    bench.view.refresh()
    assert bench.view.plots.panel("tokens").header.message == ""


def two_cards(bench: Bench) -> None:
    fill(bench.store, 4)
    bench.devices.append(DeviceInfo(1, "NVIDIA GeForce RTX 4090", None, None, None, None, None))
    for index in range(8):
        bench.store.append("gpu", 1, START + index / 2, {"power_w": 300.0, "memory_used_mib": 10240.0}, 0.5)
    bench.view.refresh()


def test_several_gpus_are_told_apart_by_their_lines(bench: Bench) -> None:
    two_cards(bench)
    assert bench.legend("thermal")["power"] == "107 / 300 W"
    assert [label for label in bench.legend("memory") if label.startswith("GPU")] == ["GPU 0", "GPU 1"]
    dashes = {entry.label: entry.dash for entry in bench.view.plots.panel("memory").header.entries()}
    assert dashes["GPU 0"] != dashes["GPU 1"]
    assert bench.points("power_w", 1)


def test_one_of_several_gpus_can_be_chosen(bench: Bench) -> None:
    two_cards(bench)
    box = bench.view.bar.devices
    assert [box.itemText(index) for index in range(box.count())] == ["All GPUs", "GPU 0: H200", "GPU 1: RTX 4090"]
    assert box.isVisible()
    box.setCurrentIndex(2)
    box.activated.emit(2)
    assert bench.legend("thermal")["power"] == "300 W"
    assert bench.table()["GPU power"][0] == "300"


def test_a_single_gpu_is_named(bench: Bench) -> None:
    fill(bench.store, 2)
    bench.view.refresh()
    assert bench.view.bar.device_name.text() == "GPU 0: H200"
    assert not bench.view.bar.devices.isVisible()


def test_a_click_on_the_legend_hides_a_curve(bench: Bench) -> None:
    fill(bench.store, 4)
    bench.view.refresh()
    plots = bench.view.plots
    header = plots.panel("memory").header
    width_of_title = 130
    place = plots.mapFromScene(header.mapToScene(width_of_title + 60, header.size().height() / 2))
    QTest.mouseClick(plots.viewport(), Qt.MouseButton.LeftButton, pos=place)
    shown = {key.quantity: curve.isVisible() for key, curve in plots.panel("memory").lines()}
    assert shown == {
        "memory_used_mib": False,
        "memory_engine_mib": True,
        "memory_others_mib": True,
        "memory_total_mib": True,
    }
    QTest.mouseClick(plots.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert all(curve.isVisible() for _, curve in plots.panel("memory").lines())


@pytest.mark.parametrize("scheme", [theme.Scheme.DARK, theme.Scheme.LIGHT])
def test_a_change_of_theme_recolours_everything(bench: Bench, qapp: QApplication, scheme: theme.Scheme) -> None:
    fill(bench.store, 20)
    bench.view.refresh()
    theme.apply(qapp, theme.Scheme.LIGHT if scheme is theme.Scheme.DARK else theme.Scheme.DARK)
    theme.apply(qapp, scheme)
    QApplication.processEvents()
    try:
        picture = bench.view.plots.grab().toImage()
        ground = theme.colors(scheme is theme.Scheme.DARK).surface
        assert picture.pixelColor(3, 3).name() == ground
        colors = {
            picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(0, picture.height(), 3)
        }
        assert theme.colors(scheme is theme.Scheme.DARK).text in colors
        assert theme.colors(scheme is not theme.Scheme.DARK).surface not in colors
    finally:
        theme.apply(qapp, theme.Scheme.LIGHT)


def test_a_recording_fills_the_gpu_plots(bench: Bench) -> None:
    source = ReplaySource(RECORDING, speed=math.inf)
    source.open()
    for row in source.read_fast():
        bench.store.append("gpu", row.device, row.t, row.values, row.period_s)
    bench.view.set_marks(source.marks())
    bench.view.set_span(None)
    largest = max(value for _, value in bench.points("memory_used_mib", 0) if not math.isnan(value))
    upper = bench.view.plots.panel("memory").upper(Side.LEFT)
    assert largest * upper == pytest.approx(26.1, abs=0.2)
    assert bench.table()["GPU fan"][0] == "n/a"
    assert [place.mark.kind for place in bench.view.plots.strip.places()].count("ready") >= 1


def test_hours_of_samples_stay_within_the_points_that_can_be_seen(bench: Bench) -> None:
    fill(bench.store, 4 * 3600)
    bench.view.set_span(None)
    counts = [len(curve.xData) for panel in bench.view.plots.panels for _, curve in panel.lines()]
    assert len(counts) == sum(len(panel.quantities) for panel in PANELS)
    assert max(counts) <= MOST_POINTS
    assert max(counts) > 500
