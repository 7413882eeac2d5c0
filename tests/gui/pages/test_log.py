from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from core.engine.logfile import LogFollower
from gui import theme
from gui.pages.log import LogPage
from gui.pages.log import text as log_text
from gui.pages.log.text import LogText

Wait = Callable[..., None]


@pytest.fixture
def log(qtbot: QtBot) -> LogText:
    made = LogText()
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    return made


class Run:
    """A log file that grows, and the page that follows it."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.path = folder / "engine.log"
        self.path.touch()
        self.follower = LogFollower(self.path)
        self.page = LogPage(lambda: self.follower)
        qtbot.addWidget(self.page)
        self.page.resize(700, 400)
        self.page.show()
        self.page.start()

    def write(self, *lines: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


@pytest.fixture
def run(qtbot: QtBot, tmp_path: Path):
    made = Run(qtbot, tmp_path)
    yield made
    made.page.stop()


def drawn(log: LogText) -> list[str]:
    return log.toPlainText().split("\n")


def test_lines_appear_as_they_are(log: LogText, wait: Wait) -> None:
    log.add_lines(["one", "", "three <b>not bold</b>"])
    wait(lambda: not log.waiting())
    assert drawn(log) == ["one", "", "three <b>not bold</b>"]
    assert log.line_count() == 3


def test_levels_are_told_by_colour(log: LogText, wait: Wait) -> None:
    lines = [
        "INFO 12-01 plain",
        "(EngineCore_DP0 pid=12) ERROR 12-01 bad",
        "(APIServer pid=1) WARNING 12-01 hm",
        "Traceback (most recent call last):",
        "an ERROR in the middle",
    ]
    log.add_lines(lines)
    wait(lambda: not log.waiting())
    look = theme.colors()
    found = []
    for number in range(len(lines)):
        cursor = QTextCursor(log.document().findBlockByNumber(number))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        brush = cursor.charFormat().foreground()
        found.append(brush.color().name() if brush.style() != Qt.BrushStyle.NoBrush else None)
    assert found == [None, look.error, look.warning, look.error, None]


def test_it_follows_until_one_scrolls_up_and_again_at_the_end(log: LogText, wait: Wait) -> None:
    log.add_lines(f"line {number}" for number in range(500))
    wait(lambda: not log.waiting())
    bar = log.verticalScrollBar()
    assert bar.value() == bar.maximum()
    told: list[bool] = []
    log.following_changed.connect(told.append)
    bar.setValue(100)
    assert not log.following
    log.add_lines(f"more {number}" for number in range(500))
    wait(lambda: not log.waiting())
    assert bar.value() == 100
    bar.setValue(bar.maximum())
    assert told == [False, True]
    log.add_lines(["last"])
    wait(lambda: not log.waiting())
    assert bar.value() == bar.maximum()


def test_what_is_read_stands_still_while_old_lines_fall_off(
    log: LogText, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_text, "MOST_LINES", 1000)
    monkeypatch.setattr(log_text, "_TRIM_LINES", 100)
    log.add_lines(f"line {number}" for number in range(1000))
    wait(lambda: not log.waiting())
    log.verticalScrollBar().setValue(600)
    read = log.firstVisibleBlock().text()
    log.add_lines(f"more {number}" for number in range(300))
    wait(lambda: not log.waiting())
    assert log.firstVisibleBlock().text() == read
    assert 1000 <= log.line_count() < 1100


def test_a_monstrous_line_is_cut(log: LogText, wait: Wait) -> None:
    log.add_lines(["x" * 1_000_000])
    wait(lambda: not log.waiting())
    assert len(log.toPlainText()) < 5000
    assert log.toPlainText().endswith("(+996,000)")


def test_a_new_theme_recolours_what_is_there(log: LogText, wait: Wait, qapp: QApplication) -> None:
    log.add_lines(["ERROR bad"])
    wait(lambda: not log.waiting())
    theme.apply(qapp, theme.Scheme.DARK)
    wait(lambda: not log.waiting())
    cursor = QTextCursor(log.document().firstBlock())
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    color = cursor.charFormat().foreground().color().name()
    theme.apply(qapp, theme.Scheme.LIGHT)
    wait(lambda: not log.waiting())
    assert color == theme.colors(dark=True).error
    assert drawn(log) == ["ERROR bad"]


def test_the_page_follows_a_growing_file(run: Run, wait: Wait) -> None:
    run.write(*(f"INFO line {number}" for number in range(5000)))
    wait(lambda: run.page.text.line_count() == 5000)
    run.write("INFO last")
    wait(lambda: run.page.text.line_count() == 5001)
    assert drawn(run.page.text)[-1] == "INFO last"
    assert "5,001 lines" in run.page.status.whole()
    assert str(run.path) in run.page.status.whole()


def test_before_the_first_line_the_page_says_what_to_do(qtbot: QtBot, tmp_path: Path) -> None:
    page = LogPage(LogFollower)
    qtbot.addWidget(page)
    page.show()
    page.pull()
    assert page._empty.isVisible()
    assert "Start an engine" in page._empty.text.text()


def test_a_new_run_forgets_the_old_lines(run: Run, wait: Wait) -> None:
    run.write("old")
    wait(lambda: run.page.text.line_count() == 1)
    run.page.begin_run()
    assert run.page.text.line_count() == 0
    run.write("new")
    wait(lambda: run.page.text.line_count() == 1)
    assert drawn(run.page.text) == ["new"]


def test_find_goes_round_and_says_when_there_is_nothing(run: Run, wait: Wait, qtbot: QtBot) -> None:
    run.write("first needle", "hay", "second needle")
    wait(lambda: run.page.text.line_count() == 3)
    run.page.find_bar.open_bar()
    qtbot.keyClicks(run.page.find_bar.edit, "needle")
    run.page.text.moveCursor(QTextCursor.MoveOperation.Start)
    places = []
    for _ in range(3):
        assert run.page.find_bar.find()
        places.append(run.page.text.textCursor().blockNumber())
    assert places == [0, 2, 0]
    assert run.page.find_bar.find(back=True)
    assert run.page.text.textCursor().blockNumber() == 2
    run.page.find_bar.edit.setText("nothing like this")
    assert not run.page.find_bar.find()
    assert run.page.find_bar.result.text() == "not found"


def test_copy_takes_the_selection_or_everything(run: Run, wait: Wait) -> None:
    run.write("one", "two")
    wait(lambda: run.page.text.line_count() == 2)
    run.page.copy()
    assert QGuiApplication.clipboard().text() == "one\ntwo"
    run.page.text.moveCursor(QTextCursor.MoveOperation.Start)
    run.page.text.moveCursor(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    run.page.copy()
    assert QGuiApplication.clipboard().text() == "one"


def test_wrap_is_a_button_and_is_told(run: Run) -> None:
    told: list[bool] = []
    run.page.wrap_changed.connect(told.append)
    run.page.set_wrap(True)
    assert run.page.text.lineWrapMode() == QPlainTextEdit.LineWrapMode.WidgetWidth
    run.page.set_wrap(False)
    assert run.page.text.lineWrapMode() == QPlainTextEdit.LineWrapMode.NoWrap
    assert told == [True, False]


def test_the_follow_button_shows_what_it_does(run: Run, wait: Wait, qtbot: QtBot) -> None:
    run.write(*(str(number) for number in range(500)))
    wait(lambda: run.page.text.line_count() == 500)
    run.page.text.verticalScrollBar().setValue(0)
    assert not run.page.follow_button.isChecked()
    qtbot.mouseClick(run.page.follow_button, Qt.MouseButton.LeftButton)
    assert run.page.text.following
    assert run.page.text.verticalScrollBar().value() == run.page.text.verticalScrollBar().maximum()


def test_our_own_polling_is_hidden_until_it_is_wanted(run: Run, wait: Wait, qtbot: QtBot) -> None:
    polling = '(APIServer pid=1) INFO:     127.0.0.1:9 - "GET /metrics HTTP/1.1" 200 OK'
    refused = '(APIServer pid=1) INFO:     127.0.0.1:9 - "GET /metrics HTTP/1.1" 500 Internal Server Error'
    run.write("first", polling, refused, polling, "last")
    wait(lambda: run.page.text.line_count() == 3)
    assert drawn(run.page.text) == ["first", refused, "last"]
    assert "5 lines" in run.page.status.whole()
    assert "2 of polling hidden" in run.page.status.whole()
    assert run.page.polling_button.accessibleName() == "Show polling"
    assert "/metrics" in run.page.polling_button.toolTip()
    qtbot.mouseClick(run.page.polling_button, Qt.MouseButton.LeftButton)
    wait(lambda: run.page.text.line_count() == 5)
    assert drawn(run.page.text) == ["first", polling, refused, polling, "last"]
    assert "of polling hidden" not in run.page.status.whole()
    run.write(polling)
    wait(lambda: run.page.text.line_count() == 6)
    qtbot.mouseClick(run.page.polling_button, Qt.MouseButton.LeftButton)
    wait(lambda: run.page.text.line_count() == 3)
    assert "3 of polling hidden" in run.page.status.whole()


def test_the_empty_page_says_what_goes_on(run: Run) -> None:
    assert run.page._empty.text.text().startswith("Start an engine")
    run.page.set_waiting("The engine is starting.")
    assert run.page._empty.text.text().startswith("The engine is starting. Everything it writes")
    run.page.set_waiting("")
    assert run.page._empty.text.text().startswith("Start an engine")


def test_the_path_of_the_file_is_written_short(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    run.page.pull()
    assert run.page.status.whole() == "~/engine.log"
