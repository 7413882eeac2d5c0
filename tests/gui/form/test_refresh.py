"""Edits from outside (undo, reset, loading) and undo from inside."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence

from core.schema.model import Kind
from core.schema.recorded import load_recorded
from gui.form.row import Row
from tests.gui.form.conftest import Person
from tests.gui.form.test_editors import first

UNDO = (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
REDO = (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)


def with_window_keys(person: Person) -> None:
    """What the window does: Ctrl+Z and Ctrl+Shift+Z are the document's."""
    for sequence, slot in (
        (QKeySequence.StandardKey.Undo, person.document.undo),
        (QKeySequence.StandardKey.Redo, person.document.redo),
    ):
        action = QAction(person.form)
        action.setShortcuts(sequence)
        action.triggered.connect(slot)
        person.form.addAction(action)


def test_undo_from_outside_is_shown(person: Person) -> None:
    name = first(person, Kind.INT, nargs="")
    person.document.set(name, 1)
    person.document.reset(name)
    row = person.row(name)
    person.document.undo()
    assert row.editor.targets()[0].text() == "1"
    assert row.reset_button is not None
    person.document.undo()
    assert row.editor.targets()[0].text() == ""
    assert row.reset_button is None


def test_only_the_rows_that_moved_are_touched(person: Person, monkeypatch) -> None:
    names = [one.name for one in person.schema.arguments if one.kind is Kind.INT][:3]
    for name in names:
        person.row(name)
    touched: list[str] = []
    original = Row.refresh
    monkeypatch.setattr(Row, "refresh", lambda row: (touched.append(row.item.key), original(row))[1])
    person.document.set(names[1], 5)
    assert touched == [names[1]]


def test_loading_replaces_everything(person: Person) -> None:
    names = [one.name for one in person.schema.arguments if one.kind is Kind.INT][:3]
    person.document.set(names[0], 5)
    person.type(names[1], "x")
    person.document.replace({names[1]: 6, names[2]: 7}, {person.schema.environment[0].name: "value"})
    assert person.row(names[0]).editor.targets()[0].text() == ""
    assert person.row(names[1]).editor.targets()[0].text() == "6"
    assert person.row(names[2]).editor.targets()[0].text() == "7"
    assert person.form.refused() == []
    assert person.form.header.changed_chip.text() == "Changed 3"


def test_ctrl_z_in_a_line_undoes_in_the_document(person: Person) -> None:
    with_window_keys(person)
    other, name = [one.name for one in person.schema.arguments if one.kind is Kind.INT][:2]
    person.document.set(other, 1)
    row = person.type(name, "25")
    person.qtbot.keyClick(row.editor.targets()[0], *UNDO)
    assert not person.document.is_set(name)
    assert row.editor.targets()[0].text() == ""
    person.qtbot.keyClick(row.editor.targets()[0], *UNDO)
    assert not person.document.is_set(other)
    person.qtbot.keyClick(row.editor.targets()[0], *REDO)
    assert person.document.value(other) == 1


def test_ctrl_z_first_drops_text_that_was_refused(person: Person) -> None:
    with_window_keys(person)
    name = first(person, Kind.INT, nargs="")
    row = person.type(name, "12x")
    line = row.editor.targets()[0]
    person.qtbot.keyClick(line, *UNDO)
    assert line.text() == "12"
    assert person.document.value(name) == 12
    assert row.item.messages() == ()
    person.qtbot.keyClick(line, *UNDO)
    assert not person.document.is_set(name)


def test_ctrl_z_in_a_box_is_the_boxes_own_while_its_text_is_refused(person: Person) -> None:
    with_window_keys(person)
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.JSON and not one.fields)
    row = person.type(name, '{"a": 1}')
    box = row.editor.targets()[0]
    person.qtbot.keyClick(box, Qt.Key.Key_Backspace)
    assert row.editor.has_draft
    person.qtbot.keyClick(box, *UNDO)
    assert not row.editor.has_draft
    person.qtbot.keyClick(box, *UNDO)
    assert not person.document.is_set(name)
    assert row.editor.text() == ""


def test_another_schema_keeps_what_is_set_and_drops_the_old_rows(person: Person) -> None:
    name = first(person, Kind.INT, nargs="")
    row = person.type(name, "5")
    old = row.item
    person.form.show_schema(load_recorded(backend="cpu"))
    new = person.row(name)
    assert new.item is not old
    assert new.editor.targets()[0].text() == "5"
    assert set(person.form.all_keys()) == {
        *(one.name for one in load_recorded(backend="cpu").arguments),
        *(f"env:{one.name}" for one in load_recorded(backend="cpu").environment),
    }


def test_what_this_engine_does_not_have_is_shown_first_and_can_be_reset(person: Person) -> None:
    person.document.set("an_argument_of_tomorrow", {"a": 1})
    assert person.form.listed()[0] == "an_argument_of_tomorrow"
    row = person.row("an_argument_of_tomorrow")
    assert "no such argument" in row.item.entry.summary
    person.click_reset(row)
    assert person.document.values == {}
    person.search("x")
    person.search("")
    assert "an_argument_of_tomorrow" not in person.form.listed()
