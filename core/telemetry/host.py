"""CPU, memory and CPU temperature of the machine, and the engine's share of them."""

import psutil

from core.telemetry.cpu_temperature import CpuTemperature
from core.telemetry.source import Pids, Row, Source

MIB = 1024.0 * 1024.0


class HostSource(Source):
    """Samples of the machine.

    The engine's CPU share is in percent of the whole machine, like the machine's own.

    The engine's memory is the sum over its processes of what each has for itself, plus the largest amount that any of
    them shares. Adding up resident sizes would count shared libraries and shared memory once for each process; the
    exact proportional size costs the kernel a walk over all pages with the engine's memory map locked, which would
    slow down what is being measured.

    Args:
        temperature: reads the CPU's sensor.
    """

    name = "host"

    def __init__(self, temperature: CpuTemperature | None = None) -> None:
        self._temperature = temperature or CpuTemperature()
        self._no_temperature = ""
        self._pids: Pids | None = None
        self._processes: dict[int, psutil.Process] = {}
        self._cores = 1

    def open(self) -> None:
        """Find the sensor and take the first CPU reading, from which the next one counts."""
        self._no_temperature = self._temperature.find()
        self._cores = psutil.cpu_count() or 1
        psutil.cpu_percent(interval=None)

    def read_fast(self) -> list[Row]:
        """CPU load since the last reading, memory, temperature, and the engine's part."""
        memory = psutil.virtual_memory()
        values: dict[str, float | None] = {
            "cpu_pct": psutil.cpu_percent(interval=None),
            "ram_total_mib": memory.total / MIB,
            "ram_used_mib": (memory.total - memory.available) / MIB,
            "cpu_temperature_c": self._temperature.read_c(),
        }
        values["cpu_engine_pct"], values["ram_engine_mib"] = self._read_engine()
        return [Row(None, values)]

    def notice(self) -> str:
        """Why there is no CPU temperature; empty when there is one."""
        return f"No CPU temperature: {self._no_temperature}." if self._no_temperature else ""

    def watch(self, pids: Pids | None) -> None:
        """Sum up these processes as the engine."""
        self._pids = pids

    def _read_engine(self) -> tuple[float | None, float | None]:
        """CPU in percent of the machine and memory in MiB; zero without an engine, None where its processes hide."""
        pids = self._pids() if self._pids else []
        known = self._processes
        self._processes = {}
        cpu_pct = own = shared = 0.0
        for pid in pids:
            try:
                process = known.get(pid) or psutil.Process(pid)
                # The first answer for a process is 0.0, the next ones count from the last.
                cpu_pct += process.cpu_percent(interval=None)
                memory = process.memory_info()
            except psutil.Error:
                continue
            self._processes[pid] = process
            common = getattr(memory, "shared", 0)
            own += memory.rss - common
            shared = max(shared, common)
        if pids and not self._processes:
            return None, None
        return cpu_pct / self._cores, (own + shared) / MIB
