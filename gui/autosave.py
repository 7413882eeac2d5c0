"""Keeps the working state on disk a moment after it changed."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from core.base.errors import DynoError
from core.config.working_state import SavedState, WorkingState
from gui.tasks import TaskRunner

_PAUSE_MS = 500


class Autosave(QObject):
    """Saves in the background, one save at a time.

    Args:
        collect: gives what to save; called on the GUI thread.

    Attributes:
        failed: a DynoError; the next change tries again.
    """

    failed = Signal(object)

    def __init__(
        self,
        working_state: WorkingState,
        collect: Callable[[], SavedState],
        tasks: TaskRunner,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._working_state = working_state
        self._collect = collect
        self._tasks = tasks
        self._saving = False
        self._again = False
        self._held = False
        self._last: Callable[[], object] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._save)

    def touch(self) -> None:
        """Something changed; it is written after half a second of rest."""
        if not self._held:
            self._timer.start()

    def hold(self) -> None:
        """Save nothing from now on: what follows is not the person's doing."""
        self._held = True
        self._timer.stop()

    def finish(self, done: Callable[[], object]) -> None:
        """Save now and call `done` afterwards, whatever came of it."""
        self._timer.stop()
        if self._held:
            done()
        elif self._saving:
            # An older state must not land on the disk after this one.
            self._last = done
        else:
            self._save_last(done)

    def _save_last(self, done: Callable[[], object]) -> None:
        state = self._collect()

        def failed(error: DynoError) -> None:
            self.failed.emit(error)
            done()

        self._tasks.run_task(
            lambda _: self._working_state.save(state), on_done=lambda _: done(), on_error=failed, name="save-last"
        )

    def _save(self) -> None:
        if self._saving:
            self._again = True
            return
        self._saving = True
        state = self._collect()
        self._tasks.run_task(
            lambda _: self._working_state.save(state), on_done=lambda _: self._saved(), on_error=self._lost, name="save"
        )

    def _saved(self) -> None:
        self._saving = False
        if self._last is not None:
            self._save_last(self._last)
        elif self._again:
            self._again = False
            self.touch()

    def _lost(self, error: DynoError) -> None:
        self._saved()
        self.failed.emit(error)
