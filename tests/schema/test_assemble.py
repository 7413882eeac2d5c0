from typing import Any

import pytest

from core.schema.assemble import PathRule, assemble
from core.schema.model import Argument, DefaultState, Field, Kind

NO_PATHS = PathRule()


def argument(**changes: Any) -> Argument:
    """One argument from facts like those of the probe."""
    facts: dict[str, Any] = {
        "name": "thing",
        "spellings": ["-t", "--thing"],
        "negative": [],
        "group": "ThingConfig",
        "action": "StoreAction",
        "converter": {"chain": ["str"]},
        "choices": None,
        "metavar": [],
        "words": [],
        "nargs": "",
        "const": None,
        "default": {"state": "none"},
        "required": False,
        "help": "A thing.",
        "deprecated": False,
        "tree": None,
        "class": None,
    }
    return assemble(document([{**facts, **changes}]), NO_PATHS).arguments[0]


def document(arguments: list[dict[str, Any]]) -> dict[str, Any]:
    names = ("engine_version", "distribution", "backend", "python_version", "torch_version", "layout")
    return {**dict.fromkeys(names, "x"), "groups": [], "arguments": arguments, "environment": []}


def chain(*names: str, **more: Any) -> dict[str, Any]:
    return {"chain": list(names), **more}


def union(*trees: dict[str, Any]) -> dict[str, Any]:
    return {"is": "union", "of": list(trees)}


STR, INT, NONE = {"is": "str"}, {"is": "int"}, {"is": "none"}


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"action": "StoreTrueAction", "nargs": "0"}, Kind.FLAG),
        ({"action": "ActionOfTheFuture", "nargs": "0"}, Kind.FLAG),
        ({"action": "BooleanOptionalAction", "nargs": "0"}, Kind.SWITCH),
        ({"converter": chain("int")}, Kind.INT),
        ({"converter": chain("_optional_type", "int")}, Kind.INT),
        ({"converter": chain("human_readable_int")}, Kind.SIZE),
        ({"converter": chain("float")}, Kind.FLOAT),
        ({"converter": chain()}, Kind.TEXT),
        ({"converter": chain("_optional_type", "_parse_type", "json.loads")}, Kind.JSON),
        ({"converter": chain("nullable_kvs")}, Kind.MAPPING),
        ({"converter": chain("<lambda>"), "choices": ["a", "b"]}, Kind.CHOICE),
        ({"action": "AppendAction"}, Kind.LIST),
        ({"nargs": "+", "converter": chain("int")}, Kind.LIST),
        ({"nargs": "?"}, Kind.TEXT),
        ({"converter": chain("parse_by_future")}, Kind.RAW),
        ({"converter": chain("parse_by_future"), "tree": union(STR, NONE)}, Kind.TEXT),
        ({"converter": chain("check_port"), "default": {"state": "value", "value": 8000}}, Kind.INT),
    ],
)
def test_the_kind_follows_from_action_and_converter(facts: dict[str, Any], kind: Kind) -> None:
    assert argument(**facts).kind is kind


def test_an_unnamed_converter_that_splits_is_a_list_in_one_word() -> None:
    ids = {"is": "list", "of": [union(INT, STR)]}
    found = argument(converter=chain("<lambda>", splits=True), tree=union(ids, NONE))
    assert (found.kind, found.item, found.separator) == (Kind.LIST, Kind.RAW, ",")


def test_spellings_are_sorted_out() -> None:
    spellings = ["-t", "--thing", "--disable-thing"]
    found = argument(action="BooleanOptionalAction", nargs="0", spellings=spellings, negative=spellings[2:])
    assert found.flags == ("--thing", "-t")
    assert found.negative_flags == ("--disable-thing",)
    assert found.flag == "--thing"


def test_none_is_no_choice_and_the_word_none_where_the_parser_takes_it() -> None:
    optional = chain("_optional_type", "str")
    assert argument(converter=optional).nullable
    with_none = argument(converter=optional, choices=["a", None])
    assert (with_none.choices, with_none.nullable) == (("a",), True)
    old = argument(converter=optional, choices=["a", "None"])
    assert (old.choices, old.nullable) == (("a",), False)


@pytest.mark.parametrize(
    ("facts", "state", "value"),
    [
        ({"default": {"state": "suppressed"}}, DefaultState.SUPPRESSED, None),
        ({"default": {"state": "computed", "text": "x"}}, DefaultState.COMPUTED, None),
        ({"converter": chain("float"), "default": {"state": "value", "value": 4}}, DefaultState.VALUE, 4.0),
        ({"default": {"state": "value", "value": 2}}, DefaultState.VALUE, "2"),
        ({"choices": ["a"], "default": {"state": "value", "value": ""}}, DefaultState.NONE, None),
        ({"choices": ["a", ""], "default": {"state": "value", "value": ""}}, DefaultState.VALUE, ""),
    ],
)
def test_defaults_have_the_type_of_their_kind(facts: dict[str, Any], state: DefaultState, value: object) -> None:
    default = argument(**facts).default
    assert default.state is state
    assert default.value == value
    assert type(default.value) is type(value)


def test_texts_become_markdown() -> None:
    text = "Line.\n\n    Examples:\n    - one\n      two\n\n```\n    code\n```\n\nSee [`a.b`][vllm.a.b] and [this](http://x)."
    assert argument(help=text).help == (
        "Line.\n\nExamples:\n- one\n  two\n\n```\n    code\n```\n\nSee `a.b` and [this](http://x)."
    )


@pytest.mark.parametrize("text", ["[DEPRECATED] Use x.", "--thing is deprecated and does nothing.", "Deprecated: no."])
def test_deprecation_is_read_from_the_text_too(text: str) -> None:
    assert argument(help=text).deprecated
    assert not argument(help="Not deprecated.").deprecated


def test_an_argument_without_text_gets_one_of_ours() -> None:
    plain = argument(help=" ")
    assert plain.own_help
    assert plain.help == "The engine gives no text for this setting (thing)."
    described = {"is": "class", "name": "m.Thing", "help": "All about it.\n\nMore.", "fields": []}
    assert argument(help="", converter=chain("json.loads"), **{"class": described}).help == "All about it."


def test_suggestions_come_from_the_parser_from_lists_and_from_enums() -> None:
    tree = union({"is": "enum", "name": "E", "values": ["X", "Y"]}, STR)
    found = argument(metavar=["a"], words=["a", "b"], tree=tree)
    assert found.suggestions == ("a", "b", "X", "Y")
    assert found.kind is Kind.TEXT


def test_paths_are_texts_without_suggestions() -> None:
    rule = PathRule(["th*"], ["throttle"])
    assert rule("thing")
    assert not rule("throttle")
    facts = {"name": "f", "type": "str", "tree": STR, "default": {"state": "none"}, "help": "", "loose": False}
    assert field(facts).kind is Kind.TEXT
    assert field(facts, PathRule(["f"])).kind is Kind.PATH


def field(facts: dict[str, Any], rule: PathRule = NO_PATHS) -> Field:
    """One field of a class behind a JSON argument."""
    base = {"name": "f", "type": "", "default": {"state": "none"}, "help": "", "loose": False}
    cls = {"is": "class", "name": "m.C", "help": "", "fields": [{**base, **facts}]}
    item = {
        "name": "thing", "spellings": ["--thing"], "negative": [], "group": "g", "action": "StoreAction",
        "converter": chain("json.loads"), "choices": None, "metavar": [], "words": [], "nargs": "", "const": None,
        "default": {"state": "none"}, "required": False, "help": "x", "deprecated": False, "tree": None, "class": cls,
    }  # fmt: skip
    return assemble(document([item]), rule).arguments[0].fields[0]


@pytest.mark.parametrize(
    ("tree", "kind"),
    [
        ({"is": "bool"}, Kind.SWITCH),
        (union(INT, NONE), Kind.INT),
        (union(INT, {"is": "float"}), Kind.FLOAT),
        (STR, Kind.TEXT),
        (union({"is": "path"}, STR), Kind.PATH),
        (union({"is": "literal", "values": ["a", None]}, {"is": "literal", "values": ["b"]}), Kind.CHOICE),
        ({"is": "enum", "name": "E", "values": [0, 1]}, Kind.CHOICE),
        (union({"is": "literal", "values": ["a"]}, STR), Kind.TEXT),
        ({"is": "tuple", "of": [INT, INT]}, Kind.LIST),
        ({"is": "dict", "of": [STR, INT]}, Kind.JSON),
        ({"is": "class", "name": "m.D", "help": "", "fields": []}, Kind.JSON),
        (union({"is": "bool"}, STR), Kind.RAW),
        ({"is": "other", "name": "Any"}, Kind.RAW),
    ],
)
def test_the_kind_of_a_field_follows_from_its_annotation(tree: dict[str, Any], kind: Kind) -> None:
    assert field({"tree": tree}).kind is kind


def test_what_a_field_says_beyond_its_kind() -> None:
    literal = {"is": "literal", "values": ["a", "b", None]}
    assert field({"tree": literal}).choices == ("a", "b")
    assert field({"tree": union(literal, STR)}).suggestions == ("a", "b")
    names = field({"tree": {"is": "list", "of": [literal]}})
    assert (names.item, names.choices) == (Kind.CHOICE, ("a", "b"))
    assert field({"tree": {"is": "list", "of": []}}).item is Kind.TEXT
    assert field({"tree": INT, "default": {"state": "none", "required": True}}).required
    inner = {"name": "deep", "type": "int", "tree": INT, "default": {"state": "none"}, "help": "", "loose": False}
    nested = {"is": "class", "name": "m.D", "help": "", "fields": [inner]}
    assert field({"tree": nested}).fields[0].kind is Kind.INT
    assert not field({"tree": nested}).plain_text
    assert field({"tree": nested, "loose": True}).plain_text
    assert field({"tree": union({"is": "dict", "of": []}, STR)}).plain_text
