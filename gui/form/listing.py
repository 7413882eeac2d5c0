"""From chosen rows to what the list shows: headings between groups, explanations above hits, a word for no hits."""

from collections.abc import Callable, Set

from gui.form.add_variable import AddVariableItem
from gui.form.cards import CardItem, HeadingItem, term_html
from gui.form.catalog import Catalog, group_rows
from gui.form.entries import Source
from gui.form.groups import GroupCount
from gui.form.metrics import Metrics
from gui.form.row_item import RowItem
from gui.form.selection import Selection, Wanted
from gui.form.texts import tr
from gui.form.virtual_list import ListItem

CLEAR = "clear:"
"""Link that takes the search and the filters away."""


class Listing:
    """Makes the items of the list and keeps those that are no rows.

    Args:
        catalog: the rows.
        metrics: fonts in place.
        follow: called with the link of a card.
        add_variable: called with the name of a variable to add.
    """

    def __init__(
        self,
        catalog: Catalog,
        metrics: Callable[[], Metrics],
        follow: Callable[[str], None],
        add_variable: Callable[[str], None],
    ) -> None:
        self._catalog = catalog
        self._metrics = metrics
        self._follow = follow
        self._headings: dict[str, HeadingItem] = {}
        self._cards: dict[str, CardItem] = {}
        self._adder = AddVariableItem(add_variable)
        self._groups = list(group_rows(catalog.arguments))

    def items(self, selection: Selection, wanted: Wanted) -> list[ListItem]:
        """What to list."""
        items: list[ListItem] = self._explanations(selection)
        if selection.ranked:
            for row in selection.rows:
                self._put(items, row, caption=True)
        else:
            for title, rows in group_rows(selection.rows).items():
                items.append(self._heading(title, len(rows)))
                for row in rows:
                    self._put(items, row, caption=False)
                if rows[0].entry.source is Source.ENVIRONMENT and not wanted.searching:
                    items.append(self._adder)
        if not items:
            items.append(self._nothing(wanted))
        return items

    def groups(self, selection: Selection, changed: Set[str]) -> list[GroupCount]:
        """Every group of the catalog with what is listed of it."""
        listed = group_rows(selection.rows)
        # Groups that are none of the catalog's: settings that the engine does not know stand first, variables last.
        strange = [title for title, rows in listed.items() if not rows[0].entry.group]
        titles = list(dict.fromkeys([*strange, *self._groups, *listed]))
        return [
            GroupCount(
                title, title, len(listed.get(title, ())), sum(row.key in changed for row in listed.get(title, ()))
            )
            for title in titles
        ]

    def others(self) -> list[ListItem]:
        """Items that were made and are no rows."""
        return [*self._headings.values(), *self._cards.values(), self._adder]

    def _put(self, items: list[ListItem], row: RowItem, *, caption: bool) -> None:
        for one in row.open_rows():
            one.set_caption(caption and one is row)
            items.append(one)

    def _heading(self, title: str, count: int) -> HeadingItem:
        heading = self._headings.get(title)
        if heading is None:
            heading = self._headings[title] = HeadingItem(title, self._metrics)
        heading.show_count(count)
        return heading

    def _explanations(self, selection: Selection) -> list[ListItem]:
        missing = [term for term in selection.terms if self._catalog.find(term.name) is None]
        items: list[ListItem] = []
        for term in missing:
            key = f"term:{term.name}"
            if key not in self._cards:
                self._cards[key] = self._card(key, term_html(term, self._flag), "info")
            items.append(self._cards[key])
        return items

    def _nothing(self, wanted: Wanted) -> CardItem:
        text = wanted.text.strip()
        if wanted.changed and not text:
            words = tr("No setting has a value of its own yet: the engine decides everything.")
        elif wanted.problems and not text:
            words = tr("No setting has a warning.")
        else:
            words = tr("No setting fits this search.")
        html = f'{words}<br><a href="{CLEAR}">{tr("Show all settings again")}</a>'
        key = f"nothing:{words}"
        if key not in self._cards:
            self._cards[key] = self._card(key, html, "search")
        return self._cards[key]

    def _card(self, key: str, html: str, icon: str) -> CardItem:
        return CardItem(key, html, icon, self._metrics, self._follow)

    def _flag(self, key: str) -> str | None:
        row = self._catalog.find(key)
        return (row.entry.flag or row.entry.label) if row is not None else None


def _counted(title: str, rows: list[RowItem], changed: Set[str]) -> GroupCount:
    return GroupCount(title, title, len(rows), sum(row.key in changed for row in rows))
