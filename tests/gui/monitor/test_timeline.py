"""The shown stretch follows the newest sample until it is moved, and never loses the data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.monitor.timeline import Timeline


def seen(span_s: float | None, first: float, newest: float) -> Timeline:
    timeline = Timeline(span_s)
    timeline.see(first, newest)
    return timeline


def test_it_follows_the_newest_sample() -> None:
    timeline = seen(60, 0, 500)
    assert (timeline.start, timeline.end) == (440, 500)
    timeline.see(0, 510)
    assert timeline.end == 510


def test_a_young_run_fills_the_width_in_steps() -> None:
    assert [seen(300, 0, age).length_s for age in (5, 61, 200, 299)] == [60, 120, 300, 300]
    assert seen(300, 0, 200).start == 0


def test_everything_means_everything() -> None:
    timeline = seen(None, 100, 100 + 20_000)
    assert (timeline.start, timeline.end) == (100, 20_100)


def test_it_moves_by_whole_pixels() -> None:
    timeline = Timeline(300)
    ends = set()
    for index in range(8):
        timeline.see(0, 1000 + index * 0.2, pixels=300)
        ends.add(timeline.end)
    assert ends == {1000, 1001, 1002}


def test_panning_and_zooming_stop_following() -> None:
    for move in (lambda timeline: timeline.pan(-0.1), lambda timeline: timeline.zoom(0.5), Timeline.pause):
        timeline = seen(60, 0, 500)
        move(timeline)
        before = (timeline.start, timeline.end)
        timeline.see(0, 600)
        assert not timeline.following
        assert (timeline.start, timeline.end) == before


def test_going_live_brings_back_the_chosen_length() -> None:
    timeline = seen(60, 0, 500)
    timeline.zoom(0.1)
    timeline.go_live()
    assert (timeline.start, timeline.end, timeline.following) == (440, 500, True)


def test_zooming_keeps_the_moment_under_the_mouse() -> None:
    timeline = seen(100, 0, 500)
    timeline.zoom(0.5, at=425)
    assert (timeline.start, timeline.end) == (412.5, 462.5)


@given(st.lists(st.tuples(st.sampled_from(["pan", "zoom"]), st.floats(-3, 3)), max_size=30))
def test_some_data_always_stays_in_sight(moves: list[tuple[str, float]]) -> None:
    timeline = seen(60, 0, 500)
    for kind, amount in moves:
        if kind == "pan":
            timeline.pan(amount)
        else:
            timeline.zoom(2.0**amount)
        assert timeline.start < 500
        assert timeline.end > 0
        assert timeline.length_s * (1 + 1e-9) >= 2
        assert timeline.length_s == pytest.approx(timeline.end - timeline.start)
