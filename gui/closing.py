"""Closing the window: asks while an engine runs, stops it, saves, and only then goes; the event loop never waits."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.engine.snapshot import SessionSnapshot
from core.services import Services
from gui.autosave import Autosave
from gui.run_control import RunControl
from gui.tasks import TaskRunner


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
        self.question: QMessageBox | None = None

    @property
    def begun(self) -> bool:
        """Whether there is no way back any more."""
        return self._begun

    def ask(self) -> None:
        """The person wants out: ask if an engine runs, go otherwise."""
        if self._begun or self.question is not None:
            return
        if not self._control.running:
            self.go()
            return
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(self.tr("The engine is running."))
        box.setInformativeText(self.tr("Closing the window stops it and frees its memory."))
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
        if self._control.running:
            self.waiting.emit(self.tr("Stopping the engine; the window closes when it has ended."))
            self._control.stop()
            return
        self._save()

    def follow(self, snapshot: SessionSnapshot) -> None:
        """The engine's state while the way out is taken."""
        if self._begun and snapshot.state.at_rest:
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
