"""Every argument of both recorded engines: it has a row, takes a legal value through its editor, and lets go of it."""

import pytest
from PySide6.QtCore import Qt

from core.schema.kinds import check_value, parse_text
from core.schema.model import Kind
from core.schema.recorded import load_recorded
from gui.form.editors.base import TextualEditor
from gui.form.editors.choice import ChoiceEditor
from gui.form.editors.objects import ObjectEditor
from gui.form.editors.toggle import ToggleEditor
from gui.form.row import Row
from tests.gui.form.conftest import MakePerson, Person
from tests.gui.form.values import legal_text

BACKENDS = ("cuda", "cpu")


def enter(person: Person, row: Row, text: str) -> None:
    """Enter a value by the keyboard alone, whatever the editor is."""
    editor = row.editor
    target = editor.targets()[0]
    if isinstance(editor, ToggleEditor):
        person.qtbot.keyClick(target, Qt.Key.Key_Right)
    elif isinstance(editor, ChoiceEditor):
        person.qtbot.keyClicks(target, text)
    elif isinstance(editor, ObjectEditor):
        person.qtbot.keyClick(target, Qt.Key.Key_Right)
        person.qtbot.keyClick(target, Qt.Key.Key_Right)
        assert editor.box is not None
        person.replace(editor.box.box, text)
    else:
        assert isinstance(editor, TextualEditor)
        person.replace(target, text)


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_argument_and_variable_has_a_row(make_person: MakePerson, backend: str) -> None:
    schema = load_recorded(backend=backend)
    person = make_person(schema)
    expected = {argument.name for argument in schema.arguments} | {f"env:{one.name}" for one in schema.environment}
    assert set(person.form.all_keys()) == expected
    assert len(person.form.all_keys()) == len(expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_argument_can_be_set_by_the_keyboard_and_reset(make_person: MakePerson, backend: str) -> None:
    person = make_person(load_recorded(backend=backend))
    for argument in person.schema.arguments:
        row = person.row(argument.name)
        assert row.editor.targets()[0].accessibleName(), argument.name
        text = legal_text(argument)
        enter(person, row, text)
        assert person.document.is_set(argument.name), f"{argument.name} did not take {text!r}: {row.editor.message}"
        value = person.document.value(argument.name)
        if argument.kind in (Kind.FLAG, Kind.SWITCH):
            assert value is True, argument.name
        else:
            assert value == parse_text(argument, text), argument.name
        assert check_value(argument, value) is None, argument.name
        assert row.editor.message == ""
        assert row.item.status(), argument.name
        person.click_reset(row)
        assert not person.document.is_set(argument.name), argument.name
        assert row.reset_button is None
        assert not row.item.is_set
    assert person.document.values == {}
    assert person.form.refused() == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_row_is_cut_off_at_the_narrowest_and_in_the_widest_form(make_person: MakePerson, backend: str) -> None:
    for width in (420, 1400):
        person = make_person(load_recorded(backend=backend), width=width)
        for key in person.form.all_keys():
            row = person.row(key)
            plan = row.item.plan(row.width())
            runs, _ = row.item.runs(row.width())
            assert row.height() == plan.height, key
            assert plan.editor.right() < row.width(), key
            assert plan.editor.bottom() < row.height(), key
            assert plan.reset.right() < row.width(), key
            for run in runs:
                assert run.rect.right() <= row.width(), (key, run.text)
                assert run.rect.bottom() < row.height(), (key, run.text)
        person.form.hide()
