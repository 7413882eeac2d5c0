"""One source's thread: asks at its rate, without drift, and outlives every failure of the source."""

import threading

from core.base.clock import now
from core.base.errors import DynoError
from core.telemetry.source import MissedReading, Row, Source
from core.telemetry.store import SampleStore

_FIRST_PAUSE_S = 1.0
# A reading that takes longer than this (or than two and a half periods) is called hanging.
_HANGING_S = 2.0


class SourceRunner:
    """Runs one source in a daemon thread of its own.

    Args:
        source: what to ask; touched by this thread alone while it runs.
        store: where its samples go.
        period_s: seconds between two readings.
    """

    def __init__(self, source: Source, store: SampleStore, period_s: float) -> None:
        self.source = source
        self._store = store
        self._period_s = period_s
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"telemetry-{source.name}", daemon=True)
        self._writing = threading.Lock()
        self._pause_s = _FIRST_PAUSE_S
        self._asked_at: float | None = None
        self._problem = ""
        self._read_once = False

    def start(self) -> None:
        """Begin; once only."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """End after the reading in flight, which is not stored any more; the curves end here. Returns at once."""
        with self._writing:
            self._stopping.set()
            self._store.end(self.source.name, now())
        self._wake.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the end; False when a hung reading holds the thread, which is then abandoned (it is a daemon)."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def set_period(self, period_s: float) -> None:
        """Read every `period_s` seconds from now on."""
        self._period_s = period_s
        self._wake.set()

    def problem(self) -> str:
        """Why no samples come, in plain words; empty while they do."""
        asked_at = self._asked_at
        if asked_at is not None:
            silent_s = now() - asked_at
            if silent_s > max(_HANGING_S, 2.5 * self._period_s):
                return f"Not answering since {silent_s:.0f} s."
        if self._problem:
            return self._problem
        return "" if self._read_once else "Waiting for the first reading."

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._asked_at = now()
                self.source.open()
                self._asked_at = None
                self._read_until_it_fails()
            except Exception as error:  # noqa: BLE001 - whatever a driver does, this thread goes on
                self._fail(error)
            finally:
                self._close()
            self._stopping.wait(self._pause_s)
            self._pause_s = min(2 * self._pause_s, self.source.longest_pause_s)

    def _read_until_it_fails(self) -> None:
        following = slow_due = now()
        while (due := self._wait_until(following)) is not None:
            started = self._asked_at = now()
            try:
                self._keep(self.source.read_fast(), self._period_s)
                if started >= slow_due:
                    slow_due = started + self.source.slow_period_s
                    self._keep(self.source.read_slow(), max(self.source.slow_period_s, self._period_s))
                self._problem = ""
                self._read_once = True
                self._pause_s = _FIRST_PAUSE_S
            except MissedReading as error:
                self._fail(error)
            self._asked_at = None
            # The grid stays where it was; readings that a slow answer made impossible are left out, not made up for.
            late_s = max(0.0, now() - due)
            following = due + self._period_s * (1 + late_s // self._period_s)

    def _wait_until(self, due: float) -> float | None:
        """Sleep until a reading is due, or sooner when the rate was raised.

        Returns:
            When it was due; None when it is time to end.
        """
        while not self._stopping.is_set():
            left_s = due - now()
            if left_s <= 0:
                return due
            if self._wake.wait(left_s):
                self._wake.clear()
                due = min(due, now() + self._period_s)
        return None

    def _keep(self, rows: list[Row], period_s: float) -> None:
        moment = now()
        with self._writing:
            if self._stopping.is_set():
                return
            for row in rows:
                t = moment if row.t is None else row.t
                self._store.append(self.source.name, row.device, t, row.values, row.period_s or period_s)

    def _fail(self, error: Exception) -> None:
        self._asked_at = None
        self._problem = error.message if isinstance(error, DynoError) else f"{type(error).__name__}: {error}"
        with self._writing:
            if not self._stopping.is_set():
                self._store.end(self.source.name, now())

    def _close(self) -> None:
        try:
            self.source.close()
        except Exception as error:  # noqa: BLE001 - a driver that fails while closing is as gone as it can be
            self._problem = self._problem or str(error)
