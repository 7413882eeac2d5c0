"""Recorded GPU samples, played into the same store: for looking at the plots without a GPU, and for tests."""

import itertools
import math
from pathlib import Path
from typing import Any

import msgspec

from core.base.clock import now
from core.telemetry.card import HELD_DOWN, MIB
from core.telemetry.marks import Mark
from core.telemetry.source import DeviceInfo, Row, Source, SourceUnavailable

_LARGEST_BYTES = 64 * 1024 * 1024


class _Line(msgspec.Struct, frozen=True):
    """One line of a recording; bytes, milliwatts and kB/s as NVML gives them."""

    t: float
    phase: str = ""
    mem_used: Any = None
    mem_total: Any = None
    gpu: Any = None
    mem_util: Any = None
    temp: Any = None
    power_mw: Any = None
    power_limit_mw: Any = None
    fan: Any = None
    sm: Any = None
    mem_clock: Any = None
    throttle: Any = None
    pcie_tx: Any = None
    pcie_rx: Any = None
    procs: list[tuple[int, int | None]] | None = None


class ReplaySource(Source):
    """Plays a recording (JSON lines, one sample each) as GPU 0.

    Args:
        path: the recording.
        speed: 1 is real time; infinity plays all of it at the first reading, ending now (for pictures).

    Raises:
        ValueError: the speed is not above 0.
    """

    name = "gpu"

    def __init__(self, path: Path, speed: float = 1.0) -> None:
        if speed <= 0:
            raise ValueError("The speed of a replay must be above 0.")
        self._path = path
        self._speed = speed
        self._lines: list[_Line] = []
        self._period_s = 0.5
        self._started_s = 0.0
        self._next = 0
        self._marks: list[Mark] = []

    def open(self) -> None:
        """Read the recording; it plays from here.

        Raises:
            SourceUnavailable: the file is missing, empty, too large, or no recording.
        """
        self._lines = read_recording(self._path)
        self._period_s = _usual_period_s(self._lines) / (1.0 if math.isinf(self._speed) else self._speed)
        length_s = self._lines[-1].t - self._lines[0].t
        self._started_s = now() - (length_s if math.isinf(self._speed) else 0.0)
        self._next = 0
        self._marks = []

    def read_fast(self) -> list[Row]:
        """All samples whose time has come since the last reading."""
        rows = []
        while self._next < len(self._lines):
            line = self._lines[self._next]
            t = self._time_of(line)
            if t > now():
                break
            rows.append(Row(0, _values(line), t, self._period_s))
            self._mark(line, t)
            self._next += 1
        return rows

    def notice(self) -> str:
        """Says that this is no live data."""
        return "Recorded data." if self._next < len(self._lines) else "Recorded data; the recording has ended."

    def devices(self) -> list[DeviceInfo]:
        """The recorded card, as far as the recording tells."""
        if not self._lines:
            return []
        first = self._lines[0]
        total_mib = None if _number(first.mem_total) is None else first.mem_total / MIB
        missing = {quantity: "not recorded" for quantity, value in _values(first).items() if value is None}
        return [DeviceInfo(0, "Recorded GPU", None, total_mib, None, None, None, missing)]

    def marks(self) -> list[Mark]:
        """Where each recorded phase began, as far as it has been played."""
        return list(self._marks)

    def _time_of(self, line: _Line) -> float:
        passed_s = line.t - self._lines[0].t
        return self._started_s + (passed_s if math.isinf(self._speed) else passed_s / self._speed)

    def _mark(self, line: _Line, t: float) -> None:
        before = self._lines[self._next - 1].phase if self._next else ""
        if line.phase != before:
            case, _, step = line.phase.rpartition(":")
            kind = {"start": "start", "bench": "ready", "stop": "stop"}.get(step, "other")
            self._marks.append(Mark(t, f"{case} {step}".strip(), kind))


def read_recording(path: Path) -> list[_Line]:
    """The samples of a recording, in the order of time.

    Raises:
        SourceUnavailable: the file is missing, empty, too large, or no recording.
    """
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise SourceUnavailable(f"The recording {path.name} is larger than {_LARGEST_BYTES // 2**20} MiB.")
        decoder = msgspec.json.Decoder(_Line)
        lines = decoder.decode_lines(path.read_bytes())
    except OSError as error:
        raise SourceUnavailable(f"The recording {path.name} cannot be opened: {error.strerror}.") from error
    except msgspec.MsgspecError as error:
        raise SourceUnavailable(f"{path.name} is not a recording of samples: {error}.") from error
    if not lines:
        raise SourceUnavailable(f"The recording {path.name} is empty.")
    return sorted(lines, key=lambda line: line.t)


def _usual_period_s(lines: list[_Line]) -> float:
    steps = sorted(after.t - before.t for before, after in itertools.pairwise(lines))
    return max(0.001, steps[len(steps) // 2]) if steps else 0.5


def _values(line: _Line) -> dict[str, float | None]:
    used = _number(line.mem_used)
    held = [number for _, number in line.procs] if line.procs is not None else [None]
    engine = None if None in held else float(sum(number for number in held if number is not None))
    throttle = _number(line.throttle)
    return {
        "memory_total_mib": _scaled(line.mem_total, MIB),
        "memory_used_mib": _scaled(line.mem_used, MIB),
        "memory_engine_mib": None if engine is None else engine / MIB,
        "memory_others_mib": None if engine is None or used is None else max(0.0, used - engine) / MIB,
        "temperature_c": _number(line.temp),
        "power_w": _scaled(line.power_mw, 1000),
        "power_limit_w": _scaled(line.power_limit_mw, 1000),
        "utilization_pct": _number(line.gpu),
        "memory_utilization_pct": _number(line.mem_util),
        "sm_clock_mhz": _number(line.sm),
        "memory_clock_mhz": _number(line.mem_clock),
        "fan_pct": _number(line.fan),
        "throttled": None if throttle is None else float(bool(int(throttle) & HELD_DOWN)),
        "pcie_tx_mib_s": _scaled(line.pcie_tx, 1024),
        "pcie_rx_mib_s": _scaled(line.pcie_rx, 1024),
    }


def _number(value: Any) -> float | None:
    """A recorded value; NVML's words, such as "Not Supported", stand for None."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _scaled(value: Any, divisor: float) -> float | None:
    number = _number(value)
    return None if number is None else number / divisor
