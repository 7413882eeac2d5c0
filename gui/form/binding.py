"""Where a row's value lives: an argument, an environment variable, or a field inside a JSON value."""

from collections.abc import Mapping
from typing import Protocol

from core.schema.kinds import format_text, parse_text
from core.schema.model import Field, Kind, Value


class DocumentPort(Protocol):
    """What the form asks of the document; `ConfigDocument` is one."""

    @property
    def values(self) -> Mapping[str, Value]:
        """What is set, by argument name."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables that are set."""

    def is_set(self, name: str) -> bool:
        """Whether the argument has a value of its own."""

    def value(self, name: str) -> Value:
        """The argument's own value; None when unset."""

    def set(self, name: str, value: Value) -> None:
        """Set one argument."""

    def reset(self, name: str) -> None:
        """Leave one argument to the engine."""

    def set_environment(self, name: str, value: str) -> None:
        """Set one environment variable."""

    def reset_environment(self, name: str) -> None:
        """Leave one environment variable alone."""


class Binding(Protocol):
    """One value that can be set and reset."""

    def is_set(self) -> bool:
        """Whether there is a value of its own."""

    def value(self) -> Value:
        """The value; None when unset."""

    def write(self, value: Value) -> None:
        """Set it."""

    def reset(self) -> None:
        """Unset it."""


class ArgumentBinding:
    """An argument of the engine.

    Args:
        port: the document.
        name: the argument's name.
    """

    def __init__(self, port: DocumentPort, name: str) -> None:
        self._port = port
        self._name = name

    def is_set(self) -> bool:
        """Whether the document has the name."""
        return self._port.is_set(self._name)

    def value(self) -> Value:
        """The document's value."""
        return self._port.value(self._name)

    def write(self, value: Value) -> None:
        """Set it in the document."""
        self._port.set(self._name, value)

    def reset(self) -> None:
        """Take it out of the document."""
        self._port.reset(self._name)


class EnvironmentBinding:
    """An environment variable: text in the document, a value of its kind in the row.

    Args:
        port: the document.
        field: the variable's name and kind.
    """

    def __init__(self, port: DocumentPort, field: Field) -> None:
        self._port = port
        self._field = field

    def is_set(self) -> bool:
        """Whether the document has the variable."""
        return self._field.name in self._port.environment

    def value(self) -> Value:
        """The text as a value; the text itself where it does not fit the kind."""
        text = self._port.environment.get(self._field.name)
        if text is None:
            return None
        try:
            return parse_text(self._field, text)
        except ValueError:
            return text

    def write(self, value: Value) -> None:
        """Set the variable to the value as text; on and off are 1 and 0, which every reader of variables knows."""
        switch = self._field.kind is Kind.SWITCH and isinstance(value, bool)
        text = str(int(bool(value))) if switch else format_text(self._field, value)
        self._port.set_environment(self._field.name, text)

    def reset(self) -> None:
        """Take the variable out of the document."""
        self._port.reset_environment(self._field.name)


class FieldBinding:
    """One key of an object that another binding holds. Resetting the last key resets the object.

    Args:
        parent: holds the object.
        name: the key.
    """

    def __init__(self, parent: Binding, name: str) -> None:
        self._parent = parent
        self._name = name

    def is_set(self) -> bool:
        """Whether the object has the key."""
        return self._name in self._object()

    def value(self) -> Value:
        """The key's value."""
        return self._object().get(self._name)

    def write(self, value: Value) -> None:
        """Put the key into the object; a value that is no object gives way."""
        self._parent.write({**self._object(), self._name: value})

    def reset(self) -> None:
        """Take the key out of the object."""
        rest = {key: value for key, value in self._object().items() if key != self._name}
        if rest:
            self._parent.write(rest)
        else:
            self._parent.reset()

    def _object(self) -> dict[str, Value]:
        value = self._parent.value()
        return value if isinstance(value, dict) else {}
