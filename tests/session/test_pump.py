"""The log file, and what happens when it cannot be written."""

import os
from pathlib import Path

import pytest

from core.engine.pump import OutputPump
from tests.session.helpers import private


def run(log: Path, *pieces: bytes) -> tuple[OutputPump, list[str]]:
    troubles: list[str] = []
    pump = OutputPump(log, troubles.append)
    pump.start()
    for piece in pieces:
        os.write(pump.sink, piece)
    pump.close_sink()
    assert pump.join(5)
    return pump, troubles


def test_everything_is_written_for_the_owner_alone(tmp_path: Path) -> None:
    log = tmp_path / "new" / "x.log"
    pump, troubles = run(log, b"caf\xc3", b"\xa9\xff\n", b"no end")
    assert log.read_bytes() == b"caf\xc3\xa9\xff\nno end"
    assert private(log) and pump.lost_bytes == 0 and troubles == []


def test_a_full_disk_is_told_once_and_the_pipe_is_emptied(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.symlink_to("/dev/full")
    data = b"y" * 300_000
    pump, troubles = run(log, data, data, data, data)
    assert troubles == ["No space left on device"] and pump.lost_bytes == 4 * len(data)


def test_a_gap_is_noted_once_there_is_room_again(tmp_path: Path) -> None:
    pump = OutputPump(tmp_path / "x.log", lambda _: None)
    pump._open()
    file = pump._file
    full = os.open("/dev/full", os.O_WRONLY)
    pump._write(b"before\n")
    pump._file = full
    pump._write(b"lost\n")
    pump._write(b"lost too\n")
    pump._file = file
    pump._write(b"after\n")
    for descriptor in (file, full, pump._source, pump.sink):
        os.close(descriptor)
    assert pump.lost_bytes == 14
    assert (tmp_path / "x.log").read_text() == "before\n\n[14 bytes of the output are missing here]\nafter\n"


def test_a_log_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    pump, troubles = run(tmp_path / "file" / "x.log", b"hello\n")
    assert troubles == ["Not a directory"] and pump.lost_bytes == 6


def test_a_pump_whose_pipe_is_still_held_is_not_waited_for(tmp_path: Path) -> None:
    pump = OutputPump(tmp_path / "x.log", pytest.fail)
    pump.start()
    assert not pump.join(0.05)
    pump.close_sink()
    assert pump.join(5)
