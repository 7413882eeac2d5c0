from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.models.entry import ModelEntry, ModelSource
from gui.pickers import ModelPicker

LOCAL = "/home/someone/models/small"


class Bench(QWidget):
    """The picker, and something else that can have the keyboard."""

    def __init__(self) -> None:
        super().__init__()
        self.picker = ModelPicker()
        self.other = QPushButton("other")
        layout = QVBoxLayout(self)
        layout.addWidget(self.picker)
        layout.addWidget(self.other)


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    made = Bench()
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.other.setFocus()
    return made


def test_a_local_model_is_short_until_it_is_edited(bench: Bench, qtbot: QtBot) -> None:
    picker = bench.picker
    picker.show_reference(LOCAL)
    assert picker.edit.text() == "small"
    assert picker.edit.toolTip() == LOCAL
    assert picker.reference() == LOCAL
    picker.focus()
    assert picker.edit.text() == LOCAL
    assert picker.edit.selectedText() == LOCAL
    bench.other.setFocus()
    qtbot.waitUntil(lambda: picker.edit.text() == "small")
    qtbot.mouseClick(picker.edit, Qt.MouseButton.LeftButton)
    assert picker.edit.text() == LOCAL


def test_what_is_typed_is_kept_whole(bench: Bench, qtbot: QtBot) -> None:
    picked: list[str] = []
    bench.picker.picked.connect(picked.append)
    bench.picker.focus()
    qtbot.keyClicks(bench.picker.edit, LOCAL)
    bench.other.setFocus()
    qtbot.waitUntil(lambda: bench.picker.edit.text() == "small")
    assert picked[-1] == LOCAL
    assert bench.picker.reference() == LOCAL


def test_leaving_the_box_picks_no_entry_that_is_called_like_the_short_name(bench: Bench, qtbot: QtBot) -> None:
    picked: list[str] = []
    picker = bench.picker
    picker.show_entries([ModelEntry("/elsewhere/small", "small", ModelSource.LOCAL)])
    picker.show_reference(LOCAL)
    picker.picked.connect(picked.append)
    for _ in range(2):
        picker.focus()
        bench.other.setFocus()
        qtbot.waitUntil(lambda: picker.edit.text() == "small")
    assert picked == []
    assert picker.reference() == LOCAL
    assert Path(picker.edit.toolTip()) == Path(LOCAL)
