"""Words of the form that depend on data: defaults and summaries."""

import re

from PySide6.QtCore import QCoreApplication

from core.schema.kinds import Spec, format_text
from core.schema.model import Default, DefaultState, Kind, Value

_LINK = re.compile(r"\[([^\]]+)\](?:\([^)\s]+\)|\[[^\]]*\])")
_MARKS = re.compile(r"`+|\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_EMPTY_IS_NONE = frozenset({Kind.TEXT, Kind.PATH, Kind.LIST, Kind.MAPPING, Kind.JSON, Kind.RAW})


def tr(text: str) -> str:
    """Translate a word of the form."""
    return QCoreApplication.translate("form", text)


def summary(markdown: str) -> str:
    """The first paragraph as one plain line, without marks of Markdown."""
    lines: list[str] = []
    for line in markdown.strip().splitlines():
        if not line.strip() or (lines and _LIST_ITEM.match(line)):
            break
        lines.append(line.strip())
    return _MARKS.sub("", _LINK.sub(r"\1", " ".join(lines)))


def has_rest(markdown: str) -> bool:
    """Whether the text goes on after its first paragraph."""
    lines = markdown.strip().splitlines()
    return any(not line.strip() or (place and _LIST_ITEM.match(line)) for place, line in enumerate(lines))


def value_words(spec: Spec, value: Value) -> str:
    """A value in words, short, for a person."""
    if value is True:
        return tr("on")
    if value is False:
        return tr("off")
    if value is None:
        return tr("none")
    if value == "":
        return tr("empty text")
    if value == []:
        return tr("empty list")
    if value == {}:
        return tr("empty object")
    return format_text(spec, value).strip().replace("\n", ", ")


def default_words(spec: Spec) -> str:
    """What the engine takes where nothing is set."""
    default: Default = spec.default
    if getattr(spec, "required", False) and default.state is DefaultState.NONE:
        return tr("must be given")
    if default.state is DefaultState.VALUE:
        return value_words(spec, default.value)
    if default.state is DefaultState.COMPUTED:
        return " ".join(default.text.split()) or tr("worked out by the engine")
    if default.state is DefaultState.SUPPRESSED:
        return tr("left out")
    return tr("none") if spec.kind in _EMPTY_IS_NONE else tr("decided by the engine")


def placeholder(spec: Spec) -> str:
    """What an empty line shows in grey: the value that holds while nothing is set, where there is one to be told."""
    default = spec.default
    told = default.state is DefaultState.VALUE and default.value not in (None, "", [], {})
    return default_words(spec) if told else ""


def escape(text: str) -> str:
    """Text as it stands in rich text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
