"""Following, pausing, zooming; the refresh timer; settings; what is imported when."""

import subprocess
import sys
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.telemetry.marks import Mark
from core.telemetry.store import SampleStore
from gui.monitor import MonitorView
from tests.gui.monitor.conftest import START, Bench, fill

NEWEST = START + 599.5


@pytest.fixture
def filled(bench: Bench) -> Bench:
    """Ten minutes of samples."""
    fill(bench.store, 600)
    bench.view.refresh()
    return bench


def press(bench: Bench, key: Qt.Key) -> None:
    QTest.keyClick(bench.view.plots, key)


def test_it_follows_the_newest_sample(filled: Bench) -> None:
    assert filled.view.timeline.length_s == 300
    assert filled.view.timeline.end == pytest.approx(NEWEST, abs=1)
    fill(filled.store, 60, start=START + 600)
    filled.view.refresh()
    assert filled.view.timeline.end == pytest.approx(NEWEST + 60, abs=1)


def test_the_length_of_the_window_can_be_chosen(filled: Bench) -> None:
    box = filled.view.bar.spans
    assert [box.itemText(index) for index in range(box.count())] == ["1 min", "5 min", "15 min", "1 h", "All"]
    box.activated.emit(0)
    assert filled.view.timeline.length_s == 60
    box.activated.emit(4)
    assert filled.view.timeline.start == START


def test_pause_stands_still_and_back_to_live_follows_again(filled: Bench) -> None:
    bar = filled.view.bar
    assert not bar.back.isVisible()
    places = bar.spans.geometry()
    bar.pause.click()
    QApplication.processEvents()
    assert bar.back.isVisible()
    assert not bar.pause.isVisible()
    assert bar.spans.geometry() == places
    before = filled.view.timeline.end
    fill(filled.store, 60, start=START + 600)
    filled.view.refresh(at_once=False, moved=False)
    assert filled.view.timeline.end == before
    bar.back.click()
    assert filled.view.timeline.end > before + 50
    assert bar.pause.isVisible()
    assert not bar.back.isVisible()


def test_a_paused_plot_is_left_alone_but_its_legend_goes_on(filled: Bench) -> None:
    filled.view.set_following(False)
    fill(filled.store, 60, start=START + 600)
    filled.view.refresh(at_once=False, moved=False)
    before = filled.points("cpu_pct")
    filled.store.append("host", None, START + 660, {"cpu_pct": 99.0}, 0.5)
    filled.view.refresh(at_once=False, moved=False)
    assert filled.points("cpu_pct") == before
    assert filled.legend("cpu")["load"] == "99.0 %"


def test_the_wheel_zooms_around_the_mouse_and_stops_following(filled: Bench) -> None:
    moment = filled.view.timeline.start + 100
    filled.wheel(moment, 4)
    assert filled.view.timeline.length_s < 200
    share = (moment - filled.view.timeline.start) / filled.view.timeline.length_s
    assert share == pytest.approx(1 / 3, abs=0.02)
    assert filled.view.bar.back.isVisible()


def test_a_sideways_wheel_and_dragging_move_along_time(filled: Bench) -> None:
    start = filled.view.timeline.start
    filled.wheel(start + 150, 2, sideways=True)
    moved = filled.view.timeline.start
    assert moved < start
    viewport = filled.view.plots.viewport()
    place = filled.place(moved + 150)
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=place)
    for step in range(1, 11):
        QTest.mouseMove(viewport, place + QPoint(-10 * step, 0), delay=2)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place + QPoint(-100, 0))
    assert filled.view.timeline.start > moved


def test_a_double_click_goes_back_to_live(filled: Bench) -> None:
    filled.view.plots.panned.emit(-0.5)
    assert not filled.view.timeline.following
    viewport = filled.view.plots.viewport()
    place = filled.place(START + 300)
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    # A real double click has no press of its own for the second click, which QTest's has.
    double = QMouseEvent(
        QEvent.Type.MouseButtonDblClick,
        QPointF(place),
        QPointF(viewport.mapToGlobal(place)),
        Qt.MouseButton.LeftButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(viewport, double)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert filled.view.timeline.following


def test_keys_move_zoom_pause_and_go_home(filled: Bench) -> None:
    timeline = filled.view.timeline
    start = timeline.start
    press(filled, Qt.Key.Key_Left)
    assert timeline.start == pytest.approx(start - 30)
    press(filled, Qt.Key.Key_Right)
    assert timeline.start == pytest.approx(start)
    press(filled, Qt.Key.Key_Plus)
    assert timeline.length_s == pytest.approx(200)
    press(filled, Qt.Key.Key_Minus)
    assert timeline.length_s == pytest.approx(300)
    press(filled, Qt.Key.Key_Home)
    assert timeline.following
    press(filled, Qt.Key.Key_Space)
    assert not timeline.following
    press(filled, Qt.Key.Key_Space)
    assert timeline.following


def test_fit_shows_the_run_from_its_start(filled: Bench) -> None:
    filled.view.set_origin(START + 200)
    filled.view.bar.fit.click()
    timeline = filled.view.timeline
    assert timeline.start == pytest.approx(START + 200, abs=10)
    assert timeline.end == pytest.approx(NEWEST, abs=10)


def test_times_count_from_the_origin_or_show_the_time_of_day(filled: Bench) -> None:
    axis = filled.view.plots.time_axis
    filled.view.set_origin(START + 60)
    assert axis.text_at(START + 90) == "0:30"
    assert axis.text_at(START) == "-1:00"
    filled.view.bar.clock.click()
    assert axis.text_at(START).count(":") == 2
    filled.view.bar.clock.click()
    filled.view.set_origin(None)
    assert axis.text_at(START + 90) == "1:30"


def test_the_rate_is_asked_for(filled: Bench, qtbot: QtBot) -> None:
    with qtbot.waitSignal(filled.view.rate_requested) as asked:
        filled.view.bar.rates.activated.emit(3)
    assert asked.args == [4.0]
    filled.view.show_rate(1.0)
    assert filled.view.bar.rates.currentText() == "1 Hz"


def test_settings_come_back(filled: Bench, qtbot: QtBot) -> None:
    filled.view.set_span(900.0)
    filled.view.bar.clock.click()
    filled.view.plots.panel("memory").header.entry_clicked.emit("memory_total_mib")
    saved = filled.view.save_settings()
    other = MonitorView(filled.store, list, list)
    qtbot.addWidget(other)
    other.restore_settings(saved)
    assert other.timeline.span_s == 900
    assert other.bar.spans.currentText() == "15 min"
    other.build()
    assert other.save_settings() | {"sizes": None} == saved | {"sizes": None}
    hidden = [key.quantity for key, curve in other.plots.panel("memory").lines() if not curve.isVisible()]
    assert hidden == ["memory_total_mib"]


@pytest.mark.parametrize("rate", ["fast", 1e9, -1, 0, float("nan"), 10**400])
def test_settings_that_make_no_sense_change_nothing(filled: Bench, rate: object) -> None:
    before = filled.view.save_settings()
    filled.view.restore_settings(
        {"span_s": 17, "device": "x", "rate_hz": rate, "hidden": 3, "sizes": [0], "wall_clock": 1}
    )
    assert filled.view.save_settings() == before


def test_the_timer_refreshes_only_what_is_new_and_visible(filled: Bench, qtbot: QtBot) -> None:
    filled.view.start()
    filled.store.append("host", None, START + 600, {"cpu_pct": 7.0}, 0.5)
    qtbot.waitUntil(lambda: filled.legend("cpu")["load"] == "7.00 %", timeout=2000)
    filled.view.hide()
    filled.store.append("host", None, START + 600.5, {"cpu_pct": 8.0}, 0.5)
    qtbot.wait(600)
    assert filled.legend("cpu")["load"] == "7.00 %"
    filled.view.show()
    assert filled.legend("cpu")["load"] == "8.00 %"
    filled.view.stop()
    filled.store.append("host", None, START + 601, {"cpu_pct": 9.0}, 0.5)
    qtbot.wait(400)
    assert filled.legend("cpu")["load"] == "8.00 %"


def test_the_placeholder_gives_its_place_to_the_plots(qtbot: QtBot) -> None:
    store = SampleStore()
    view = MonitorView(store, list, list)
    qtbot.addWidget(view)
    view.resize(640, 720)
    view.show()
    QApplication.processEvents()
    before = view.table.geometry()
    fill(store, 4)
    view.set_marks([Mark(START, "start", "start")])
    view.set_following(False)
    view.go_live()
    view.fit()
    view.refresh()
    assert not view.is_built
    view.build()
    plots = view.plots
    view.build()
    QApplication.processEvents()
    assert view.plots is plots
    assert view.is_built
    assert view.table.geometry() == before


def test_an_empty_store_is_shown_without_complaint(bench: Bench) -> None:
    bench.view.fit()
    bench.view.go_live()
    bench.view.reset_statistics()
    press(bench, Qt.Key.Key_Minus)
    bench.hover(bench.view.timeline.start + 5)
    assert set(bench.legend("cpu").values()) <= {"n/a"}


def test_nothing_is_left_when_the_view_is_gone(qtbot: QtBot) -> None:
    store = SampleStore()
    fill(store, 10)
    view = MonitorView(store, list, list)
    view.show()
    view.build()
    view.start()
    QApplication.processEvents()
    gone = weakref.ref(view.plots)
    view.stop()
    view.close()
    view.deleteLater()
    del view
    for _ in range(3):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    import gc

    gc.collect()
    assert gone() is None


def test_the_view_needs_neither_pyqtgraph_nor_numpy_before_it_is_built() -> None:
    program = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "app = QApplication([])\n"
        "from core.telemetry.store import SampleStore\n"
        "from gui.monitor import MonitorView\n"
        "view = MonitorView(SampleStore(), list, list)\n"
        "view.show()\n"
        "view.start()\n"
        "view.refresh()\n"
        "app.processEvents()\n"
        "heavy = {'numpy', 'pyqtgraph'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
