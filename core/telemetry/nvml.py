"""The GPUs, through NVML. The only module that imports pynvml, and that only once its thread runs."""

from collections.abc import Callable, Iterable
from typing import Any

from core.telemetry.card import Card, CardLost
from core.telemetry.source import DeviceInfo, Pids, Row, Source, SourceUnavailable

_SLOW_S = 5.0


class NvmlSource(Source):
    """Samples of every GPU that the driver knows, whatever `CUDA_VISIBLE_DEVICES` says; devices carry NVML's index."""

    name = "gpu"

    def __init__(self) -> None:
        self._nvml: Any = None
        self._cards: dict[int, Card] = {}
        self._unreadable: dict[int, str] = {}
        self._pids: Pids | None = None
        self._turn = -1

    def open(self) -> None:
        """Load the driver's library and list the cards.

        Raises:
            SourceUnavailable: no driver, no rights, no card.
        """
        try:
            import pynvml
        except ImportError as error:
            raise SourceUnavailable("The package nvidia-ml-py is missing.", "Install it to see the GPU.") from error
        try:
            pynvml.nvmlInit()
        except pynvml.NVMLError as error:
            raise SourceUnavailable(_why_no_driver(pynvml, error.value, str(error))) from error
        self._nvml = pynvml
        self._unreadable = {}
        try:
            count = pynvml.nvmlDeviceGetCount()
        except pynvml.NVMLError as error:
            raise SourceUnavailable(f"The NVIDIA driver does not list its GPUs: {error}.") from error
        if count == 0:
            raise SourceUnavailable("The NVIDIA driver finds no GPU.")
        self._cards = {}
        for index in range(count):
            self._find(index)
        self._give_up_without_cards()
        self.slow_period_s = _SLOW_S / len(self._cards)

    def read_fast(self) -> list[Row]:
        """Memory, utilisation, temperature, power, clocks and fan of every card."""
        pids = set(self._pids()) if self._pids else set()
        return self._read(lambda card: card.read_fast(pids), self._cards)

    def read_slow(self) -> list[Row]:
        """Power limit and PCIe throughput (20 ms a direction) of one card after the other; looks for lost cards again.

        All at once would hold up the fast quantities for a third of a second on a machine with eight cards.
        """
        for index in list(self._unreadable):
            self._find(index)
        self._turn += 1
        index = list(self._cards)[self._turn % len(self._cards)]
        return [row._replace(period_s=_SLOW_S) for row in self._read(lambda card: card.read_slow(), [index])]

    def close(self) -> None:
        """Let go of the driver. What is known of the cards stays readable."""
        if self._nvml is not None:
            nvml, self._nvml = self._nvml, None
            nvml.nvmlShutdown()

    def devices(self) -> list[DeviceInfo]:
        """The cards found so far, with what each does not offer."""
        return [card.info() for card in list(self._cards.values())]

    def notice(self) -> str:
        """Names the cards that cannot be read, or were lost, while others go on."""
        return " ".join(f"GPU {index} cannot be read: {why}." for index, why in sorted(dict(self._unreadable).items()))

    def watch(self, pids: Pids | None) -> None:
        """Tell engine memory from that of others by these processes."""
        self._pids = pids

    def _find(self, index: int) -> None:
        try:
            card = Card(self._nvml, index)
        except (self._nvml.NVMLError, CardLost) as error:
            self._unreadable[index] = str(error)
            return
        self._cards = dict(sorted({**self._cards, index: card}.items()))
        self._unreadable.pop(index, None)

    def _read(self, reading: Callable[[Card], Row], indices: Iterable[int]) -> list[Row]:
        rows = []
        for index in indices:
            card = self._cards[index]
            try:
                rows.append(reading(card))
            except CardLost as lost:
                self._unreadable[index] = str(lost)
                rows.append(card.blank())
        if self._unreadable:
            self._cards = {index: card for index, card in self._cards.items() if index not in self._unreadable}
            self._give_up_without_cards()
        return rows

    def _give_up_without_cards(self) -> None:
        if not self._cards:
            raise SourceUnavailable(self.notice() or "The NVIDIA driver finds no GPU.")


def _why_no_driver(nvml: Any, code: int, words: str) -> str:
    return {
        nvml.NVML_ERROR_LIBRARY_NOT_FOUND: "No NVIDIA driver found.",
        nvml.NVML_ERROR_DRIVER_NOT_LOADED: "The NVIDIA driver is installed but not loaded.",
        nvml.NVML_ERROR_NO_PERMISSION: "No right to ask the NVIDIA driver.",
        nvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: "The NVIDIA driver was updated; restart the machine.",
    }.get(code, f"The NVIDIA driver does not answer: {words}.")
