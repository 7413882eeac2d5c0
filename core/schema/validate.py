"""What is wrong with a value, in words for its row."""

import difflib

from core.schema.model import Argument, Field, Kind, Value

Spec = Argument | Field

_WORDS = {
    Kind.FLAG: "true",
    Kind.SWITCH: "true or false",
    Kind.INT: "a whole number",
    Kind.SIZE: "a whole number",
    Kind.FLOAT: "a number",
    Kind.TEXT: "a text",
    Kind.PATH: "a path",
    Kind.LIST: "a list",
    Kind.MAPPING: "KEY=VALUE pairs",
}


def check_value(argument: Spec, value: Value) -> str | None:
    """The reason why the engine would not take this value, or None when nothing speaks against it."""
    if isinstance(argument, Argument):
        if value is None:
            null = argument.kind is Kind.JSON and not argument.plain_text and not argument.fields
            return None if argument.nullable or null else "There is no value."
        if argument.nargs == "?" and argument.const is not None and value == argument.const:
            return None
        return _check(argument, value) or _check_words(argument, value)
    return None if value is None else _check(argument, value)


def _check(argument: Spec, value: Value) -> str | None:
    kind = argument.kind
    if kind is Kind.CHOICE:
        return _check_choice(argument, value)
    if kind is Kind.LIST:
        return _check_list(argument, value)
    if kind is Kind.JSON:
        return _check_json(argument, value)
    if kind is Kind.RAW:
        return None if isinstance(argument, Field) or isinstance(value, str) else "Expected a text."
    if not _fits(kind, value):
        return f"Expected {_WORDS[kind]}."
    if kind is Kind.FLAG and value is False:
        return "This flag can only be set or left out."
    if kind is Kind.SIZE and isinstance(value, int) and value < 0:
        auto = isinstance(argument, Argument) and argument.auto and value == -1
        return None if auto else "A size cannot be negative."
    return None


def _fits(kind: Kind, value: Value) -> bool:
    if kind in (Kind.FLAG, Kind.SWITCH):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind in (Kind.INT, Kind.SIZE):
        return isinstance(value, int)
    if kind is Kind.FLOAT:
        return isinstance(value, int | float)
    if kind is Kind.MAPPING:
        return isinstance(value, dict)
    return isinstance(value, str)


def _check_choice(argument: Spec, value: Value) -> str | None:
    if any(choice == value and isinstance(choice, bool) == isinstance(value, bool) for choice in argument.choices):
        return None
    close = difflib.get_close_matches(str(value), [str(choice) for choice in argument.choices], n=1)
    return f"{value} is not one of the choices." + (f" Did you mean {close[0]}?" if close else "")


def _check_list(argument: Spec, value: Value) -> str | None:
    if not isinstance(value, list):
        return "Expected a list."
    for item in value:
        if argument.choices and (message := _check_choice(argument, item)):
            return message
        known = argument.item not in (Kind.RAW, Kind.JSON, Kind.CHOICE, Kind.LIST)
        if known and not _fits(argument.item, item):
            return f"{item} is not {_WORDS[argument.item]}."
        if argument.item is Kind.JSON and isinstance(item, dict) and (message := _check_fields(argument, item)):
            return message
    return None


def _check_json(argument: Spec, value: Value) -> str | None:
    if isinstance(value, str) and argument.plain_text:
        return None
    if not argument.fields:
        return None
    if not isinstance(value, dict):
        return "Expected an object with the fields of this setting."
    return _check_fields(argument, value)


def _check_fields(argument: Spec, value: dict[str, Value]) -> str | None:
    fields = {field.name: field for field in argument.fields}
    for key, item in value.items():
        if fields and key not in fields:
            close = difflib.get_close_matches(key, fields, n=1)
            return f"There is no field {key}." + (f" Did you mean {close[0]}?" if close else "")
        if fields and (message := check_value(fields[key], item)):
            return f"{key}: {message}"
    return None


def _check_words(argument: Argument, value: Value) -> str | None:
    """What a command line cannot carry."""
    if argument.kind is Kind.LIST and isinstance(value, list):
        return _check_list_words(argument, value)
    if not isinstance(value, str):
        return None
    if argument.positional and value.startswith("-"):
        return "This cannot start with a minus sign."
    if argument.nullable and value == "":
        return None
    return _check_word(value)


def _check_list_words(argument: Argument, value: list[Value]) -> str | None:
    if not value:
        return "Give at least one item."
    if argument.nargs.isdigit() and len(value) != int(argument.nargs):
        return f"Give exactly {argument.nargs} items."
    texts = [item for item in value if isinstance(item, str)]
    if argument.nullable and any(text in ("", "None") for text in texts):
        return "An item that is empty or None is no item to the engine."
    if argument.separator and any(argument.separator in text for text in texts):
        return f"An item cannot contain {argument.separator!r}."
    alone = argument.repeatable or len(value) == 1
    if not alone and not argument.separator and any(text.startswith("-") for text in texts):
        return "An item that starts with a minus sign can only be given alone."
    return next((message for text in texts if (message := _check_word(text))), None)


def _check_word(text: str) -> str | None:
    if "\0" in text:
        return "A command line cannot carry a NUL character."
    try:
        text.encode()
    except UnicodeEncodeError:
        return "The text holds a character that cannot be written."
    return None
