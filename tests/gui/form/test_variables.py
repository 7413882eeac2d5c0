"""Environment variables: text in the document, an editor of their kind in the row."""

import pytest
from PySide6.QtCore import Qt

from core.config.masking import is_secret_variable
from core.schema.model import Kind
from core.schema.overlay import Level
from core.schema.recorded import load_recorded
from gui.form.add_variable import AddVariable
from gui.form.editors.base import TextualEditor
from gui.form.editors.text import SecretEditor
from gui.form.editors.toggle import ToggleEditor
from tests.gui.form.conftest import MakePerson, Person
from tests.gui.form.test_walk import enter
from tests.gui.form.values import legal_text


@pytest.mark.parametrize("backend", ["cuda", "cpu"])
def test_every_variable_can_be_set_by_the_keyboard_and_reset(make_person: MakePerson, backend: str) -> None:
    person = make_person(load_recorded(backend=backend))
    for variable in person.schema.environment:
        row = person.row(f"env:{variable.name}")
        text = legal_text(row.item.entry.spec)
        enter(person, row, text)
        written = person.document.environment.get(variable.name)
        assert written == ("1" if isinstance(row.editor, ToggleEditor) else text), variable.name
        person.click_reset(row)
        assert variable.name not in person.document.environment
    assert person.document.environment == {}


def test_on_and_off_are_one_and_zero(person: Person) -> None:
    variable = next(one for one in person.schema.environment if one.type == "bool")
    row = person.row(f"env:{variable.name}")
    person.qtbot.keyClick(row.editor.targets()[0], Qt.Key.Key_Right)
    person.qtbot.keyClick(row.editor.targets()[0], Qt.Key.Key_Right)
    assert person.document.environment == {variable.name: "0"}


def test_a_number_is_checked_before_it_is_written(person: Person) -> None:
    variable = next(one for one in person.schema.environment if one.type == "int")
    key = f"env:{variable.name}"
    person.type(key, "12x")
    assert person.document.environment == {variable.name: "12"}
    assert person.form.refused() == [key]


def test_a_text_from_outside_that_fits_no_kind_is_shown_with_its_reason(person: Person) -> None:
    variable = next(one for one in person.schema.environment if one.type == "int")
    person.document.set_environment(variable.name, "many")
    row = person.row(f"env:{variable.name}")
    assert isinstance(row.editor, TextualEditor)
    assert row.editor.text() == "many"
    assert row.item.messages()
    assert person.document.environment == {variable.name: "many"}


def test_variables_that_hold_secrets_are_masked(person: Person) -> None:
    names = [one.name for one in person.schema.environment if is_secret_variable(one.name)]
    assert names
    for name in names:
        assert isinstance(person.row(f"env:{name}").editor, SecretEditor)


def test_a_variable_that_the_engine_does_not_name_can_be_added(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    place = person.form.list.place_of("add-variable")
    assert place is not None
    person.form.list.focus_item(place)
    adder = person.form.list.items[place].widget
    assert isinstance(adder, AddVariable)
    person.qtbot.keyClicks(adder.name, "1BAD")
    assert not adder.button.isEnabled()
    adder.name.clear()
    person.qtbot.keyClicks(adder.name, "MY_VARIABLE")
    person.qtbot.keyClick(adder.name, Qt.Key.Key_Return)
    assert "env:MY_VARIABLE" in person.form.listed()
    person.type("env:MY_VARIABLE", "hello")
    assert person.document.environment == {"MY_VARIABLE": "hello"}
    assert person.row("env:MY_VARIABLE").item.entry.spec.kind is Kind.TEXT


def test_a_variable_set_from_outside_gets_a_row(person: Person) -> None:
    person.document.set_environment("SET_ELSEWHERE", "1")
    assert "env:SET_ELSEWHERE" in person.form.listed()
    person.document.reset_environment("SET_ELSEWHERE")
    assert not person.row("env:SET_ELSEWHERE").item.is_set
