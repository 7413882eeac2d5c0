"""The window's start, in the order in which a person misses things: the form, then everything else."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.base.paths import Paths
from core.config.document import Change, ConfigDocument
from core.config.working_state import SavedState, WorkingState
from core.schema.model import ArgumentSchema
from core.schema.overlay import load_overlay
from core.schema.recorded import load_recorded
from gui import theme
from gui.main_window import MainWindow
from gui.tasks import TaskRunner
from gui.theme import Scheme

if TYPE_CHECKING:
    from core.services import Services
    from gui.autosave import Autosave
    from gui.closing import Closing
    from gui.engine_manager import EngineManager
    from gui.live import Live
    from gui.run_control import RunControl

MODEL = "model_tag"


class Wiring(QObject):
    """Owns the document and the window. `open` shows it; closing it ends everything.

    Attributes:
        usable: the form can be worked with.
        settled: everything is built.
        closed: everything has ended.
        live: what works behind the window; None until it is built.
    """

    usable = Signal()
    settled = Signal()
    closed = Signal()

    def __init__(self, paths: Paths, tasks: TaskRunner) -> None:
        super().__init__()
        self.paths = paths
        self.tasks = tasks
        self.overlay = load_overlay()
        self.document = ConfigDocument()
        self.window = MainWindow(self.overlay, self.document)
        self.live: Live | None = None
        self.saved = SavedState()
        self.schema: ArgumentSchema | None = None
        self._closing_early = False
        self.document.changed.connect(self._refresh_form)
        self.window.painted.connect(self._begin_rest, Qt.ConnectionType.QueuedConnection)
        self.window.close_wanted.connect(self._close_wanted)
        self.window.top_bar.models.picked.connect(self._model_picked)

    @property
    def services(self) -> "Services":
        """The long-lived objects; after `settled`."""
        return self._built.services

    @property
    def engines(self) -> "EngineManager":
        """The engines of this machine; after `settled`."""
        return self._built.engines

    @property
    def autosave(self) -> "Autosave":
        """What keeps the working state on disk; after `settled`."""
        return self._built.autosave

    @property
    def control(self) -> "RunControl":
        """Start and Stop; after `settled`."""
        return self._built.control

    @property
    def closing(self) -> "Closing":
        """The way out; after `settled`."""
        return self._built.closing

    def open(self) -> None:
        """Restore what was there last time and show the window; the rest follows after the first picture."""
        self.saved = WorkingState(self.paths, self.overlay).load()
        self.document.restore(self.saved.values, self.saved.environment)
        chosen = self.saved.ui.get("theme")
        if chosen in list(Scheme):
            theme.choose(Scheme(chosen))
        self.window.restore_ui(self.saved.ui)
        form = self.saved.ui.get("form")
        if isinstance(form, dict):
            self.window.form.restore_ui(form)
        self.schema = self._first_schema()
        self.window.form.show_schema(self.schema)
        self._show_model()
        self.window.show()
        # What is missing first gets the keyboard first.
        if self.document.is_set(MODEL):
            self.window.form.focus_search()
        else:
            self.window.top_bar.models.focus()

    def close_now(self) -> None:
        """Close without asking: stop what runs, save, end."""
        if self.live is not None:
            self.live.closing.go()
        else:
            self._end()

    @property
    def _built(self) -> "Live":
        if self.live is None:
            raise RuntimeError("the window is not built yet: wait for `settled`")
        return self.live

    def _begin_rest(self) -> None:
        self.usable.emit()
        QTimer.singleShot(0, self, self._import_rest)

    def _first_schema(self) -> ArgumentSchema:
        """What can be had without looking for engines: the last engine's answer, else a recorded schema."""
        python = self.saved.ui.get("engine_python")
        if isinstance(python, str):
            from core.schema.probe import SchemaCache

            cached = SchemaCache(self.paths).cached(Path(python))
            if cached is not None:
                return cached
        version, backend = (self.saved.ui.get(key) for key in ("engine_version", "engine_backend"))
        # The file may hold anything.
        return load_recorded(
            version if isinstance(version, str) else None, backend if isinstance(backend, str) else None
        )

    def _import_rest(self) -> None:
        # Imports take most of a second: on another thread, while the form can be worked with.
        self.tasks.run_task(lambda _: _import_live(), on_done=lambda _: self._build_rest(), name="imports")

    def _build_rest(self) -> None:
        from gui.live import Live

        self.live = Live(self)
        self.live.closing.ended.connect(self._end)
        self.live.settled.connect(self.settled)
        self.live.begin()

    def _refresh_form(self, change: Change) -> None:
        self.window.form.refresh(change)
        if MODEL in change.arguments:
            self._show_model()

    def _show_model(self) -> None:
        model = self.document.values.get(MODEL)
        self.window.top_bar.models.show_reference(model if isinstance(model, str) else "")

    def _model_picked(self, reference: str) -> None:
        if reference:
            self.document.set(MODEL, reference)
        else:
            self.document.reset(MODEL)

    def _close_wanted(self) -> None:
        if self.live is not None:
            self.live.closing.ask()
        else:
            # Not at once: this is told while the window handles a close that it refused.
            QTimer.singleShot(0, self, self._end)

    def _end(self) -> None:
        if self.live is not None:
            self.live.end()
        self.document.changed.disconnect(self._refresh_form)
        self.window.may_close = True
        self.window.close()
        self.closed.emit()


def _import_live() -> None:
    import gui.command_view
    import gui.live
    import gui.monitor
    import gui.pages.chat
    import gui.pages.engines
    import gui.pages.log  # noqa: F401 - only so that the window finds them imported.
