"""JSON values: as a summary, as rows for the fields, as text; all of them one value."""

import json

from PySide6.QtCore import Qt

from core.schema.model import Kind
from gui.form.editors.objects import JsonTextEditor, ObjectEditor
from gui.form.row import Row
from tests.gui.form import schemas
from tests.gui.form.conftest import MakePerson, Person
from tests.gui.form.test_walk import enter
from tests.gui.form.values import legal_text

SUMMARY, FIELDS, TEXT = range(3)


def choose_view(person: Person, row: Row, view: int) -> ObjectEditor:
    editor = row.editor
    assert isinstance(editor, ObjectEditor)
    person.qtbot.mouseClick(editor.bar, Qt.MouseButton.LeftButton, pos=editor.bar.rect_of(view).center())
    return editor


def test_every_field_of_every_object_takes_a_value_and_lets_go_of_it(person: Person) -> None:
    fields = 0
    for argument in person.schema.arguments:
        if argument.kind is not Kind.JSON or not argument.fields:
            continue
        choose_view(person, person.row(argument.name), FIELDS)
        for field in argument.fields:
            key = f"{argument.name}.{field.name}"
            row = person.row(key)
            enter(person, row, legal_text(field))
            value = person.document.value(argument.name)
            assert isinstance(value, dict), key
            assert set(value) == {field.name}, f"{key}: {row.editor.message}"
            assert person.row(argument.name).item.is_set
            person.click_reset(person.row(key))
            assert not person.document.is_set(argument.name), key
            fields += 1
        choose_view(person, person.row(argument.name), SUMMARY)
    assert fields > 200


def test_fields_are_set_and_reset_each_on_its_own(make_person: MakePerson) -> None:
    person = make_person(schemas.NESTED)
    choose_view(person, person.row("outer"), FIELDS)
    assert person.form.listed() == ["outer", "outer.plain", "outer.inner"]
    choose_view(person, person.row("outer.inner"), FIELDS)
    assert person.form.listed() == ["outer", "outer.plain", "outer.inner", "outer.inner.deep", "outer.inner.flag"]
    person.type("outer.plain", "5")
    person.qtbot.keyClicks(person.row("outer.inner.deep").editor.targets()[0], "b")
    person.qtbot.keyClick(person.row("outer.inner.flag").editor.targets()[0], Qt.Key.Key_Right)
    assert person.document.value("outer") == {"plain": 5, "inner": {"deep": "b", "flag": True}}
    assert person.row("outer.inner.flag").item.status() == "set to the default"
    person.click_reset(person.row("outer.inner.deep"))
    assert person.document.value("outer") == {"plain": 5, "inner": {"flag": True}}
    person.click_reset(person.row("outer.inner"))
    assert person.document.value("outer") == {"plain": 5}
    assert not person.row("outer.inner.flag").item.is_set
    person.click_reset(person.row("outer"))
    assert person.document.values == {}
    assert person.row("outer.plain").editor.targets()[0].text() == ""


def test_text_and_fields_show_one_value(make_person: MakePerson) -> None:
    person = make_person(schemas.NESTED)
    editor = choose_view(person, person.row("outer"), TEXT)
    assert editor.box is not None
    person.replace(editor.box.box, '{"plain": 7, "inner": {"flag": false}}')
    assert person.document.value("outer") == {"plain": 7, "inner": {"flag": False}}
    assert editor.summary() == 'plain: 7 · inner: {"flag":false}'
    choose_view(person, person.row("outer"), FIELDS)
    assert not editor.box.isVisible()
    row = person.row("outer.plain")
    assert row.editor.targets()[0].text() == "7"
    person.type("outer.plain", "8")
    choose_view(person, person.row("outer"), TEXT)
    assert json.loads(editor.box.text()) == {"plain": 8, "inner": {"flag": False}}


def test_text_that_is_no_json_keeps_the_text_view(make_person: MakePerson) -> None:
    person = make_person(schemas.NESTED)
    person.document.set("outer", {"plain": 1})
    row = person.row("outer")
    editor = choose_view(person, row, TEXT)
    assert editor.box is not None
    person.qtbot.keyClick(editor.box.box, Qt.Key.Key_End)
    person.qtbot.keyClicks(editor.box.box, ",")
    assert editor.has_draft
    assert "Not valid JSON" in row.item.messages()[0].text
    for view in (FIELDS, SUMMARY):
        choose_view(person, row, view)
        assert editor.bar.current == TEXT
        assert editor.box.isVisible()
    assert person.document.value("outer") == {"plain": 1}
    person.qtbot.keyClick(editor.box.box, Qt.Key.Key_Backspace)
    choose_view(person, row, FIELDS)
    assert editor.bar.current == FIELDS


def test_a_field_that_the_class_does_not_have_is_refused(make_person: MakePerson) -> None:
    person = make_person(schemas.NESTED)
    row = person.row("outer")
    editor = choose_view(person, row, TEXT)
    assert editor.box is not None
    person.replace(editor.box.box, '{"plian": 1}')
    assert "plain" in row.item.messages()[0].text
    assert not person.document.is_set("outer")


def test_a_value_that_is_no_object_offers_no_fields(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.JSON and one.fields)
    row = person.row(name)
    editor = choose_view(person, row, FIELDS)
    assert len(person.form.listed()) > len(person.schema.by_name()[name].fields)
    person.document.set(name, "some text")
    assert editor.bar.current == SUMMARY
    assert not any(key.startswith(f"{name}.") for key in person.form.listed())
    choose_view(person, row, FIELDS)
    assert editor.bar.current == SUMMARY


def test_json_without_a_known_class_is_edited_as_text(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.JSON and not one.fields)
    row = person.type(name, '{"a": [1, 2], "b": {"c": null}}')
    assert isinstance(row.editor, JsonTextEditor)
    assert person.document.value(name) == {"a": [1, 2], "b": {"c": None}}


def test_long_json_is_laid_out_and_the_row_grows(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.JSON and not one.fields)
    low = person.row(name).height()
    person.document.set(name, {"first": "x" * 40, "second": "y" * 40})
    row = person.row(name)
    assert row.editor.text().count("\n") == 3
    assert row.height() > low


def test_secrets_inside_an_object_are_masked_in_its_summary(person: Person) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind is Kind.JSON and one.fields)
    person.document.set(name, {"api_key": "sk-123"})
    editor = person.row(name).editor
    assert isinstance(editor, ObjectEditor)
    assert "sk-123" not in editor.summary()
    assert "sk-123" not in editor.bar.accessibleDescription()


def test_a_sibling_keeps_its_refused_text_while_another_field_is_edited(make_person: MakePerson) -> None:
    person = make_person(schemas.NESTED)
    choose_view(person, person.row("outer"), FIELDS)
    choose_view(person, person.row("outer.inner"), FIELDS)
    person.type("outer.plain", "x")
    person.qtbot.keyClick(person.row("outer.inner.flag").editor.targets()[0], Qt.Key.Key_Right)
    assert person.row("outer.plain").editor.targets()[0].text() == "x"
    assert person.form.refused() == ["outer.plain"]
    assert person.document.value("outer") == {"inner": {"flag": True}}
