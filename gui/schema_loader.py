"""Which arguments the form shows: at once from what is known, then from the engine itself."""

from PySide6.QtCore import QObject, Signal

from core.base.errors import Cancelled, DynoError
from core.engine.environment_model import EngineEnvironment
from core.schema.model import ArgumentSchema
from core.schema.probe import SchemaCache
from core.schema.recorded import load_recorded
from gui.tasks import Job, TaskHandle, TaskRunner


class SchemaLoader(QObject):
    """Shows a schema at once and a better one when the engine has answered.

    Attributes:
        shown: an `ArgumentSchema` that differs from the one before.
        note_changed: a line for the person about where the schema comes from; empty when it is the engine's own.
        failed: a DynoError of the probe; the schema before it stays.
    """

    shown = Signal(object)
    note_changed = Signal(str)
    failed = Signal(object)

    def __init__(self, schemas: SchemaCache, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._schemas = schemas
        self._tasks = tasks
        self._schema: ArgumentSchema | None = None
        self._engine: EngineEnvironment | None = None
        self._handle: TaskHandle | None = None

    @property
    def schema(self) -> ArgumentSchema | None:
        """What is shown now."""
        return self._schema

    def begin_with(self, schema: ArgumentSchema | None) -> None:
        """Take over what the form shows already."""
        self._schema = schema

    def show_for(self, engine: EngineEnvironment | None) -> None:
        """Show this engine's arguments, and ask it where its answer is not known yet."""
        self._engine = engine
        self._drop()
        if engine is None:
            if self._schema is None:
                self._show(load_recorded())
            self._tell(self._schema, asking=False)
            return
        self._handle = self._tasks.run_task(
            lambda _: self._schemas.cached(engine.python),
            on_done=lambda cached: self._known(engine, cached),
            name="schema",
            replaces=True,
        )

    def ask_again(self) -> None:
        """Ask the engine anew, whatever is kept of its last answer."""
        if self._engine is not None:
            self._drop()
            self._ask(self._engine, refresh=True)

    def _known(self, engine: EngineEnvironment, cached: ArgumentSchema | None) -> None:
        if cached is not None:
            self._show(cached)
            self._tell(cached, asking=False)
            return
        self._show(load_recorded(engine.version, engine.backend.value))
        if engine.problem:
            self._tell(self._schema, asking=False)
        else:
            self._ask(engine, refresh=False)

    def _ask(self, engine: EngineEnvironment, refresh: bool) -> None:
        def work(job: Job) -> ArgumentSchema:
            return self._schemas.get(engine.python, refresh=refresh, cancel=job.cancel)

        def done(schema: ArgumentSchema) -> None:
            self._show(schema)
            self._tell(schema, asking=False)

        def failed(error: DynoError) -> None:
            self._tell(self._schema, asking=False)
            if not isinstance(error, Cancelled):
                self.failed.emit(error)

        self._tell(self._schema, asking=True)
        self._handle = self._tasks.run_task(work, on_done=done, on_error=failed, name="schema", replaces=True)

    def _drop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _show(self, schema: ArgumentSchema) -> None:
        before = self._schema
        self._schema = schema
        # Rebuilding the form loses the place one was at: only where the arguments differ.
        if before is None or (before.arguments, before.groups, before.environment) != (
            schema.arguments,
            schema.groups,
            schema.environment,
        ):
            self.shown.emit(schema)

    def _tell(self, schema: ArgumentSchema | None, asking: bool) -> None:
        if schema is None:
            text = ""
        elif asking:
            known = self.tr("Recorded arguments of vLLM {0} are shown").format(schema.engine_version)
            text = self.tr("{0}; asking your engine for its own.").format(known)
        elif schema.recorded and self._engine is None:
            text = self.tr("Arguments of vLLM {0} as recorded; an engine will be asked for its own.").format(
                schema.engine_version
            )
        elif self._engine is not None and self._engine.problem:
            text = self.tr("{0} Recorded arguments of vLLM {1} are shown.").format(
                self._engine.problem, schema.engine_version
            )
        elif schema.recorded:
            text = schema.note or self.tr("Recorded arguments of vLLM {0} are shown.").format(schema.engine_version)
        else:
            text = ""
        self.note_changed.emit(text)
