import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pynvml
import pytest

from core.telemetry.nvml import NvmlSource
from core.telemetry.source import SourceUnavailable
from tests.telemetry.fake_driver import GIB, FakeCard, FakeDriver, driver

ME = os.getpid()
NOBODY = 2**22 + 1


@contextmanager
def opened(*cards: FakeCard) -> Iterator[tuple[NvmlSource, FakeDriver]]:
    with driver(*cards) as fake:
        source = NvmlSource()
        source.open()
        try:
            yield source, fake
        finally:
            source.close()
        assert fake.started == 0


def fast(source: NvmlSource, index: int = 0) -> dict[str, float | None]:
    return dict(next(row.values for row in source.read_fast() if row.device == index))


def test_all_that_a_desktop_card_tells() -> None:
    with opened(FakeCard()) as (source, _):
        assert fast(source) == {
            "memory_total_mib": 24576,
            "memory_used_mib": 2048,
            "memory_reserved_mib": 400,
            "memory_engine_mib": 0,
            "memory_others_mib": 2048,
            "temperature_c": 66,
            "power_w": 431.5,
            "utilization_pct": 97,
            "memory_utilization_pct": 61,
            "sm_clock_mhz": 2520,
            "memory_clock_mhz": 10501,
            "fan_pct": 54,
            "throttled": 0,
        }
        assert source.read_slow()[0].values == {"power_limit_w": 450, "pcie_tx_mib_s": 2, "pcie_rx_mib_s": 4}
        device = source.devices()[0]
    assert (device.index, device.name, device.uuid) == (0, "NVIDIA GeForce RTX 4090", "GPU-0000")
    assert (device.driver, device.cuda, device.compute_capability) == ("580.95.05", "13.0", "8.9")
    assert (device.memory_total_mib, device.problems) == (24576, {})


def test_what_a_card_lacks_is_missing_with_a_reason_and_asked_once() -> None:
    card = FakeCard(errors={"nvmlDeviceGetFanSpeed": pynvml.NVML_ERROR_NOT_SUPPORTED})
    card.errors["nvmlDeviceGetPowerUsage"] = pynvml.NVML_ERROR_NO_PERMISSION
    card.errors["nvmlDeviceGetUtilizationRates"] = pynvml.NVML_ERROR_NOT_SUPPORTED
    with opened(card) as (source, _):
        for _ in range(3):
            values = fast(source)
        assert (values["fan_pct"], values["power_w"], values["utilization_pct"]) == (None, None, None)
        assert card.asked.count("nvmlDeviceGetFanSpeed") == 1
        assert source.devices()[0].problems == {
            "fan_pct": "not supported by this card or driver",
            "power_w": "no right to read it",
            "utilization_pct": "not supported by this card or driver",
            "memory_utilization_pct": "not supported by this card or driver",
        }


def test_a_passing_failure_is_one_missing_sample() -> None:
    card = FakeCard(errors={"nvmlDeviceGetTemperature": pynvml.NVML_ERROR_TIMEOUT})
    with opened(card) as (source, _):
        assert fast(source)["temperature_c"] is None
        card.errors.clear()
        assert fast(source)["temperature_c"] == 66
        assert source.devices()[0].problems == {}


@pytest.mark.parametrize("code", [pynvml.NVML_ERROR_NOT_SUPPORTED, pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH])
def test_an_old_driver_tells_memory_the_old_way(code: int) -> None:
    card = FakeCard(errors={"nvmlDeviceGetMemoryInfo_v2": code})
    with opened(card) as (source, _):
        values = fast(source)
        fast(source)
        assert card.asked.count("nvmlDeviceGetMemoryInfo_v2") == 1
    assert (values["memory_used_mib"], values["memory_reserved_mib"]) == (2448, None)


def test_a_driver_without_the_newer_call_at_all() -> None:
    with driver(FakeCard()) as fake:
        fake.missing.add("nvmlDeviceGetMemoryInfo_v2")
        source = NvmlSource()
        source.open()
        assert fast(source)["memory_used_mib"] == 2448
        source.close()


def test_memory_that_cannot_be_read() -> None:
    card = FakeCard(errors={"nvmlDeviceGetMemoryInfo_v2": pynvml.NVML_ERROR_UNKNOWN})
    with opened(card) as (source, _):
        values = fast(source)
        assert source.devices()[0].memory_total_mib is None
    assert (values["memory_used_mib"], values["memory_engine_mib"], values["memory_others_mib"]) == (None, None, None)


def test_memory_is_split_between_the_engine_and_others() -> None:
    card = FakeCard(used=20 * GIB, processes=[(ME, 12 * GIB), (os.getppid(), 6 * GIB)])
    with opened(card, FakeCard(used=GIB)) as (source, _):
        source.watch(lambda: [ME, NOBODY])
        first, second = fast(source, 0), fast(source, 1)
    assert (first["memory_engine_mib"], first["memory_others_mib"]) == (12 * 1024, 8 * 1024)
    assert (second["memory_engine_mib"], second["memory_others_mib"]) == (0, 1024)


def test_no_engine_is_zero_and_all_memory_is_that_of_others() -> None:
    card = FakeCard(processes=[(ME, GIB)])
    with opened(card) as (source, _):
        source.watch(list)
        values = fast(source)
    assert (values["memory_engine_mib"], values["memory_others_mib"]) == (0, 2048)


@pytest.mark.parametrize(
    "processes",
    [
        pytest.param([(ME, None)], id="WSL2: the process without its memory"),
        pytest.param([(NOBODY, 10 * GIB)], id="container: numbers of another name space"),
        pytest.param([], id="container: no process at all"),
    ],
)
def test_hidden_processes_are_unknown_and_never_zero(processes: list[tuple[int, int | None]]) -> None:
    card = FakeCard(used=GIB)
    with opened(card) as (source, _):
        source.watch(list)
        fast(source)
        source.watch(lambda: [ME])
        card.used, card.processes = 12 * GIB, processes
        values = fast(source)
        problems = source.devices()[0].problems
        assert (values["memory_engine_mib"], values["memory_others_mib"]) == (None, None)
        assert "which process" in problems["memory_engine_mib"]
        assert "which process" in problems["memory_others_mib"]
        source.watch(None)
        assert fast(source)["memory_others_mib"] == 12 * 1024
        assert source.devices()[0].problems == {}


def test_processes_not_supported() -> None:
    card = FakeCard(errors={"nvmlDeviceGetComputeRunningProcesses_v3": pynvml.NVML_ERROR_NOT_SUPPORTED})
    with opened(card) as (source, _):
        source.watch(lambda: [ME])
        assert fast(source)["memory_engine_mib"] is None
        assert set(source.devices()[0].problems) == {"memory_engine_mib", "memory_others_mib"}


def test_an_engine_that_has_not_reached_the_card_yet_holds_nothing() -> None:
    card = FakeCard(used=GIB)
    with opened(card) as (source, _):
        fast(source)
        source.watch(lambda: [ME])
        card.used = GIB + 100 * 2**20
        assert fast(source)["memory_engine_mib"] == 0


@pytest.mark.parametrize(
    ("reasons", "held_down"),
    [
        (pynvml.nvmlClocksThrottleReasonGpuIdle, 0),
        (pynvml.nvmlClocksThrottleReasonApplicationsClocksSetting, 0),
        (pynvml.nvmlClocksThrottleReasonSwPowerCap, 1),
        (pynvml.nvmlClocksThrottleReasonHwSlowdown, 1),
        (pynvml.nvmlClocksThrottleReasonSwThermalSlowdown, 1),
        (pynvml.nvmlClocksThrottleReasonHwThermalSlowdown, 1),
        (pynvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown | pynvml.nvmlClocksThrottleReasonGpuIdle, 1),
    ],
)
def test_held_down_means_heat_power_or_hardware(reasons: int, held_down: int) -> None:
    with opened(FakeCard(throttle=reasons)) as (source, _):
        assert fast(source)["throttled"] == held_down


def test_a_lost_card_leaves_the_others_and_is_looked_for_again() -> None:
    lost = FakeCard()
    with opened(FakeCard(name="NVIDIA RTX 6000"), lost) as (source, _):
        lost.errors["*"] = lost.errors["handle"] = pynvml.NVML_ERROR_GPU_IS_LOST
        rows = {row.device: row.values for row in source.read_fast()}
        assert rows[0]["temperature_c"] == 66
        assert set(rows[1].values()) == {None}
        assert source.notice() == "GPU 1 cannot be read: GPU is lost."
        assert [device.index for device in source.devices()] == [0]
        assert [row.device for row in source.read_slow()] == [0]

        lost.errors.clear()
        assert {row.device for _ in range(2) for row in source.read_slow()} == {0, 1}
        assert source.notice() == ""
        assert [row.device for row in source.read_fast()] == [0, 1]


def test_slow_quantities_come_from_one_card_after_the_other() -> None:
    with opened(FakeCard(), FakeCard(), FakeCard()) as (source, _):
        rows = [source.read_slow() for _ in range(6)]
        assert [[row.device for row in each] for each in rows] == [[0], [1], [2], [0], [1], [2]]
        assert {row.period_s for each in rows for row in each} == {5.0}
        assert source.slow_period_s == pytest.approx(5 / 3)


def test_the_last_card_lost_means_opening_again() -> None:
    card = FakeCard()
    with opened(card) as (source, _):
        card.errors["*"] = pynvml.NVML_ERROR_GPU_IS_LOST
        with pytest.raises(SourceUnavailable, match="GPU 0 cannot be read: GPU is lost"):
            source.read_fast()


def test_a_card_that_is_lost_from_the_start() -> None:
    with opened(FakeCard(), FakeCard(errors={"handle": pynvml.NVML_ERROR_NO_PERMISSION})) as (source, _):
        assert [device.index for device in source.devices()] == [0]
        assert source.notice() == "GPU 1 cannot be read: Insufficient Permissions."


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (pynvml.NVML_ERROR_DRIVER_NOT_LOADED, "The NVIDIA driver is installed but not loaded."),
        (pynvml.NVML_ERROR_NO_PERMISSION, "No right to ask the NVIDIA driver."),
        (pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH, "The NVIDIA driver was updated; restart the machine."),
        (pynvml.NVML_ERROR_UNKNOWN, "The NVIDIA driver does not answer: Unknown Error."),
    ],
)
def test_why_the_driver_cannot_be_asked(code: int, words: str) -> None:
    with driver() as fake:
        fake.errors["nvmlInitWithFlags"] = code
        source = NvmlSource()
        with pytest.raises(SourceUnavailable) as failure:
            source.open()
        source.close()
    assert failure.value.message == words


def test_a_driver_that_lists_no_card() -> None:
    with driver() as fake:
        source = NvmlSource()
        with pytest.raises(SourceUnavailable, match="finds no GPU"):
            source.open()
        fake.errors["nvmlDeviceGetCount_v2"] = pynvml.NVML_ERROR_UNKNOWN
        with pytest.raises(SourceUnavailable, match="does not list"):
            source.open()
        source.close()


def test_no_driver_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(pynvml, "nvmlLib", None)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    monkeypatch.setattr(pynvml, "CDLL", missing)

    with pytest.raises(SourceUnavailable) as failure:
        NvmlSource().open()
    assert failure.value.message == "No NVIDIA driver found."


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)

    with pytest.raises(SourceUnavailable, match="nvidia-ml-py is missing"):
        NvmlSource().open()
