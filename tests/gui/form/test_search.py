"""Search, levels, filters, groups: what is listed, in which order, and how one gets there."""

from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from core.schema.overlay import Level, load_overlay
from core.schema.search import SearchIndex
from gui.form.cards import Card, HeadingItem
from gui.form.row_item import RowItem
from tests.gui.form.conftest import MakePerson, Person


@dataclass(frozen=True)
class Found:
    severity: str
    message: str


def cards(person: Person) -> list[Card]:
    return [item.widget for item in person.form.list.shown if isinstance(item.widget, Card)]


def test_levels_hold_each_other(person: Person) -> None:
    overlay = load_overlay()
    listed: set[str] = set()
    for level in Level:
        person.form.header.set_level(level)
        now = set(person.form.listed())
        expected = {one.name for one in person.schema.arguments if overlay.level(one).rank <= level.rank}
        assert {key for key in now if not key.startswith("env:")} == expected
        assert listed < now
        listed = now
    assert len(listed) == len(person.schema.arguments) + len(person.schema.environment)


def test_in_every_group_what_matters_most_comes_first(person: Person) -> None:
    overlay = load_overlay()
    person.form.header.set_level(Level.EVERYTHING)
    ranks: dict[str, list[int]] = {}
    for argument in (person.schema.by_name()[key] for key in person.form.listed() if not key.startswith("env:")):
        ranks.setdefault(overlay.group_title(argument.group), []).append(overlay.level(argument).rank)
    assert all(group == sorted(group) for group in ranks.values())


def test_the_level_is_remembered(person: Person) -> None:
    person.form.header.set_level(Level.TUNING)
    state = person.form.ui_state()
    person.form.header.set_level(Level.ESSENTIAL)
    few = person.form.listed()
    person.form.restore_ui({"level": "nonsense"})
    assert person.form.listed() == few
    person.form.restore_ui(state)
    assert person.form.ui_state() == state
    assert len(person.form.listed()) > len(few)


def test_what_is_set_is_in_sight_at_every_level(person: Person) -> None:
    overlay = load_overlay()
    hidden = next(one.name for one in person.schema.arguments if overlay.level(one) is Level.EVERYTHING)
    assert hidden not in person.form.listed()
    person.document.set(hidden, "x")
    assert hidden in person.form.listed()
    variable = person.schema.environment[-1].name
    person.document.set_environment(variable, "1")
    assert f"env:{variable}" in person.form.listed()


@pytest.mark.parametrize("text", ["gpu memory", "--max-model-len", "speculative", "context window", "moe"])
def test_hits_stand_in_the_order_of_the_index(person: Person, text: str) -> None:
    index = SearchIndex(person.schema, load_overlay())
    expected = index.query(text, is_set=lambda _: False, has_warning=lambda _: False).names
    listed = [key for key in person.search(text) if not key.startswith("env:")]
    assert expected
    assert listed == expected
    assert not any(isinstance(item, HeadingItem) for item in person.form.list.items)
    assert all(item.caption for item in person.form.list.items if isinstance(item, RowItem))
    row = next(item.widget for item in person.form.list.shown if isinstance(item, RowItem))
    assert any(run.text.endswith(":") for run in row.item.runs(row.width())[0])


def test_an_emptied_search_shows_groups_again(person: Person) -> None:
    before = person.form.listed()
    person.search("memory")
    person.press(Qt.Key.Key_Escape)
    assert person.form.header.search.text() == ""
    assert person.form.listed() == before
    assert isinstance(person.form.list.items[0], HeadingItem)
    assert not any(item.caption for item in person.form.list.items if isinstance(item, RowItem))


def test_a_search_looks_through_every_level_and_says_so(person: Person) -> None:
    overlay = load_overlay()
    hidden = next(one for one in person.schema.arguments if overlay.level(one) is Level.EVERYTHING)
    assert person.search(hidden.name)[0] == hidden.name
    assert not person.form.header.levels.isEnabled()
    assert person.form.header.search.count.text().endswith("found")
    person.search("")
    assert person.form.header.levels.isEnabled()


def test_environment_variables_are_found_by_name_and_by_text(person: Person) -> None:
    variable = next(one for one in person.schema.environment if len(one.help) > 40)
    key = f"env:{variable.name}"
    assert key in person.search(variable.name)
    assert key in person.search(variable.name.lower().replace("_", "-"))
    assert key in person.search(" ".join(variable.help.split()[:3]).lower())


def test_a_word_that_vllm_lacks_is_explained_and_leads_to_the_real_setting(person: Person) -> None:
    listed = person.search("prefill_workers")
    person.settle()
    (card,) = cards(person)
    assert "not a setting of vLLM" in card.label.text()
    names = set(person.schema.by_name())
    term = next(term for term in load_overlay().article_terms if term.name == "prefill_workers")
    target = next(name for name in term.arguments if name in names)
    assert f'href="{target}"' in card.label.text()
    assert target in listed
    card.label.linkActivated.emit(target)
    place = person.form.list.place_of(target)
    assert place is not None
    widget = person.form.list.items[place].widget
    assert widget is not None
    assert widget.isVisible()
    assert widget.isAncestorOf(person.form.window().focusWidget())


def test_every_word_of_the_article_leads_somewhere(person: Person) -> None:
    for term in load_overlay().article_terms:
        listed = person.search(term.name)
        assert listed or any(item.key == f"term:{term.name}" for item in person.form.list.items), term.name


def test_nothing_found_says_so_and_shows_the_way_back(person: Person) -> None:
    assert person.search("zzz qqq") == []
    person.settle()
    (card,) = cards(person)
    assert "No setting fits" in card.label.text()
    card.label.linkActivated.emit("clear:")
    assert len(person.form.listed()) > 10


def test_only_what_is_changed(person: Person) -> None:
    names = [argument.name for argument in person.schema.arguments[10:200:60]]
    for name in names:
        person.document.set(name, "x")
    variable = person.schema.environment[3].name
    person.document.set_environment(variable, "1")
    person.qtbot.mouseClick(person.form.header.changed_chip, Qt.MouseButton.LeftButton)
    assert set(person.form.listed()) == {*names, f"env:{variable}"}
    assert person.form.header.changed_chip.text() == f"Changed {len(names) + 1}"
    person.qtbot.mouseClick(person.form.header.changed_chip, Qt.MouseButton.LeftButton)
    assert set(person.search("@modified")) == {*names, f"env:{variable}"}


def test_nothing_changed_is_said_in_words(person: Person) -> None:
    person.qtbot.mouseClick(person.form.header.changed_chip, Qt.MouseButton.LeftButton)
    person.settle()
    assert "engine decides" in cards(person)[0].label.text()


def test_only_warnings_findings_and_refused_text_alike(person: Person) -> None:
    names = [argument.name for argument in person.schema.arguments if argument.kind == "int"]
    person.form.set_findings({names[0]: [Found("warning", "Too much.")], names[1]: [Found("info", "By the way.")]})
    person.type(names[2], "x")
    person.qtbot.mouseClick(person.form.header.problems_chip, Qt.MouseButton.LeftButton)
    assert set(person.form.listed()) == {names[0], names[2]}
    assert person.form.header.problems_chip.text() == "Warnings 2"
    person.form.set_findings({})
    assert person.form.listed() == [names[2]]


def test_findings_stand_under_the_editor_the_worst_first(person: Person) -> None:
    name = person.schema.arguments[5].name
    low = person.row(name).height()
    person.form.set_findings({name: [Found("info", "A note."), Found("error", "Bad."), Found("warning", "Hm.")]})
    row = person.row(name)
    person.settle()
    assert [message.text for message in row.item.messages()] == ["Error: Bad.", "Warning: Hm.", "Note: A note."]
    assert row.height() > low
    icons = [run.icon for run in row.item.runs(row.width())[0] if run.icon]
    assert icons == ["error", "warning", "info"]
    person.form.set_findings({})
    person.settle()
    assert row.height() == low


def test_groups_are_listed_with_counts_and_lead_to_their_heading(make_person: MakePerson) -> None:
    person = make_person(width=1200)
    groups = person.form.groups
    assert groups.isVisible()
    shown = [groups.item(place) for place in range(groups.count()) if not groups.isRowHidden(place)]
    counts = [int(item.data(Qt.ItemDataRole.UserRole + 1)) for item in shown]
    assert sum(counts) == len(person.form.listed())
    last = shown[-1]
    person.qtbot.mouseClick(groups.viewport(), Qt.MouseButton.LeftButton, pos=groups.visualItemRect(last).center())
    heading = person.form.list.place_of(f"group:{last.text()}")
    assert heading is not None
    assert any(item.key == f"group:{last.text()}" for item in person.form.list.shown)
    person.form.list.verticalScrollBar().setValue(0)
    assert groups.currentItem().text() == shown[0].text()


def test_a_group_narrows_a_search(make_person: MakePerson) -> None:
    person = make_person(width=1200)
    everywhere = person.search("memory")
    title = person.form.list.items[0].entry.group_title
    person.form.show_group(title)
    listed = person.form.listed()
    assert 0 < len(listed) < len(everywhere)
    assert {item.entry.group_title for item in person.form.list.items} == {title}


def test_a_narrow_form_offers_its_groups_as_a_menu(person: Person) -> None:
    assert not person.form.groups.isVisible()
    person.qtbot.mouseClick(person.form.header.groups_button, Qt.MouseButton.LeftButton)
    menu = person.form.findChild(QMenu)
    assert menu is not None
    titles = [action.text().split("\t")[0] for action in menu.actions()]
    assert len(titles) > 5
    menu.actions()[-1].trigger()
    menu.close()
    assert any(item.key == f"group:{titles[-1].replace('&&', '&')}" for item in person.form.list.shown)
