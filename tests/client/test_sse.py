import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.client import sse
from core.client.sse import StreamGarbled, events

STREAM = 'data: {"a": "Zürich 東京"}\n\n: a comment\nevent: x\ndata:{"b": 2}\r\n\r\ndata: [DONE]\n\n'.encode()
DATA = ['{"a": "Zürich 東京"}', '{"b": 2}', "[DONE]"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_pieces_may_end_anywhere(cuts: list[int]) -> None:
    borders = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in itertools.pairwise(borders)]

    assert list(events(pieces)) == DATA


def test_an_event_comes_out_as_soon_as_its_line_is_whole() -> None:
    taken: list[str] = []

    def pieces():
        yield b"data: one\n"
        taken.append(f"after {len(taken)}")
        yield b"data: two\n"

    for data in events(pieces()):
        taken.append(data)

    assert taken == ["one", "after 1", "two"]


def test_a_last_line_without_its_end_counts() -> None:
    assert list(events([b"data: cut"])) == ["cut"]


def test_bytes_that_are_no_text_are_garbled() -> None:
    with pytest.raises(StreamGarbled):
        list(events([b"data: \xff\xfe\n"]))


def test_a_line_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "_LONGEST_LINE", 1000)

    with pytest.raises(StreamGarbled):
        list(events(b"x" * 600 for _ in range(10)))
