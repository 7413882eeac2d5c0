"""Locks between processes; the kernel gives one back when its holder dies, so none is ever stale."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class LockBusy(Exception):
    """Somebody else holds the lock."""


@contextmanager
def file_lock(path: Path, *, wait: bool = True) -> Iterator[int]:
    """Hold the lock that this file stands for. The file is made when missing and stays; its content means nothing.

    Two holders in one process shut each other out as two processes do, so do not nest it.

    Args:
        wait: wait until the lock is free, however long; otherwise raise at once.

    Yields:
        The descriptor. A child process that inherits it keeps the lock until it ends as well.

    Raises:
        LockBusy: it is held, and `wait` is False.
        OSError: the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise LockBusy(str(path)) from None
        yield handle
    finally:
        os.close(handle)
