"""The whole main job by itself: an engine, a small model, a start, a talk under load, a stop.

It needs nothing but the network or a folder of wheels. The window lends an observer to show every step; without one
the same code runs headless.
"""

import threading
import time
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import Cancelled, DynoError
from core.client.chat import ChatParameters, ChatResult, stream_chat
from core.client.load import run_load
from core.config.command import plan
from core.engine.driver import backend_runs_here
from core.engine.environments import Backend, EngineEnvironment
from core.engine.installer import InstallProgress, install
from core.engine.session import SessionSnapshot, State
from core.engine.stages import stage_text
from core.models.embedded import embedded_model, make_embedded_model
from core.schema.model import ArgumentSchema, Value
from core.services import Services

QUESTION = "What is the capital of France, and what is it known for? Answer in two sentences."
LOAD_PROMPTS = (
    "Write a short paragraph about how a steam engine works.",
    "Explain why the sky is blue to a child.",
    "List five uses of a magnet and say a word about each.",
    "Describe a walk through a forest in autumn.",
)
_START_LIMIT_S = 900.0
_STOP_LIMIT_S = 60.0
_PARALLEL = 4
_ROUNDS = 250
_LOAD_S = 15.0
_PICTURE_AFTER_S = 10.0
_QUIET_BEFORE_STOP_S = 1.0


class DemoObserver:
    """What the demo tells while it goes on; all calls come from the demo's thread. The base class keeps silent."""

    def step(self, text: str, fraction: float | None = None) -> None:
        """A new step began, or it moved; `fraction` is 0 to 1 where it is known."""

    def engine(self, environment: EngineEnvironment, schema: ArgumentSchema) -> None:
        """The engine that will run, and what it accepts."""

    def settings(self, values: dict[str, Value], environment: dict[str, str]) -> None:
        """What will be set for the start."""

    def question(self, text: str) -> None:
        """The demo asks the engine this."""

    def answer(self, text: str) -> None:
        """The next piece of the answer."""

    def answered(self, result: ChatResult) -> None:
        """The answer is whole."""

    def under_load(self) -> None:
        """Several requests run right now: the moment for a picture."""


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What the demo saw.

    Attributes:
        arguments: how many arguments the engine's schema has.
        ready_s: from pressing Start until our engine answered.
        ttft_s: time to first token of the single question.
        tokens_per_s: generation rate over all parallel requests together.
        samples: number of samples taken, by source.
        stop_s: from pressing Stop until no process was left; None where the engine was left running, as the next two.
    """

    engine_version: str
    backend: str
    arguments: int
    ready_s: float | None
    ttft_s: float | None
    tokens_per_s: float | None
    completion: str
    samples: dict[str, int]
    stop_s: float | None
    stop_rung: str | None
    leftover_processes: int | None


class Demo:
    """One run of the main job.

    Args:
        services: the program's objects; the demo starts the sampler and the session.
        cancel: set it to call the demo off; what runs is stopped.
        stop_engine: stop at the end; the window leaves the engine running instead.
    """

    def __init__(
        self,
        services: Services,
        observer: DemoObserver,
        cancel: threading.Event,
        *,
        stop_engine: bool = True,
    ) -> None:
        self._services = services
        self._observer = observer
        self._cancel = cancel
        self._stop_engine = stop_engine

    def run(self) -> DemoReport:
        """Do it all, in order.

        Raises:
            Cancelled: it was called off.
            DynoError: a step failed; the message says which and what to do.
        """
        services = self._services
        services.sampler.start()
        environment = self._engine()
        model = self._model(environment)
        self._observer.step("Asking the engine for its arguments")
        schema = services.schemas.get(environment.python, cancel=self._cancel)
        self._observer.engine(environment, schema)
        values, variables = demo_settings(environment, model)
        self._observer.settings(values, variables)
        try:
            ready = self._start(environment, schema, values, variables)
            answer = self._ask(ready)
            rate = self._load(ready)
        except BaseException:
            services.session.stop()
            raise
        samples = services.store.counts()
        if self._stop_engine:
            time.sleep(_QUIET_BEFORE_STOP_S)
            stopped = self._stop()
        else:
            stopped = None
        return DemoReport(
            engine_version=environment.version,
            backend=environment.backend.value,
            arguments=len(schema.arguments),
            ready_s=ready.ready_after_s,
            ttft_s=answer.ttft_s,
            tokens_per_s=rate,
            completion=answer.text.strip(),
            samples=samples,
            stop_s=stopped.stop_took_s if stopped else None,
            stop_rung=stopped.stop_rung if stopped else None,
            leftover_processes=len(stopped.leftover_pids) if stopped else None,
        )

    def _engine(self) -> EngineEnvironment:
        registry = self._services.registry
        for found in (registry.default(), *registry.list()):
            if found is not None and not found.problem and backend_runs_here(found.backend):
                return found
        self._observer.step("Installing an engine")
        return install(self._services.paths, progress=self._installing, cancel=self._cancel)

    def _installing(self, progress: InstallProgress) -> None:
        self._observer.step(": ".join(part for part in (progress.step, progress.detail) if part), progress.fraction)

    def _model(self, environment: EngineEnvironment) -> str:
        folder = embedded_model(self._services.paths)
        if folder is None:
            self._observer.step("Making the small model")
            folder = make_embedded_model(
                self._services.paths, environment.python, progress=self._installing, cancel=self._cancel
            )
        return str(folder)

    def _start(
        self,
        environment: EngineEnvironment,
        schema: ArgumentSchema,
        values: dict[str, Value],
        variables: dict[str, str],
    ) -> SessionSnapshot:
        session = self._services.session
        session.start(environment, plan(schema, self._services.overlay, values, variables))
        shown = ""

        def settled(snapshot: SessionSnapshot) -> bool:
            nonlocal shown
            stage = stage_text(snapshot.stage, snapshot.stage_detail) if snapshot.stage else ""
            text = f"Starting: {stage[:1].lower()}{stage[1:]}"
            if text != shown:
                shown = text
                self._observer.step(text, snapshot.stage_fraction)
            return self._cancel.is_set() or snapshot.state not in (State.IDLE, State.STARTING)

        snapshot = session.wait(settled, timeout_s=_START_LIMIT_S)
        self._check_cancelled()
        if snapshot.state is not State.READY:
            raise DynoError(
                snapshot.problem or f"The engine was not ready within {_START_LIMIT_S:.0f} s.",
                snapshot.hint or f"The log is in {snapshot.log_path}.",
            )
        return snapshot

    def _ask(self, ready: SessionSnapshot) -> ChatResult:
        self._observer.step("Asking")
        self._observer.question(QUESTION)
        result = stream_chat(
            _present(ready.base_url),
            _present(ready.model),
            [{"role": "user", "content": QUESTION}],
            ChatParameters(max_tokens=64, temperature=0.0),
            api_key=ready.api_key,
            on_text=self._observer.answer,
            cancel=self._cancel,
        )
        self._check_cancelled()
        if result.error:
            raise DynoError(f"The engine did not answer: {result.error}", f"The log is in {ready.log_path}.")
        self._observer.answered(result)
        return result

    def _load(self, ready: SessionSnapshot) -> float | None:
        """Tokens per second over all parallel requests; the picture is taken while they run.

        The load lasts a fixed time, since the same prompts take a second on a fast card and a minute on a slow CPU.
        """
        self._observer.step(f"{_PARALLEL} requests at once for {_LOAD_S:.0f} s")
        enough = threading.Event()

        def look(_index: int, _text: str) -> None:
            if self._cancel.is_set():
                enough.set()

        timers = (threading.Timer(_PICTURE_AFTER_S, self._observer.under_load), threading.Timer(_LOAD_S, enough.set))
        for timer in timers:
            timer.name = "demo-timer"
            timer.start()
        try:
            result = run_load(
                _present(ready.base_url),
                _present(ready.model),
                LOAD_PROMPTS * _ROUNDS,
                ChatParameters(max_tokens=256, temperature=0.7),
                parallel=_PARALLEL,
                api_key=ready.api_key,
                on_text=look,
                cancel=enough,
            )
        finally:
            timers[1].cancel()
            for timer in timers:
                timer.join()
        self._check_cancelled()
        if result.failed:
            failed = next(answer.error for answer in result.results if answer is not None and answer.error)
            raise DynoError(f"Under load the engine did not answer: {failed}", f"The log is in {ready.log_path}.")
        return result.tokens_per_s

    def _stop(self) -> SessionSnapshot:
        self._observer.step("Stopping")
        session = self._services.session
        session.stop()
        return session.wait(lambda snapshot: snapshot.state in (State.STOPPED, State.FAILED), timeout_s=_STOP_LIMIT_S)

    def _check_cancelled(self) -> None:
        if self._cancel.is_set():
            raise Cancelled


def demo_settings(environment: EngineEnvironment, model: str) -> tuple[dict[str, Value], dict[str, str]]:
    """Settings for a start in about a minute on any machine: a short context, no compilation."""
    values: dict[str, Value] = {
        "model_tag": model,
        "served_model_name": [Path(model).name],
        "max_model_len": 1024,
        "enforce_eager": True,
    }
    if environment.backend is Backend.CPU:
        return values, {"VLLM_CPU_KVCACHE_SPACE": "1"}
    return {**values, "gpu_memory_utilization": 0.3}, {}


def _present(value: str | None) -> str:
    if value is None:
        raise DynoError("The engine is ready but did not tell its address.", "This is a bug; please report it.")
    return value
