"""Processes of one engine, recognised by a mark in their environment even where parent and group tell nothing."""

import os
import signal
import time
from collections.abc import Callable, Iterable

import psutil

from core.base.processes import ProcessRef

ID_VARIABLE = "DYNO_ENGINE_ID"
"""Carried by every process of an engine from birth; not a `VLLM_` name, since vLLM warns of those it does not know."""

_POLL_S = 0.1
_TIDYING_S = 1.0


def marked(engine_id: str) -> list[ProcessRef]:
    """All living processes of this user that carry the mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(ID_VARIABLE) == engine_id:
                reference = ProcessRef(process.pid, process.create_time())
                if reference.alive():
                    found.append(reference)
        except (psutil.Error, OSError):
            continue  # gone meanwhile, or another user's
    return found


def wait_gone(remaining: Callable[[], Iterable[ProcessRef]], timeout_s: float) -> bool:
    """Wait until there is nothing left; False when the time is over before that."""
    deadline = time.monotonic() + timeout_s
    while any(True for _ in remaining()):
        if time.monotonic() >= deadline:
            return False
        time.sleep(min(_POLL_S, max(0.0, deadline - time.monotonic())))
    return True


def kill(remaining: Callable[[], list[ProcessRef]], timeout_s: float) -> None:
    """End these processes in the way that cannot be refused, and wait for it.

    Python's resource trackers come last: they go by themselves when the others are gone, and put away the shared memory
    (hundreds of MiB for vLLM) that otherwise stays allocated until the machine is restarted.
    """
    send_all((process for process in remaining() if not _is_tracker(process)), signal.SIGKILL)
    if not wait_gone(remaining, min(_TIDYING_S, timeout_s)):
        send_all(remaining(), signal.SIGKILL)
        wait_gone(remaining, timeout_s)


def _is_tracker(process: ProcessRef) -> bool:
    try:
        return any("multiprocessing.resource_tracker" in word for word in psutil.Process(process.pid).cmdline())
    except psutil.Error:
        return False


def send_all(processes: Iterable[ProcessRef], signal_number: int) -> None:
    """Signal each of them that still is itself; those of other users are left alone."""
    for process in processes:
        try:
            process.send(signal_number)
        except psutil.AccessDenied:
            continue
