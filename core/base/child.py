"""A tool run to its end: its terminal output as it comes, ended with all its children when called off."""

import contextlib
import errno
import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.base.errors import Cancelled

_TICK_MS = 100
_READ_BYTES = 65536
_ROWS = 500
_GRACE_S = 3.0
_DRAIN_TICKS = 3


def run_child(
    argv: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    on_output: Callable[[bytes], None],
    cancel: threading.Event,
    keep_open: Sequence[int] = (),
    with_stdout: bool = True,
    columns: int = 200,
) -> int:
    """Run a program in a session of its own, with a pseudo-terminal for its outputs and no input.

    A terminal, because tools tell their progress in bytes to a terminal only.

    Args:
        on_output: gets what the program writes; an empty `bytes` about ten times a second while it is silent.
        cancel: checked about ten times a second.
        keep_open: descriptors that the program inherits (a lock that it should keep alive).
        with_stdout: False throws standard output away and follows standard error alone.
        columns: width of the terminal.

    Returns:
        The exit code; negative for a signal.

    Raises:
        Cancelled: `cancel` was set; the program and its children have ended.
        OSError: it cannot be started.
    """
    ours, theirs = os.openpty()
    try:
        try:
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, columns, 0, 0))
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=theirs if with_stdout else subprocess.DEVNULL,
                stderr=theirs,
                cwd=cwd,
                env=dict(environment),
                start_new_session=True,
                pass_fds=tuple(keep_open),
            )
        finally:
            os.close(theirs)
        try:
            _follow(process, ours, on_output, cancel)
            return process.wait()
        except BaseException:
            _end_group(process)
            raise
    finally:
        os.close(ours)


def _follow(
    process: "subprocess.Popen[bytes]", ours: int, on_output: Callable[[bytes], None], cancel: threading.Event
) -> None:
    poller = select.poll()
    poller.register(ours, select.POLLIN | select.POLLHUP)
    silent_ticks = 0
    while True:
        if cancel.is_set():
            raise Cancelled
        if poller.poll(_TICK_MS):
            data = _read(ours)
            if not data:
                return
            silent_ticks = 0
            on_output(data)
            continue
        on_output(b"")
        # A grandchild may hold the terminal open for good; the tool itself is what was asked for.
        silent_ticks += 1
        if process.poll() is not None and silent_ticks >= _DRAIN_TICKS:
            _signal_group(process, signal.SIGKILL)
            return


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _READ_BYTES)
    except OSError as error:
        # Linux says so when the last one who had the other end open has closed it.
        if error.errno == errno.EIO:
            return b""
        raise


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    _signal_group(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process: "subprocess.Popen[bytes]", number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
