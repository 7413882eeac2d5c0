"""From a value to the words of a command line, such that the engine's parser reads the same value back."""

import json

from core.schema.model import Argument, Kind, Value


def to_argv(argument: Argument, value: Value) -> list[str]:
    """The words that set this argument: flag and value, the negative flag, or the value alone for a positional.

    The value must have passed `check_value`. Values that start with `-` are joined to the flag, since the parser
    would take them for a flag of their own.
    """
    if argument.positional:
        return [_word(argument, value)]
    flag = argument.flag
    if argument.kind is Kind.FLAG:
        return [flag] if value is True else []
    if argument.kind is Kind.SWITCH and isinstance(value, bool):
        return [flag] if value else list(argument.negative_flags[:1])
    if argument.nargs == "?" and argument.const is not None and value == argument.const:
        return [flag]
    if argument.kind is Kind.LIST and isinstance(value, list):
        return _list_words(argument, value)
    return _joined(flag, _word(argument, value))


def _list_words(argument: Argument, value: list[Value]) -> list[str]:
    items = [_plain(item) for item in value]
    if argument.separator:
        return _joined(argument.flag, argument.separator.join(items))
    if argument.repeatable:
        return [word for item in items for word in _joined(argument.flag, item)]
    if len(items) == 1:
        return _joined(argument.flag, items[0])
    return [argument.flag, *items]


def _joined(flag: str, word: str) -> list[str]:
    return [f"{flag}={word}"] if word.startswith("-") else [flag, word]


def _word(argument: Argument, value: Value) -> str:
    if value is None:
        return "None" if argument.nullable else "null"
    if argument.kind is Kind.SIZE and argument.auto and value == -1:
        return "auto"
    if argument.kind is Kind.JSON and not (argument.plain_text and isinstance(value, str)):
        return _compact(value)
    if argument.kind is Kind.MAPPING and isinstance(value, dict):
        return ",".join(f"{key}={_plain(item)}" for key, item in value.items())
    return _plain(value)


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else _compact(value)


def _compact(value: Value) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
