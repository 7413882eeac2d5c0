"""Draws the conclusions from the probe's facts: which kind an argument is, and what its values are.

The facts are what `scripts/probe_vllm.py` prints. Nothing here knows an argument by name: kinds follow from the
parser's action, the converter, the annotation and the default, so that arguments of future versions find their kind.
"""

import re
import textwrap
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from core.schema.model import (
    Argument,
    ArgumentSchema,
    Default,
    DefaultState,
    EnvironmentVariable,
    Field,
    Group,
    Kind,
    Value,
)

Facts = Mapping[str, Any]

_CONVERTERS = {
    "int": Kind.INT,
    "float": Kind.FLOAT,
    "str": Kind.TEXT,
    "human_readable_int": Kind.SIZE,
    "human_readable_int_or_auto": Kind.SIZE,
    "json.loads": Kind.JSON,
    "parse_dataclass": Kind.JSON,
    "union_dict_and_str": Kind.JSON,
    "nullable_kvs": Kind.MAPPING,
}
"""What a converter's innermost known function makes of the text."""

_FLAG_ACTIONS = frozenset({"StoreTrueAction", "StoreFalseAction", "HelpAction"})
_COLLECTIONS = frozenset({"list", "tuple", "set", "frozenset"})
_DEPRECATED = re.compile(r"^\W*deprecated\b|^\S+ is deprecated\b", re.IGNORECASE)

_REFERENCE = re.compile(r"\[(`[^`\]]+`)\]\[[^\]]*\]")


class PathRule:
    """Tells by name which texts are paths, since the engine's parser does not.

    Args:
        match: patterns of names that are paths.
        exceptions: patterns of names that only look like it.
    """

    def __init__(self, match: Sequence[str] = (), exceptions: Sequence[str] = ()) -> None:
        self._match = tuple(match)
        self._exceptions = tuple(exceptions)

    def __call__(self, name: str) -> bool:
        """Whether the text of this argument or field is a path."""
        return any(fnmatchcase(name, pattern) for pattern in self._match) and not any(
            fnmatchcase(name, pattern) for pattern in self._exceptions
        )


def assemble(facts: Facts, is_path: PathRule) -> ArgumentSchema:
    """The schema of one engine.

    Raises:
        KeyError, TypeError, ValueError: the facts are not what the probe prints.
    """
    return ArgumentSchema(
        engine_version=facts["engine_version"],
        distribution=facts["distribution"],
        backend=facts["backend"],
        python_version=facts["python_version"],
        torch_version=facts["torch_version"],
        layout=facts["layout"],
        groups=tuple(Group(group["name"], group["help"]) for group in facts["groups"]),
        arguments=tuple(_argument(item, is_path) for item in facts["arguments"]),
        environment=tuple(
            EnvironmentVariable(
                name=item["name"],
                help=item["help"],
                type=item["type"],
                default=item["default"],
                choices=tuple(item["choices"]),
            )
            for item in facts["environment"]
        ),
    )


def _argument(facts: Facts, is_path: PathRule) -> Argument:
    name: str = facts["name"]
    tree: Facts | None = facts["tree"]
    chain: list[str] = facts["converter"]["chain"]
    shape = _Shape(facts, tree)
    kind, item = shape.kind, shape.item
    suggestions = tuple(dict.fromkeys([*facts["metavar"], *facts["words"], *_enum_words(tree)]))
    if kind is Kind.TEXT and not suggestions and is_path(name):
        kind = Kind.PATH
    structured = facts["class"] if Kind.JSON in (kind, item) else None
    negative: list[str] = facts["negative"]
    optional = "_optional_type" in chain
    # Up to 0.14 the word None stands among the choices, and yet the parser refuses it.
    no_choice = (None, "None") if optional else (None,)
    nullable = optional and (not facts["choices"] or None in facts["choices"])
    text = _markdown(facts["help"])
    return Argument(
        name=name,
        flags=_long_first([word for word in facts["spellings"] if word not in negative]),
        negative_flags=_long_first(negative),
        group=facts["group"],
        kind=kind,
        type=_type_text(facts, chain),
        choices=tuple(choice for choice in facts["choices"] or () if choice not in no_choice),
        suggestions=suggestions,
        default=_default(facts["default"], kind, facts["choices"] or ()),
        nargs=facts["nargs"] if kind is not Kind.FLAG and kind is not Kind.SWITCH else "",
        const=facts["const"],
        required=facts["required"],
        repeatable=facts["action"] == "AppendAction",
        item=item,
        separator="," if facts["converter"].get("splits") else "",
        plain_text="union_dict_and_str" in chain or (kind is Kind.LIST and item is Kind.JSON),
        nullable=nullable,
        auto="human_readable_int_or_auto" in chain,
        help=text or _own_text(facts, structured),
        own_help=not text,
        deprecated=facts["deprecated"] or bool(_DEPRECATED.search(text)),
        json_class=structured["name"] if structured else "",
        fields=_fields(structured, is_path),
    )


class _Shape:
    """Kind of an argument, and of its items where it is a list."""

    def __init__(self, facts: Facts, tree: Facts | None) -> None:
        self.item = Kind.TEXT
        self.kind = self._kind(facts, tree)

    def _kind(self, facts: Facts, tree: Facts | None) -> Kind:
        action, nargs = facts["action"], facts["nargs"]
        if action == "BooleanOptionalAction":
            return Kind.SWITCH
        if action in _FLAG_ACTIONS or nargs == "0":
            return Kind.FLAG
        scalar = self._scalar(facts, tree)
        if action == "AppendAction" or nargs not in ("", "?"):
            custom = action not in ("AppendAction", "StoreAction") and facts["class"] is not None
            self.item = Kind.JSON if custom else scalar
            return Kind.LIST
        if facts["converter"].get("splits"):
            self.item = _tree_kind(_item_tree(tree))
            return Kind.LIST
        return scalar

    @staticmethod
    def _scalar(facts: Facts, tree: Facts | None) -> Kind:
        if facts["choices"]:
            return Kind.CHOICE
        chain: list[str] = facts["converter"]["chain"]
        if not chain:
            return Kind.TEXT
        for name in reversed(chain):
            if name in _CONVERTERS:
                return _CONVERTERS[name]
        if tree is not None and _tree_kind(tree) in (Kind.TEXT, Kind.INT, Kind.FLOAT):
            return _tree_kind(tree)
        if isinstance(facts["default"].get("value"), int):
            return Kind.INT
        return Kind.RAW


def _long_first(spellings: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(spellings, key=lambda word: not word.startswith("--")))


def _markdown(text: str) -> str:
    """The engine's text without what Markdown would misread: indented paragraphs are no code in a docstring, and
    references lead into a documentation that is not here."""
    text = _REFERENCE.sub(r"\1", text)
    paragraphs = re.split(r"\n[ \t]*\n", text.strip("\n").rstrip())
    return "\n\n".join(_dedent(paragraph) for paragraph in paragraphs)


def _dedent(paragraph: str) -> str:
    if "```" in paragraph:
        return paragraph
    first, *rest = paragraph.split("\n")
    return "\n".join((first.strip(), *textwrap.dedent("\n".join(rest)).split("\n"))) if rest else first.strip()


def _default(facts: Facts, kind: Kind, choices: Sequence[Value] = ()) -> Default:
    value: Value = facts.get("value")
    if kind is Kind.CHOICE and value == "" and value not in choices:
        return Default()
    if kind is Kind.FLOAT and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind in (Kind.TEXT, Kind.PATH, Kind.RAW) and isinstance(value, int) and not isinstance(value, bool):
        # The parser takes text; a number as default is an object that the engine makes of such a text.
        value = str(value)
    return Default(DefaultState(facts["state"]), value, facts.get("text", ""))


def _type_text(facts: Facts, chain: Sequence[str]) -> str:
    wrappers = ("_optional_type", "_parse_type", "<lambda>")
    names = [name for name in chain if name not in wrappers]
    return names[0] if names else str(facts["action"] if facts["nargs"] == "0" else "str")


def _own_text(facts: Facts, structured: Facts | None) -> str:
    """A sentence for an argument about which the engine says nothing."""
    if structured and structured.get("help"):
        return str(structured["help"]).split("\n\n", maxsplit=1)[0]
    words = facts["name"].replace("_", " ").strip()
    return f"The engine gives no text for this setting ({words})."


def _fields(tree: Facts | None, is_path: PathRule) -> tuple[Field, ...]:
    if tree is None:
        return ()
    return tuple(_field(item, is_path) for item in tree.get("fields", ()))


def _field(facts: Facts, is_path: PathRule) -> Field:
    tree: Facts = facts["tree"]
    kind = _tree_kind(tree)
    parts = _parts(tree)
    items = _item_tree(tree) if kind is Kind.LIST else None
    if kind is Kind.TEXT and is_path(facts["name"]):
        kind = Kind.PATH
    words = _words(tree if kind is not Kind.LIST else items)
    nested = next((part for part in parts if part["is"] == "class"), None)
    return Field(
        name=facts["name"],
        kind=kind,
        type=facts["type"],
        default=_default(facts["default"], kind, words),
        choices=words if kind is Kind.CHOICE or kind is Kind.LIST else (),
        suggestions=tuple(str(word) for word in words) if kind in (Kind.TEXT, Kind.RAW) else (),
        item=_tree_kind(items) if items is not None else Kind.TEXT,
        plain_text=kind is Kind.JSON and (facts["loose"] or any(part["is"] == "str" for part in parts)),
        required=bool(facts["default"].get("required")),
        help=_markdown(facts["help"]),
        fields=_fields(nested, is_path),
    )


def _parts(tree: Facts) -> list[Facts]:
    """The members of a union, `None` left out; unions within unions are opened."""
    if tree["is"] != "union":
        return [] if tree["is"] == "none" else [tree]
    return [part for member in tree["of"] for part in _parts(member)]


_PLAIN = {"bool": Kind.SWITCH, "int": Kind.INT, "float": Kind.FLOAT, "str": Kind.TEXT, "path": Kind.PATH}


def _tree_kind(tree: Facts | None) -> Kind:
    """The kind of a value with this annotation."""
    names = {part["is"] for part in _parts(tree)} if tree is not None else set()
    if len(names) == 1 and (plain := _PLAIN.get(next(iter(names)))):
        return plain
    if names == {"int", "float"}:
        return Kind.FLOAT
    if names and names <= {"literal", "enum"}:
        return Kind.CHOICE
    if names in ({"path", "str"}, {"literal", "str"}, {"enum", "str"}):
        return Kind.PATH if "path" in names else Kind.TEXT
    if names and names <= _COLLECTIONS:
        return Kind.LIST
    if names and names <= {"dict", "class", "str"}:
        return Kind.JSON
    return Kind.RAW


def _item_tree(tree: Facts | None) -> Facts | None:
    """The annotation of a collection's elements."""
    for part in _parts(tree) if tree is not None else ():
        if part["is"] in _COLLECTIONS and part["of"]:
            return {"is": "union", "of": part["of"]}
    return None


def _words(tree: Facts | None) -> tuple[Value, ...]:
    """The values that literals and enums allow."""
    found: list[Value] = []
    for part in _parts(tree) if tree is not None else ():
        if part["is"] in ("literal", "enum"):
            found += [value for value in part["values"] if value is not None and value not in found]
    return tuple(found)


def _enum_words(tree: Facts | None) -> list[str]:
    """Words of an enum that the parser takes as free text and the engine checks later."""
    parts = _parts(tree) if tree is not None else ()
    return [str(value) for part in parts if part["is"] == "enum" for value in part["values"]]
