"""Start and Stop: from what is set to a running engine, and words for what keeps it from starting."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from core.base.errors import DynoError
from core.config.command import plan
from core.config.document import Change, ConfigDocument, moved
from core.engine.snapshot import SessionSnapshot, State
from core.schema.model import Value
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
        self._begun: tuple[Mapping[str, Value], Mapping[str, str]] = ({}, {})
        self._life: float | None = None

    @property
    def running(self) -> bool:
        """Whether there is an engine to stop."""
        return not self._services.session.snapshot.state.at_rest

    def changes(self) -> Change:
        """What is set otherwise than the engine was started with; nothing while none starts or answers."""
        if self._services.session.snapshot.state not in (State.STARTING, State.READY):
            return Change()
        values, environment = self._begun
        return Change(moved(values, self._document.values), moved(environment, self._document.environment))

    def changed_names(self) -> list[str]:
        """What `changes` tells, as flags and as names of variables; the model by its label."""
        changes = self.changes()
        if not changes:
            return []
        schema = self._schemas.schema
        known = schema.by_name() if schema is not None else {}
        names = []
        for name in sorted(changes.arguments):
            argument = known.get(name)
            if argument is None:
                names.append(name)
            else:
                names.append(self._services.overlay.label(argument) if argument.positional else argument.flag)
        return names + sorted(changes.environment)

    def follow(self, snapshot: SessionSnapshot) -> None:
        """Take note of an engine that another part of the program started, such as the demo: it has what is set now."""
        if snapshot.state is State.STARTING and snapshot.started_s != self._life:
            self._life = snapshot.started_s
            self._begun = (self._document.values, self._document.environment)

    def start(self) -> None:
        """Start the chosen engine with what is set; nothing happens while one runs."""
        if self.running:
            return
        engine, schema = self._engines.chosen, self._schemas.schema
        if engine is None or schema is None:
            self.no_engine.emit()
            return
        try:
            begun = (self._document.values, self._document.environment)
            launch = plan(schema, self._services.overlay, *begun)
            self._services.session.start(engine, launch)
        except DynoError as error:
            self.refused.emit(error)
            return
        self._begun, self._life = begun, self._services.session.snapshot.started_s
        self.started.emit()
        self._tasks.run_task(lambda _: self._services.models.remember(launch.model), name="remember")

    def stop(self) -> None:
        """Stop the engine, in whatever state it is."""
        if self.running:
            self._services.session.stop()
