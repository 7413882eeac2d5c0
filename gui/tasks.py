"""Work off the GUI thread: started here, answered here, and dropped when it is stale."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal

from core.base.errors import Cancelled, DynoError

_PROGRESS_INTERVAL_MS = 50


class Job:
    """What the work itself holds: the wish to end, and a way to tell how far it is. Used on the work's thread."""

    def __init__(self) -> None:
        self.cancel = threading.Event()
        self._latest: list[object] = []

    def progress(self, value: object) -> None:
        """Tell how far it is. Cheap at any rate: the window looks every 50 ms and takes the last value."""
        self._latest = [value]

    def take_progress(self) -> list[object]:
        """The newest value that was not taken yet, or nothing."""
        taken, self._latest = self._latest, []
        return taken


@dataclass(slots=True, eq=False)
class TaskHandle:
    """One piece of work in flight. After `cancel` none of its callbacks comes any more."""

    job: Job
    name: str
    on_done: Callable[[Any], None] | None
    on_error: Callable[[DynoError], None] | None
    on_progress: Callable[[Any], None] | None
    thread: threading.Thread | None = field(default=None, repr=False)
    dropped: bool = False

    def cancel(self) -> None:
        """Ask the work to end, and drop its answer."""
        self.dropped = True
        self.job.cancel.set()

    def ask_to_end(self) -> None:
        """Ask the work to end, but hear its answer: it may tell what was done until then."""
        self.job.cancel.set()


class TaskRunner(QObject):
    """Runs work on daemon threads and calls back on the GUI thread.

    Errors that nobody listens to go to `failed`.
    """

    failed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._closed = False
        self._running: set[TaskHandle] = set()
        self._newest: dict[str, TaskHandle] = {}
        self._ticker = QTimer(self)
        self._ticker.setInterval(_PROGRESS_INTERVAL_MS)
        self._ticker.timeout.connect(self._flush_progress)
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run_task(
        self,
        work: Callable[[Job], Any],
        *,
        on_done: Callable[[Any], None] | None = None,
        on_error: Callable[[DynoError], None] | None = None,
        on_progress: Callable[[Any], None] | None = None,
        name: str = "task",
        replaces: bool = False,
    ) -> TaskHandle:
        """Start `work(job)` on a thread of its own.

        Args:
            work: must look at `job.cancel` when it takes long.
            on_done: gets what the work returned.
            on_error: gets a DynoError; `Cancelled` when the work called itself off.
            on_progress: gets the newest value of `job.progress`, at most 20 times a second.
            name: names the thread, and the kind of work for `replaces`.
            replaces: an earlier work of this name is stale from now on: cancelled, its answer dropped.
        """
        handle = TaskHandle(Job(), name, on_done, on_error, on_progress)
        if replaces and name in self._newest:
            self._newest[name].cancel()
        self._newest[name] = handle
        self._running.add(handle)
        if on_progress is not None:
            self._ticker.start()
        handle.thread = threading.Thread(target=self._run, args=(handle, work), name=f"task-{name}", daemon=True)
        handle.thread.start()
        return handle

    def running(self) -> list[str]:
        """Names of the work in flight."""
        return sorted(handle.name for handle in self._running)

    def ask_all_to_end(self) -> None:
        """Ask everything in flight to end; answers still come."""
        for handle in list(self._running):
            handle.ask_to_end()

    def close(self, wait_s: float = 2.0) -> None:
        """Cancel everything, drop all answers and wait for the threads for up to `wait_s` altogether."""
        with self._lock:
            self._closed = True
        self._ticker.stop()
        threads = [handle.thread for handle in self._running if handle.thread is not None]
        for handle in self._running:
            handle.cancel()
        self._running.clear()
        self._newest.clear()
        deadline = time.monotonic() + wait_s
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self, handle: TaskHandle, work: Callable[[Job], Any]) -> None:
        try:
            outcome: tuple[Any, DynoError | None] = (work(handle.job), None)
        except DynoError as error:
            outcome = (None, error)
        except Exception as error:  # noqa: BLE001 - a bug in the work must reach the person, whatever it is.
            outcome = (None, _unexpected(error))
        with self._lock:
            if not self._closed:
                self._arrived.emit((handle, *outcome))

    def _deliver(self, arrival: tuple[TaskHandle, Any, DynoError | None]) -> None:
        handle, value, error = arrival
        self._tell_progress(handle)
        self._running.discard(handle)
        if self._newest.get(handle.name) is handle:
            del self._newest[handle.name]
        if not any(other.on_progress for other in self._running):
            self._ticker.stop()
        if handle.dropped:
            return
        if error is None:
            if handle.on_done is not None:
                handle.on_done(value)
        elif handle.on_error is not None:
            handle.on_error(error)
        elif not isinstance(error, Cancelled):
            self.failed.emit(error)

    def _flush_progress(self) -> None:
        for handle in list(self._running):
            self._tell_progress(handle)

    def _tell_progress(self, handle: TaskHandle) -> None:
        if handle.on_progress is None:
            return
        for value in handle.job.take_progress():
            if not handle.dropped:
                handle.on_progress(value)


def _unexpected(error: Exception) -> DynoError:
    import traceback

    detail = "".join(traceback.format_exception(error))
    message = QCoreApplication.translate("tasks", "Something went wrong inside the program.")
    problem = DynoError(message, f"{type(error).__name__}: {error}", detail)
    problem.__cause__ = error
    return problem
