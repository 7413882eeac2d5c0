"""Axes end at round numbers and stay there; ticks stand at round values and times."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.clock import to_wall
from gui.monitor.ranges import StableUpper, nice_upper, tick_text, time_step, time_text, time_ticks, value_ticks


@pytest.mark.parametrize(
    ("value", "expected"), [(23.98, 25), (139.8, 150), (700, 800), (1.0, 1.2), (9.9, 12), (0.5, 0.6), (97, 100)]
)
def test_an_axis_ends_at_a_round_number(value: float, expected: float) -> None:
    assert nice_upper(value) == pytest.approx(expected)


@given(st.floats(1e-3, 1e7))
def test_an_axis_is_never_too_short_and_never_much_too_long(value: float) -> None:
    assert value < nice_upper(value) <= value * 1.4


def test_an_axis_grows_at_once() -> None:
    upper = StableUpper(10)
    assert upper.update(5, 0) == 10
    assert upper.update(70, 0.5) == 80


def test_an_axis_shrinks_only_after_a_while() -> None:
    upper = StableUpper(10)
    upper.update(800, 0)
    assert [upper.update(20, t) for t in (1, 5, 8.9)] == [1000, 1000, 1000]
    assert upper.update(20, 9.1) == 25


def test_a_short_dip_shrinks_nothing() -> None:
    upper = StableUpper(10)
    upper.update(800, 0)
    upper.update(20, 1)
    upper.update(790, 5)
    assert upper.update(20, 10) == 1000


def test_a_moved_view_fits_at_once() -> None:
    upper = StableUpper(10)
    upper.update(800, 0)
    assert upper.update(20, 0.1, at_once=True) == 25


def test_an_axis_without_values_stays() -> None:
    upper = StableUpper(4)
    upper.update(30, 0)
    assert upper.update(None, 100, at_once=True) == 40


@given(st.floats(0.5, 1e6), st.integers(1, 8))
def test_ticks_start_at_zero_and_are_not_too_many(upper: float, most: int) -> None:
    ticks = value_ticks(upper, most)
    assert ticks[0] == 0
    assert ticks[-1] <= upper * (1 + 1e-6)
    assert len(ticks) <= most + 1


@pytest.mark.parametrize(
    ("upper", "most", "texts"),
    [
        (25, 5, ["0", "5", "10", "15", "20", "25"]),
        (1, 4, ["0.0", "0.5", "1.0"]),
        (2500, 5, ["0", "500", "1,000", "1,500", "2,000", "2,500"]),
        (15000, 3, ["0", "5k", "10k", "15k"]),
    ],
)
def test_tick_labels_have_the_digits_that_they_need(upper: float, most: int, texts: list[str]) -> None:
    ticks = value_ticks(upper, most)
    assert [tick_text(tick, ticks) for tick in ticks] == texts


def test_times_count_from_the_start() -> None:
    assert time_ticks(95, 165, 30, origin=100) == [100, 130, 160]
    assert [time_text(t, origin=100) for t in (70, 99.5, 100, 183, 3800)] == [
        "-0:30",
        "0:00",
        "0:00",
        "1:23",
        "1:01:40",
    ]


def test_wall_clock_ticks_stand_at_round_times_of_day() -> None:
    ticks = time_ticks(5000, 5300, 60, origin=None)
    assert len(ticks) == 5
    for tick in ticks:
        assert time_text(tick, None).endswith(":00")
        assert time_text(tick, None, seconds=False) == time.strftime("%H:%M", time.localtime(to_wall(tick) + 0.001))


@pytest.mark.parametrize(("span_s", "most", "step"), [(60, 6, 10), (300, 6, 60), (14400, 5, 3600), (100_000, 3, 14400)])
def test_time_steps_are_round(span_s: float, most: int, step: int) -> None:
    assert time_step(span_s, most) == step
