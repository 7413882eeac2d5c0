"""Progress of the whole from what single steps know."""

import io

from core.base.progress import InstallProgress, ProgressMeter
from core.cli.progress_line import ProgressLine, progress_text


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def meter() -> tuple[ProgressMeter, list[InstallProgress], Clock]:
    told: list[InstallProgress] = []
    clock = Clock()
    return ProgressMeter(told.append, {"look": 10.0, "fetch": 60.0, "check": 30.0}, clock), told, clock


def test_a_step_is_told_at_once_with_its_place_in_the_whole() -> None:
    m, told, clock = meter()
    m.step("look", "vllm")
    clock.now_s += 0.01
    m.step("fetch")
    assert told == [
        InstallProgress("look", "vllm", fraction=0.0),
        InstallProgress("fetch", "", fraction=0.1, elapsed_s=told[1].elapsed_s),
    ]
    assert round(told[1].elapsed_s, 6) == 0.01


def test_bytes_move_the_bar_and_five_times_a_second_is_enough() -> None:
    m, told, clock = meter()
    m.step("fetch")
    for tick in range(1, 101):
        clock.now_s += 0.01
        m.update("torch", done_bytes=tick * 10, total_bytes=2000)
    assert len(told) <= 6
    assert (told[-1].detail, told[-1].total_bytes) == ("torch", 2000)
    assert told[-1].fraction == 0.1 + 0.6 * (told[-1].done_bytes or 0) / 2000


def test_the_time_left_goes_by_the_pace_of_the_step_and_the_usual_time_of_later_ones() -> None:
    m, told, clock = meter()
    m.step("fetch")
    m.update(done_bytes=0, total_bytes=1000)
    clock.now_s += 1.0
    m.update(done_bytes=100, total_bytes=1000)
    assert told[-1].remaining_s is None
    clock.now_s += 3.0
    m.update(done_bytes=400, total_bytes=1000)
    assert told[-1].remaining_s == 6.0 + 30.0
    clock.now_s += 30.0
    m.update(done_bytes=500, total_bytes=1000)
    clock.now_s += 10.0
    m.update(done_bytes=600, total_bytes=1000)
    assert told[-1].remaining_s is not None
    assert told[-1].remaining_s > 40.0 + 30.0


def test_a_step_without_measure_tells_no_time_left() -> None:
    m, told, clock = meter()
    m.step("fetch")
    m.update(part=0.0)
    clock.now_s += 5
    m.update(part=0.5)
    assert told[-1].remaining_s is not None
    m.step("check")
    clock.now_s += 5
    m.beat()
    assert told[-1].remaining_s is None
    assert told[-1].elapsed_s == 10.0


def test_the_bar_never_goes_back() -> None:
    m, told, clock = meter()
    m.step("fetch")
    for total in (100, 1000, 500):
        clock.now_s += 1
        m.update(done_bytes=100, total_bytes=total)
    m.step("look")
    fractions = [progress.fraction or 0.0 for progress in told]
    assert fractions == sorted(fractions)


def test_a_part_beyond_the_whole_is_the_whole() -> None:
    m, told, clock = meter()
    m.step("fetch")
    clock.now_s += 1
    m.update(part=1.5)
    assert told[-1].fraction == 0.7
    m.done("all")
    assert (told[-1].step, told[-1].detail, told[-1].fraction) == ("Done", "all", 1.0)


PROGRESS = InstallProgress("Downloading", "torch", 5_000_000, 2_000_000_000, 0.5, 65.0, 130.4)


def test_one_line_says_everything() -> None:
    assert progress_text(PROGRESS) == " 50%  Downloading: torch  5 of 2,000 MB  1:05  about 2:10 left"
    assert progress_text(InstallProgress("Checking", fraction=None)).strip() == "Checking  0:00"


def test_a_file_gets_a_line_for_each_step_and_then_one_every_five_seconds() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        for second in range(12):
            line.show(InstallProgress("a", elapsed_s=float(second)))
        line.show(InstallProgress("b", elapsed_s=12.0))
    assert [text.split()[-1] for text in stream.getvalue().splitlines()] == ["0:00", "0:05", "0:10", "0:12"]


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_one_line_that_rewrites_itself_and_goes_away() -> None:
    stream = Terminal()
    with ProgressLine(stream) as line:
        line.show(PROGRESS)
        line.show(PROGRESS)
    assert stream.getvalue().count("\n") == 0
    assert stream.getvalue().count("\r\x1b[2K") == 3
    assert stream.getvalue().endswith("\r\x1b[2K")
