"""The supervisor process between window and engine: `python -P -m core.engine.worker`.

It outlives every accident on either side. JSON lines on its standard input say what to do:

    {"do": "start", "argv": [...], "environment": {...}, "folder": "...", "log": "..."}   once
    {"do": "ready"}                                               it serves: from now on it may take time to end
    {"do": "stop", "drain_s": 0}                                  requests may take this long to finish

When that stream ends, the window is gone, and the engine goes too. JSON lines on standard output tell what happens:

    {"event": "started", "pid": 1, "since": 2.0}
    {"event": "processes", "processes": [[pid, since], ...]}      whenever they change
    {"event": "rung", "signal": "SIGINT"}                         before each step of the stop ladder
    {"event": "log_trouble", "reason": "No space left on device"}
    {"event": "refused", "reason": "..."}                         the engine could not be started at all
    {"event": "ended", "exit_code": 0, "rung": "SIGINT", "took_s": 0.5, "strays": 0, "leftovers": [], "lost_bytes": 0}

One worker serves one engine and exits after `ended` or `refused`.
"""

import contextlib
import json
import os
import selectors
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from core.engine.pump import OutputPump
from core.engine.supervisor import HEADLESS, SERVING, STARTING, Rung, Supervisor, adopt_orphans

_SCAN_S = 1.0
_OUTPUT_WAIT_S = 2.0
_READ_BYTES = 1024 * 1024


class Worker:
    """One engine's supervisor.

    Args:
        commands: descriptor of the stream of commands.
        events: descriptor of the stream of events.
    """

    def __init__(self, commands: int, events: int) -> None:
        self._commands = commands
        self._events = events
        self._lock = threading.Lock()
        self._buffer = b""
        self._supervisor = Supervisor(lambda name: self._tell("rung", signal=name))
        self._pump: OutputPump | None = None
        self._known: list[tuple[int, float]] = []
        self._ladder: tuple[Rung, ...] = STARTING
        self._stopping = False

    def run(self) -> int:
        """Work until the engine has ended, or until nobody wants one any more."""
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
            selector.register(self._commands, selectors.EVENT_READ, self._on_commands)
            selector.register(_wakeups(stack), selectors.EVENT_READ, _drain)
            _register_parent(selector, stack, self._on_orphaned)
            while True:
                for key, _ in selector.select(_SCAN_S):
                    if key.data(key.fd) is False:
                        selector.unregister(key.fd)
                if self._pump is None:
                    if self._stopping:
                        return 0
                    continue
                if self._supervisor.exit_code() is not None:
                    return self._finish(self._pump, HEADLESS)
                if self._stopping:
                    return self._finish(self._pump, self._ladder)
                self._scan()

    def stop(self) -> None:
        """End the engine at the next turn of the loop; safe in a signal handler."""
        self._stopping = True

    def _on_commands(self, descriptor: int) -> bool:
        data = os.read(descriptor, _READ_BYTES)
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        if not data:
            self._stopping = True
        return bool(data)

    def _on_orphaned(self, _descriptor: int) -> bool:
        # The stream of commands says the same, unless a copy of its far end is held somewhere.
        self._stopping = True
        return False

    def _obey(self, command: dict[str, Any]) -> None:
        if command["do"] == "stop":
            first, *others = self._ladder
            self._ladder = (replace(first, grace_s=first.grace_s + command["drain_s"]), *others)
            self._stopping = True
        elif command["do"] == "ready":
            self._ladder = SERVING
        elif command["do"] == "start" and self._pump is None:
            self._start(command)

    def _start(self, command: dict[str, Any]) -> None:
        pump = OutputPump(Path(command["log"]), lambda reason: self._tell("log_trouble", reason=reason))
        pump.start()
        try:
            first = self._supervisor.start(command["argv"], command["environment"], command["folder"], pump.sink)
        except OSError as error:
            self._tell("refused", reason=f"{error.strerror}: {error.filename}")
            self._stopping = True
            return
        finally:
            pump.close_sink()
        self._pump = pump
        self._tell("started", pid=first.pid, since=first.started_s)

    def _scan(self) -> None:
        found = [(process.pid, process.started_s) for process in self._supervisor.processes()]
        if found != self._known:
            self._known = found
            self._tell("processes", processes=found)

    def _finish(self, pump: OutputPump, ladder: tuple[Rung, ...]) -> int:
        ending = self._supervisor.end(ladder)
        pump.join(_OUTPUT_WAIT_S)
        self._tell(
            "ended",
            exit_code=ending.exit_code,
            rung=ending.rung,
            took_s=ending.took_s,
            strays=ending.strays,
            leftovers=ending.leftovers,
            lost_bytes=pump.lost_bytes,
        )
        return 0

    def _tell(self, event: str, **fields: object) -> None:
        line = json.dumps({"event": event, **fields}).encode() + b"\n"
        with self._lock, contextlib.suppress(BrokenPipeError):  # nobody listens any more; the work goes on
            while line:
                line = line[os.write(self._events, line) :]


def _wakeups(stack: contextlib.ExitStack) -> int:
    """A descriptor that becomes readable when a signal arrives, a child's end among them."""
    reader, writer = os.pipe()
    for descriptor in (reader, writer):
        os.set_blocking(descriptor, False)
        stack.callback(os.close, descriptor)
    previous = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    stack.callback(signal.set_wakeup_fd, previous)
    return reader


def _drain(descriptor: int) -> bool:
    return bool(os.read(descriptor, 4096))


def _register_parent(
    selector: selectors.BaseSelector, stack: contextlib.ExitStack, on_end: Callable[[int], bool]
) -> None:
    try:
        parent = os.pidfd_open(os.getppid())
    except (AttributeError, OSError):
        return  # an old kernel: the end of the command stream has to do
    stack.callback(os.close, parent)
    selector.register(parent, selectors.EVENT_READ, on_end)


def main() -> int:
    """Set the process up and work."""
    # Only events may reach the window's end; a stray print goes where errors go.
    events = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    worker = Worker(sys.stdin.fileno(), events)

    def on_terminate(_number: int, _frame: FrameType | None) -> None:
        worker.stop()

    # Handlers, not SIG_IGN: an ignored signal would stay ignored in the engine.
    signal.signal(signal.SIGTERM, on_terminate)
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    signal.signal(signal.SIGHUP, on_terminate)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    adopt_orphans()
    return worker.run()


if __name__ == "__main__":
    sys.exit(main())
