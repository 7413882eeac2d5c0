"""Our end of the worker process: starts it, sends commands, hands its events on."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

GONE = "gone"
"""The event that follows the worker's last one: its stream has ended."""

_ERRORS_FILE = "worker.log"
_EXIT_WAIT_S = 15.0


class WorkerLink:
    """One worker process and the thread that reads its events.

    Args:
        on_event: called on that thread for each event, last of all with `{"event": "gone"}`.
        logs: folder for what the worker says when it breaks.

    Raises:
        OSError: no process can be started.
    """

    def __init__(self, on_event: Callable[[dict[str, Any]], None], logs: Path) -> None:
        self._on_event = on_event
        with _errors_file(logs) as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "core.engine.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                # Ctrl-C in a terminal is for us to handle; the worker must live to see it through.
                start_new_session=True,
            )
        self._reader = threading.Thread(target=self._read, name="engine-events", daemon=True)
        self._reader.start()

    def send(self, **command: object) -> None:
        """Send one command; a worker that is gone does not get it, which its last event tells."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()

    def kill(self) -> None:
        """End a worker that does not answer; the engine notices and ends too."""
        self._process.kill()

    def close(self) -> None:
        """End the stream of commands, which ends the worker and its engine, and wait for both; may be called twice."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_EXIT_WAIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as events:
            for line in events:
                self._on_event(json.loads(line))
        self._on_event({"event": GONE})


@contextlib.contextmanager
def _errors_file(logs: Path) -> Iterator[int]:
    try:
        logs.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(logs / _ERRORS_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        yield subprocess.DEVNULL
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)
