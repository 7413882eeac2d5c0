"""Processes of one engine, recognised by a mark in their environment even where parent and group tell nothing."""

import os
import time
from collections.abc import Callable, Iterable

import psutil

from core.base.processes import ProcessRef

ID_VARIABLE = "DYNO_ENGINE_ID"
"""Carried by every process of an engine from birth; not a `VLLM_` name, since vLLM warns of those it does not know."""

_POLL_S = 0.1


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


def send_all(processes: Iterable[ProcessRef], signal_number: int) -> None:
    """Signal each of them that still is itself; those of other users are left alone."""
    for process in processes:
        try:
            process.send(signal_number)
        except psutil.AccessDenied:
            continue
