"""The demo in the window: what `core.demo` tells from its thread, shown step by step where a person would look."""

import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from core.base.errors import Cancelled, DynoError
from core.cli.demo import Printer, report_json
from core.cli.main import EXIT_CANCELLED, EXIT_PROBLEM, build_parser, print_problem
from core.client.chat import ChatResult
from core.demo import Demo, DemoObserver, DemoReport
from core.engine.environments import EngineEnvironment
from core.schema.model import ArgumentSchema, Value
from gui import screenshot
from gui.notifications import Level, Note, NoteAction
from gui.pages.chat.messages import MessageCard
from gui.tasks import Job, TaskHandle

if TYPE_CHECKING:
    from gui.wiring import Wiring

_KEY = "demo"
_PICTURE_WIDTH = 1600
_PICTURE_HEIGHT = 1000
# How long the demo's thread waits for the window to show something; longer means that the window is closing.
_SHOWN_WITHIN_S = 10.0


class DemoRun(QObject):
    """One demo in a window.

    Args:
        wiring: the window and what is behind it.
        picture: where to save the window as it looked under load.
        stop_engine: stop it at the end, for a run without a person.

    Attributes:
        finished: a `DemoReport`, or a DynoError.
    """

    finished = Signal(object)
    _asked = Signal(object)

    def __init__(self, wiring: "Wiring", *, picture: Path | None = None, stop_engine: bool = False) -> None:
        super().__init__(wiring)
        self._wiring = wiring
        self._picture = picture
        self._stop_engine = stop_engine
        self._handle: TaskHandle | None = None
        self._card: MessageCard | None = None
        self.image: QImage | None = None
        self._asked.connect(_call, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        """Whether the demo is under way."""
        return self._handle is not None

    def begin(self) -> None:
        """Start; refused in words while an engine runs, and nothing happens while the demo does."""
        if self.running:
            return
        if self._wiring.control.running:
            self._wiring.window.notes.show_note(
                Note(Level.WARNING, self.tr("An engine is running."), self.tr("Stop it, then run the demo."), key=_KEY)
            )
            return
        window = self._wiring.window
        window.show_page("tune")
        window.workbench.show_drawer_page(window.workbench.small_log_place)
        observer = _Shown(self)

        def work(job: Job) -> DemoReport:
            return Demo(self._wiring.services, observer, job.cancel, stop_engine=self._stop_engine).run()

        self._handle = self._wiring.tasks.run_task(
            work, on_done=self._done, on_error=self._failed, name="demo", replaces=True
        )

    def cancel(self) -> None:
        """Call it off; what it started is stopped."""
        if self._handle is not None:
            self._handle.ask_to_end()

    def show(self, change: Callable[[], object], *, wait: bool = False) -> None:
        """Make a change on the GUI thread. Called on the demo's thread.

        Args:
            wait: come back only when the change is on the screen.
        """
        done = threading.Event()

        def both() -> None:
            try:
                change()
            finally:
                done.set()

        self._asked.emit(both)
        if wait:
            done.wait(_SHOWN_WITHIN_S)

    def tell(self, text: str) -> None:
        """Say in the notification bar what goes on."""
        stop = NoteAction(self.tr("Cancel"), self.cancel)
        self._wiring.window.notes.show_note(
            Note(Level.INFO, self.tr("Demo: {0}").format(text), actions=(stop,), key=_KEY)
        )

    def take_engine(self, environment: EngineEnvironment) -> None:
        """Let the window look at the engine that the demo uses."""
        self._wiring.engines.wish(environment.name)
        self._wiring.engines.refresh()

    def take_settings(self, values: dict[str, Value], environment: dict[str, str]) -> None:
        """Put the demo's settings into the form, as one step that can be taken back."""
        self._wiring.document.replace(values, environment)

    def take_question(self, text: str) -> None:
        """Show the question and room for its answer."""
        window = self._wiring.window
        window.workbench.show_drawer_page(window.workbench.small_chat_place)
        window.chat.focus_prompt()
        window.chat.add_question(text)
        self._card = window.chat.add_answer(self._wiring.services.session.snapshot.model or "")

    def take_answer(self, text: str) -> None:
        """Show a piece of the answer."""
        if self._card is not None:
            self._card.append(text)

    def take_result(self, result: ChatResult) -> None:
        """Show the whole answer with its figures."""
        if self._card is not None:
            self._card.finish(result)

    def take_picture(self) -> None:
        """The window as it looks now."""
        self._wiring.window.notes.close_note(_KEY)
        self._wiring.window.monitor.refresh()
        QApplication.processEvents()
        self.image = screenshot.grab(self._wiring.window)

    def _done(self, report: DemoReport) -> None:
        self._handle = None
        notes = self._wiring.window.notes
        notes.close_note(_KEY)
        try:
            if self._picture is not None and self.image is not None:
                screenshot.save(self.image, self._picture)
        except DynoError as error:
            self._failed(error)
            return
        if not self._stop_engine:
            notes.show_note(
                Note(
                    Level.OK,
                    self.tr("The demo's engine is running."),
                    self.tr("Change a setting, stop, start, and compare. Undo brings back what was set before."),
                    key=_KEY,
                )
            )
        self.finished.emit(report)

    def _failed(self, error: DynoError) -> None:
        self._handle = None
        notes = self._wiring.window.notes
        notes.close_note(_KEY)
        if not isinstance(error, Cancelled):
            notes.show_problem(error, key=_KEY)
        self.finished.emit(error)


class _Shown(DemoObserver):
    """Hands each step over to the GUI thread, and says it on standard error as the headless demo does."""

    def __init__(self, run: DemoRun) -> None:
        self._run = run
        self._printer = Printer()
        self._text = ""

    def step(self, text: str, fraction: float | None = None) -> None:
        self._printer.step(text, fraction)
        line = text if fraction is None else f"{text} {fraction:.0%}"
        if line != self._text:
            self._text = line
            self._run.show(lambda: self._run.tell(line))

    def engine(self, environment: EngineEnvironment, schema: ArgumentSchema) -> None:
        self._run.show(lambda: self._run.take_engine(environment))

    def settings(self, values: dict[str, Value], environment: dict[str, str]) -> None:
        self._run.show(lambda: self._run.take_settings(values, environment), wait=True)

    def question(self, text: str) -> None:
        self._run.show(lambda: self._run.take_question(text))

    def answer(self, text: str) -> None:
        self._run.show(lambda: self._run.take_answer(text))

    def answered(self, result: ChatResult) -> None:
        self._run.show(lambda: self._run.take_result(result), wait=True)

    def under_load(self) -> None:
        self._run.show(self._run.take_picture, wait=True)


def begin_demo(wiring: "Wiring", arguments: Sequence[str]) -> None:
    """Run the demo as soon as the window stands.

    Args:
        wiring: the window, not yet shown.
        arguments: `demo` and its options. With `--json` the engine is stopped, the window closes, nothing is saved
            of what was shown, and one JSON object is printed last.
    """
    options = build_parser().parse_args(list(arguments))
    run = DemoRun(wiring, picture=options.screenshot, stop_engine=options.json)
    begun = False

    def begin() -> None:
        nonlocal begun
        if not begun:
            begun = True
            if options.json:
                # A run without a person must not change what the person had set, nor where the docks stood.
                wiring.autosave.hold()
                # Whatever the screen is: the picture has one size, and room for form, plots and answer.
                wiring.window.resize(_PICTURE_WIDTH, _PICTURE_HEIGHT)
                wiring.window.workbench.reset_layout()
            run.begin()

    def finished(outcome: DemoReport | DynoError) -> None:
        code = _tell(outcome, options.screenshot)
        if options.json:
            wiring.closed.connect(lambda: QApplication.exit(code))
            wiring.closing.go()

    if options.json or options.screenshot:
        run.finished.connect(finished)
    wiring.settled.connect(begin)


def _tell(outcome: DemoReport | DynoError, picture: Path | None) -> int:
    if isinstance(outcome, Cancelled):
        return EXIT_CANCELLED
    if isinstance(outcome, DynoError):
        print_problem(outcome)
        return EXIT_PROBLEM
    sys.stdout.write(report_json(outcome, picture) + "\n")
    sys.stdout.flush()
    return 0 if not outcome.leftover_processes else 1


def _call(change: Callable[[], object]) -> None:
    change()
