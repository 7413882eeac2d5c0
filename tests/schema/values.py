"""Values for every argument, made from its kind, choices and fields; what cannot be known stands in `conditions.py`."""

from core.schema.model import Argument, Field, Kind, Value
from tests.schema.conditions import companions, own_values

TEXTS = (
    "plain",
    "two words",
    "-starts-with-minus",
    "--looks-like=a-flag",
    "ünï \"double\" 'single'",
    "a=b,c;d",
    "None2",
)
PATHS = ("/tmp/some folder/file.bin", "relative/file.bin")
OBJECT: dict[str, Value] = {"text": "a b", "number": 1.5, "nested": {"list": [1, "two", None, True]}, "-x": "--y"}


def argument_values(argument: Argument) -> list[Value]:
    """Values that the engine should accept for this argument, at least one."""
    values = _argument_values(argument)
    return [*values, None] if argument.nullable and argument.kind is not Kind.LIST else values


def _argument_values(argument: Argument) -> list[Value]:
    match argument.kind:
        case Kind.FLAG:
            return [True]
        case Kind.SWITCH:
            return [True, False]
        case Kind.INT:
            return [1, 7, 0, -3]
        case Kind.SIZE:
            return [32_768, 1, *([-1] if argument.auto else [])]
        case Kind.FLOAT:
            return [0.5, 3.0, 1e-07, -0.25]
        case Kind.CHOICE:
            return list(argument.choices)
        case Kind.TEXT:
            return _texts(argument)
        case Kind.PATH:
            return list(PATHS)
        case Kind.LIST:
            return _lists(argument)
        case Kind.MAPPING:
            return [{"one": "1"}, {"one": "1", "two": "2"}]
        case Kind.JSON:
            return _objects(argument)
        case Kind.RAW:
            return ["text"]


def _texts(argument: Argument) -> list[Value]:
    if argument.positional:
        return [text for text in TEXTS if not text.startswith("-")]
    return [*argument.suggestions, *([] if argument.suggestions else TEXTS)]


def _lists(argument: Argument) -> list[Value]:
    if argument.choices:
        return [[argument.choices[0]], list(argument.choices)]
    match argument.item:
        case Kind.INT:
            return [[1], [1, 2, 4], [-1]]
        case Kind.FLOAT:
            return [[0.5], [0.5, 2.0]]
        case Kind.RAW:
            return [[0], [0, 1], ["GPU-0a1b", 1]]
        case Kind.JSON:
            return [["name=/some/path"], [_filled(argument)], [_filled(argument), "other=/path"]]
        case _:
            return [["one"], ["one", "two words", "a=b"], ["-starts-with-minus"], ["ünï \"double\" 'single'"]]


def _filled(argument: Argument) -> dict[str, Value]:
    return {field.name: f"some {field.name}" for field in argument.fields if field.required}


def _objects(argument: Argument) -> list[Value]:
    if argument.fields:
        required = {field.name: field_values(field)[0] for field in argument.fields if field.required}
        values: list[Value] = [required]
        for field in argument.fields:
            for value in own_values(argument.name, field.name) or field_values(field):
                values.append({**required, **_companions(argument, field, value), field.name: value})
        return values
    texts: list[Value] = ["plain text"] if argument.plain_text else []
    arrays: list[Value] = [["*"], ["https://a.example", "b c"]] if isinstance(argument.default.value, list) else []
    return arrays or [OBJECT, {}, *texts]


def _companions(argument: Argument, field: Field, value: Value) -> dict[str, Value]:
    """The companions that this version has, with a choice that this version knows."""
    known = {other.name: other for other in argument.fields}
    wanted = companions(argument.name, field.name, value)
    return {
        name: item if not known[name].choices or item in known[name].choices else known[name].choices[0]
        for name, item in wanted.items()
        if name in known
    }


def field_values(field: Field) -> list[Value]:
    """Values for one field of a class; at least one."""
    match field.kind:
        case Kind.SWITCH:
            return [True, False]
        case Kind.INT:
            return [1, 4]
        case Kind.FLOAT:
            return [0.5]
        case Kind.CHOICE:
            return list(field.choices)
        case Kind.TEXT:
            return list(field.suggestions) or ["some text"]
        case Kind.PATH:
            return ["/tmp/some folder"]
        case Kind.LIST:
            return [_field_items(field)]
        case Kind.JSON:
            nested = [{inner.name: value} for inner in field.fields for value in field_values(inner)[:1]]
            return [*nested, *([] if nested else [{}])]
        case _:
            return [1]


def _field_items(field: Field) -> Value:
    if field.choices:
        return list(field.choices)
    return {Kind.INT: [1, 2], Kind.FLOAT: [0.5], Kind.JSON: [], Kind.RAW: [1]}.get(field.item, ["one", "two"])
