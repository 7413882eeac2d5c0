"""The exception that a person reads."""

import pickle

import pytest

from core.base.errors import Cancelled, DynoError


def test_the_parts_are_kept():
    error = DynoError("The port is busy.", "Choose another.", "raw output")
    assert (error.message, error.hint, error.detail) == ("The port is busy.", "Choose another.", "raw output")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DynoError("The port is busy.", "Choose another.", "raw"), "The port is busy. Choose another."),
        (DynoError("The port is busy."), "The port is busy."),
        (Cancelled(), "Cancelled."),
        (Cancelled("The installation was cancelled."), "The installation was cancelled."),
    ],
)
def test_as_text_it_says_what_and_what_to_do_without_raw_output(error, text):
    assert str(error) == text


def test_calling_off_can_be_told_from_failing():
    assert issubclass(Cancelled, DynoError)
    assert not isinstance(DynoError("x"), Cancelled)


@pytest.mark.parametrize("error", [DynoError("message", "hint", "detail"), Cancelled("message")])
def test_it_crosses_process_borders_whole(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.message, again.hint, again.detail) == (error.message, error.hint, error.detail)
