"""What each editor does with what is typed into it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from core.schema.model import Kind
from gui.form.editors import EDITORS, Editor, make_editor
from gui.form.editors.choice import ChoiceEditor, SearchChoiceEditor
from gui.form.editors.items import ListEditor
from gui.form.editors.mapping import MappingEditor
from gui.form.editors.path import PathEditor
from gui.form.editors.text import NumberEditor, SecretEditor, TextEditor
from gui.form.editors.toggle import ToggleEditor
from tests.gui.form import schemas
from tests.gui.form.conftest import MakePerson, Person


def first(person: Person, kind: Kind, **conditions: object) -> str:
    """The first argument of a kind that fits the conditions; no test needs to know names."""
    return next(
        argument.name
        for argument in person.schema.arguments
        if argument.kind is kind and all(getattr(argument, name) == wanted for name, wanted in conditions.items())
    )


def messages(person: Person, key: str) -> list[str]:
    return [message.text for message in person.row(key).item.messages()]


def test_every_kind_has_an_editor() -> None:
    assert set(EDITORS) == set(Kind)


def test_an_unknown_kind_is_edited_as_text(qtbot, make_person: MakePerson) -> None:
    person = make_person(schemas.UNHEARD_OF)
    row = person.type("odd", "anything at all")
    assert type(row.editor) is TextEditor
    assert person.document.value("odd") == "anything at all"


def test_valid_text_is_written_with_every_key(person: Person) -> None:
    name = first(person, Kind.INT, nargs="")
    seen: list[object] = []
    person.document.changed.connect(lambda _change: seen.append(person.document.value(name)))
    person.type(name, "123")
    assert seen == [1, 12, 123]


def test_bad_text_stays_with_its_reason_and_the_last_good_value_is_kept(person: Person) -> None:
    name = first(person, Kind.INT, nargs="")
    row = person.type(name, "12x")
    assert isinstance(row.editor, NumberEditor)
    assert row.editor.text() == "12x"
    assert person.document.value(name) == 12
    assert person.form.refused() == [name]
    (message,) = messages(person, name)
    assert message.startswith("Error: ")
    assert "last good value" in message
    assert message.rstrip(".") in row.editor.line.accessibleDescription()
    person.qtbot.keyClick(row.editor.line, Qt.Key.Key_Backspace)
    assert messages(person, name) == []
    assert person.form.refused() == []


def test_bad_text_in_an_unset_row_says_that_nothing_is_set(person: Person) -> None:
    name = first(person, Kind.FLOAT)
    person.type(name, "x")
    assert not person.document.is_set(name)
    assert "not set" in messages(person, name)[0]


def test_an_emptied_line_goes_back_to_the_default(person: Person) -> None:
    name = first(person, Kind.INT, nargs="")
    row = person.type(name, "5")
    assert person.document.is_set(name)
    person.qtbot.keyClick(row.editor.targets()[0], Qt.Key.Key_Backspace)
    assert not person.document.is_set(name)
    assert row.item.status() == ""


def test_a_size_says_what_it_means_and_stays_as_typed(person: Person) -> None:
    name = first(person, Kind.SIZE)
    row = person.type(name, "32k")
    assert person.document.value(name) == 32_000
    assert row.editor.text() == "32k"
    assert row.editor.meaning == "= 32,000"
    assert any("= 32,000" in run.text for run in row.item.runs(row.width())[0])
    person.type(name, "32K")
    assert row.editor.meaning == "= 32,768"
    person.type(name, "4096")
    assert row.editor.meaning == ""


def test_unset_on_and_off_are_three_things(person: Person) -> None:
    name = first(person, Kind.SWITCH)
    row = person.row(name)
    assert isinstance(row.editor, ToggleEditor)
    bar = row.editor.bar
    for key, expected in ((Qt.Key.Key_Right, True), (Qt.Key.Key_Right, False), (Qt.Key.Key_Left, True)):
        person.qtbot.keyClick(bar, key)
        assert person.document.value(name) is expected
    person.qtbot.keyClick(bar, Qt.Key.Key_Left)
    assert not person.document.is_set(name)
    person.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.rect_of(2).center())
    assert person.document.value(name) is False
    assert bar.accessibleName().endswith(": Off")


def test_a_flag_without_a_negative_form_has_no_off(person: Person) -> None:
    row = person.row(first(person, Kind.FLAG))
    assert isinstance(row.editor, ToggleEditor)
    assert len(row.editor.bar.words) == 2


def test_a_short_list_is_chosen_from_and_its_first_entry_is_the_default(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.CHOICE and 2 < len(one.choices) < 13)
    row = person.row(name)
    assert isinstance(row.editor, ChoiceEditor)
    combo = row.editor.combo
    combo.showPopup()
    person.qtbot.keyClick(combo.view(), Qt.Key.Key_Down)
    person.qtbot.keyClick(combo.view(), Qt.Key.Key_Return)
    chosen = person.document.value(name)
    assert chosen == person.schema.by_name()[name].choices[0]
    combo.showPopup()
    person.qtbot.keyClick(combo.view(), Qt.Key.Key_Home)
    person.qtbot.keyClick(combo.view(), Qt.Key.Key_Return)
    assert not person.document.is_set(name)


def test_a_long_list_is_searched_and_takes_only_its_own_words(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.CHOICE and len(one.choices) >= 13)
    choice = person.schema.by_name()[name].choices[-1]
    row = person.type(name, str(choice)[:-1])
    assert isinstance(row.editor, SearchChoiceEditor)
    assert not person.document.is_set(name)
    assert str(choice) in messages(person, name)[0]
    person.qtbot.keyClicks(row.editor.line, str(choice)[-1])
    assert person.document.value(name) == choice


def test_known_words_are_offered_and_others_are_taken(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.TEXT and one.suggestions)
    word = person.schema.by_name()[name].suggestions[-1]
    row = person.row(name)
    line = row.editor.line
    person.qtbot.keyClick(line, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    popup = line.completer().popup()
    assert popup.isVisible()
    assert popup.model().rowCount() == len(person.schema.by_name()[name].suggestions)
    popup.setCurrentIndex(popup.model().index(popup.model().rowCount() - 1, 0))
    person.qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert person.document.value(name) == word
    person.type(name, "something-of-my-own")
    assert person.document.value(name) == "something-of-my-own"


def test_a_list_takes_a_line_for_each_item_and_grows(person: Person) -> None:
    name = next(
        one.name
        for one in person.schema.arguments
        if one.kind is Kind.LIST and one.item is Kind.TEXT and isinstance(person.row(one.name).editor, ListEditor)
    )
    row = person.type(name, "one")
    single = row.height()
    person.type(name, "one\ntwo, and a half\nthree")
    assert person.document.value(name) == ["one", "two, and a half", "three"]
    assert row.editor.meaning == "= 3 items"
    assert row.height() > single


def test_one_item_with_a_comma_survives_being_shown_again(person: Person) -> None:
    name = next(
        one.name
        for one in person.schema.arguments
        if one.kind is Kind.LIST and one.item is Kind.TEXT and isinstance(person.row(one.name).editor, ListEditor)
    )
    person.document.set(name, ["a, b"])
    row = person.row(name)
    person.qtbot.keyClick(row.editor.targets()[0], Qt.Key.Key_Home)
    person.qtbot.keyClicks(row.editor.targets()[0], "x")
    assert person.document.value(name) == ["xa, b"]


def test_pairs_are_a_table(make_person: MakePerson) -> None:
    person = make_person(schemas.MAPPING)
    row = person.row("pairs")
    editor = row.editor
    assert isinstance(editor, MappingEditor)
    low = row.height()
    person.qtbot.mouseClick(editor.add_button, Qt.MouseButton.LeftButton)
    assert row.height() > low
    ((key, value),) = editor.lines()
    person.qtbot.keyClicks(value, "1")
    assert "key" in messages(person, "pairs")[0]
    assert not person.document.is_set("pairs")
    person.qtbot.keyClicks(key, "name")
    assert person.document.value("pairs") == {"name": "1"}
    person.document.set("pairs", {"a": "x", "b": "y"})
    assert [(one.text(), two.text()) for one, two in editor.lines()] == [("a", "x"), ("b", "y")]
    person.qtbot.mouseClick(editor.targets()[2], Qt.MouseButton.LeftButton)
    assert person.document.value("pairs") == {"b": "y"}
    person.click_reset(row)
    assert editor.lines() == []


def test_a_key_that_is_there_twice_is_refused(make_person: MakePerson) -> None:
    person = make_person(schemas.MAPPING)
    person.document.set("pairs", {"a": "x", "b": "y"})
    row = person.row("pairs")
    assert isinstance(row.editor, MappingEditor)
    second = row.editor.lines()[1][0]
    person.replace(second, "a")
    assert "twice" in messages(person, "pairs")[0]
    # Wiping the key made the pair keyless, which is refused too, so the document still has both pairs.
    assert person.document.value("pairs") == {"a": "x", "b": "y"}
    person.qtbot.keyClick(second, Qt.Key.Key_Escape)
    assert messages(person, "pairs") == []
    assert [key.text() for key, _ in row.editor.lines()] == ["a", "b"]


def test_a_secret_is_hidden_until_it_is_asked_for(person: Person) -> None:
    names = [one.name for one in person.schema.arguments if isinstance(person.row(one.name).editor, SecretEditor)]
    assert len(names) >= 2
    for name in names:
        row = person.type(name, "sk-123")
        assert isinstance(row.editor, SecretEditor)
        assert row.editor.line.echoMode() is QLineEdit.EchoMode.Password
        assert "sk-123" not in row.editor.line.displayText()
        row.editor.reveal.trigger()
        assert row.editor.line.displayText() == "sk-123"
        row.editor.reveal.trigger()
        assert "sk-123" not in row.editor.line.displayText()
        assert all("sk-123" not in run.text for run in row.item.runs(row.width())[0])
        assert "sk-123" not in row.editor.line.accessibleDescription()


def test_several_secrets_fit_one_line(person: Person) -> None:
    name = first(person, Kind.LIST, nargs="+", item=Kind.TEXT, flags=("--api-key",))
    person.document.set(name, ["one, two", "three"])
    row = person.row(name)
    assert isinstance(row.editor, SecretEditor)
    assert row.editor.message == ""
    person.qtbot.keyClick(row.editor.line, Qt.Key.Key_End)
    person.qtbot.keyClick(row.editor.line, Qt.Key.Key_Space)
    assert person.document.value(name) == ["one, two", "three"]


def test_a_path_is_chosen_or_typed_and_a_missing_one_is_told(person: Person, tmp_path: Path) -> None:
    name = first(person, Kind.PATH)
    row = person.row(name)
    assert isinstance(row.editor, PathEditor)
    missing = tmp_path / "missing"
    row.editor.take(str(missing))
    assert person.document.value(name) == str(missing)
    person.qtbot.waitUntil(lambda: row.editor.meaning == "not found on this machine")
    row.editor.take(str(tmp_path))
    person.qtbot.wait(200)
    assert row.editor.meaning == ""
    row.editor.take("")
    assert person.document.value(name) == str(tmp_path)


def test_the_wheel_scrolls_and_changes_nothing(person: Person) -> None:
    for argument in person.schema.arguments[::7]:
        row = person.row(argument.name)
        for target in row.editor.targets():
            _wheel(target)
            target.setFocus()
            _wheel(target)
    assert person.document.values == {}


def test_an_empty_text_is_a_value_of_its_own(person: Person) -> None:
    name = next(
        one.name for one in person.schema.arguments if one.kind is Kind.TEXT and not one.suggestions and one.flags
    )
    row = person.row(name)
    row.set_empty()
    assert person.document.value(name) == ""
    assert "empty" in row.editor.line.placeholderText()
    assert row.item.status() == "changed"


def test_a_value_that_is_the_default_is_called_so(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.default.value is False and one.kind is Kind.SWITCH)
    person.document.set(name, False)
    assert person.row(name).item.status() == "set to the default"
    person.document.set(name, True)
    assert person.row(name).item.status() == "changed"


@pytest.mark.parametrize("value", ["text", 3, True, ["x"], {"a": 1}, None])
def test_a_value_of_another_kind_is_shown_with_its_reason(person: Person, value: object) -> None:
    """A profile of another version may hold anything; no editor may fail on it or change it."""
    for argument in person.schema.arguments[::5]:
        person.document.set(argument.name, value)
        row = person.row(argument.name)
        assert person.document.value(argument.name) == value
        assert row.item.is_set
    assert len(person.document.values) == len(person.schema.arguments[::5])


def test_an_editor_can_be_made_without_a_row(qtbot, person: Person) -> None:
    """Editors know specifications, not arguments or rows."""

    class Host:
        written: object = None

        def commit(self, value: object) -> None:
            self.written = value

        def clear(self) -> None:
            self.written = None

        def complain(self) -> None:
            """Nothing to show it in."""

        def resized(self) -> None:
            """Nothing to arrange."""

        def set_fields_open(self, is_open: bool) -> None:
            """No rows below."""

    host = Host()
    editor: Editor = make_editor(person.schema.by_name()[first(person, Kind.FLOAT)], host)
    qtbot.addWidget(editor)
    qtbot.keyClicks(editor.targets()[0], "0.25")
    assert host.written == 0.25


def _wheel(target: QWidget) -> None:
    middle = target.rect().center()
    event = QWheelEvent(
        QPointF(middle),
        QPointF(target.mapToGlobal(middle)),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(target, event)
