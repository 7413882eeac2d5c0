from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot

from core.base.errors import DynoError
from core.base.paths import Paths
from core.engine.environments import EngineRegistry
from core.engine.installer import InstallProgress
from gui import theme
from gui.engine_manager import EngineManager
from gui.notifications import Level
from gui.pages.engines import EnginesPage
from gui.pages.engines.progress_row import ProgressRow
from gui.tasks import TaskRunner
from tests.fakes.environment import make_fake_environment

Wait = Callable[..., None]


@pytest.fixture
def manager(paths: Paths, tasks: TaskRunner) -> EngineManager:
    return EngineManager(EngineRegistry(paths), paths, tasks)


@pytest.fixture
def page(qtbot: QtBot, manager: EngineManager) -> EnginesPage:
    made = EnginesPage(manager)
    qtbot.addWidget(made)
    made.resize(1000, 600)
    made.show()
    return made


@pytest.fixture
def two_engines(page: EnginesPage, manager: EngineManager, tmp_path: Path, wait: Wait) -> list[str]:
    for name in ("one", "two"):
        manager.add(make_fake_environment(tmp_path / name).prefix)
        wait(lambda: not manager.busy)
    wait(lambda: page.table.topLevelItemCount() == 2)
    return [engine.name for engine in manager.engines]


def click(qtbot: QtBot, page: EnginesPage, name: str) -> None:
    qtbot.mouseClick(page.buttons[name], Qt.MouseButton.LeftButton)


def row(page: EnginesPage, number: int) -> list[str]:
    item = page.table.topLevelItem(number)
    return [item.text(column) for column in range(page.table.columnCount())]


def test_an_empty_machine_is_told_what_to_do(page: EnginesPage, manager: EngineManager, wait: Wait) -> None:
    manager.refresh()
    wait(lambda: manager.looked)
    assert page._empty.isVisible()
    assert not page.table.isVisible()
    assert manager.chosen is None


def test_the_table_says_what_each_one_is(page: EnginesPage, two_engines: list[str], tmp_path: Path) -> None:
    first = row(page, 0)
    assert first[1] == two_engines[0]
    assert first[2] == "0.99.0"
    assert first[6] == "added folder"
    assert str(tmp_path / "one") in first[7]


def test_use_this_chooses_and_is_remembered(
    page: EnginesPage, manager: EngineManager, two_engines: list[str], qtbot: QtBot, wait: Wait
) -> None:
    other = next(name for name in two_engines if manager.chosen is None or name != manager.chosen.name)
    page.table.setCurrentItem(page.table.topLevelItem(two_engines.index(other)))
    click(qtbot, page, "use")
    assert manager.chosen is not None
    assert manager.chosen.name == other
    assert row(page, two_engines.index(other))[0] == "in use"
    assert not page.buttons["use"].isEnabled()
    wait(lambda: manager._registry.default().name == other)


def test_removing_asks_first_and_keep_is_the_way_back(
    page: EnginesPage, two_engines: list[str], qtbot: QtBot, tmp_path: Path, wait: Wait
) -> None:
    page.table.setCurrentItem(page.table.topLevelItem(0))
    click(qtbot, page, "remove")
    assert page.confirm.isVisible()
    assert "stays as it is" in page._question.text()
    qtbot.mouseClick(page._keep, Qt.MouseButton.LeftButton)
    assert not page.confirm.isVisible()
    assert page.table.topLevelItemCount() == 2
    click(qtbot, page, "remove")
    qtbot.mouseClick(page.remove_button, Qt.MouseButton.LeftButton)
    wait(lambda: page.table.topLevelItemCount() == 1)
    assert page.notes.notes()[0].level is Level.OK
    assert (tmp_path / "one" / "fake-engine").is_dir()


def test_what_this_program_did_not_install_it_does_not_update(page: EnginesPage, two_engines: list[str]) -> None:
    page.table.setCurrentItem(page.table.topLevelItem(0))
    assert not page.buttons["update"].isEnabled()
    assert page.buttons["remove"].isEnabled()


def test_a_running_engine_is_neither_updated_nor_removed(
    page: EnginesPage, manager: EngineManager, two_engines: list[str], qtbot: QtBot
) -> None:
    first, second = manager.engines
    page.table.setCurrentItem(page.table.topLevelItem(0))
    click(qtbot, page, "remove")
    page.set_running(first.prefix)
    assert not page.confirm.isVisible()
    for name in ("update", "remove"):
        assert not page.buttons[name].isEnabled()
        assert "Stop the engine first" in page.buttons[name].toolTip()
    page.table.setCurrentItem(page.table.topLevelItem(1))
    assert page.selected() == second
    assert page.buttons["remove"].isEnabled()
    assert page.buttons["remove"].toolTip() == "Remove this engine"
    page.table.setCurrentItem(page.table.topLevelItem(0))
    page.set_running(None)
    assert page.buttons["remove"].isEnabled()


def test_every_button_has_a_picture_of_its_own(page: EnginesPage) -> None:
    names = [button.property(theme._ICON_PROPERTY) for button in page.buttons.values()]
    assert len(set(names)) == len(names)
    assert page.buttons["refresh"].property(theme._ICON_PROPERTY) == "refresh"


def test_the_tick_can_be_seen_on_a_selected_line(page: EnginesPage, two_engines: list[str]) -> None:
    used = next(number for number in range(2) if row(page, number)[0])
    drawn = page.table.topLevelItem(used).icon(0).pixmap(QSize(24, 24), QIcon.Mode.Selected).toImage()
    strong = {
        drawn.pixelColor(x, y).name()
        for x in range(drawn.width())
        for y in range(drawn.height())
        if drawn.pixelColor(x, y).alpha() > 250
    }
    assert strong == {theme.colors().on_fill}


def test_a_folder_without_an_engine_is_refused_in_words(
    page: EnginesPage, manager: EngineManager, tmp_path: Path, wait: Wait
) -> None:
    manager.add(tmp_path / "nowhere")
    wait(page.notes.notes)
    shown = page.notes.notes()[0]
    assert shown.level is Level.ERROR
    assert "does not exist" in shown.message
    assert shown.hint


@pytest.fixture
def offline(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be installed: no network, no wheels."""
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(paths.cache / "uv"))
    monkeypatch.delenv("UV_FIND_LINKS", raising=False)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)


@pytest.mark.usefixtures("offline")
def test_an_installation_that_cannot_work_says_why(page: EnginesPage, paths: Paths, qtbot: QtBot, wait: Wait) -> None:
    click(qtbot, page, "install")
    panel = page.install_panel
    assert panel.isVisible()
    panel.backend.setCurrentIndex(panel.backend.findData("cpu"))
    panel.version.setText("0.0.1")
    qtbot.keyClick(panel.version, Qt.Key.Key_Return)
    assert page.progress.isVisible()
    assert not page.buttons["install"].isEnabled()
    wait(page.notes.notes, 60_000)
    assert page.notes.notes()[0].level is Level.ERROR
    assert page.notes.notes()[0].hint
    assert not page.progress.isVisible()
    assert page.buttons["install"].isEnabled()
    assert EngineRegistry(paths).list() == []


@pytest.mark.usefixtures("offline")
def test_cancelling_an_installation_is_told_as_what_it_is(
    page: EnginesPage, manager: EngineManager, wait: Wait, qtbot: QtBot
) -> None:
    manager.install("cpu", None, None)
    qtbot.mouseClick(page.progress.cancel_button, Qt.MouseButton.LeftButton)
    assert page.progress.step.text() == "Cancelling"
    wait(lambda: not manager.busy, 60_000)
    assert not page.progress.isVisible()


def test_progress_in_words_and_figures(qtbot: QtBot) -> None:
    shown = ProgressRow()
    qtbot.addWidget(shown)
    shown.begin()
    assert shown.bar.maximum() == 0
    shown.show_progress(InstallProgress("Downloading", "torch 2.13", 2**30, 3 * 2**30, 0.333, 42.0, 84.0))
    assert shown.step.text() == "Downloading"
    assert shown.detail.whole() == "torch 2.13"
    assert shown.figures.text() == "1.00 GiB of 3.00 GiB  ·  0:42  ·  about 1:24 left"
    assert shown.bar.value() == 333
    shown.show_progress(InstallProgress("Unpacking", "", None, None, None, 50.0, None))
    assert shown.figures.text() == "0:50"
    assert shown.bar.maximum() == 0


def test_two_pieces_of_work_do_not_run_at_once(manager: EngineManager, tmp_path: Path, wait: Wait) -> None:
    failures: list[DynoError] = []
    manager.failed.connect(failures.append)
    manager.add(tmp_path / "a")
    manager.add(tmp_path / "b")
    wait(lambda: not manager.busy)
    assert len(failures) == 1


def test_what_was_chosen_last_time_is_chosen_again(manager: EngineManager, tmp_path: Path, wait: Wait) -> None:
    for name in ("one", "two"):
        manager.add(make_fake_environment(tmp_path / name).prefix)
        wait(lambda: not manager.busy)
    wait(lambda: len(manager.engines) == 2)
    name = manager.engines[1].name
    manager.wish(name)
    manager.refresh()
    wait(lambda: manager.chosen is not None and manager.chosen.name == name)
