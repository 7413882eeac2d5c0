"""What the form leaves behind, and what it does when the look changes."""

import gc

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from core.config.document import ConfigDocument
from core.schema.overlay import Level, load_overlay
from core.schema.recorded import load_recorded
from gui import theme
from gui.form import FormView
from gui.form.row_item import RowItem
from tests.gui.form.conftest import Person


def delete_what_waits() -> None:
    for _ in range(3):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


def test_nothing_is_made_before_there_is_a_schema(qtbot) -> None:
    form = FormView(load_overlay(), ConfigDocument())
    qtbot.addWidget(form)
    form.resize(600, 700)
    form.show()
    QApplication.processEvents()
    assert form.all_keys() == []
    assert form.listed() == []
    assert form.row("anything") is None
    form.focus_search()
    form.set_findings({})


def test_another_schema_ends_the_widgets_of_the_last_one(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    for key in person.form.all_keys()[::4]:
        person.row(key)
    delete_what_waits()
    many = len(person.form.findChildren(QWidget))
    person.form.header.set_level(Level.ESSENTIAL)
    person.form.show_schema(load_recorded(backend="cpu"))
    delete_what_waits()
    few = len(person.form.findChildren(QWidget))
    assert few < many / 3
    person.form.show_schema(load_recorded(backend="cpu"))
    delete_what_waits()
    assert len(person.form.findChildren(QWidget)) <= few


def test_no_timer_runs_in_a_form_at_rest(person: Person, qtbot) -> None:
    name = next(one.name for one in person.schema.arguments if one.kind == "path")
    person.type(name, "/nowhere/at/all")
    qtbot.waitUntil(lambda: person.row(name).editor.meaning != "")
    person.search("memory")
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in person.form.findChildren(QTimer)), timeout=20_000)


def test_rows_are_made_ahead_while_nothing_else_goes_on(person: Person, qtbot) -> None:
    items = [item for item in person.form.list.items if isinstance(item, RowItem)]
    assert any(item.widget is None for item in items)
    qtbot.waitUntil(lambda: all(item.widget is not None for item in items), timeout=20_000)
    assert not items[-1].widget.isVisible()


def test_the_look_follows_the_theme(person: Person) -> None:
    app = QApplication.instance()
    row = person.row(person.form.listed()[0])
    light = row.grab().toImage().pixelColor(row.width() - 3, row.height() - 3)
    try:
        theme.apply(app, theme.Scheme.DARK)
        person.settle()
        dark = row.grab().toImage().pixelColor(row.width() - 3, row.height() - 3)
        assert dark.lightness() < 100 < light.lightness()
        assert row.item.context.metrics is not None
    finally:
        theme.apply(app, theme.Scheme.LIGHT)


def test_a_changed_width_lays_out_anew_and_keeps_the_place(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    person.form.list.scroll_to(60)
    key = person.form.list.items[60].key
    person.form.resize(900, 800)
    person.settle()
    assert person.form.list.top_key() == key
    assert person.form.groups.isVisible()
    person.form.resize(500, 800)
    person.settle()
    assert person.form.list.top_key() == key
    assert not person.form.groups.isVisible()


def test_no_argument_is_named_in_the_code_of_the_form() -> None:
    from pathlib import Path

    import gui.form

    schema = load_recorded(backend="cuda")
    # Names of one common word (`config`, `port`) are English; the rest can only be meant as an argument.
    names = {argument.name for argument in schema.arguments if "_" in argument.name}
    names |= {flag for argument in schema.arguments for flag in argument.flags if flag.count("-") > 2}
    for path in Path(gui.form.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        quoted = [name for name in names if f'"{name}"' in text or f"'{name}'" in text]
        assert quoted == [], path
