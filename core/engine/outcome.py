"""Plain words for how an engine's life ended."""

import signal

from core.engine.stages import Stage

SEE_LOG = "See the log."

_DOING = {
    Stage.LAUNCH: "starting",
    Stage.IMPORT: "importing",
    Stage.CONFIG: "reading its configuration",
    Stage.WEIGHTS: "loading the weights",
    Stage.PROFILE: "measuring its memory",
    Stage.COMPILE: "compiling",
    Stage.KV_CACHE: "making room for the KV cache",
    Stage.CAPTURE: "capturing CUDA graphs",
    Stage.WARMUP: "warming up",
    Stage.SERVER: "starting its server",
    Stage.READY: "serving",
}


def failure(stage: Stage, exit_code: int | None, error: str) -> tuple[str, str]:
    """What happened and what to do, for an engine that ended by itself.

    Args:
        stage: where it was.
        exit_code: negative for a signal; None when it is not known.
        error: the first exception of its log; empty when there is none.
    """
    if exit_code is None:
        how = "The engine ended"
    elif exit_code < 0:
        how = f"The engine was killed by {_signal_name(-exit_code)}"
    else:
        how = f"The engine ended with exit code {exit_code}"
    problem = f"{how} while {_DOING[stage]}."
    if error:
        problem += f" {error}"
    elif exit_code == -signal.SIGKILL:
        return problem, "Perhaps the system ran out of memory. " + SEE_LOG
    return problem, SEE_LOG


def leftovers(pids: tuple[int, ...]) -> str:
    """Words for processes that could not be ended; empty for none."""
    if not pids:
        return ""
    listed = ", ".join(map(str, pids))
    return f"{len(pids)} process{'es' if len(pids) > 1 else ''} of the engine could not be ended ({listed})."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
