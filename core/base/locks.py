"""Locks between processes; the kernel gives one back when its holder dies, so none is ever stale."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.base.errors import Cancelled

_POLL_S = 0.1


class LockBusy(Exception):
    """Somebody else holds the lock."""


@contextmanager
def file_lock(path: Path, *, wait: bool = True, cancel: threading.Event | None = None) -> Iterator[int]:
    """Hold the lock that this file stands for. The file is made when missing and stays; its content means nothing.

    Two holders in one process shut each other out as two processes do, so do not nest it.

    Args:
        wait: wait until the lock is free, however long; otherwise raise at once.
        cancel: ends the waiting.

    Yields:
        The descriptor. A child process that inherits it keeps the lock until it ends as well.

    Raises:
        LockBusy: it is held, and `wait` is False.
        Cancelled: `cancel` was set while the lock was waited for.
        OSError: the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while not _try_lock(handle):
            if not wait:
                raise LockBusy(str(path))
            if cancel is None:
                fcntl.flock(handle, fcntl.LOCK_EX)
                break
            if cancel.wait(_POLL_S):
                raise Cancelled
        yield handle
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
