"""Labels of marks overlap neither each other nor a line; one without room is left out, not its line."""

from hypothesis import given
from hypothesis import strategies as st

from core.telemetry.marks import Mark
from gui.monitor.marks import LANES, place_marks


def width_of(label: str) -> float:
    return 8.0 * len(label)


def place(*moments: float, label: str = "weights", width: float = 500.0):
    return place_marks([Mark(t, label, "other") for t in moments], float, width_of, width=width, room=width + 60)


def test_marks_far_apart_stand_in_one_lane() -> None:
    assert [found.lane for found in place(0, 100, 200)] == [0, 0, 0]


def test_of_two_close_marks_the_earlier_one_moves_up() -> None:
    assert [(found.x, found.lane) for found in place(100, 110)] == [(100, 1), (110, 0)]


def test_a_label_without_room_is_left_out_but_its_line_stays() -> None:
    found = place(100, 105, 110)
    assert [entry.x for entry in found] == [100, 105, 110]
    assert found[0].left is None


def test_a_label_may_stand_beyond_the_plot_but_not_beyond_the_strip() -> None:
    assert place(495)[0].left is not None
    assert place(495, label="a much longer label")[0].left is None


def test_marks_out_of_sight_are_not_placed() -> None:
    assert place(-1, 501) == []


@given(st.lists(st.tuples(st.floats(0, 500), st.integers(1, 12)), max_size=25))
def test_nothing_overlaps(entries: list[tuple[float, int]]) -> None:
    marks = [Mark(t, "x" * length, "other") for t, length in entries]
    placed = [found for found in place_marks(marks, float, width_of, width=500, room=560) if found.left is not None]
    for found in placed:
        end = found.left + width_of(found.mark.label)
        assert 0 <= found.lane < LANES
        assert end <= 560
        for other in placed:
            if other is found:
                continue
            crossed_by_line = found.left < other.x < end and other.lane >= found.lane
            assert not crossed_by_line
            if other.lane == found.lane:
                assert other.left >= end or other.left + width_of(other.mark.label) <= found.left
