"""Lines out of bytes, whatever the bytes are."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine import logfile
from core.engine.logfile import LINE_LIMIT, LineSplitter, LogFollower


def split(data: bytes, piece: int) -> list[str]:
    splitter = LineSplitter()
    lines = []
    for start in range(0, len(data), piece):
        lines += splitter.feed(data[start : start + piece])
    return lines + splitter.rest()


@given(st.binary(max_size=400), st.integers(1, 50))
def test_pieces_make_no_difference(data: bytes, piece: int) -> None:
    assert split(data, piece) == split(data, 1000)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])), max_size=20))
def test_plain_lines_come_out_as_they_are(lines: list[str]) -> None:
    assert split("".join(f"{line}\n" for line in lines).encode(), 7) == lines


def test_broken_text_is_replaced_not_refused() -> None:
    assert split(b"caf\xc3 \xff\n", 3) == ["caf\ufffd \ufffd"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"a\rbb\rccc", "ccc"),
        (b"a\rbb\r", "bb"),
        (b"windows line\r", "windows line"),
        (b"\r\r", ""),
        (b"(EngineCore pid=7) \rGraphs: 1/9\rGraphs: 9/9", "(EngineCore pid=7) Graphs: 9/9"),
        (b"(EngineCore pid=7) Graphs: 1/9\r(EngineCore pid=7) Graphs: 9/9", "(EngineCore pid=7) Graphs: 9/9"),
    ],
)
def test_a_redrawn_bar_becomes_its_last_state(line: bytes, shown: str) -> None:
    assert split(line + b"\n", 5) == [shown]


def test_a_bar_that_moves_can_be_seen() -> None:
    splitter = LineSplitter()
    splitter.feed(b"(Worker pid=3) \rx 1/9\rx 2/9")
    assert splitter.pending == "(Worker pid=3) x 2/9"


def test_a_bar_redrawn_for_hours_stays_small() -> None:
    splitter = LineSplitter()
    for number in range(20_000):
        splitter.feed(f"\rstate {number} of 20000".encode())
    assert len(splitter._buffer) < 2 * LINE_LIMIT
    assert splitter.feed(b"\n") == ["state 19999 of 20000"]


def test_a_line_without_end_is_cut_and_the_next_is_whole() -> None:
    splitter = LineSplitter()
    for _ in range(100):
        splitter.feed(b"y" * 10_000)
    assert len(splitter._buffer) <= LINE_LIMIT
    first, second = splitter.feed(b"end\nnext\n")
    assert first.endswith(" ... (cut)") and len(first) < LINE_LIMIT + 20 and second == "next"


def test_a_long_line_in_one_piece_is_cut_too() -> None:
    (line,) = LineSplitter().feed(b"z" * (LINE_LIMIT + 1) + b"\n")
    assert line.endswith(" ... (cut)")


def test_following_a_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    follower = LogFollower(path)
    assert follower.take() == [] and follower.caught_up
    path.write_bytes(b"one\ntw")
    assert follower.take() == ["one"] and follower.pending == "tw"
    with path.open("ab") as file:
        file.write(b"o\nthree")
    assert follower.take() == ["two"]
    follower.finish()
    assert follower.take() == ["three"]
    assert follower.take() == [] and follower.path == path


def test_no_more_lines_than_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_text("".join(f"{number}\n" for number in range(10)))
    follower = LogFollower(path)
    assert follower.take(4) == ["0", "1", "2", "3"] and not follower.caught_up
    assert follower.take(100) == [str(number) for number in range(4, 10)] and follower.caught_up


def test_a_file_emptied_by_somebody_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_text("a long first line\n")
    follower = LogFollower(path)
    follower.take()
    path.write_text("new\n")
    assert follower.take() == ["new"]


def test_a_backlog_is_passed_over_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfile, "_BACKLOG_LIMIT_BYTES", 50_000)
    monkeypatch.setattr(logfile, "_KEPT_OF_BACKLOG_BYTES", 10_000)
    monkeypatch.setattr(logfile, "_CHUNK_BYTES", 5_000)
    path = tmp_path / "x.log"
    path.write_text("".join(f"line {number:05d}\n" for number in range(100_000)))
    follower = LogFollower(path)
    lines: list[str] = []
    while (taken := follower.take(100)) or not follower.caught_up:
        lines += taken
    assert lines[-1] == "line 99999" and all(len(line) == 10 for line in lines)
    assert len(lines) + follower.dropped == 100_000 and follower.dropped > 50_000


def test_a_backlog_of_one_line_is_passed_over_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfile, "_BACKLOG_LIMIT_BYTES", 50_000)
    monkeypatch.setattr(logfile, "_KEPT_OF_BACKLOG_BYTES", 10_000)
    path = tmp_path / "x.log"
    path.write_bytes(b"y" * 200_000 + b"\nlast\n")
    follower = LogFollower(path)
    lines: list[str] = []
    while (taken := follower.take()) or not follower.caught_up:
        lines += taken
    assert lines[-1] == "last"
