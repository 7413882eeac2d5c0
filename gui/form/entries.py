"""One entry for everything that gets a row: arguments, environment variables, fields of JSON values."""

from enum import Enum
from functools import cached_property

import msgspec

from core.config.json_values import same_value
from core.config.masking import is_secret_variable
from core.schema.kinds import Spec, parse_text
from core.schema.model import Argument, ArgumentSchema, Default, DefaultState, EnvironmentVariable, Field, Kind, Value
from core.schema.overlay import Level, Overlay
from gui.form.binding import ArgumentBinding, Binding, DocumentPort, EnvironmentBinding, FieldBinding
from gui.form.texts import default_words, has_rest, summary, tr

ENVIRONMENT_GROUP = "environment variables"
_TYPE_KINDS = {"bool": Kind.SWITCH, "int": Kind.INT, "float": Kind.FLOAT}


class Source(Enum):
    """Where the value of a row lives."""

    ARGUMENT = "argument"
    ENVIRONMENT = "environment"
    FIELD = "field"


class Entry(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What one row shows and edits. Texts are made when they are first asked for.

    Attributes:
        key: unique in the form: the argument's name, `env:NAME`, or the parent's key with `.field`.
        spec: kind, default, choices.
        binding: where the value lives.
        flag: what the engine calls it; empty where the label says it.
        group: key of the group; empty for what the engine does not know.
        group_title: the group for a person.
        overlay: labels, notes, secrets.
        parent: the object whose field this is.
    """

    key: str
    spec: Spec
    binding: Binding
    flag: str
    group: str
    group_title: str
    level: Level
    source: Source
    overlay: Overlay
    parent: "Entry | None" = None

    @cached_property
    def label(self) -> str:
        """Name for a person."""
        if self.source is Source.ENVIRONMENT:
            return self.spec.name
        return self.overlay.label(self.spec if isinstance(self.spec, Argument) else Argument(self.spec.name))

    @cached_property
    def note(self) -> str:
        """Our own explanation; empty where there is none."""
        return self.overlay.note(self.spec.name) if self.source is Source.ARGUMENT else ""

    @cached_property
    def secret(self) -> bool:
        """Whether the value is shown masked."""
        if isinstance(self.spec, Argument):
            return self.overlay.is_secret(self.spec)
        return is_secret_variable(self.spec.name) or (self.parent is not None and self.parent.secret)

    @property
    def depth(self) -> int:
        """0 for a row of its own, one more for each object around it."""
        return self.parent.depth + 1 if self.parent is not None else 0

    @cached_property
    def summary(self) -> str:
        """One plain line: our explanation, or the first paragraph of the engine's."""
        return summary(self.note or self.spec.help)

    @cached_property
    def has_more(self) -> bool:
        """Whether there is text beyond the summary."""
        return bool(self.note and self.spec.help) or has_rest(self.note or self.spec.help)

    @cached_property
    def default(self) -> str:
        """The engine's default in words."""
        return default_words(self.spec)

    @cached_property
    def tooltip(self) -> str:
        """Every spelling of the flag, and the type as the engine writes it."""
        spec = self.spec
        spellings = [*spec.flags, *spec.negative_flags] if isinstance(spec, Argument) else []
        lines = [", ".join(spellings) or self.flag]
        if spec.type:
            lines.append(tr("type: {0}").format(spec.type))
        return "\n".join(lines)

    @property
    def block(self) -> bool:
        """Whether its editor takes the whole width of the row."""
        return self.spec.kind is Kind.JSON and not self.secret

    @property
    def deprecated(self) -> bool:
        """Whether the engine warns when it is used."""
        return isinstance(self.spec, Argument) and self.spec.deprecated

    @property
    def argument(self) -> str:
        """Name of the argument that this belongs to; empty for a variable."""
        return "" if self.source is Source.ENVIRONMENT else self.key.split(".", 1)[0]

    def is_default(self, value: Value) -> bool:
        """Whether a value is what the engine would take anyway."""
        default = self.spec.default
        return default.state is DefaultState.VALUE and same_value(default.value, value)


def argument_entries(schema: ArgumentSchema, overlay: Overlay, port: DocumentPort) -> list[Entry]:
    """One entry for every argument, in the schema's order."""
    return [
        Entry(
            key=argument.name,
            spec=argument,
            binding=ArgumentBinding(port, argument.name),
            flag=argument.flag,
            group=argument.group,
            group_title=overlay.group_title(argument.group),
            level=overlay.level(argument),
            source=Source.ARGUMENT,
            overlay=overlay,
        )
        for argument in schema.arguments
    ]


def environment_entries(schema: ArgumentSchema, overlay: Overlay, port: DocumentPort) -> list[Entry]:
    """One entry for every environment variable, in the schema's order."""
    return [environment_entry(variable, overlay, port) for variable in schema.environment]


def field_entries(parent: Entry) -> list[Entry]:
    """One entry for every field of the class behind a JSON value."""
    return [
        Entry(
            key=f"{parent.key}.{field.name}",
            spec=field,
            binding=FieldBinding(parent.binding, field.name),
            flag=field.name,
            group=parent.group,
            group_title=parent.group_title,
            level=parent.level,
            source=Source.FIELD,
            overlay=parent.overlay,
            parent=parent,
        )
        for field in parent.spec.fields
    ]


def environment_entry(variable: EnvironmentVariable, overlay: Overlay, port: DocumentPort) -> Entry:
    """The entry of one environment variable."""
    field = _environment_field(variable)
    return Entry(
        key=f"env:{variable.name}",
        spec=field,
        binding=EnvironmentBinding(port, field),
        flag="",
        group=ENVIRONMENT_GROUP,
        group_title=tr("Environment variables"),
        level=Level.EVERYTHING,
        source=Source.ENVIRONMENT,
        overlay=overlay,
    )


def _environment_field(variable: EnvironmentVariable) -> Field:
    kind = _TYPE_KINDS.get(variable.type.removesuffix(" | None"), Kind.TEXT)
    if variable.choices:
        kind = Kind.CHOICE
    field = Field(variable.name, kind=kind, type=variable.type, choices=variable.choices, help=variable.help)
    if not variable.default:
        return field
    try:
        default = Default(DefaultState.VALUE, parse_text(field, variable.default))
    except ValueError:
        default = Default(DefaultState.COMPUTED, text=variable.default)
    return Field(field.name, kind, field.type, default, field.choices, help=field.help)
