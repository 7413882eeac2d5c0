"""Asks all sources at their rates and fills the store; says in words why a curve is empty."""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from core.base.clock import now
from core.telemetry.engine_metrics import EngineMetricsSource
from core.telemetry.host import HostSource
from core.telemetry.nvml import NvmlSource
from core.telemetry.runner import SourceRunner
from core.telemetry.source import DeviceInfo, Pids, Source
from core.telemetry.store import SampleStore

SLOWEST_HZ = 0.1
FASTEST_HZ = 10.0
# A hung driver call cannot be ended; this is how long stop() waits for all threads together.
_STOP_S = 2.0
_PIDS_S = 1.0


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """How a source stands.

    Attributes:
        name: "gpu", "host", "engine".
        running: samples come.
        message: why none come, or a word beside those that do; empty when all is well.
    """

    name: str
    running: bool
    message: str


class Sampler:
    """Runs one daemon thread for each source, so that one that hangs blinds only its own curves.

    Nothing runs before `start`. All methods may be called from any thread and return quickly (`stop` within 2 s).

    Args:
        store: where the samples go.
        sources: what to ask from `start` to `stop`; the engine's source comes and goes by itself.
        hz: readings a second.
    """

    def __init__(self, store: SampleStore, sources: Sequence[Source], hz: float = 2.0) -> None:
        self._store = store
        self._sources = tuple(sources)
        self._period_s = 1.0 / hz
        self._lock = threading.Lock()
        self._runners: list[SourceRunner] = []
        self._engine: EngineMetricsSource | None = None
        self._engine_runner: SourceRunner | None = None
        self._retired: list[SourceRunner] = []
        self._running = False

    @classmethod
    def with_default_sources(cls, store: SampleStore) -> "Sampler":
        """GPUs through NVML and the host; the engine's metrics as soon as one is attached."""
        return cls(store, [NvmlSource(), HostSource()])

    def start(self) -> None:
        """Begin to sample; a second call changes nothing."""
        with self._lock:
            if self._running:
                return
            self._running = True
            self._runners = [self._run(source) for source in self._sources]
            if self._engine is not None:
                self._engine_runner = self._run(self._engine)

    def stop(self) -> None:
        """End all threads and wait up to 2 s for them; one that hangs in a driver call is abandoned. Idempotent."""
        with self._lock:
            self._running = False
            for runner in self._active():
                runner.ask_to_stop()
            runners = [*self._active(), *self._retired]
            self._runners = []
            self._engine_runner = None
            self._retired = []
        deadline = now() + _STOP_S
        for runner in runners:
            runner.join(max(0.0, deadline - now()))

    def set_rate(self, hz: float) -> None:
        """Readings a second from now on. Slow quantities keep their own pace.

        Raises:
            ValueError: outside 0.1 to 10.
        """
        if not SLOWEST_HZ <= hz <= FASTEST_HZ:
            raise ValueError(f"The rate must lie between {SLOWEST_HZ:g} and {FASTEST_HZ:g} readings a second.")
        with self._lock:
            self._period_s = 1.0 / hz
            for runner in self._active():
                runner.set_period(self._period_s)

    def watch_processes(self, pids: Pids | None) -> None:
        """Say which processes count as the engine, before it answers as well: its memory shows while it loads.

        Args:
            pids: gives their numbers, an empty list while there is none; called about once a second, from the
                sources' threads, one call at a time.
        """
        shared = None if pids is None else _AskedSeldom(pids)
        for source in self._sources:
            source.watch(shared)

    def attach_engine(self, base_url: str, api_key: str | None, pids: Pids) -> None:
        """Sample the engine that answers at this address. The same address and key again changes nothing.

        Args:
            base_url: such as "http://127.0.0.1:8000".
            api_key: sent as a bearer token when it is not None.
            pids: as in `watch_processes`.
        """
        self.watch_processes(pids)
        with self._lock:
            if self._engine is not None and self._engine.is_for(base_url, api_key):
                return
            self._drop_engine()
            self._engine = EngineMetricsSource(base_url, api_key)
            if self._running:
                self._engine_runner = self._run(self._engine)

    def detach_engine(self) -> None:
        """The engine is gone: its curves end here. Idempotent; does not wait for a request in flight."""
        with self._lock:
            self._drop_engine()

    def status(self) -> list[SourceStatus]:
        """How each source stands, the engine last."""
        with self._lock:
            runners = {runner.source.name: runner for runner in self._runners}
            engine_runner = self._engine_runner
            engine = self._engine
        states = [_status(source, runners.get(source.name)) for source in self._sources]
        if engine is not None:
            states.append(_status(engine, engine_runner))
        elif not any(source.name == EngineMetricsSource.name for source in self._sources):
            states.append(SourceStatus(EngineMetricsSource.name, False, "No engine is ready."))
        return states

    def devices(self) -> list[DeviceInfo]:
        """All GPUs that were found so far."""
        return [device for source in self._sources for device in source.devices()]

    def _active(self) -> list[SourceRunner]:
        return [*self._runners, *([self._engine_runner] if self._engine_runner else [])]

    def _run(self, source: Source) -> SourceRunner:
        runner = SourceRunner(source, self._store, self._period_s)
        runner.start()
        return runner

    def _drop_engine(self) -> None:
        if self._engine_runner is not None:
            self._engine_runner.ask_to_stop()
            self._retired = [runner for runner in self._retired if not runner.join(0.0)]
            self._retired.append(self._engine_runner)
        self._engine = None
        self._engine_runner = None


class _AskedSeldom:
    """The engine's process numbers, asked for once a second at most: finding them walks the process table."""

    def __init__(self, pids: Pids) -> None:
        self._ask = pids
        self._lock = threading.Lock()
        self._asked_s = -math.inf
        self._answer: list[int] = []

    def __call__(self) -> list[int]:
        with self._lock:
            if now() - self._asked_s >= _PIDS_S:
                self._answer = self._ask()
                self._asked_s = now()
            return self._answer


def _status(source: Source, runner: SourceRunner | None) -> SourceStatus:
    if runner is None:
        return SourceStatus(source.name, False, "Not started.")
    problem = runner.problem()
    return SourceStatus(source.name, not problem, problem or source.notice())
