import argparse
import json
import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.schema.kinds import check_value, format_text, parse_text, to_argv
from core.schema.model import Argument, Field, Kind, Value
from core.schema.recorded import load_recorded

SIZE = Argument("size", flags=("--size",), kind=Kind.SIZE)
AUTO_SIZE = Argument("size", flags=("--size",), kind=Kind.SIZE, auto=True)
INT = Argument("count", flags=("--count",), kind=Kind.INT)
FLOAT = Argument("share", flags=("--share",), kind=Kind.FLOAT)
SWITCH = Argument("on", flags=("--on",), negative_flags=("--off",), kind=Kind.SWITCH)
FLAG = Argument("bare", flags=("--bare",), kind=Kind.FLAG)
TEXT = Argument("text", flags=("--text",), kind=Kind.TEXT)
PATH = Argument("path", flags=("--path",), kind=Kind.PATH)
CHOICE = Argument("choice", flags=("--choice",), kind=Kind.CHOICE, choices=("auto", "fp8", "Fp8", "BF16", 8, 16))
LIST = Argument("list", flags=("--list",), kind=Kind.LIST, nargs="+")
INTS = Argument("ints", flags=("--ints",), kind=Kind.LIST, nargs="+", item=Kind.INT)
JOINED = Argument("ids", flags=("--ids",), kind=Kind.LIST, item=Kind.RAW, separator=",")
REPEATED = Argument("more", flags=("--more",), kind=Kind.LIST, repeatable=True)
OBJECTS = Argument("objects", flags=("--objects",), kind=Kind.LIST, nargs="+", item=Kind.JSON, plain_text=True)
MAPPING = Argument("map", flags=("--map",), kind=Kind.MAPPING)
JSON = Argument("json", flags=("--json",), kind=Kind.JSON)
MIXED = Argument("mixed", flags=("--mixed",), kind=Kind.JSON, plain_text=True)
RAW = Argument("raw", flags=("--raw",), kind=Kind.RAW)
RAW_FIELD = Field("raw", kind=Kind.RAW)
TOKEN = Argument("token", flags=("--token",), kind=Kind.TEXT, nargs="?", const=True)
NULLABLE = Argument("maybe", flags=("--maybe",), kind=Kind.INT, nullable=True)
CLASS = Argument(
    "class",
    flags=("--class",),
    kind=Kind.JSON,
    fields=(
        Field("method", kind=Kind.CHOICE, choices=("ngram", "eagle")),
        Field("tokens", kind=Kind.INT),
        Field("inner", kind=Kind.JSON, fields=(Field("deep", kind=Kind.SWITCH),)),
        Field("names", kind=Kind.LIST, choices=("a", "b")),
        Field("free", kind=Kind.RAW),
    ),
)

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)))
words = st.text(st.characters(exclude_characters="\0\r\n", exclude_categories=("Cs",)), min_size=1)
reals = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | reals | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4096", 4096), ("32k", 32_000), ("32K", 32_768), ("32KiB", 32_768), (" 1.5G ", 1_610_612_736),
        ("1.5g", 1_500_000_000), ("25.6k", 25_600), ("2T", 2_199_023_255_552), ("1_000", 1000), (".5K", 512), ("0", 0),
    ],
)  # fmt: skip
def test_sizes_as_people_type_them(text: str, value: int) -> None:
    assert parse_text(SIZE, text) == value
    assert parse_text(INT, text) == value
    assert format_text(SIZE, value) == str(value)
    assert to_argv(SIZE, value) == ["--size", str(value)]


@pytest.mark.parametrize(
    ("argument", "text", "message"),
    [
        (SIZE, "", "Enter a whole number"),
        (SIZE, "many", "Enter a whole number"),
        (SIZE, "1.0001k", "is not a whole number"),
        (SIZE, "32,768", "Write the number without separators: 32768."),
        (SIZE, "16GB", "Write g for thousands or G for 1,024s."),
        (SIZE, "-5", "cannot be negative"),
        (AUTO_SIZE, "soon", "The word auto is accepted too."),
        (INT, "3.5", "is not a whole number"),
        (FLOAT, "0,9", "Write a decimal point: 0.9."),
        (FLOAT, "nan", "Enter a finite number."),
        (FLOAT, "half", "Enter a number"),
        (SWITCH, "maybe", "Enter true or false."),
        (CHOICE, "int4", "Choose one of: auto, fp8, Fp8, BF16, 8, 16."),
        (CHOICE, "FP8", "Choose one of"),
        (INTS, "1,two", "Enter a whole number"),
        (LIST, "a,,b", "empty item"),
        (MAPPING, "image", "Enter KEY=VALUE, not image."),
        (JSON, "{", "Not valid JSON at column 2"),
        (JSON, '{"a":\n oops}', "Not valid JSON at line 2, column 2"),
        (JSON, '{"a": NaN}', "NaN is no JSON number"),
        (JSON, " ", "Enter JSON"),
        (JSON, "[" * 100_000, "nested too deeply"),
        (JSON, "[" * 200 + "]" * 200, "nested too deeply"),
        (CLASS, "[1]", "Enter an object"),
        (MIXED, "{oops}", "Not valid JSON"),
    ],
)
def test_messages_say_what_to_write(argument: Argument, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        parse_text(argument, text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["auto", "AUTO", "-1"])
def test_auto_is_a_size_where_the_engine_knows_it(text: str) -> None:
    assert parse_text(AUTO_SIZE, text) == -1
    assert format_text(AUTO_SIZE, -1) == "auto"
    assert to_argv(AUTO_SIZE, -1) == ["--size", "auto"]
    assert check_value(AUTO_SIZE, -1) is None
    assert check_value(SIZE, -1) == "A size cannot be negative."


@pytest.mark.parametrize(("text", "value"), [("on", True), ("Yes", True), ("0", False), ("off", False)])
def test_switches(text: str, value: bool) -> None:
    assert parse_text(SWITCH, text) is value
    assert parse_text(SWITCH, format_text(SWITCH, value)) is value
    assert to_argv(SWITCH, value) == (["--on"] if value else ["--off"])


def test_a_flag_can_only_be_set() -> None:
    assert to_argv(FLAG, True) == ["--bare"]
    assert to_argv(FLAG, False) == []
    assert check_value(FLAG, True) is None
    assert check_value(FLAG, False) == "This flag can only be set or left out."


@pytest.mark.parametrize(("text", "value"), [("fp8", "fp8"), ("Fp8", "Fp8"), ("bf16", "BF16"), ("16", 16)])
def test_choices_keep_their_type(text: str, value: Value) -> None:
    assert parse_text(CHOICE, text) == value
    assert parse_text(CHOICE, format_text(CHOICE, value)) == value


def test_lists_are_written_the_plain_way_when_that_is_unambiguous() -> None:
    assert format_text(LIST, ["a", "b"]) == "a,b"
    assert format_text(LIST, ["a b", "c,d"]) == "a b\nc,d\n"
    assert format_text(LIST, ["a,b"]) == "a,b\n"
    assert format_text(LIST, ["[1]"]) == '["[1]"]'
    assert parse_text(LIST, '["a, b", "c"]') == ["a, b", "c"]
    assert parse_text(LIST, "[::1]:8000") == ["[::1]:8000"]
    assert parse_text(LIST, "a\r\nb\r\n") == ["a", "b"]
    assert parse_text(INTS, "1, 2,4") == [1, 2, 4]
    assert parse_text(JOINED, "0, GPU-1") == [0, "GPU-1"]
    assert parse_text(OBJECTS, 'a=/b\n{"name": "c"}') == ["a=/b", {"name": "c"}]
    assert parse_text(LIST, "") == []


@given(st.integers(min_value=0))
def test_any_size_survives(value: int) -> None:
    assert parse_text(SIZE, format_text(SIZE, value)) == value


@given(st.integers())
def test_any_whole_number_survives(value: int) -> None:
    assert parse_text(INT, format_text(INT, value)) == value


@given(reals)
def test_any_number_survives(value: float) -> None:
    read = parse_text(FLOAT, format_text(FLOAT, value))
    assert read == value
    assert isinstance(read, float)
    assert math.copysign(1, read) == math.copysign(1, value)


@given(texts)
def test_any_text_survives(value: str) -> None:
    for argument in (TEXT, PATH, RAW):
        assert parse_text(argument, format_text(argument, value)) == value


@given(st.lists(texts, max_size=5))
def test_any_list_of_texts_survives(value: list[Value]) -> None:
    assert parse_text(LIST, format_text(LIST, value)) == value


@given(st.lists(json_values, max_size=4))
def test_any_list_of_anything_survives(value: list[Value]) -> None:
    assert same_json(parse_text(JOINED, format_text(JOINED, value)), value)


@given(st.dictionaries(texts, texts, max_size=4))
def test_any_mapping_survives(value: dict[str, Value]) -> None:
    assert parse_text(MAPPING, format_text(MAPPING, value)) == value


@given(json_values)
def test_any_json_survives(value: Value) -> None:
    for spec in (JSON, RAW_FIELD):
        assert same_json(parse_text(spec, format_text(spec, value)), value)


@given(st.dictionaries(texts, json_values, max_size=3) | words)
def test_text_beside_json_survives(value: Value) -> None:
    # Braces around it make it JSON; such a text cannot be told from JSON by the engine either.
    assume(not (isinstance(value, str) and value.strip().startswith("{") and value.strip().endswith("}")))
    assert same_json(parse_text(MIXED, format_text(MIXED, value)), value)


@given(texts, st.sampled_from([SIZE, AUTO_SIZE, INT, FLOAT, SWITCH, CHOICE, LIST, INTS, OBJECTS, MAPPING, JSON, CLASS]))
def test_any_text_is_read_or_refused_with_words(text: str, argument: Argument) -> None:
    try:
        value = parse_text(argument, text)
    except ValueError as error:
        assert len(str(error)) > 10
        return
    assert same_json(parse_text(argument, format_text(argument, value)), value)


def same_json(left: Value, right: Value) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


# --- the command line, read back by a parser of the standard library ----------------------------------------------


def read_back(argument: Argument, argv: list[str], **options: Any) -> Any:
    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    parser.add_argument("model", nargs="?")
    parser.add_argument(*argument.flags, dest="value", **options)
    return parser.parse_args(["some/model", *argv]).value


@given(texts)
def test_any_text_reaches_the_parser(value: str) -> None:
    assert read_back(TEXT, to_argv(TEXT, value), type=str) == value


@given(st.integers(), reals)
def test_any_number_reaches_the_parser(whole: int, real: float) -> None:
    assert read_back(INT, to_argv(INT, whole), type=int) == whole
    assert read_back(FLOAT, to_argv(FLOAT, real), type=float) == real


@given(st.lists(texts, min_size=1, max_size=4))
def test_any_list_reaches_the_parser_or_is_refused(value: list[Value]) -> None:
    if check_value(LIST, value) is None:
        assert read_back(LIST, to_argv(LIST, value), nargs="+") == value
    else:
        assert len(value) > 1
        assert any(str(item).startswith("-") for item in value)


@given(st.lists(texts, min_size=1, max_size=4))
def test_a_repeated_flag_carries_any_list(value: list[Value]) -> None:
    assert check_value(REPEATED, value) is None
    assert read_back(REPEATED, to_argv(REPEATED, value), action="append") == value


@given(json_values)
def test_any_json_reaches_the_parser(value: Value) -> None:
    assert same_json(read_back(JSON, to_argv(JSON, value), type=json.loads), value)


@pytest.mark.parametrize(
    ("argument", "value", "argv"),
    [
        (TEXT, "-x", ["--text=-x"]),
        (TEXT, "a b", ["--text", "a b"]),
        (INT, -3, ["--count=-3"]),
        (LIST, ["-x"], ["--list=-x"]),
        (LIST, ["a", "b c"], ["--list", "a", "b c"]),
        (JOINED, [0, "GPU-1"], ["--ids", "0,GPU-1"]),
        (REPEATED, ["a", "-b"], ["--more", "a", "--more=-b"]),
        (OBJECTS, [{"name": "n", "path": "/p"}, "m=/q"], ["--objects", '{"name":"n","path":"/p"}', "m=/q"]),
        (MAPPING, {"image": "4", "video": "0"}, ["--map", "image=4,video=0"]),
        (MIXED, "cpu", ["--mixed", "cpu"]),
        (MIXED, {"": "cuda"}, ["--mixed", '{"":"cuda"}']),
        (JSON, {"ü": None}, ["--json", '{"ü":null}']),
        (TOKEN, True, ["--token"]),
        (TOKEN, "secret", ["--token", "secret"]),
        (NULLABLE, None, ["--maybe", "None"]),
        (Argument("model_tag", kind=Kind.TEXT), "org/name", ["org/name"]),
        (Argument("n", flags=("--n",), kind=Kind.FLOAT), 1e-07, ["--n", "1e-07"]),
    ],
)  # fmt: skip
def test_command_line_words(argument: Argument, value: Value, argv: list[str]) -> None:
    assert to_argv(argument, value) == argv
    assert check_value(argument, value) is None


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (INT, "5", "Expected a whole number."),
        (INT, True, "Expected a whole number."),
        (INT, None, "There is no value."),
        (FLOAT, "x", "Expected a number."),
        (TEXT, 5, "Expected a text."),
        (TEXT, "a\0b", "A command line cannot carry a NUL character."),
        (TEXT, "\ud800", "The text holds a character that cannot be written."),
        (RAW, 5, "Expected a text."),
        (CHOICE, "fp9", "fp9 is not one of the choices. Did you mean fp8?"),
        (CHOICE, True, "True is not one of the choices."),
        (LIST, "a", "Expected a list."),
        (LIST, [], "Give at least one item."),
        (LIST, ["a", "-b"], "An item that starts with a minus sign can only be given alone."),
        (LIST, [1], "1 is not a text."),
        (INTS, ["1"], "1 is not a whole number."),
        (JOINED, ["a,b"], "An item cannot contain ','."),
        (Argument("two", flags=("--two",), kind=Kind.LIST, nargs="2"), ["a"], "Give exactly 2 items."),
        (Argument("l", flags=("--l",), kind=Kind.LIST, nargs="+", nullable=True), ["None"], "is no item"),
        (Argument("model_tag", kind=Kind.TEXT), "-x", "This cannot start with a minus sign."),
        (CLASS, [1], "Expected an object"),
        (CLASS, {"methd": "ngram"}, "There is no field methd. Did you mean method?"),
        (CLASS, {"method": "ngrm"}, "method: ngrm is not one of the choices. Did you mean ngram?"),
        (CLASS, {"tokens": "5"}, "tokens: Expected a whole number."),
        (CLASS, {"inner": {"deep": 1}}, "inner: deep: Expected true or false."),
        (CLASS, {"names": ["c"]}, "names: c is not one of the choices."),
    ],
)
def test_what_is_wrong_with_a_value(argument: Argument, value: Value, message: str) -> None:
    assert message in (check_value(argument, value) or "")


def test_fields_may_be_null_and_free_ones_anything() -> None:
    assert check_value(CLASS, {"method": None, "inner": None, "free": {"any": [1]}}) is None
    assert parse_text(NULLABLE, "None") is None
    assert format_text(NULLABLE, None) == "None"
    assert parse_text(TOKEN, "true") is True
    assert check_value(TOKEN, True) is None


@pytest.mark.parametrize(("version", "backend", "count"), [("0.33.0", "cuda", 322), ("0.32.0", "cpu", 318)])
def test_every_recorded_default_survives_as_text_and_is_a_value(version: str, backend: str, count: int) -> None:
    schema = load_recorded(version, backend)
    assert len(schema.arguments) == count
    specs = [spec for argument in schema.arguments for spec in (argument, *argument.fields)]
    assert len(specs) > 450
    for spec in specs:
        value = spec.default.value
        if value is None:
            continue
        read = parse_text(spec, format_text(spec, value))
        assert same_json(read, value), spec.name
        assert type(read) is type(value), spec.name
        allowed = (None, "Give at least one item.", "This flag can only be set or left out.")
        assert check_value(spec, value) in allowed, spec.name
