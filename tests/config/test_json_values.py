"""Values are compared the way a command line sees them."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config.json_values import copy_value, same_value

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON_VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (True, 1),
        (1, 1.0),
        (False, 0),
        (None, False),
        ("1", 1),
        ([True], [1]),
        ({"a": 1}, {"a": 1.0}),
        ({"a": [{"b": True}]}, {"a": [{"b": 1}]}),
        ([], {}),
        ([1], [1, 2]),
        ({"a": None}, {}),
        ([1, 2], [2, 1]),
    ],
)
def test_values_that_differ_on_a_command_line_differ(left, right):
    assert not same_value(left, right)
    assert not same_value(right, left)


def test_the_order_of_keys_does_not_matter():
    assert same_value({"a": 1, "b": [2]}, {"b": [2], "a": 1})


def test_not_a_number_is_the_same_as_itself():
    assert same_value({"x": [math.nan]}, {"x": [float("nan")]})
    assert not same_value(math.nan, 1.0)


@given(JSON_VALUES)
def test_a_copy_is_the_same_value_and_shares_no_container(value):
    before = json.dumps(value)
    copied = copy_value(value)
    assert same_value(copied, value)
    _spoil(copied)
    assert json.dumps(value) == before


@given(JSON_VALUES, JSON_VALUES)
def test_sameness_is_symmetric(left, right):
    assert same_value(left, right) == same_value(right, left)


@given(JSON_VALUES)
def test_what_json_writes_and_reads_back_is_the_same(value):
    assert same_value(json.loads(json.dumps(value)), value)


def test_a_tuple_becomes_a_list_everywhere():
    assert copy_value({"a": (1, (2, 3))}) == {"a": [1, [2, 3]]}


@pytest.mark.parametrize("value", [{1, 2}, Path("/x"), b"x", {"a": object()}, {1: "x"}, [Path("/x")]])
def test_what_is_no_json_value_is_refused(value):
    with pytest.raises(TypeError):
        copy_value(value)


def _spoil(value):
    if isinstance(value, list):
        for item in value:
            _spoil(item)
        value.append("spoilt")
    elif isinstance(value, dict):
        for item in value.values():
            _spoil(item)
        value["spoilt"] = True
