import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.base.errors import DynoError
from gui.notifications import Level, Note, NoteAction, NotificationBar


@pytest.fixture
def bar(qtbot: QtBot) -> NotificationBar:
    made = NotificationBar()
    qtbot.addWidget(made)
    return made


def texts(bar: NotificationBar) -> list[str]:
    return [note.message for note in bar.notes()]


def test_it_takes_no_room_while_there_is_nothing_to_tell(bar: NotificationBar) -> None:
    assert bar.isHidden()
    bar.show_note(Note(Level.INFO, "one"))
    assert not bar.isHidden()
    bar.close_newest()
    assert bar.isHidden()


def test_a_problem_shows_its_hint_and_keeps_its_details_a_click_away(bar: NotificationBar, qtbot: QtBot) -> None:
    bar.show_problem(DynoError("Port 8000 is taken.", "Choose another.", "nginx 1234"))
    card = bar.cards()[0]
    assert card.text.text() == "Port 8000 is taken.\nChoose another."
    assert card.detail_view is None
    details = next(button for button in card.findChildren(QPushButton) if button.isCheckable())
    qtbot.mouseClick(details, Qt.MouseButton.LeftButton)
    assert card.detail_view is not None
    assert card.detail_view.toPlainText() == "nginx 1234"
    assert not card.detail_view.isHidden()


def test_words_of_others_are_never_read_as_markup(bar: NotificationBar) -> None:
    bar.show_problem(DynoError("<b>bold</b>"))
    assert bar.cards()[0].text.textFormat() == Qt.TextFormat.PlainText


def test_the_same_key_takes_the_place_of_the_one_before(bar: NotificationBar) -> None:
    bar.show_note(Note(Level.ERROR, "first", key="engine"))
    bar.show_note(Note(Level.ERROR, "other"))
    bar.show_note(Note(Level.ERROR, "second", key="engine"))
    assert texts(bar) == ["second", "other"]
    bar.close_note("engine")
    assert texts(bar) == ["other"]


def test_the_same_words_are_not_stacked(bar: NotificationBar) -> None:
    for _ in range(3):
        bar.show_note(Note(Level.ERROR, "again"))
    assert texts(bar) == ["again"]


def test_the_oldest_gives_way(bar: NotificationBar) -> None:
    for number in range(5):
        bar.show_note(Note(Level.INFO, str(number)))
    assert texts(bar) == ["4", "3", "2"]


def test_a_button_does_what_it_says_and_closes_the_note(bar: NotificationBar, qtbot: QtBot) -> None:
    done: list[str] = []
    bar.show_note(
        Note(
            Level.WARNING,
            "x",
            actions=(
                NoteAction("Stay", lambda: done.append("stay"), keeps=True),
                NoteAction("Go", lambda: done.append("go")),
            ),
        )
    )
    stay, go = bar.cards()[0].buttons
    qtbot.mouseClick(stay, Qt.MouseButton.LeftButton)
    assert texts(bar) == ["x"]
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    assert done == ["stay", "go"]
    assert texts(bar) == []


def test_a_state_is_told_by_shape_too(bar: NotificationBar) -> None:
    pictures = []
    for level in Level:
        bar.show_note(Note(level, "x", key="x"))
        image = bar.cards()[0]._icon.pixmap().toImage()
        pictures.append({(x, y) for x in range(20) for y in range(20) if image.pixelColor(x, y).alpha() > 128})
    assert all(a != b for i, a in enumerate(pictures) for b in pictures[i + 1 :])
