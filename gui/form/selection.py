"""Which rows are listed, and in which order: level, filters, search."""

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

import msgspec

from core.schema.model import ArgumentSchema
from core.schema.overlay import ArticleTerm, Level, Overlay
from gui.form.catalog import Catalog
from gui.form.row_item import RowItem
from gui.form.texts import tr

if TYPE_CHECKING:
    from core.schema.search import SearchIndex

_RANK = {level: place for place, level in enumerate(Level)}
_FILTER = re.compile(r"@([a-z]+)(?::(\"[^\"]*\"|\S*))?", re.IGNORECASE)


class Wanted(msgspec.Struct, frozen=True):
    """What the person asked to see."""

    text: str = ""
    level: Level = Level.ESSENTIAL
    changed: bool = False
    problems: bool = False

    @property
    def searching(self) -> bool:
        """Whether something narrows the list across levels."""
        return bool(self.text.strip()) or self.changed or self.problems

    @property
    def words(self) -> list[str]:
        """The text without its filters."""
        return _FILTER.sub(" ", self.text).lower().split()

    @property
    def filters(self) -> dict[str, str]:
        """Filters by name, those of the buttons among them; the value is what follows the colon."""
        found = {name.lower(): value.strip('"').lower() for name, value in _FILTER.findall(self.text)}
        return found | ({"modified": ""} if self.changed else {}) | ({"warning": ""} if self.problems else {})

    @property
    def query(self) -> str:
        """The text with the filters of the buttons, as the search index takes it."""
        return ("@modified " if self.changed else "") + ("@warning " if self.problems else "") + self.text


class Selection(msgspec.Struct, frozen=True):
    """What is listed.

    Attributes:
        rows: in order; rows of one group stand together unless `ranked`.
        ranked: best hits first, groups mixed.
        terms: words that people arrive with and that the query hits.
    """

    rows: list[RowItem] = msgspec.field(default_factory=list)
    ranked: bool = False
    terms: list[ArticleTerm] = msgspec.field(default_factory=list)


class Selector:
    """Chooses among the rows of one schema.

    Args:
        schema: the engine's arguments, to search in.
        overlay: other words to search for.
        catalog: the rows.
    """

    def __init__(self, schema: ArgumentSchema, overlay: Overlay, catalog: Catalog) -> None:
        self._schema = schema
        self._overlay = overlay
        self._catalog = catalog
        self._rows = {row.key: row for row in catalog.arguments}
        self._index: SearchIndex | None = None
        self._variables: dict[str, tuple[str, str, RowItem]] = {}

    def prepare_in_steps(self) -> Iterator[None]:
        """Make the search ready, so that the first key is as quick as the others."""
        self._ready_index()
        yield
        self._catalog.variables()
        yield
        self._read_variables()
        yield

    def _ready_index(self) -> "SearchIndex":
        if self._index is None:
            # Late: nobody searches before the first picture.
            from core.schema.search import SearchIndex

            self._index = SearchIndex(self._schema, self._overlay)
        return self._index

    def _read_variables(self) -> None:
        for row in self._catalog.variables():
            if row.key not in self._variables:
                name = _plain(row.entry.label)
                self._variables[row.key] = (name, f"{name} {_plain(row.entry.spec.help)}", row)

    def counts(self) -> dict[Level, int]:
        """How many rows each level has."""
        ranks = [_RANK[row.entry.level] for row in self._catalog.arguments]
        counts = {level: sum(rank <= most for rank in ranks) for level, most in _RANK.items()}
        counts[Level.EVERYTHING] += len(self._schema.environment)
        return counts

    def select(self, wanted: Wanted, changed: Set[str], problems: Set[str]) -> Selection:
        """The rows for a wish. A search and the filters look through every level.

        Args:
            changed: keys of what has a value of its own.
            problems: keys of what has a warning, an error or a refused text.
        """
        if wanted.searching:
            return self._search(wanted, changed, problems)
        rank = _RANK[wanted.level]
        # What is set or wrong stays in sight whatever the level, so that nothing works unseen.
        always = changed | problems
        rows = [row for row in self._catalog.arguments if _RANK[row.entry.level] <= rank or row.key in always]
        everything = wanted.level is Level.EVERYTHING
        variables = self._catalog.variables() if everything else self._catalog.set_variables()
        return Selection([*self._catalog.unknown(), *rows, *variables])

    def _search(self, wanted: Wanted, changed: Set[str], problems: Set[str]) -> Selection:
        words, filters = wanted.words, wanted.filters
        self._read_variables()
        result = self._ready_index().query(wanted.query, is_set=changed.__contains__, has_warning=problems.__contains__)
        names = set(result.names)
        rows = [self._rows[name] for name in result.names] if words else self._in_order(names)
        strange = self._catalog.unknown() if "modified" in filters and not words else []
        variables = self._found_variables(words, filters)
        if "modified" in filters:
            variables = [row for row in variables if row.key in changed]
        if "warning" in filters:
            variables = [row for row in variables if row.key in problems]
        return Selection([*strange, *rows, *variables], bool(words), result.terms)

    def _in_order(self, names: set[str]) -> list[RowItem]:
        return [row for row in self._catalog.arguments if row.key in names]

    def _found_variables(self, words: list[str], filters: dict[str, str]) -> list[RowItem]:
        if not Level.EVERYTHING.value.startswith(filters.get("level", "")):
            return []
        if not tr("Environment variables").lower().startswith(filters.get("group", "")):
            return []
        found = list(self._variables.values())
        for word in map(_plain, words):
            found = [one for one in found if word in one[1]]
        plain = _plain("_".join(words))
        return [row for name, _, row in sorted(found, key=lambda one: plain not in one[0])]


def _plain(text: str) -> str:
    return text.lower().replace("-", "_")
