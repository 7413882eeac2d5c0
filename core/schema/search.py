"""Search as you type over names, flags, labels, texts, choices and other words for every argument."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.schema.model import Argument, ArgumentSchema
from core.schema.overlay import ArticleTerm, Level, Overlay

_SCORES = (
    ("name", 1000),
    ("label", 600),
    ("flag", 500),
    ("words", 450),
    ("help", 60),
    ("choices", 50),
    ("fields", 30),
    ("group", 20),
)
"""Where a word was found, and what that is worth; the best place counts."""

_EXACT_NAME = 5000
_NAMED_BY_TERM = 3000
_EXACT_ALIAS = 700
_WHOLE_WORD = 400
_LEVEL_BONUS = {Level.ESSENTIAL: 40, Level.TUNING: 20, Level.EVERYTHING: 0}
_FILTER = re.compile(r"@(modified|warning|group|level)(?::(\"[^\"]*\"|\S*))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What fits the query.

    Attributes:
        names: arguments, the best first; in the schema's order when the query has no words.
        terms: words of the article that the query hits, with their explanations.
    """

    names: list[str]
    terms: list[ArticleTerm]


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    level: Level
    groups: tuple[str, ...]
    texts: tuple[str, ...]
    whole: frozenset[str]
    phrases: frozenset[str]
    compact: str
    everything: str


class SearchIndex:
    """One schema made ready for search; build it once for each schema (a few milliseconds)."""

    def __init__(self, schema: ArgumentSchema, overlay: Overlay) -> None:
        self._rows = [_row(argument, overlay) for argument in schema.arguments]
        self._terms = [(_plain(term.name), term) for term in overlay.article_terms]

    def query(self, text: str, *, is_set: Callable[[str], bool], has_warning: Callable[[str], bool]) -> SearchResult:
        """Arguments that hold every word and pass every filter of the query.

        Filters: `@modified`, `@warning`, `@group:NAME` (the engine's name or the plain title, quotes for spaces),
        `@level:essential|tuning|everything` (that level and the ones before it).
        """
        rows: Iterable[_Row] = self._rows
        for name, value in _FILTER.findall(text):
            rows = _filtered(rows, name.lower(), value.strip('"').lower(), is_set, has_warning)
        words = _FILTER.sub(" ", text).lower().split()
        if not words:
            return SearchResult([row.name for row in rows], [])
        plain = _plain(" ".join(words))
        if not plain:
            return SearchResult([], [])
        terms = self._matching_terms(plain)
        wanted = {name for term in terms if _plain(term.name) == plain for name in term.arguments}
        query = _Query(plain)
        scored = [(query.score(row) + (_NAMED_BY_TERM if row.name in wanted else 0), row.name) for row in rows]
        scored = [pair for pair in scored if pair[0]]
        scored.sort(key=lambda pair: -pair[0])
        return SearchResult([name for _, name in scored], terms)

    def _matching_terms(self, plain: str) -> list[ArticleTerm]:
        # Fewer letters fit half of the terms and would only make noise.
        if len(plain) < 4:
            return []
        return [term for name, term in self._terms if plain in name or name in plain]


def _plain(text: str) -> str:
    """Lower case, with `_`, `-` and `.` as spaces, so that `max-model-len` finds `max_model_len`."""
    # Four replacements are quicker than one pattern, and this runs over every text of a schema.
    return " ".join(text.lower().replace("_", " ").replace("-", " ").replace(".", " ").replace("/", " ").split())


def _row(argument: Argument, overlay: Overlay) -> _Row:
    title = overlay.group_title(argument.group)
    aliases = overlay.aliases(argument.name)
    places = {
        "name": argument.name,
        "label": overlay.label(argument),
        "flag": " ".join((*argument.flags, *argument.negative_flags)),
        "words": " | ".join(aliases),
        "help": f"{overlay.note(argument.name)} {argument.help}",
        "choices": " ".join(str(word) for word in (*argument.choices, *argument.suggestions)),
        "fields": " ".join(field.name for field in argument.fields),
        "group": f"{argument.group} {title}",
    }
    # The space in front lets a short word be looked for at the start of words.
    texts = tuple(f" {_plain(places[place])}" for place, _ in _SCORES)
    name = texts[0].replace(" ", "")
    return _Row(
        name=argument.name,
        level=overlay.level(argument),
        groups=(argument.group.lower(), title.lower()),
        texts=texts,
        whole=frozenset("".join(texts[:4]).split()),
        phrases=frozenset(_plain(word) for word in aliases),
        compact=name,
        everything="".join((*texts, " ", name)),
    )


def _filtered(
    rows: Iterable[_Row],
    name: str,
    value: str,
    is_set: Callable[[str], bool],
    has_warning: Callable[[str], bool],
) -> list[_Row]:
    match name:
        case "modified":
            return [row for row in rows if is_set(row.name)]
        case "warning":
            return [row for row in rows if has_warning(row.name)]
        case "group":
            return [row for row in rows if any(group.startswith(value) for group in row.groups)]
        case _:
            # While the level is still being typed, everything stays visible.
            known = [level for level in Level if value and level.value.startswith(value)]
            rank = known[0].rank if known else Level.EVERYTHING.rank
            return [row for row in rows if row.level.rank <= rank]


class _Query:
    """The words of a query, ready to be held against every row."""

    def __init__(self, plain: str) -> None:
        self._plain = plain
        self._joined = plain.replace(" ", "")
        # One or two letters mean something only at the start of a word: `tp` is not meant to find `http`.
        self._words = [(word, f" {word}" if len(word) < 3 else word) for word in plain.split()]

    def score(self, row: _Row) -> int:
        """0 when a word is missing; otherwise the sum of each word's best place."""
        if not all(needle in row.everything for _, needle in self._words):
            return 0
        total = _LEVEL_BONUS[row.level]
        if row.compact == self._joined:
            total += _EXACT_NAME
        if self._plain in row.phrases:
            total += _EXACT_ALIAS
        for word, needle in self._words:
            places = zip(row.texts, _SCORES, strict=True)
            total += next((value for text, (_, value) in places if needle in text), 1)
            total += _WHOLE_WORD if word in row.whole else 0
        return total
