"""Takes the engine's output and writes its log, without ever making the engine wait for a full disk."""

import contextlib
import fcntl
import os
import threading
from collections.abc import Callable
from pathlib import Path

_CHUNK_BYTES = 256 * 1024
_PIPE_BYTES = 1024 * 1024


class OutputPump:
    """Moves everything from a pipe into a log file, on a thread of its own.

    Where the file cannot be written, the pipe is emptied all the same: an engine that cannot write its log would stand
    still. What was lost is counted, told, and noted in the log once it can be written again.

    Args:
        log: the file; made for its owner alone.
        on_trouble: called on the pump's thread with the reason when writing begins to fail.
    """

    def __init__(self, log: Path, on_trouble: Callable[[str], None]) -> None:
        self._log = log
        self._on_trouble = on_trouble
        self._file: int | None = None
        self._lost = 0
        self._lost_since_note = 0
        self._in_trouble = False
        self._source, self.sink = os.pipe()
        with contextlib.suppress(OSError):  # a small pipe works too
            fcntl.fcntl(self._source, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._thread = threading.Thread(target=self._run, name="engine-output", daemon=True)

    @property
    def lost_bytes(self) -> int:
        """How much of the output is not in the log."""
        return self._lost

    def start(self) -> None:
        """Begin; the writer's end is `sink`, to be closed here once the engine holds it."""
        self._open()
        self._thread.start()

    def close_sink(self) -> None:
        """Let go of the writer's end; the pump ends when the last process that holds it does."""
        os.close(self.sink)

    def join(self, timeout_s: float) -> bool:
        """Wait for the last byte; False when a process still holds the pipe."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while data := os.read(self._source, _CHUNK_BYTES):
            self._write(data)
        os.close(self._source)
        if self._file is not None:
            os.close(self._file)

    def _open(self) -> None:
        try:
            if not self._log.parent.exists():
                self._log.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            self._trouble(error)

    def _write(self, data: bytes) -> None:
        if self._file is None:
            self._lose(len(data))
            return
        missing = self._lost_since_note
        note = f"\n[{missing} bytes of the output are missing here]\n".encode() if missing else b""
        rest = memoryview(note + data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            self._lose(min(len(rest), len(data)))
            self._trouble(error)
            return
        self._lost_since_note = 0
        self._in_trouble = False

    def _lose(self, count: int) -> None:
        self._lost += count
        self._lost_since_note += count

    def _trouble(self, error: OSError) -> None:
        if not self._in_trouble:
            self._in_trouble = True
            self._on_trouble(error.strerror or str(error))
