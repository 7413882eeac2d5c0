"""A driver in place of libnvidia-ml.so: real pynvml code runs over it, so that cards nobody has at hand can be tested.

It fills in ctypes arguments as the library does. `cards` holds what each card answers; a name in `errors` fails with
that NVML code instead.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pynvml
import pytest

GIB = 2**30


@dataclass
class FakeCard:
    name: str = "NVIDIA GeForce RTX 4090"
    total: int = 24 * GIB
    reserved: int = 400 * 2**20
    used: int = 2 * GIB
    processes: list[tuple[int, int | None]] = field(default_factory=list)
    throttle: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


class FakeDriver:
    def __init__(self, *cards: FakeCard) -> None:
        self.cards = list(cards)
        self.errors: dict[str, int] = {}
        self.missing: set[str] = set()
        self.started = 0

    def __getattr__(self, name: str) -> Callable[..., int]:
        if not name.startswith("nvml") or name in self.missing:
            raise AttributeError(name)
        answer = getattr(type(self), f"_{name.removeprefix('nvml')}", None)

        def call(*arguments: Any) -> int:
            if name in self.errors:
                return self.errors[name]
            if name.startswith("nvmlDevice") and "Handle" not in name and "Count" not in name:
                card = self.cards[(ctypes.cast(arguments[0], ctypes.c_void_p).value or 0) - 1]
                card.asked.append(name)
                if "*" in card.errors or name in card.errors:
                    return card.errors.get(name, card.errors.get("*", 0))
                arguments = (card, *arguments[1:])
            return answer(self, *arguments) or 0 if answer else pynvml.NVML_ERROR_NOT_SUPPORTED

        return call

    def _InitWithFlags(self, flags: int) -> None:
        self.started += 1

    def _Shutdown(self) -> None:
        self.started -= 1

    def _SystemGetDriverVersion(self, buffer: Any, length: Any) -> None:
        buffer.value = b"580.95.05"

    def _SystemGetCudaDriverVersion(self, number: Any) -> None:
        number._obj.value = 13000

    def _DeviceGetCount_v2(self, number: Any) -> None:
        number._obj.value = len(self.cards)

    def _DeviceGetHandleByIndex_v2(self, index: Any, device: Any) -> int:
        code = self.cards[index.value].errors.get("handle", 0)
        ctypes.cast(ctypes.addressof(device._obj), ctypes.POINTER(ctypes.c_void_p))[0] = index.value + 1
        return code

    def _DeviceGetName(self, card: FakeCard, buffer: Any, length: Any) -> None:
        buffer.value = card.name.encode()

    def _DeviceGetUUID(self, card: FakeCard, buffer: Any, length: Any) -> None:
        buffer.value = b"GPU-0000"

    def _DeviceGetCudaComputeCapability(self, card: FakeCard, major: Any, minor: Any) -> None:
        major._obj.value, minor._obj.value = 8, 9

    def _DeviceGetMemoryInfo_v2(self, card: FakeCard, memory: Any) -> None:
        memory._obj.total, memory._obj.reserved, memory._obj.used = card.total, card.reserved, card.used

    def _DeviceGetMemoryInfo(self, card: FakeCard, memory: Any) -> None:
        # The first version of the call counts what the driver reserves as used.
        memory._obj.total, memory._obj.used = card.total, card.used + card.reserved

    def _DeviceGetUtilizationRates(self, card: FakeCard, rates: Any) -> None:
        rates._obj.gpu, rates._obj.memory = 97, 61

    def _DeviceGetTemperature(self, card: FakeCard, sensor: Any, number: Any) -> None:
        number._obj.value = 66

    def _DeviceGetPowerUsage(self, card: FakeCard, number: Any) -> None:
        number._obj.value = 431_500

    def _DeviceGetEnforcedPowerLimit(self, card: FakeCard, number: Any) -> None:
        number._obj.value = 450_000

    def _DeviceGetClockInfo(self, card: FakeCard, kind: Any, number: Any) -> None:
        number._obj.value = 2520 if kind.value == pynvml.NVML_CLOCK_SM else 10501

    def _DeviceGetFanSpeed(self, card: FakeCard, number: Any) -> None:
        number._obj.value = 54

    def _DeviceGetPcieThroughput(self, card: FakeCard, counter: Any, number: Any) -> None:
        number._obj.value = 2048 if counter.value == pynvml.NVML_PCIE_UTIL_TX_BYTES else 4096

    def _DeviceGetCurrentClocksThrottleReasons(self, card: FakeCard, number: Any) -> None:
        number._obj.value = card.throttle

    def _DeviceGetComputeRunningProcesses_v3(self, card: FakeCard, count: Any, found: Any) -> int:
        if found is None:
            count._obj.value = len(card.processes)
            return pynvml.NVML_ERROR_INSUFFICIENT_SIZE if card.processes else 0
        count._obj.value = len(card.processes)
        for place, (pid, used) in enumerate(card.processes):
            found[place].pid = pid
            found[place].usedGpuMemory = pynvml.NVML_VALUE_NOT_AVAILABLE_ulonglong.value if used is None else used
        return 0


@contextmanager
def driver(*cards: FakeCard) -> Iterator[FakeDriver]:
    """pynvml over a driver with these cards."""
    fake = FakeDriver(*cards)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pynvml, "nvmlLib", fake)
        patch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
        yield fake
