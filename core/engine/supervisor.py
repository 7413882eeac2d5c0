"""The engine's process group, from its first process to its last descendant."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import psutil

from core.base.processes import ProcessRef
from core.engine.kin import ID_VARIABLE, kill, marked, send_all, wait_gone

_PR_SET_CHILD_SUBREAPER = 36
LIFELINE_VARIABLE = "DYNO_LIFELINE_FD"


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a stop ladder: a signal, and how long to wait for its effect."""

    signal: signal.Signals
    grace_s: float


SERVING = (
    Rung(signal.SIGINT, 3.0),
    # As a person presses Ctrl-C again: vLLM's server otherwise waits for open connections.
    Rung(signal.SIGINT, 1.5),
    Rung(signal.SIGTERM, 2.0),
    Rung(signal.SIGKILL, 2.0),
)
"""For an engine that serves: time to end in order, and seven seconds at most until nothing can refuse."""

STARTING = (
    Rung(signal.SIGINT, 1.0),
    # vLLM's event loop only notes the first one while it waits for the engine core; the second interrupts it.
    Rung(signal.SIGINT, 1.5),
    Rung(signal.SIGTERM, 3.0),
    Rung(signal.SIGKILL, 2.0),
)
"""For an engine that still starts."""

HEADLESS = (Rung(signal.SIGTERM, 2.0), Rung(signal.SIGKILL, 2.0))
"""The API server is gone: nobody is left who could end in order."""

_STRAYS = (Rung(signal.SIGTERM, 1.0), Rung(signal.SIGKILL, 2.0))
_LAST_STEPS_S = 0.5


@dataclass(frozen=True, slots=True)
class Ending:
    """How an engine ended.

    Attributes:
        exit_code: of its first process; negative for a signal; None when it could not be ended.
        rung: the last signal that the group was sent; `none` when it went by itself.
        took_s: from the wish to the last process.
        strays: how many processes had left the group and were ended one by one.
        leftovers: pids that live on (in a system call that never returns, say).
    """

    exit_code: int | None
    rung: str
    took_s: float
    strays: int
    leftovers: tuple[int, ...]


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none gets out of sight (Linux)."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Supervisor:
    """Starts one engine in a session of its own and ends it with everything it started.

    Every other child of this process counts as the engine's, too: adopted orphans cannot be told from others.

    Args:
        on_rung: called with the signal's name before each step of the ladder.
    """

    def __init__(self, on_rung: Callable[[str], None]) -> None:
        self._on_rung = on_rung
        self._process: subprocess.Popen[bytes] | None = None
        self._engine_id = ""
        self._lifeline: int | None = None

    def start(self, argv: Sequence[str], environment: Mapping[str, str], folder: str, output: int) -> ProcessRef:
        """Start the engine with both output streams on `output`.

        Raises:
            OSError: the interpreter is not there or cannot be run.
        """
        self._engine_id = environment.get(ID_VARIABLE, "")
        far_end, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                argv,
                env={**environment, LIFELINE_VARIABLE: str(far_end)},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(far_end,),
                start_new_session=True,
            )
        finally:
            os.close(far_end)
        return ProcessRef.of(self._process.pid) or ProcessRef(self._process.pid, time.time())

    def exit_code(self) -> int | None:
        """Of the engine's first process; None while it runs.

        It is only looked at, not collected: as long as it is a zombie, its number (the group's, too) stays taken.
        """
        if self._process is None:
            return None
        if self._process.returncode is not None:
            return self._process.returncode
        result = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if result is None:
            return None
        return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status

    def processes(self) -> list[ProcessRef]:
        """Every living process of the engine, inside its group or not; collects adopted dead ones on the way."""
        living = []
        for process in psutil.Process().children(recursive=True):
            try:
                if process.status() != psutil.STATUS_ZOMBIE:
                    living.append(ProcessRef(process.pid, process.create_time()))
                elif process.ppid() == os.getpid() and not self._is_first(process.pid):
                    os.waitpid(process.pid, os.WNOHANG)
            except (psutil.Error, ChildProcessError):
                continue
        return living

    def end(self, ladder: Sequence[Rung]) -> Ending:
        """Climb the ladder for the group, then for whoever left it, until nothing lives or nothing helps."""
        began = time.monotonic()
        code = self.exit_code()
        if code is not None and code >= 0:  # it went in order; its helpers are about to
            wait_gone(self._members, _LAST_STEPS_S)
        rung = self._climb(ladder, self._members, self._signal_group, self._on_rung)
        strays = self._all()
        if strays:
            self._climb(_STRAYS, self._all, lambda number: send_all(self._all(), number), lambda _: None)
        leftovers = tuple(process.pid for process in self._all())
        code = self.exit_code()
        if self._process is not None and code is not None:
            self._process.wait()
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        return Ending(code, rung, time.monotonic() - began, len(strays), leftovers)

    def _climb(
        self,
        ladder: Sequence[Rung],
        remaining: Callable[[], list[ProcessRef]],
        send: Callable[[int], None],
        told: Callable[[str], None],
    ) -> str:
        used = "none"
        for rung in ladder:
            if not remaining():
                break
            used = rung.signal.name
            told(used)
            if rung.signal is signal.SIGKILL:
                kill(remaining, rung.grace_s)
            send(rung.signal)
            wait_gone(remaining, rung.grace_s)
        return used

    def _signal_group(self, number: int) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _members(self) -> list[ProcessRef]:
        return [process for process in self.processes() if self._in_group(process.pid)]

    def _all(self) -> list[ProcessRef]:
        known = {*self.processes(), *(marked(self._engine_id) if self._engine_id else ())}
        return sorted(known, key=lambda process: process.pid)

    def _in_group(self, pid: int) -> bool:
        try:
            return self._process is not None and os.getpgid(pid) == self._process.pid
        except ProcessLookupError:
            return False

    def _is_first(self, pid: int) -> bool:
        return self._process is not None and pid == self._process.pid
