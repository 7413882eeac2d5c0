"""Finds, installs, adds, updates and removes engines in the background, and knows which one is chosen."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.base.errors import Cancelled, DynoError
from core.base.paths import Paths
from core.engine.environments import EngineEnvironment, EngineRegistry
from gui.tasks import Job, TaskHandle, TaskRunner


class EngineManager(QObject):
    """The engines as the window knows them.

    Attributes:
        listed: the list has been read anew.
        chosen_changed: another engine is chosen; None when there is none.
        progress: an `InstallProgress` of what is under way.
        busy_changed: whether something is under way that cannot run twice.
        failed: a DynoError, for the page.
        told: good news in words, for the page.
    """

    listed = Signal(object)
    chosen_changed = Signal(object)
    progress = Signal(object)
    busy_changed = Signal(bool)
    failed = Signal(object)
    told = Signal(str)

    def __init__(
        self, registry: EngineRegistry, paths: Paths, tasks: TaskRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._registry = registry
        self._paths = paths
        self._tasks = tasks
        self._engines: list[EngineEnvironment] = []
        self._wished: str | None = None
        self._chosen: EngineEnvironment | None = None
        self._handle: TaskHandle | None = None
        self.looked = False

    @property
    def engines(self) -> list[EngineEnvironment]:
        """What was found when the list was read last."""
        return list(self._engines)

    @property
    def chosen(self) -> EngineEnvironment | None:
        """The engine that Start would start."""
        return self._chosen

    @property
    def busy(self) -> bool:
        """Whether an installation or the like is under way."""
        return self._handle is not None

    def wish(self, name: str | None) -> None:
        """The name that was chosen last time; taken when the list has it."""
        self._wished = name

    def refresh(self) -> None:
        """Read the list anew."""
        self._tasks.run_task(lambda _: self._read(), on_done=self._take, name="engines", replaces=True)

    def choose(self, name: str) -> None:
        """Choose an engine, and remember it as the default."""
        for engine in self._engines:
            if engine.name == name and engine != self._chosen:
                self._wished = name
                self._set_chosen(engine)
                self._tasks.run_task(lambda _: self._registry.set_default(name), on_error=self.failed.emit)

    def install(self, backend: str, version: str | None, name: str | None) -> None:
        """Install an engine; the newest one when no version is given."""

        def work(job: Job) -> EngineEnvironment:
            from core.engine.installer import install

            return install(
                self._paths, backend=backend, version=version, name=name, progress=job.progress, cancel=job.cancel
            )

        self._long(work, self._installed)

    def update(self, engine: EngineEnvironment) -> None:
        """Bring an installed engine to the newest version."""

        def work(job: Job) -> EngineEnvironment:
            from core.engine.installer import update

            return update(self._paths, engine, progress=job.progress, cancel=job.cancel)

        self._long(work, self._installed)

    def add(self, folder: Path) -> None:
        """Take in an environment that exists already."""
        self._long(lambda _: self._registry.add(folder), self._installed)

    def remove(self, engine: EngineEnvironment) -> None:
        """Delete what this program installed; forget what was added."""

        def done(_: object) -> None:
            self.told.emit(self.tr("Removed {0}.").format(engine.name))

        self._long(lambda _: self._registry.remove(engine.name), done)

    def cancel(self) -> None:
        """Call off what is under way."""
        if self._handle is not None:
            self._handle.ask_to_end()

    def _long(self, work: Callable[[Job], object], on_done: Callable[[object], None]) -> None:
        if self.busy:
            return

        def done(value: object) -> None:
            self._ended()
            on_done(value)

        def failed(error: DynoError) -> None:
            self._ended()
            if isinstance(error, Cancelled):
                self.told.emit(self.tr("Cancelled. Nothing was left behind."))
            else:
                self.failed.emit(error)

        self._handle = self._tasks.run_task(
            work, on_done=done, on_error=failed, on_progress=self.progress.emit, name="engine-work"
        )
        self.busy_changed.emit(True)

    def _ended(self) -> None:
        self._handle = None
        self.busy_changed.emit(False)
        self.refresh()

    def _installed(self, engine: EngineEnvironment) -> None:
        self._wished = engine.name
        self.told.emit(self.tr("vLLM {0} is ready to use as {1}.").format(engine.version, engine.name))

    def _read(self) -> tuple[list[EngineEnvironment], EngineEnvironment | None]:
        return self._registry.list(), self._registry.default()

    def _take(self, found: tuple[list[EngineEnvironment], EngineEnvironment | None]) -> None:
        engines, default = found
        self._engines = engines
        self.looked = True
        by_name = {engine.name: engine for engine in engines}
        present = by_name.get(self._wished or "") or by_name.get(default.name if default else "")
        self._set_chosen(present or (engines[0] if engines else None))
        self.listed.emit(engines)

    def _set_chosen(self, engine: EngineEnvironment | None) -> None:
        if engine != self._chosen:
            self._chosen = engine
            self.chosen_changed.emit(engine)
