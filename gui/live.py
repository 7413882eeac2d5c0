"""What works behind the window once it is on the screen: engines, their life, models, samples, saving."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices

from core.base.errors import DynoError
from core.config.command import command_text
from core.config.document import Change
from core.config.working_state import SavedState
from core.engine.environment_model import EngineEnvironment
from core.engine.snapshot import SessionSnapshot
from core.models.entry import ModelEntry
from core.schema.model import ArgumentSchema
from core.services import Services
from core.telemetry.sampler import FASTEST_HZ, SLOWEST_HZ
from gui import screenshot, theme
from gui.autosave import Autosave
from gui.bridge import Bridge
from gui.closing import Closing
from gui.engine_manager import EngineManager
from gui.hooks import UncaughtHooks
from gui.life_view import LifeView
from gui.monitor import preload
from gui.notifications import Level, Note, NoteAction
from gui.run_control import RunControl
from gui.schema_loader import SchemaLoader
from gui.tasks import Job
from gui.theme import Scheme

if TYPE_CHECKING:
    from gui.wiring import Wiring

_COMMAND_PAUSE_MS = 40
_ENGINE_KEYS = ("engine_python", "engine_version", "engine_backend")


class Live(QObject):
    """Builds the long-lived objects and connects them to the window's parts.

    Attributes:
        settled: the plots stand, and everything that was begun in the background is under way.
    """

    settled = Signal()

    def __init__(self, wiring: "Wiring") -> None:
        super().__init__(wiring)
        self.document = wiring.document
        self.window = wiring.window
        self.tasks = wiring.tasks
        self._wiring = wiring
        self._saved = wiring.saved
        tasks = self.tasks
        self.hooks = UncaughtHooks(wiring.paths.state / "window.log", self)
        self.services = Services.build(wiring.paths, wiring.overlay)
        self.engines = EngineManager(self.services.registry, wiring.paths, tasks, self)
        self.schemas = SchemaLoader(self.services.schemas, tasks, self)
        self.control = RunControl(
            self.services, self.document, engines=self.engines, schemas=self.schemas, tasks=tasks, parent=self
        )
        self.bridge = Bridge(self.services.session, self.document, self)
        self.autosave = Autosave(self.services.working_state, self.saved_state, tasks, self)
        self.closing = Closing(
            self.window, services=self.services, control=self.control, autosave=self.autosave, tasks=tasks
        )
        self.window.build_pages(self.services, self.engines, tasks)
        self.life = LifeView(self.window, self)
        self._command_timer = QTimer(self)
        self._command_timer.setSingleShot(True)
        self._command_timer.setInterval(_COMMAND_PAUSE_MS)
        self._command_timer.timeout.connect(self.show_command)
        self.schemas.begin_with(wiring.schema)
        self._connect_core()
        self._connect_window()

    def begin(self) -> None:
        """Begin everything that goes on in the background."""
        self.hooks.install()
        self.bridge.open()
        self.life.follow(self.services.session.snapshot)
        self.show_command()
        if self._saved.note:
            self.window.notes.show_note(Note(Level.WARNING, self._saved.note))
        self.engines.wish(self._saved.engine)
        self.engines.refresh()
        self.scan_models()
        self.window.log.start()
        self.tasks.run_task(lambda _: self.services.sampler.start(), on_error=self.show_problem, name="sampler")
        self.tasks.run_task(lambda _: _clean_up(self.services), on_error=self.show_problem, name="clean-up")
        # The import of the plots takes most of a second: off this thread, then build them in one go.
        self.tasks.run_task(lambda _: preload(), on_done=lambda _: self._build_monitor(), name="plots")

    def end(self) -> None:
        """Stop listening and pulling; the services have ended already."""
        self.bridge.close()
        self.window.log.stop()
        self.window.monitor.stop()
        self.hooks.uninstall()

    def saved_state(self) -> SavedState:
        """What is worth keeping, as it is now."""
        engine, monitor = self.engines.chosen, self.window.monitor
        known = {key: self._saved.ui.get(key) for key in _ENGINE_KEYS}
        if engine is not None:
            known = dict(zip(_ENGINE_KEYS, (str(engine.python), engine.version, engine.backend.value), strict=True))
        return SavedState(
            values=dict(self.document.values),
            environment=dict(self.document.environment),
            engine=engine.name if engine is not None else self._saved.engine,
            ui={
                **self.window.ui_state(),
                "form": self.window.form.ui_state(),
                "monitor": monitor.save_settings() if monitor.is_built else self._saved.ui.get("monitor"),
                **known,
            },
        )

    def show_problem(self, error: DynoError) -> None:
        """Tell a problem of the surroundings."""
        self.window.notes.show_problem(error)

    def show_command(self) -> None:
        """Bring the command line up to date."""
        schema = self.schemas.schema
        if schema is not None:
            overlay, document = self.services.overlay, self.document
            text = command_text(schema, overlay, document.values, document.environment, multiline=True)
            self.window.command.show_command(text)

    def take_screenshot(self) -> None:
        """Picture of the window to file and clipboard."""
        folder = screenshot.picture_folder(self.services.paths.state / "screenshots")
        screenshot.take(self.window, folder, self.tasks, self._screenshot_taken, self.show_problem)

    def start(self) -> None:
        """Start the engine, unless an editor holds text that could not be taken: the person means another value."""
        refused = self.window.form.refused()
        if not refused:
            self.control.start()
            return
        self.window.show_page("tune")
        self.window.form.reveal(refused[0])
        self.window.notes.show_note(
            Note(
                Level.WARNING,
                self.tr("Not started: {0} cannot be taken as typed.").format(", ".join(refused)),
                self.tr("Correct or reset it, or start with the value that was set last."),
                actions=(NoteAction(self.tr("Start anyway"), self.control.start),),
                key="engine",
            )
        )

    def run_demo(self) -> None:
        """Run the demo in this window."""
        from gui.demo_run import DemoRun

        found = self._wiring.findChild(DemoRun)
        (found if found is not None else DemoRun(self._wiring)).begin()

    def scan_models(self) -> None:
        """Look for models in the background."""

        def work(_: Job) -> list[ModelEntry]:
            models = self.services.models
            recent = models.recent()
            known = {entry.reference for entry in recent}
            return [*recent, *(entry for entry in models.scan() if entry.reference not in known)]

        self.tasks.run_task(
            work, on_done=self.window.top_bar.models.show_entries, on_error=self.show_problem, name="models"
        )

    def _connect_core(self) -> None:
        window = self.window
        self.bridge.session_changed.connect(self.life.follow)
        self.bridge.session_changed.connect(self._session_changed)
        self.bridge.config_changed.connect(self._config_changed)
        self.engines.listed.connect(self._engines_listed)
        self.engines.chosen_changed.connect(self._engine_chosen)
        self.schemas.shown.connect(self._schema_shown)
        self.schemas.note_changed.connect(window.tune.show_note)
        self.schemas.failed.connect(self._probe_failed)
        self.control.refused.connect(lambda error: window.notes.show_problem(error, key="engine"))
        self.control.no_engine.connect(self._no_engine)
        self.control.started.connect(lambda: window.workbench.show_drawer_page(window.workbench.small_log_place))
        self.autosave.failed.connect(self.show_problem)
        self.closing.waiting.connect(lambda text: window.notes.show_note(Note(Level.INFO, text, key="closing")))
        self.tasks.failed.connect(self.show_problem)
        self.hooks.told.connect(self._uncaught)

    def _connect_window(self) -> None:
        window, actions = self.window, self.window.actions_by_name
        window.layout_changed.connect(self.autosave.touch)
        window.top_bar.engines.picked.connect(self.engines.choose)
        window.tune.install_wanted.connect(self._show_install)
        for wanted in (window.tune.demo_wanted, window.engines_page.demo_wanted):
            wanted.connect(actions["demo"].trigger)
        window.scheme_actions.triggered.connect(self._scheme_picked)
        for name, run in (
            ("start", self.start),
            ("stop", self.control.stop),
            ("undo", self.document.undo),
            ("redo", self.document.redo),
            ("ask_engine", self.schemas.ask_again),
            ("screenshot", self.take_screenshot),
            ("open_state", self._open_logs),
            ("demo", self.run_demo),
        ):
            actions[name].triggered.connect(lambda _checked=False, call=run: call())
        self._show_undo()

    def _build_monitor(self) -> None:
        monitor = self.window.monitor
        monitor.build()
        monitor.rate_requested.connect(self.services.sampler.set_rate)
        monitor.settings_changed.connect(self.autosave.touch)
        settings = self._saved.ui.get("monitor")
        if isinstance(settings, dict):
            monitor.restore_settings(settings)
            rate = float(monitor.save_settings()["rate_hz"])
            self.services.sampler.set_rate(min(max(rate, SLOWEST_HZ), FASTEST_HZ))
        monitor.start()
        self._slim_bars()
        theme.notifier().changed.connect(self._slim_bars)
        self.settled.emit()

    def _slim_bars(self) -> None:
        theme.slim_bars(self.window)

    def _session_changed(self, snapshot: SessionSnapshot) -> None:
        self.control.follow(snapshot)
        self._show_changed()

    def _show_changed(self) -> None:
        self.window.top_bar.state.show_changed(self.control.changed_names())

    def _config_changed(self, _: Change) -> None:
        self._show_changed()
        self._show_undo()
        self._command_timer.start()
        self.autosave.touch()

    def _show_undo(self) -> None:
        actions = self.window.actions_by_name
        actions["undo"].setEnabled(self.document.can_undo)
        actions["redo"].setEnabled(self.document.can_redo)

    def _schema_shown(self, schema: ArgumentSchema) -> None:
        self.window.form.show_schema(schema)
        self.show_command()

    def _engines_listed(self, engines: list[EngineEnvironment]) -> None:
        chosen = self.engines.chosen
        self.window.top_bar.show_engines(engines, chosen.name if chosen else None)
        if engines:
            self.window.tune.hide_welcome()
        else:
            self.window.tune.show_welcome()
            self.schemas.show_for(None)

    def _engine_chosen(self, engine: EngineEnvironment | None) -> None:
        self.window.top_bar.show_engines(self.engines.engines, engine.name if engine else None)
        self.schemas.show_for(engine)
        self.autosave.touch()

    def _probe_failed(self, error: DynoError) -> None:
        again = NoteAction(self.tr("Ask again"), self.schemas.ask_again)
        self.window.notes.show_problem(error, again, key="probe")

    def _no_engine(self) -> None:
        demo = self.window.actions_by_name["demo"]
        self.window.notes.show_note(
            Note(
                Level.WARNING,
                self.tr("There is no engine to start."),
                self.tr("Install one, or run the demo, which does everything by itself."),
                actions=(
                    NoteAction(self.tr("Install an engine"), self._show_install),
                    NoteAction(self.tr("Run the demo"), demo.trigger),
                ),
                key="engine",
            )
        )

    def _show_install(self) -> None:
        self.window.show_page("engines")
        self.window.engines_page.show_install()

    def _screenshot_taken(self, path: Path) -> None:
        open_folder = NoteAction(
            self.tr("Open the folder"), lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))), True
        )
        text = self.tr("Picture saved and copied: {0}").format(path)
        self.window.notes.show_note(Note(Level.OK, text, actions=(open_folder,), key="screenshot", fades=True))

    def _open_logs(self) -> None:
        folder = self.services.paths.logs
        folder.mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def _scheme_picked(self, action: QAction) -> None:
        theme.choose(Scheme(action.data()))
        self.autosave.touch()

    def _uncaught(self, line: str, text: str) -> None:
        where = self.tr("It is written down in {0}.").format(self.hooks.log_path)
        self.window.notes.show_note(
            Note(Level.ERROR, self.tr("Something went wrong inside the program: {0}").format(line), where, text)
        )


def _clean_up(services: Services) -> None:
    """Take away what an installation left that was killed; it can be gigabytes."""
    from core.engine.removal import clean_up

    clean_up(services.paths)
