"""Shows the engine's life: in the top bar, on the time axis, on the pages; and what went wrong as a note."""

from PySide6.QtCore import QObject, Signal

from core.engine.snapshot import SessionSnapshot, State
from gui.main_window import MainWindow
from gui.marks import MarkKeeper
from gui.monitor import Mark
from gui.notifications import Level, Note, NoteAction
from gui.pages.chat import Target
from gui.words import waiting_words

_NOTE_KEY = "engine"


class LifeView(QObject):
    """Follows snapshots.

    Attributes:
        state_changed: the `State` is another one than before.
    """

    state_changed = Signal(object)

    def __init__(self, window: MainWindow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._marks = MarkKeeper()
        self._state: State | None = None
        self._life: float | None = None
        self._notice = ""

    @property
    def marks(self) -> list[Mark]:
        """All marks so far, by time."""
        return self._marks.marks

    def follow(self, snapshot: SessionSnapshot) -> None:
        """Show this snapshot."""
        window = self._window
        window.top_bar.show_snapshot(snapshot)
        if self._marks.follow(snapshot):
            window.monitor.set_marks(self._marks.marks)
        if snapshot.notice and snapshot.notice != self._notice:
            window.notes.show_note(Note(Level.WARNING, snapshot.notice, key="engine-notice"))
        self._notice = snapshot.notice
        if snapshot.state is State.STARTING and snapshot.started_s != self._life:
            self._life = snapshot.started_s
            window.monitor.set_origin(snapshot.started_s)
            window.log.begin_run()
            window.notes.close_note(_NOTE_KEY)
        waiting = waiting_words(snapshot)
        window.chat.set_waiting(waiting)
        window.log.set_waiting(waiting)
        if snapshot.state is self._state:
            return
        self._state = snapshot.state
        if snapshot.state is State.STOPPING:
            # vLLM waits for its clients before it ends; a talk that stays open would cost the person six seconds.
            window.chat.stop()
        self._tell_pages(snapshot)
        if snapshot.state is State.FAILED:
            self._tell_failure(snapshot)
        elif snapshot.state is State.STOPPED and snapshot.leftover_pids:
            self._tell_leftovers(snapshot)
        self.state_changed.emit(snapshot.state)

    def _tell_pages(self, snapshot: SessionSnapshot) -> None:
        ready = snapshot.state is State.READY and snapshot.base_url and snapshot.model
        target = Target(snapshot.base_url, snapshot.model, snapshot.api_key) if ready else None
        self._window.chat.set_target(target)
        self._window.engines_page.set_running(None if snapshot.state.at_rest else snapshot.engine_prefix)
        actions = self._window.actions_by_name
        actions["start"].setEnabled(snapshot.state.at_rest)
        actions["stop"].setEnabled(snapshot.state in (State.STARTING, State.READY))

    def _tell_failure(self, snapshot: SessionSnapshot) -> None:
        self._window.notes.show_note(
            Note(
                Level.ERROR,
                snapshot.problem or self.tr("The engine ended by itself."),
                snapshot.hint,
                actions=(NoteAction(self.tr("Show the log"), lambda: self._window.show_page("log")),),
                key=_NOTE_KEY,
            )
        )

    def _tell_leftovers(self, snapshot: SessionSnapshot) -> None:
        pids = ", ".join(str(pid) for pid in snapshot.leftover_pids)
        self._window.notes.show_note(
            Note(
                Level.ERROR,
                self.tr("Some processes of the engine could not be ended: {0}.").format(pids),
                self.tr("They may hold GPU memory; end them with the system's tools."),
                key=_NOTE_KEY,
            )
        )
