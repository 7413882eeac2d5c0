"""What a person should see about the engine's arguments that the engine does not say: importance, plain words, notes.

The table is `assets/overlay.json`. Code knows no argument by name; an argument that the table does not know is shown
at the last level with a label made from its name.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache

import msgspec

from core.base.paths import assets_dir
from core.schema.assemble import PathRule
from core.schema.model import Argument, Kind

_NEVER_SECRET = frozenset({Kind.FLAG, Kind.SWITCH, Kind.INT, Kind.SIZE, Kind.FLOAT, Kind.CHOICE})


class Level(StrEnum):
    """How soon a person meets an argument; each level holds the ones before it."""

    ESSENTIAL = "essential"
    TUNING = "tuning"
    EVERYTHING = "everything"

    @property
    def rank(self) -> int:
        """0 for the first level."""
        return list(Level).index(self)


class ArticleTerm(msgspec.Struct, frozen=True):
    """A word that people arrive with, and what vLLM has in its place.

    Attributes:
        name: as it was read somewhere (`prefill_workers`).
        arguments: names of the arguments to use instead, the best first; empty when vLLM has nothing of the kind.
        text: the plain explanation.
        environment: variables that matter too.
    """

    name: str
    arguments: tuple[str, ...]
    text: str
    environment: tuple[str, ...] = ()


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    level: Level | None = None
    label: str = ""
    words: tuple[str, ...] = ()
    note: str = ""


class _Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    match: str
    level: Level | None = None
    words: tuple[str, ...] = ()


class _GroupTitle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    title: str


class _Secrets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    environment: dict[str, str]
    patterns: tuple[str, ...]


class _Paths(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"exceptions": "except"}):
    match: tuple[str, ...]
    exceptions: tuple[str, ...]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: tuple[_GroupTitle, ...]
    arguments: dict[str, _Entry]
    patterns: tuple[_Pattern, ...]
    words_in_labels: dict[str, str]
    secrets: _Secrets
    paths: _Paths
    terms: tuple[ArticleTerm, ...]


class Overlay:
    """The curated table, ready to be asked.

    Attributes:
        article_terms: words that people arrive with, among them those of settings that vLLM lacks.
        is_path: tells by name which texts are paths.
    """

    def __init__(self, table: _Table) -> None:
        self._table = table
        self._titles = {group.name: group.title for group in table.groups}
        self._order = {group.name: place for place, group in enumerate(table.groups)}
        self.article_terms: tuple[ArticleTerm, ...] = table.terms
        self.is_path = PathRule(table.paths.match, table.paths.exceptions)

    def level(self, argument: Argument) -> Level:
        """How important the argument is to somebody with one graphics card."""
        entry = self._table.arguments.get(argument.name)
        if entry is not None and entry.level is not None:
            return entry.level
        matching = (pattern.level for pattern in self._patterns(argument.name) if pattern.level is not None)
        return next(matching, Level.EVERYTHING)

    def group_title(self, group: str) -> str:
        """The group in plain words; its own name when the table does not know it."""
        return self._titles.get(group) or group.removesuffix("Config") or group

    def group_order(self, groups: Iterable[str]) -> list[str]:
        """Group names as a person looks for them; unknown ones last, in the order given."""
        return sorted(groups, key=lambda name: self._order.get(name, len(self._order)))

    def label(self, argument: Argument) -> str:
        """The argument's name for a person; made from the engine's name where the table has none."""
        entry = self._table.arguments.get(argument.name)
        if entry is not None and entry.label:
            return entry.label
        names = [word for word in argument.name.split("_") if word]
        words = [self._table.words_in_labels.get(word, word) for word in names]
        if words and words[0].islower():
            words[0] = words[0].capitalize()
        return " ".join(words) or argument.name

    def aliases(self, name: str) -> tuple[str, ...]:
        """Other words under which people look for the argument of this name."""
        entry = self._table.arguments.get(name)
        words = list(entry.words) if entry is not None else []
        words += [word for pattern in self._patterns(name) for word in pattern.words]
        return tuple(dict.fromkeys(words))

    def note(self, name: str) -> str:
        """Our own plain explanation of the argument of this name; empty where the engine's text is enough."""
        entry = self._table.arguments.get(name)
        return entry.note if entry is not None else ""

    def is_secret(self, argument: Argument) -> bool:
        """Whether the value must never be shown, logged or written on a command line."""
        if argument.kind in _NEVER_SECRET:
            return False
        secrets = self._table.secrets
        return argument.name in secrets.environment or any(
            fnmatchcase(argument.name, pattern) for pattern in secrets.patterns
        )

    def secret_environment(self, name: str) -> str | None:
        """The environment variable by which the engine takes this secret; None when it takes it by no variable."""
        return self._table.secrets.environment.get(name)

    def known_names(self) -> Mapping[str, Level | None]:
        """Names in the table with their level; for tests that look for names that no engine has any more."""
        return {name: entry.level for name, entry in self._table.arguments.items()}

    def _patterns(self, name: str) -> Iterable[_Pattern]:
        return (pattern for pattern in self._table.patterns if fnmatchcase(name, pattern.match))


@lru_cache(maxsize=1)
def load_overlay() -> Overlay:
    """The table from the assets.

    Raises:
        OSError, msgspec.DecodeError: the installation is damaged.
    """
    return Overlay(msgspec.json.decode((assets_dir() / "overlay.json").read_bytes(), type=_Table))
