"""One converter for each kind: from text to value, back to text, to the command line, and what is wrong with a value.

Every row of the form, every profile and every command line goes through these functions, so that a value means the
same everywhere.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import NoReturn

from core.schema.argv import to_argv
from core.schema.model import Argument, Field, Kind, Value
from core.schema.nesting import nested_too_deeply
from core.schema.quantities import parse_real, parse_whole
from core.schema.validate import check_value

__all__ = ["Spec", "check_value", "format_text", "parse_text", "to_argv"]

Spec = Argument | Field

AUTO = -1
"""What vLLM makes of the word `auto` in a size."""

_TOO_DEEP = "Not valid JSON: nested too deeply."
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_OBJECT = re.compile(r"\s*\{.*\}\s*", re.DOTALL)


def parse_text(argument: Spec, text: str) -> Value:
    """The value that a person means by this text.

    Raises:
        ValueError: the text does not fit the kind; the message is fit for the row.
    """
    if isinstance(argument, Argument):
        if argument.nullable and text.strip() == "None":
            return None
        if argument.nargs == "?" and argument.const is not None and text.strip().lower() == str(argument.const).lower():
            return argument.const
    return _PARSERS[argument.kind](argument, text)


def format_text(argument: Spec, value: Value) -> str:
    """The text that `parse_text` turns into this value again."""
    if value is None:
        return "None" if isinstance(argument, Argument) and argument.nullable else "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if argument.kind is Kind.LIST and isinstance(value, list):
        return _format_list(argument, value)
    if argument.kind is Kind.MAPPING and isinstance(value, dict):
        return _format_mapping(argument, value)
    if argument.kind is Kind.SIZE and isinstance(argument, Argument) and argument.auto and value == AUTO:
        return "auto"
    return _format_one(argument.kind, value, plain_text=argument.plain_text, free=isinstance(argument, Field))


def _format_one(kind: Kind, value: Value, *, plain_text: bool, free: bool) -> str:
    if isinstance(value, str):
        if kind is Kind.JSON and not plain_text:
            return compact(value)
        if kind is Kind.RAW and free and _json_or_text(value) != value:
            return compact(value)
        return value
    if isinstance(value, float) and kind is not Kind.JSON:
        return repr(value)
    return compact(value)


def compact(value: Value) -> str:
    """JSON on one line without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _format_list(argument: Spec, value: list[Value]) -> str:
    items = [_format_one(argument.item, item, plain_text=True, free=True) for item in value]
    candidates = []
    if not any(re.search(r"[,\s]", item) for item in items):
        candidates.append(",".join(items))
    candidates.append("".join(f"{item}\n" for item in items))
    return _first_that_returns(argument, value, candidates)


def _format_mapping(argument: Spec, value: dict[str, Value]) -> str:
    pairs = [f"{key}={item}" for key, item in value.items()]
    candidates = []
    if not any(re.search(r"[,\s]", pair) for pair in pairs):
        candidates.append(",".join(pairs))
    candidates.append("".join(f"{pair}\n" for pair in pairs))
    return _first_that_returns(argument, value, candidates)


def _first_that_returns(argument: Spec, value: Value, candidates: Iterable[str]) -> str:
    """The most readable text that means this very value; JSON always does."""
    for text in candidates:
        try:
            if _identical(parse_text(argument, text), value):
                return text
        except ValueError:
            continue
    return compact(value)


def _identical(left: Value, right: Value) -> bool:
    # 1, 1.0 and true are equal in Python and three different things to an engine.
    return compact(left) == compact(right)


# --- text to value, kind by kind --------------------------------------------------------------------------------


def _parse_switch(_argument: Spec, text: str) -> Value:
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError("Enter true or false.")


def _parse_whole(_argument: Spec, text: str) -> Value:
    return parse_whole(text)


def _parse_size(argument: Spec, text: str) -> Value:
    auto = isinstance(argument, Argument) and argument.auto
    if auto and text.strip().lower() in ("auto", str(AUTO)):
        return AUTO
    try:
        number = parse_whole(text)
    except ValueError as error:
        raise ValueError(f"{error} The word auto is accepted too." if auto else str(error)) from None
    if number < 0:
        raise ValueError("A size cannot be negative.")
    return number


def _parse_real(_argument: Spec, text: str) -> Value:
    return parse_real(text)


def _parse_choice(argument: Spec, text: str) -> Value:
    return _choose(argument.choices, text)


def _choose(choices: tuple[Value, ...], text: str) -> Value:
    word = text.strip()
    for choice in choices:
        if _choice_text(choice) == word:
            return choice
    alike = [choice for choice in choices if _choice_text(choice).lower() == word.lower()]
    if len(alike) == 1:
        return alike[0]
    shown = ", ".join(_choice_text(choice) for choice in choices[:12])
    more = f" and {len(choices) - 12} more" if len(choices) > 12 else ""
    raise ValueError(f"Choose one of: {shown}{more}.")


def _choice_text(choice: Value) -> str:
    return choice if isinstance(choice, str) else compact(choice)


def _parse_plain(_argument: Spec, text: str) -> Value:
    return text


def _parse_raw(argument: Spec, text: str) -> Value:
    return _json_or_text(text) if isinstance(argument, Field) else text


def _json_or_text(text: str) -> Value:
    try:
        return _load(text)
    except ValueError:
        return text


def _parse_json(argument: Spec, text: str) -> Value:
    if argument.plain_text:
        return _object_or_text(text)
    value = _load(text)
    if argument.fields and not isinstance(value, dict | None):
        raise ValueError('Enter an object, such as {"key": value}.')
    return value


def _object_or_text(text: str) -> Value:
    # The engine's own rule: braces around it make it JSON, anything else is text.
    return _load(text) if _OBJECT.fullmatch(text) else text


def _load(text: str) -> Value:
    if not text.strip():
        raise ValueError('Enter JSON, such as {"key": value}.')
    try:
        value: Value = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        raise ValueError(f"Not valid JSON at {place}: {error.msg}.") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if nested_too_deeply(value):
        raise ValueError(_TOO_DEEP)
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"Not valid JSON: {constant} is no JSON number.")


def _parse_list(argument: Spec, text: str) -> Value:
    whole = _json_array(text)
    if whole is not None:
        return whole
    if "\n" in text:
        items = [line.removesuffix("\r") for line in text.split("\n")]
        items = [item for item in items if item.strip()]
    else:
        items = [item.strip() for item in text.split(",")] if text.strip() else []
        if "" in items:
            raise ValueError("There is an empty item between two commas.")
    return [_parse_item(argument, item) for item in items]


def _json_array(text: str) -> list[Value] | None:
    if not text.lstrip().startswith("["):
        return None
    value = _json_or_text(text)
    return value if isinstance(value, list) else None


def _parse_item(argument: Spec, text: str) -> Value:
    if argument.choices:
        return _choose(argument.choices, text)
    match argument.item:
        case Kind.INT | Kind.SIZE:
            return parse_whole(text)
        case Kind.FLOAT:
            return parse_real(text)
        case Kind.SWITCH:
            return _parse_switch(argument, text)
        case Kind.JSON:
            return _object_or_text(text)
        case Kind.RAW:
            return _json_or_text(text)
        case _:
            return text


def _parse_mapping(_argument: Spec, text: str) -> Value:
    if _OBJECT.fullmatch(text):
        return _load(text)
    parts = text.split("\n") if "\n" in text else text.split(",")
    pairs: dict[str, Value] = {}
    for part in parts:
        if not part.strip():
            continue
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"Enter KEY=VALUE, not {part.strip()}.")
        pairs[key.strip()] = value.removesuffix("\r")
    return pairs


_PARSERS: dict[Kind, Callable[[Spec, str], Value]] = {
    Kind.FLAG: _parse_switch,
    Kind.SWITCH: _parse_switch,
    Kind.INT: _parse_whole,
    Kind.SIZE: _parse_size,
    Kind.FLOAT: _parse_real,
    Kind.CHOICE: _parse_choice,
    Kind.TEXT: _parse_plain,
    Kind.PATH: _parse_plain,
    Kind.LIST: _parse_list,
    Kind.MAPPING: _parse_mapping,
    Kind.JSON: _parse_json,
    Kind.RAW: _parse_raw,
}
