import math
from pathlib import Path

import pytest

from gui.format import bytes_text, clock, duration, home_path, model_name, number


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.1234, "", "0.123"),
        (41.03, "tokens/s", "41.0 tokens/s"),
        (12345.6, "MiB", "12,346 MiB"),
        (99.96, "", "100"),
        (9.996, "", "10.0"),
        (0, "", "0"),
        (0.0, "W", "0 W"),
        (-0.0, "", "0"),
        (47, "", "47"),
        (1024, "", "1,024"),
        (-12.34, "", "-12.3"),
        (None, "W", "n/a"),
        (math.nan, "W", "n/a"),
        (math.inf, "W", "n/a"),
    ],
)
def test_number(value: float | None, unit: str, text: str) -> None:
    assert number(value, unit) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.42, "0.42 s"), (0.0042, "0.0042 s"), (12.34, "12.3 s"), (83.9, "1:23"), (3723, "1:02:03"), (None, "n/a")],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_a_running_clock_has_no_fractions() -> None:
    assert [clock(value) for value in (0.4, 7.9, 61, 3600)] == ["0:00", "0:07", "1:01", "1:00:00"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (512, "512 bytes"),
        (1536, "1.50 KiB"),
        (12.3 * 2**30, "12.3 GiB"),
        (1024**6 * 5, "5,120 PiB"),
        (None, "n/a"),
    ],
)
def test_bytes(count: float | None, text: str) -> None:
    assert bytes_text(count) == text


@pytest.mark.parametrize(
    ("reference", "short"),
    [
        ("", ""),
        ("org/name", "org/name"),
        ("/home/someone/models/small", "small"),
        ("/home/someone/models/small/", "small"),
        ("~/models/small", "small"),
        ("./small", "small"),
        ("/", "/"),
    ],
)
def test_a_model_has_a_short_name(reference: str, short: str) -> None:
    assert model_name(reference) == short


def test_the_home_folder_is_written_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert home_path(Path("/home/someone/logs/a.log")) == "~/logs/a.log"
    assert home_path(Path("/home/someone-else/a.log")) == "/home/someone-else/a.log"
