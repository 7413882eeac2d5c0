"""Summaries, defaults, and what the whole text shows."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.schema.model import Argument, Default, DefaultState, Kind
from gui.form.texts import default_words, has_rest, placeholder, summary, value_words
from gui.form.whole_text import WholeText
from tests.gui.form.conftest import Person


@pytest.mark.parametrize(
    ("markdown", "expected", "rest"),
    [
        ("One line.", "One line.", False),
        ("Hard wrapped\nover two lines.", "Hard wrapped over two lines.", False),
        ("First paragraph.\n\nSecond.", "First paragraph.", True),
        ("Choices:\n- one\n- two", "Choices:", True),
        ("Choices:\n1. one\n2. two", "Choices:", True),
        (
            "Use `--flag` or ``code`` or **bold** or [a link](https://x.y).",
            "Use --flag or code or bold or a link.",
            False,
        ),
        ("Defined in [some.module][] and [another][other.module].", "Defined in some.module and another.", False),
        ("A * b and snake_case_stay.", "A * b and snake_case_stay.", False),
        ("\n\n  Leading blanks.", "Leading blanks.", False),
        ("", "", False),
    ],
)
def test_the_first_paragraph_is_the_summary(markdown: str, expected: str, rest: bool) -> None:
    assert summary(markdown) == expected
    assert has_rest(markdown) is rest


@pytest.mark.parametrize(
    ("kind", "default", "expected"),
    [
        (Kind.FLOAT, Default(DefaultState.VALUE, 0.92), "0.92"),
        (Kind.INT, Default(), "decided by the engine"),
        (Kind.TEXT, Default(), "none"),
        (Kind.TEXT, Default(DefaultState.VALUE, ""), "empty text"),
        (Kind.LIST, Default(DefaultState.VALUE, []), "empty list"),
        (Kind.JSON, Default(DefaultState.VALUE, {}), "empty object"),
        (Kind.SWITCH, Default(DefaultState.VALUE, True), "on"),
        (Kind.FLAG, Default(DefaultState.VALUE, False), "off"),
        (Kind.JSON, Default(DefaultState.COMPUTED, text="What it\nlooked like"), "What it looked like"),
        (Kind.JSON, Default(DefaultState.COMPUTED), "worked out by the engine"),
        (Kind.TEXT, Default(DefaultState.SUPPRESSED), "left out"),
    ],
)
def test_defaults_are_told_apart_in_words(kind: Kind, default: Default, expected: str) -> None:
    assert default_words(Argument("x", ("--x",), kind=kind, default=default)) == expected


def test_only_a_default_that_is_a_value_stands_in_an_empty_line() -> None:
    known = Argument("x", ("--x",), kind=Kind.INT, default=Default(DefaultState.VALUE, 5))
    assert placeholder(known) == "5"
    assert placeholder(Argument("x", ("--x",), kind=Kind.INT)) == ""


def test_values_in_words() -> None:
    spec = Argument("x", ("--x",), kind=Kind.LIST)
    assert value_words(spec, ["a", "b"]) == "a,b"
    assert value_words(spec, ["a b", "c"]) == "a b, c"
    assert value_words(spec, None) == "none"


def test_the_whole_text_keeps_placeholders_in_angle_brackets(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    label = WholeText("Our note.", "Give NAME=<value>, see https://docs.vllm.ai.\n\n- one\n- two", parent)
    html = label.text()
    assert "&lt;value&gt;" in html
    assert "Our note." in html
    assert "<li" in html
    assert 'href="https://docs.vllm.ai' in html


def test_every_argument_shows_its_text_or_a_way_to_it(person: Person) -> None:
    for argument in person.schema.arguments:
        row = person.row(argument.name)
        entry = row.item.entry
        assert entry.summary, argument.name
        _, more = row.item.runs(row.width())
        if entry.has_more:
            assert not more.isEmpty(), argument.name


def test_deprecated_arguments_carry_a_badge(person: Person) -> None:
    names = [argument.name for argument in person.schema.arguments if argument.deprecated]
    assert names
    for name in names:
        row = person.row(name)
        assert any(run.text == "deprecated" for run in row.item.runs(row.width())[0]), name
