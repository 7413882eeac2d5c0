"""One GPU: what NVML tells of it, with what the card lacks remembered and never asked again."""

from collections.abc import Callable, Set
from typing import Any, TypeVar

import psutil

from core.telemetry.source import DeviceInfo, Row

MIB = 1024.0 * 1024.0
# Memory that appeared with the engine while the driver names no process at all: it hides them (a container).
_HIDDEN_MIB = 512.0

# NVML's reasons for which a card runs slower than it could: power cap, hardware slowdown, heat by software and by
# hardware, power brake. Idling and clocks that somebody set are none.
HELD_DOWN = 0x4 | 0x8 | 0x20 | 0x40 | 0x80

_FAST = (
    "memory_total_mib",
    "memory_used_mib",
    "memory_reserved_mib",
    "memory_engine_mib",
    "memory_others_mib",
    "temperature_c",
    "power_w",
    "utilization_pct",
    "memory_utilization_pct",
    "sm_clock_mhz",
    "memory_clock_mhz",
    "fan_pct",
    "throttled",
)

# Quantities that come from one call with another one, and are missing together with it.
_TOGETHER = {
    "memory_total_mib": "memory_used_mib",
    "memory_reserved_mib": "memory_used_mib",
    "memory_others_mib": "memory_engine_mib",
    "memory_utilization_pct": "utilization_pct",
}

T = TypeVar("T")


class CardLost(Exception):
    """The driver lost the card (fallen off the bus, or it needs a reset)."""


class Card:
    """Reads one GPU.

    Args:
        nvml: the pynvml module, initialised.
        index: NVML's number of the card.

    Raises:
        nvml.NVMLError: the card cannot be addressed.
        CardLost: it is gone.
    """

    def __init__(self, nvml: Any, index: int) -> None:
        self._nvml = nvml
        self._index = index
        self._handle = nvml.nvmlDeviceGetHandleByIndex(index)
        self._problems: dict[str, str] = {}
        self._old_memory_call = False
        self._used_without_engine_mib: float | None = None
        self._processes_hidden = False
        self._static = self._ask_static()

    def info(self) -> DeviceInfo:
        """What does not change, and which quantities this card does not offer."""
        name, uuid, total_mib, driver, cuda, capability = self._static
        problems = dict(self._problems)
        if self._processes_hidden:
            problems["memory_engine_mib"] = "the driver does not tell here which process holds how much"
        problems |= {other: problems[asked] for other, asked in _TOGETHER.items() if asked in problems}
        return DeviceInfo(self._index, name, uuid, total_mib, driver, cuda, capability, problems)

    def read_fast(self, engine: Set[int]) -> Row:
        """All that costs little, about 1 ms together.

        Args:
            engine: the engine's process numbers; empty while there is none.

        Raises:
            CardLost: the card is gone.
        """
        nvml, handle = self._nvml, self._handle
        values: dict[str, float | None] = dict.fromkeys(_FAST)
        memory = self._ask("memory_used_mib", self._memory)
        if memory is not None:
            values["memory_total_mib"] = memory.total / MIB
            values["memory_used_mib"] = memory.used / MIB
            values["memory_reserved_mib"] = getattr(memory, "reserved", None) and memory.reserved / MIB
            values.update(self._by_process(memory.used / MIB, engine))
        rates = self._ask("utilization_pct", lambda: nvml.nvmlDeviceGetUtilizationRates(handle))
        if rates is not None:
            values["utilization_pct"] = rates.gpu
            values["memory_utilization_pct"] = rates.memory
        values["temperature_c"] = self._ask(
            "temperature_c", lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)
        )
        milliwatts = self._ask("power_w", lambda: nvml.nvmlDeviceGetPowerUsage(handle))
        values["power_w"] = None if milliwatts is None else milliwatts / 1000
        values["sm_clock_mhz"] = self._ask(
            "sm_clock_mhz", lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)
        )
        values["memory_clock_mhz"] = self._ask(
            "memory_clock_mhz", lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM)
        )
        values["fan_pct"] = self._ask("fan_pct", lambda: nvml.nvmlDeviceGetFanSpeed(handle))
        reasons = self._ask("throttled", lambda: nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
        values["throttled"] = None if reasons is None else float(bool(reasons & HELD_DOWN))
        return Row(self._index, values)

    def read_slow(self) -> Row:
        """Power limit, and PCIe throughput, which the driver measures for 20 ms in each direction.

        NVML counts PCIe in kilobytes; that makes MiB/s within its own exactness.

        Raises:
            CardLost: the card is gone.
        """
        nvml, handle = self._nvml, self._handle
        limit = self._ask("power_limit_w", lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(handle))
        sent = self._ask(
            "pcie_tx_mib_s", lambda: nvml.nvmlDeviceGetPcieThroughput(handle, nvml.NVML_PCIE_UTIL_TX_BYTES)
        )
        received = self._ask(
            "pcie_rx_mib_s", lambda: nvml.nvmlDeviceGetPcieThroughput(handle, nvml.NVML_PCIE_UTIL_RX_BYTES)
        )
        return Row(
            self._index,
            {
                "power_limit_w": None if limit is None else limit / 1000,
                "pcie_tx_mib_s": None if sent is None else sent / 1024,
                "pcie_rx_mib_s": None if received is None else received / 1024,
            },
        )

    def blank(self) -> Row:
        """A row of missing samples, for the moment the card was lost."""
        return Row(self._index, dict.fromkeys((*_FAST, "power_limit_w", "pcie_tx_mib_s", "pcie_rx_mib_s")))

    def _ask(self, quantity: str, question: Callable[[], T]) -> T | None:
        """The answer; None when there is none. A card that cannot answer is not asked twice."""
        if quantity in self._problems:
            return None
        nvml = self._nvml
        try:
            return question()
        except nvml.NVMLError as error:
            if error.value in (nvml.NVML_ERROR_GPU_IS_LOST, nvml.NVML_ERROR_RESET_REQUIRED):
                raise CardLost(str(error)) from error
            if error.value in (nvml.NVML_ERROR_NOT_SUPPORTED, nvml.NVML_ERROR_FUNCTION_NOT_FOUND):
                self._problems[quantity] = "not supported by this card or driver"
            elif error.value == nvml.NVML_ERROR_NO_PERMISSION:
                self._problems[quantity] = "no right to read it"
            return None

    def _memory(self) -> Any:
        """Memory by the second version of the call where the driver has it.

        The first version counts what the driver reserves for itself (some hundred MiB) as used; the second tells it
        apart, agrees with nvidia-smi, and leaves in "used" only what processes hold.
        """
        nvml = self._nvml
        if not self._old_memory_call:
            try:
                return nvml.nvmlDeviceGetMemoryInfo(self._handle, version=nvml.nvmlMemory_v2)
            except nvml.NVMLError as error:
                if error.value not in (
                    nvml.NVML_ERROR_FUNCTION_NOT_FOUND,
                    nvml.NVML_ERROR_NOT_SUPPORTED,
                    nvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
                ):
                    raise
                self._old_memory_call = True
        return nvml.nvmlDeviceGetMemoryInfo(self._handle)

    def _by_process(self, used_mib: float, engine: Set[int]) -> dict[str, float | None]:
        """Splits the used memory between the engine and all others; None where the driver does not tell."""
        if not engine:
            self._used_without_engine_mib = used_mib
            self._processes_hidden = False
            return {"memory_engine_mib": 0.0, "memory_others_mib": used_mib}
        processes = self._ask("memory_engine_mib", self._processes)
        if processes is None:
            return {}
        held = [mib for pid, mib in processes if pid in engine]
        missing = None in held or (not held and self._hides_the_engine(used_mib, [pid for pid, _ in processes]))
        self._processes_hidden = missing
        if missing:
            return {}
        engine_mib = sum(mib for mib in held if mib is not None)
        return {"memory_engine_mib": engine_mib, "memory_others_mib": max(0.0, used_mib - engine_mib)}

    def _processes(self) -> list[tuple[int, float | None]]:
        found = self._nvml.nvmlDeviceGetComputeRunningProcesses(self._handle)
        return [(each.pid, None if each.usedGpuMemory is None else each.usedGpuMemory / MIB) for each in found]

    def _hides_the_engine(self, used_mib: float, pids: list[int]) -> bool:
        """Whether the engine may hold memory although none of its processes is listed.

        In a container the driver names processes by the host's numbers, or names none.
        """
        if any(not psutil.pid_exists(pid) for pid in pids):
            return True
        before_mib = self._used_without_engine_mib
        return not pids and before_mib is not None and used_mib - before_mib > _HIDDEN_MIB

    def _ask_static(self) -> tuple[str, str | None, float | None, str | None, str | None, str | None]:
        nvml, handle = self._nvml, self._handle
        name = self._ask("name", lambda: nvml.nvmlDeviceGetName(handle))
        uuid = self._ask("uuid", lambda: nvml.nvmlDeviceGetUUID(handle))
        memory = self._ask("memory_used_mib", self._memory)
        driver = self._ask("driver", nvml.nvmlSystemGetDriverVersion)
        cuda = self._ask("cuda", nvml.nvmlSystemGetCudaDriverVersion)
        capability = self._ask("compute_capability", lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle))
        return (
            _text(name) or f"GPU {self._index}",
            _text(uuid),
            None if memory is None else memory.total / MIB,
            _text(driver),
            None if cuda is None else f"{cuda // 1000}.{cuda % 1000 // 10}",
            None if capability is None else f"{capability[0]}.{capability[1]}",
        )


def _text(value: Any) -> str | None:
    """Older pynvml gives bytes."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
