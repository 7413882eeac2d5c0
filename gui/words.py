"""Core's enums in words. The texts live here, so that core stays free of translation."""

from PySide6.QtCore import QCoreApplication

from core.base.clock import now
from core.engine.environment_model import Backend, EngineEnvironment, Origin
from core.engine.snapshot import SessionSnapshot, State
from core.engine.stages import Stage
from gui.format import clock, duration, model_name


def _tr(text: str) -> str:
    return QCoreApplication.translate("words", text)


def state_word(state: State) -> str:
    """One word for the engine's state."""
    return {
        State.IDLE: _tr("Not running"),
        State.STARTING: _tr("Starting"),
        State.READY: _tr("Ready"),
        State.STOPPING: _tr("Stopping"),
        State.STOPPED: _tr("Stopped"),
        State.FAILED: _tr("Failed"),
    }[state]


def state_icon(state: State) -> tuple[str, str]:
    """Icon and colour role of a state: every state has a shape of its own."""
    return {
        State.IDLE: ("state-idle", "muted"),
        State.STARTING: ("state-busy", "warning"),
        State.READY: ("state-ready", "ok"),
        State.STOPPING: ("state-stopping", "warning"),
        State.STOPPED: ("state-idle", "muted"),
        State.FAILED: ("state-failed", "error"),
    }[state]


def stage_word(stage: Stage) -> str:
    """What the engine does in this stage of its start."""
    return {
        Stage.LAUNCH: _tr("Launching the process"),
        Stage.IMPORT: _tr("Importing vLLM"),
        Stage.CONFIG: _tr("Reading the model's configuration"),
        Stage.WEIGHTS: _tr("Loading weights"),
        Stage.PROFILE: _tr("Measuring memory"),
        Stage.COMPILE: _tr("Compiling"),
        Stage.KV_CACHE: _tr("Reserving the KV cache"),
        Stage.CAPTURE: _tr("Capturing CUDA graphs"),
        Stage.WARMUP: _tr("Warming up"),
        Stage.SERVER: _tr("Opening the server"),
        Stage.READY: _tr("Answering"),
    }[stage]


def stage_mark(stage: Stage) -> str:
    """The short word for a stage's mark on the time axis."""
    return {
        Stage.LAUNCH: _tr("start"),
        Stage.IMPORT: _tr("import"),
        Stage.CONFIG: _tr("config"),
        Stage.WEIGHTS: _tr("weights"),
        Stage.PROFILE: _tr("profile"),
        Stage.COMPILE: _tr("compile"),
        Stage.KV_CACHE: _tr("KV cache"),
        Stage.CAPTURE: _tr("capture"),
        Stage.WARMUP: _tr("warm-up"),
        Stage.SERVER: _tr("server"),
        Stage.READY: _tr("ready"),
    }[stage]


def state_lines(snapshot: SessionSnapshot, moment_s: float | None = None) -> tuple[str, str]:
    """The state in two lines: the word with the time, and what goes on.

    Args:
        moment_s: the present on core's clock; now when not given.
    """
    word = state_word(snapshot.state)
    present = now() if moment_s is None else moment_s
    running = None if snapshot.started_s is None else max(0.0, present - snapshot.started_s)
    if snapshot.state is State.STARTING:
        first = f"{word}  {clock(running)}" if running is not None else word
        doing = stage_word(snapshot.stage) if snapshot.stage is not None else ""
        return first, " · ".join(part for part in (doing, snapshot.stage_detail) if part)
    if snapshot.state is State.READY:
        second = _tr("after {0}").format(duration(snapshot.ready_after_s)) if snapshot.ready_after_s else ""
        if running is not None and snapshot.ready_after_s is not None:
            word = f"{word}  {clock(running - snapshot.ready_after_s)}"
        return word, " · ".join(part for part in (model_name(snapshot.model or ""), second) if part)
    if snapshot.state is State.STOPPING:
        return word, _tr("waiting for the engine to end")
    if snapshot.state is State.FAILED:
        return word, snapshot.problem
    if snapshot.state is State.STOPPED and snapshot.stop_took_s is not None:
        return word, _tr("in {0} ({1})").format(duration(snapshot.stop_took_s), snapshot.stop_rung or "none")
    return word, ""


def waiting_words(snapshot: SessionSnapshot) -> str:
    """One sentence on why an engine that is under way does not answer; empty when it answers, or when there is none."""
    if snapshot.state is State.STARTING:
        if snapshot.stage is None:
            return _tr("The engine is starting.")
        return _tr("The engine is starting ({0}).").format(stage_word(snapshot.stage))
    return _tr("The engine is stopping.") if snapshot.state is State.STOPPING else ""


def backend_word(backend: Backend) -> str:
    """The kind of build of an engine."""
    return {
        Backend.CUDA: "CUDA",
        Backend.CPU: "CPU",
        Backend.ROCM: "ROCm",
        Backend.XPU: "XPU",
    }.get(backend, _tr("unknown build"))


def origin_word(origin: Origin) -> str:
    """Where an engine environment comes from."""
    return {
        Origin.OWN: _tr("runs this window"),
        Origin.ACTIVE: _tr("active environment"),
        Origin.CONDA: _tr("conda environment"),
        Origin.PATH: _tr("on PATH"),
        Origin.ADDED: _tr("added folder"),
        Origin.INSTALLED: _tr("installed here"),
    }[origin]


def engine_label(environment: EngineEnvironment) -> str:
    """An engine in one line, for pickers."""
    parts = [f"vLLM {environment.version}" if environment.version else environment.name]
    parts.append(backend_word(environment.backend))
    return " · ".join(parts)
