"""Start and Stop: from what is set to a running engine, and words for what keeps it from starting."""

from PySide6.QtCore import QObject, Signal

from core.base.errors import DynoError
from core.config.command import plan
from core.config.document import ConfigDocument
from core.services import Services
from gui.engine_manager import EngineManager
from gui.schema_loader import SchemaLoader
from gui.tasks import TaskRunner


class RunControl(QObject):
    """See the module.

    Attributes:
        refused: a DynoError that kept the engine from being started.
        no_engine: there is nothing to start yet.
        started: the engine's life began.
    """

    refused = Signal(object)
    no_engine = Signal()
    started = Signal()

    def __init__(
        self,
        services: Services,
        document: ConfigDocument,
        *,
        engines: EngineManager,
        schemas: SchemaLoader,
        tasks: TaskRunner,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._document = document
        self._engines = engines
        self._schemas = schemas
        self._tasks = tasks

    @property
    def running(self) -> bool:
        """Whether there is an engine to stop."""
        return not self._services.session.snapshot.state.at_rest

    def start(self) -> None:
        """Start the chosen engine with what is set; nothing happens while one runs."""
        if self.running:
            return
        engine, schema = self._engines.chosen, self._schemas.schema
        if engine is None or schema is None:
            self.no_engine.emit()
            return
        try:
            launch = plan(schema, self._services.overlay, self._document.values, self._document.environment)
            self._services.session.start(engine, launch)
        except DynoError as error:
            self.refused.emit(error)
            return
        self.started.emit()
        self._tasks.run_task(lambda _: self._services.models.remember(launch.model), name="remember")

    def stop(self) -> None:
        """Stop the engine, in whatever state it is."""
        if self.running:
            self._services.session.stop()
