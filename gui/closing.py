"""Closing the window: asks while an engine runs, stops it, saves, and only then goes; the event loop never waits."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.services import Services
from gui.autosave import Autosave
from gui.run_control import RunControl
from gui.tasks import TaskRunner

_LOOK_MS = 50
_LONGEST_WAIT_MS = 20_000
_LONG_WORK = frozenset({"engine-work", "demo"})


class Closing(QObject):
    """The way out.

    Attributes:
        waiting: words for what is being waited for.
        ended: nothing runs any more, and everything is saved.
    """

    waiting = Signal(str)
    ended = Signal()

    def __init__(
        self,
        window: QWidget,
        *,
        services: Services,
        control: RunControl,
        autosave: Autosave,
        tasks: TaskRunner,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._services = services
        self._control = control
        self._autosave = autosave
        self._tasks = tasks
        self._begun = False
        self._saved = False
        self._waited_ms = 0
        self._waiter = QTimer(self)
        self._waiter.setInterval(_LOOK_MS)
        self._waiter.timeout.connect(self._look)
        self.question: QMessageBox | None = None

    @property
    def begun(self) -> bool:
        """Whether there is no way back any more."""
        return self._begun

    def ask(self) -> None:
        """The person wants out: ask if something would be lost, go otherwise."""
        if self._begun or self.question is not None:
            return
        under_way = _LONG_WORK.intersection(self._tasks.running())
        if not self._control.running and not under_way:
            self.go()
            return
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        if self._control.running:
            box.setText(self.tr("The engine is running."))
            box.setInformativeText(self.tr("Closing the window stops it and frees its memory."))
        else:
            box.setText(self.tr("An installation is under way."))
            box.setInformativeText(self.tr("Closing the window calls it off; nothing half done is left behind."))
        stop = box.addButton(self.tr("Stop and close"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stop)
        box.finished.connect(lambda _: self._answered(box.clickedButton() is stop))
        self.question = box
        box.open()

    def go(self) -> None:
        """Stop what runs, save, end."""
        if self._begun:
            return
        self._begun = True
        self._tasks.ask_all_to_end()
        if self._control.running:
            self.waiting.emit(self.tr("Stopping the engine; the window closes when it has ended."))
            self._control.stop()
        elif self._tasks.running():
            self.waiting.emit(self.tr("Calling off what is under way; the window closes then."))
        self._waiter.start()
        self._look()

    def _look(self) -> None:
        self._waited_ms += _LOOK_MS
        busy = self._tasks.running() and self._waited_ms < _LONGEST_WAIT_MS
        if not self._control.running and not busy:
            self._waiter.stop()
            self._save()

    def _answered(self, stop: bool) -> None:
        self.question = None
        if stop:
            self.go()

    def _save(self) -> None:
        if not self._saved:
            self._saved = True
            self._autosave.finish(self._end_services)

    def _end_services(self) -> None:
        self._tasks.run_task(
            lambda _: self._services.close(),
            on_done=lambda _: self.ended.emit(),
            on_error=lambda _: self.ended.emit(),
            name="close",
        )
