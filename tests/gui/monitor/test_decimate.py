"""The points that are drawn stand for all samples: peaks and gaps survive, and new samples change nothing old."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.telemetry.store import ChannelKey, SampleStore
from gui.monitor.decimate import MOST_POINTS, CurveFeed, bucket_width, bucketed

KEY = ChannelKey("host", None, "cpu_pct")
SAMPLES = st.lists(st.one_of(st.floats(-100, 100), st.just(math.nan)), min_size=1, max_size=200)


def store_of(values: list[float], period_s: float = 0.5, start: float = 1000.0) -> SampleStore:
    store = SampleStore()
    for index, value in enumerate(values):
        store.append(
            "host",
            None,
            start + index * period_s,
            {"cpu_pct": None if math.isnan(value) else value},
            period_s,
        )
    return store


def same(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> bool:
    return np.array_equal(first[0], second[0]) and np.array_equal(first[1], second[1], equal_nan=True)


def test_few_samples_are_drawn_as_they_are() -> None:
    times = np.arange(0.0, 10.0, 0.5)
    values = np.sin(times)
    assert same(bucketed(times, values, 1.0), (times, values))


@given(SAMPLES, st.sampled_from([0.7, 2.0, 5.0, 1000.0]))
def test_least_and_largest_survive(samples: list[float], width: float) -> None:
    times = np.arange(len(samples)) * 0.5
    x, y = bucketed(times, np.array(samples), width)
    known = [value for value in samples if not math.isnan(value)]
    drawn = y[~np.isnan(y)]
    assert np.all(np.diff(x) >= 0)
    assert (drawn.min(), drawn.max()) == (min(known), max(known)) if known else len(drawn) == 0


@given(SAMPLES, st.sampled_from([0.7, 2.0, 5.0]))
def test_no_line_crosses_a_missing_sample_into_another_bucket(samples: list[float], width: float) -> None:
    times = np.arange(len(samples)) * 0.5
    x, y = bucketed(times, np.array(samples), width)
    for index in range(len(x) - 1):
        if np.isnan(y[index]) or np.isnan(y[index + 1]) or x[index] // width == x[index + 1] // width:
            continue
        between = [value for t, value in zip(times, samples, strict=True) if x[index] < t < x[index + 1]]
        assert not any(math.isnan(value) for value in between)


def test_a_falling_stretch_is_drawn_falling() -> None:
    times = np.arange(8) * 0.5
    _, y = bucketed(times, np.array([8.0, 7, 6, 5, 4, 3, 2, 1]), 2.0)
    assert y.tolist() == [8, 5, 4, 1]


@given(st.lists(st.floats(0, 100), min_size=30, max_size=300), st.integers(1, 29), st.sampled_from([16, 64, 1000]))
def test_bringing_forward_gives_the_same_points_as_starting_anew(values: list[float], first: int, buckets: int) -> None:
    store = store_of(values[:first])
    feed = CurveFeed(store, KEY)
    for index in range(first, len(values)):
        store.append("host", None, 1000 + index * 0.5, {"cpu_pct": values[index]}, 0.5)
        if index % 7 == 0:
            feed.points(1000, 1160, buckets)
    assert same(feed.points(1000, 1160, buckets), CurveFeed(store, KEY).points(1000, 1160, buckets))


def test_a_view_that_moves_back_shows_the_older_samples_again() -> None:
    store = store_of([float(index) for index in range(2000)])
    feed = CurveFeed(store, KEY)
    feed.points(1500, 1600, 100)
    x, _ = feed.points(1100, 1200, 100)
    assert x[0] <= 1100
    assert x[-1] >= 1200


def test_one_more_sample_is_drawn_at_each_end_of_the_view() -> None:
    x, _ = CurveFeed(store_of([1.0] * 200), KEY).points(1020.2, 1040.2, 500)
    assert x[0] < 1020.2
    assert x[-1] > 1040.2


def test_a_gap_stays_a_gap() -> None:
    store = store_of([1.0] * 20)
    store.append("host", None, 1100.0, {"cpu_pct": 1.0}, 0.5)
    for buckets in (16, 64, 1000):
        x, y = CurveFeed(store, KEY).points(1000, 1110, buckets)
        assert np.isnan(y[(x > 1009.5) & (x < 1100)]).any()


def test_no_curve_has_more_points_than_allowed() -> None:
    values = [math.nan if index % 2 else float(index % 97) for index in range(28_800)]
    x, y = CurveFeed(store_of(values), KEY).points(1000, 1000 + 14_400, 5000)
    assert MOST_POINTS / 8 < len(x) <= MOST_POINTS
    assert np.nanmax(y) == 96


def test_a_cleared_store_clears_the_curve() -> None:
    store = store_of([1.0] * 200)
    feed = CurveFeed(store, KEY)
    feed.points(1000, 1200, 100)
    store.clear()
    assert len(feed.points(1000, 1200, 100)[0]) == 0
    feed = CurveFeed(store := store_of([1.0] * 200), KEY)
    feed.points(1000, 1200, 100)
    store.clear()
    store.append("host", None, 1150.0, {"cpu_pct": 7.0}, 0.5)
    x, y = feed.points(1000, 1200, 100)
    assert (x.tolist(), y.tolist()) == ([1150.0], [7.0])


def test_an_unknown_curve_has_no_points() -> None:
    x, y = CurveFeed(SampleStore(), KEY).points(0, 60, 100)
    assert len(x) == len(y) == 0


@given(st.floats(1, 50_000), st.integers(16, 1200))
def test_buckets_are_few_enough_and_not_much_too_wide(span_s: float, buckets: int) -> None:
    width = bucket_width(span_s, buckets)
    assert span_s / buckets * (1 - 1e-9) <= width <= span_s / buckets * 1.5
