"""Processes named by pid and start time, so that a number that was given out again never hits a stranger."""

from dataclasses import dataclass

import psutil

# psutil derives the start time from clock ticks; two readings of one process differ by less than this.
_START_TOLERANCE_S = 0.05


@dataclass(frozen=True, slots=True)
class ProcessRef:
    """One process for its whole life.

    Attributes:
        pid: its number.
        started_s: its start, seconds since the epoch, as psutil tells it.
    """

    pid: int
    started_s: float

    @classmethod
    def of(cls, pid: int) -> "ProcessRef | None":
        """The process that has this number now; None when there is none."""
        try:
            return cls(pid, psutil.Process(pid).create_time())
        except psutil.Error:
            return None

    def alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_s) < _START_TOLERANCE_S
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def send(self, signal_number: int) -> bool:
        """Send a signal to this very process; False when it is gone.

        Raises:
            psutil.AccessDenied: it belongs to another user.
        """
        if not self.alive():
            return False
        try:
            psutil.Process(self.pid).send_signal(signal_number)
        except psutil.NoSuchProcess:
            return False
        return True
