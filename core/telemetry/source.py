"""What every source of samples offers to the sampler, and how it says that it has none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from core.base.errors import DynoError

Pids = Callable[[], list[int]]


class SourceUnavailable(DynoError):
    """The source cannot be reached; it has to be opened anew, after a pause."""


class MissedReading(DynoError):
    """This one reading failed; the source is asked again when the next one is due."""


class Row(NamedTuple):
    """One row of samples.

    Attributes:
        device: the GPU's index, or None.
        values: quantity to value; None is a missing sample.
        t: when it was measured (`core.base.clock.now`); None leaves that to the sampler.
        period_s: when the next row may be expected; None means the rate at which the source is asked.
    """

    device: int | None
    values: Mapping[str, float | None]
    t: float | None = None
    period_s: float | None = None


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What does not change about a GPU.

    Attributes:
        index: NVML's number, in PCI bus order; the `device` of its samples.
        name: as the driver tells it, such as "NVIDIA GeForce RTX 4090".
        uuid: names the card for good, also in `CUDA_VISIBLE_DEVICES`.
        memory_total_mib: memory of the card; None when unknown.
        driver: version of the driver; None when unknown.
        cuda: newest CUDA version that the driver runs, such as "13.0"; None when unknown.
        compute_capability: such as "8.9"; None when unknown.
        problems: quantity to the reason why it is not available on this card.
    """

    index: int
    name: str
    uuid: str | None
    memory_total_mib: float | None
    driver: str | None
    cuda: str | None
    compute_capability: str | None
    problems: Mapping[str, str] = field(default_factory=dict)


class Source:
    """Base of all sources. The sampler calls `open`, the readings and `close` from one thread of the source's own.

    Class attributes:
        name: the `source` of its samples, and part of its thread's name.
        slow_period_s: how often `read_slow` is called, whatever the rate.
        longest_pause_s: upper bound of the pause before it is opened again.
    """

    name: str = ""
    slow_period_s: float = 5.0
    longest_pause_s: float = 30.0

    def open(self) -> None:
        """Connect. Called again after `SourceUnavailable`.

        Raises:
            SourceUnavailable: there is nothing to connect to; its message is shown where the curves would be.
        """

    def read_fast(self) -> list[Row]:
        """The samples that are taken at the full rate; should cost a few milliseconds.

        Raises:
            MissedReading: nothing this time.
            SourceUnavailable: it has to be opened again.
        """
        return []

    def read_slow(self) -> list[Row]:
        """The samples that cost more or hardly change. Raises as `read_fast` does."""
        return []

    def close(self) -> None:
        """Let go of what `open` took; also called after a failure."""

    def devices(self) -> list[DeviceInfo]:
        """The GPUs this source sees; callable from any thread."""
        return []

    def notice(self) -> str:
        """A word to show although samples come; callable from any thread."""
        return ""

    def watch(self, pids: Pids | None) -> None:
        """Tell the source which processes are the engine; None when there is none. Callable from any thread.

        Args:
            pids: gives the engine's process numbers; called from the source's thread at each reading.
        """
