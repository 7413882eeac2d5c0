"""The window as a person meets it: what is where, what a key does, what is remembered."""

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from core.base.paths import Paths
from core.engine.environment_model import EngineEnvironment
from gui import theme
from gui.actions import action_specs
from gui.main_window import PAGES, MainWindow
from gui.wiring import Wiring

Wait = Callable[..., None]
OpenWindow = Callable[..., Wiring]


def messages(window: MainWindow) -> list[str]:
    return [note.message for note in window.notes.notes()]


def test_without_an_engine_it_says_what_to_do_first(window: Wiring, qtbot: QtBot, wait: Wait) -> None:
    main = window.window
    wait(lambda: window.engines.looked)
    assert main.tune.welcome is not None
    assert main.tune.welcome.isVisible()
    assert main.top_bar.engines.currentText() == "No engine found"
    main.actions_by_name["start"].trigger()
    assert messages(main) == ["There is no engine to start."]
    qtbot.mouseClick(main.notes.cards()[0].buttons[0], Qt.MouseButton.LeftButton)
    assert main.page == "engines"
    assert main.engines_page.install_panel.isVisible()


def test_the_form_shows_recorded_arguments_until_an_engine_answers(window: Wiring, wait: Wait) -> None:
    wait(window.window.tune.note.text)
    assert "recorded" in window.window.tune.note.text()
    assert window.schema is not None
    assert window.schema.recorded
    assert "model_tag" in window.window.form.listed()


def test_an_engine_with_a_problem_is_not_asked(
    fake_engine: EngineEnvironment, open_window: OpenWindow, wait: Wait
) -> None:
    for metadata in fake_engine.prefix.rglob("torch-*.dist-info"):
        shutil.rmtree(metadata)
    main = open_window().window
    wait(lambda: "PyTorch is missing" in main.tune.note.text())
    assert "Recorded arguments" in main.tune.note.text()
    assert messages(main) == []


def test_an_engine_that_cannot_be_asked_leaves_the_recorded_form_and_says_why(
    fake_engine: EngineEnvironment, open_window: OpenWindow, wait: Wait
) -> None:
    window = open_window()
    main = window.window
    wait(lambda: any(note.key == "probe" for note in main.notes.notes()), 30_000)
    assert main.top_bar.engines.chosen() == fake_engine.name
    assert "recorded" in main.tune.note.text().lower()
    assert "model_tag" in main.form.listed()


def test_what_is_typed_as_model_is_in_the_document_and_the_other_way_round(window: Wiring, qtbot: QtBot) -> None:
    edit = window.window.top_bar.models.edit
    qtbot.keyClicks(edit, "Qwen/Qwen3-0.6B")
    assert window.document.values["model_tag"] == "Qwen/Qwen3-0.6B"
    window.document.undo()
    assert edit.text() == ""
    qtbot.keyClicks(edit, "x y")
    assert window.window.top_bar.models.problem()
    edit.clear()
    edit.textEdited.emit("")
    assert not window.document.is_set("model_tag")


def test_the_command_line_follows_the_document_with_secrets_masked(window: Wiring, wait: Wait) -> None:
    window.document.set("model_tag", "org/name")
    window.document.set("max_model_len", 4096)
    window.document.set("api_key", ["hush-hush"])
    command = window.window.command
    wait(lambda: "--max-model-len 4096" in command.text.toPlainText())
    assert "hush" not in command.text.toPlainText()
    window.window.actions_by_name["copy_command"].trigger()
    assert QGuiApplication.clipboard().text() == command.text.toPlainText()
    window.window.actions_by_name["undo"].trigger()
    wait(lambda: "***" not in command.text.toPlainText())


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_by_its_key(window: Wiring, qtbot: QtBot, name: str) -> None:
    main = window.window
    qtbot.keyClick(main, getattr(Qt.Key, f"Key_{PAGES.index(name) + 1}"), Qt.KeyboardModifier.ControlModifier)
    assert main.page == name
    shown = {"tune": main.form, "try": main.chat, "engines": main.engines_page, "log": main.log}[name]
    assert shown.isVisible()
    assert main.actions_by_name[f"page_{name}"].isChecked()


def test_log_and_talk_stand_small_in_the_drawer_and_large_on_their_pages(window: Wiring) -> None:
    main = window.window
    bench = main.workbench
    bench.show_drawer_page(bench.small_log_place)
    assert main.log.isVisible()
    small = main.log.height()
    main.show_page("log")
    assert main.log.isVisible()
    assert main.log.height() > small
    main.show_page("tune")
    bench.show_drawer_page(bench.small_chat_place)
    assert main.chat.isVisible()
    assert not main.chat.parameters.isVisible()
    main.show_page("try")
    assert main.chat.isVisible()
    assert bench.middle.currentWidget() is bench.chat_place


@pytest.mark.parametrize("size", [(1280, 800), (2560, 1440), (960, 600)])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off(window: Wiring, qtbot: QtBot, size: tuple[int, int], name: str) -> None:
    main = window.window
    main.resize(*size)
    main.show_page(name)
    qtbot.wait(50)
    assert (main.width(), main.height()) == size
    whole = main.rect()
    kinds = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QTreeWidget)
    for widget in (widget for kind in kinds for widget in main.findChildren(kind)):
        if not widget.isVisible() or widget.visibleRegion().isEmpty() or _scrolls(widget):
            continue
        corner = widget.mapTo(main, QPoint(0, 0))
        assert whole.contains(corner), widget
        assert whole.contains(corner + QPoint(widget.width() - 1, widget.height() - 1)), widget
        assert widget.width() >= min(widget.minimumSizeHint().width(), 20), widget


def _scrolls(widget: QWidget) -> bool:
    """Whether it stands in an area that scrolls, where it may lie outside for a while."""
    parent = widget.parentWidget()
    while parent is not None:
        if parent.objectName() == "qt_scrollarea_viewport":
            return True
        parent = parent.parentWidget()
    return False


def test_the_docks_come_back_as_they_were_left(open_window: OpenWindow, qtbot: QtBot, paths: Paths) -> None:
    first = open_window()
    first.window.resize(960, 650)
    first.window.workbench.drawer_dock.setVisible(False)
    first.window.workbench.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, first.window.workbench.monitor_dock)
    first.window.show_page("try")
    first.document.set("max_model_len", 2048)
    first.window.chat.parameters.max_tokens.setValue(99)
    with qtbot.waitSignal(first.closed, timeout=20_000):
        first.window.close()
    second = open_window()
    bench = second.window.workbench
    assert (second.window.width(), second.window.height()) == (960, 650)
    assert second.window.page == "try"
    assert not bench.drawer_dock.isVisible()
    assert bench.dockWidgetArea(bench.monitor_dock) == Qt.DockWidgetArea.LeftDockWidgetArea
    assert second.document.values["max_model_len"] == 2048
    assert not second.document.can_undo
    assert second.window.chat.parameters.max_tokens.value() == 99


def test_docks_are_remembered_even_when_another_page_was_in_front(open_window: OpenWindow, qtbot: QtBot) -> None:
    first = open_window()
    first.window.show_page("engines")
    with qtbot.waitSignal(first.closed, timeout=20_000):
        first.window.close()
    second = open_window()
    second.window.show_page("tune")
    assert second.window.workbench.monitor_dock.isVisible()
    assert second.window.workbench.drawer_dock.isVisible()


def test_areas_go_back_into_place(window: Wiring) -> None:
    bench = window.window.workbench
    bench.monitor_dock.setFloating(True)
    bench.drawer_dock.setVisible(False)
    window.window.actions_by_name["reset_layout"].trigger()
    assert not bench.monitor_dock.isFloating()
    assert bench.drawer_dock.isVisible()
    assert bench.monitor_dock.isVisible()


def test_edits_are_on_disk_a_moment_later(window: Wiring, paths: Paths, wait: Wait) -> None:
    window.document.set("max_model_len", 1234)
    wait((paths.config / "working.json").exists)
    saved = json.loads((paths.config / "working.json").read_text())
    assert saved["values"] == {"max_model_len": 1234}


def test_a_damaged_state_is_told_and_the_window_comes_up(open_window: OpenWindow, paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    (paths.config / "working.json").write_text("{ not json")
    opened = open_window()
    assert any("could not be read" in text for text in messages(opened.window))


def test_the_chosen_theme_is_kept(open_window: OpenWindow, qtbot: QtBot) -> None:
    first = open_window()
    dark = next(action for action in first.window.scheme_actions.actions() if action.data() == "dark")
    dark.trigger()
    assert theme.is_dark()
    with qtbot.waitSignal(first.closed, timeout=20_000):
        first.window.close()
    theme.choose(theme.Scheme.LIGHT)
    second = open_window()
    assert theme.is_dark()
    assert [action.data() for action in second.window.scheme_actions.actions() if action.isChecked()] == ["dark"]
    theme.choose(theme.Scheme.LIGHT)


def test_f12_takes_a_picture(window: Wiring, qtbot: QtBot, paths: Paths, wait: Wait) -> None:
    qtbot.keyClick(window.window, Qt.Key.Key_F12)
    wait(lambda: any("Picture saved" in text for text in messages(window.window)))
    files = list((paths.state / "screenshots").glob("vllm-dyno-*.png"))
    assert len(files) == 1
    assert QImage(str(files[0])).size() == window.window.grab().toImage().size()
    assert not QGuiApplication.clipboard().image().isNull()


def test_f1_lists_every_key(window: Wiring, qtbot: QtBot) -> None:
    from gui.shortcut_sheet import ShortcutSheet

    qtbot.keyClick(window.window, Qt.Key.Key_F1)
    sheet = window.window.findChild(ShortcutSheet)
    rows = [sheet.list.topLevelItem(index).text(0) for index in range(sheet.list.topLevelItemCount())]
    assert {spec.text for spec in action_specs()} <= set(rows)
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def test_no_key_is_given_twice() -> None:
    keys = [key for spec in action_specs() for key in spec.keys]
    assert len(keys) == len(set(keys))


def test_everything_that_can_be_clicked_has_a_name_for_screen_readers(window: Wiring) -> None:
    nameless = [
        button
        for button in window.window.findChildren(QAbstractButton)
        if button.objectName() not in ("ScrollLeftButton", "ScrollRightButton")
        and not button.objectName().startswith("qt_")
        and not (button.accessibleName() or button.text() or button.toolTip())
        and button.metaObject().className() != "QLineEditIconButton"
    ]
    assert nameless == []


def test_find_goes_where_one_is(window: Wiring, qtbot: QtBot) -> None:
    main = window.window
    QGuiApplication.processEvents()
    main.activateWindow()
    main.actions_by_name["find"].trigger()
    assert main.form.header.search.hasFocus() or main.focusWidget() is main.form.header.search
    main.show_page("log")
    main.actions_by_name["find"].trigger()
    assert main.log.find_bar.isVisible()
    main.show_page("try")
    main.actions_by_name["find"].trigger()
    assert main.focusWidget() is main.chat.prompt


def test_an_uncaught_error_is_told_and_written_down(window: Wiring, paths: Paths, wait: Wait) -> None:
    def fail() -> None:
        raise OSError("the reader broke")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    wait(lambda: messages(window.window))
    assert "the reader broke" in messages(window.window)[0]
    assert "the reader broke" in (paths.state / "window.log").read_text()


def test_a_saved_file_of_the_windows_own_is_never_world_readable(window: Wiring, paths: Paths, wait: Wait) -> None:
    window.document.set("max_model_len", 1)
    path: Path = paths.config / "working.json"
    wait(path.exists)
    assert path.stat().st_mode & 0o077 == 0
