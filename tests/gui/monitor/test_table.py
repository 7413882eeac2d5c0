"""The table says what the store knows, and why it does not know the rest."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from core.telemetry.source import DeviceInfo
from gui import theme
from gui.monitor.table import LEAST, MEAN, MOST, NAME, NOW, UNIT
from tests.gui.monitor.conftest import START, Bench, fill

NOTHING = ("n/a", "n/a", "n/a", "n/a")


def cell(bench: Bench, label: str, column: int, role: Qt.ItemDataRole = Qt.ItemDataRole.DisplayRole) -> object:
    model = bench.view.table.stats
    row = [row.label for row in model.rows()].index(label)
    return model.index(row, column).data(role)


def test_values_are_right_and_in_the_shown_unit(bench: Bench) -> None:
    fill(bench.store, 10)
    bench.view.refresh()
    assert bench.table()["GPU memory used"] == ("20.0", "20.0", "20.0", "20.0")
    assert bench.table()["GPU power"] == ("119", "100", "119", "110")
    assert bench.table()["Generation"] == ("800", "800", "800", "800")
    assert bench.table()["Requests running"] == ("8", "8", "8", "8")
    assert cell(bench, "GPU memory used", UNIT) == "GiB"
    assert [cell(bench, "GPU power", column) for column in (NAME, NOW, LEAST, MOST, MEAN)] == [
        "GPU power",
        "119",
        "100",
        "119",
        "110",
    ]


def test_a_state_is_told_in_words_and_its_average_as_a_share(bench: Bench) -> None:
    fill(bench.store, 10)
    bench.view.refresh()
    assert bench.table()["GPU held down"] == ("yes", "no", "yes", "50.0 %")


def test_reset_counts_from_now_on(bench: Bench) -> None:
    fill(bench.store, 10)
    bench.view.refresh()
    bench.view.bar.reset.click()
    assert bench.table()["GPU power"] == ("119", "119", "119", "119")
    bench.store.append("gpu", 0, START + 10, {"power_w": 141.0}, 0.5)
    bench.view.refresh()
    assert bench.table()["GPU power"] == ("141", "119", "141", "130")


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("GPU fan", "NVIDIA H200: not supported by this card"),
        ("CPU temperature", "this machine shows no CPU temperature sensor"),
        ("PCIe sent", "This GPU or its driver does not report it."),
        ("Draft tokens accepted", "The engine has not reported it yet."),
    ],
)
def test_what_is_unknown_is_not_available_and_the_tooltip_says_why(bench: Bench, label: str, reason: str) -> None:
    fill(bench.store, 10)
    bench.view.refresh()
    assert bench.table()[label] == NOTHING
    assert reason in cell(bench, label, NOW, Qt.ItemDataRole.ToolTipRole)
    assert cell(bench, "GPU power", NOW, Qt.ItemDataRole.ToolTipRole) is None


def test_a_quantity_that_went_silent_keeps_its_statistics(bench: Bench) -> None:
    fill(bench.store, 10)
    bench.store.end("gpu", START + 10)
    bench.view.refresh()
    assert bench.table()["GPU power"] == ("n/a", "100", "119", "110")


def test_every_gpu_has_its_own_rows(bench: Bench) -> None:
    fill(bench.store, 4)
    bench.devices.append(DeviceInfo(1, "NVIDIA H200", None, None, None, None, None))
    bench.store.append("gpu", 1, START, {"power_w": 77.0}, 0.5)
    bench.view.refresh()
    assert bench.table()["GPU power, GPU 0"][0] == "107"
    assert bench.table()["GPU power, GPU 1"][0] == "77.0"


def test_a_row_shows_the_line_of_its_curve(bench: Bench) -> None:
    fill(bench.store, 4)
    bench.view.refresh()
    table = bench.view.table
    table.resize(700, 900)
    picture = table.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    labels = [row.label for row in table.stats.rows()]
    for label, quantity in (("GPU power", "power_w"), ("Generation", "generation_tokens_s")):
        box = table.visualRect(table.stats.index(labels.index(label), NAME))
        colors = {picture.pixelColor(x, box.center().y()).name() for x in range(box.left(), box.left() + 30)}
        assert theme.series_color(quantity).name() in colors
    dashed = table.visualRect(table.stats.index(labels.index("GPU power"), NAME))
    full = table.visualRect(table.stats.index(labels.index("Generation"), NAME))
    counts = [
        sum(
            picture.pixelColor(x, box.center().y()).name() == theme.series_color(quantity).name()
            for x in range(box.left(), box.left() + 30)
        )
        for box, quantity in ((dashed, "power_w"), (full, "generation_tokens_s"))
    ]
    assert 0 < counts[0] < counts[1]


def test_only_changed_rows_are_repainted(bench: Bench) -> None:
    fill(bench.store, 4)
    bench.view.refresh()
    changed: list[str] = []
    model = bench.view.table.stats
    model.dataChanged.connect(lambda first, last: changed.append(model.rows()[first.row()].label))
    bench.view.refresh()
    assert changed == []
    bench.store.append("host", None, START + 4, {"cpu_pct": 60.0}, 0.5)
    bench.view.refresh()
    assert changed == ["CPU load"]
