"""Builds the long-lived objects and hands them over; there are no globals."""

from dataclasses import dataclass

from core.base.paths import Paths
from core.config.working_state import WorkingState
from core.engine.environments import EngineRegistry
from core.engine.session import EngineSession, SessionSnapshot, State
from core.models.catalog import ModelCatalog
from core.schema.overlay import Overlay, load_overlay
from core.schema.probe import SchemaCache
from core.telemetry.sampler import Sampler
from core.telemetry.store import SampleStore


@dataclass(slots=True)
class Services:
    """What the window and the command line work with.

    Nothing runs yet after `build`: the sampler and the session start when they are told to.
    """

    paths: Paths
    overlay: Overlay
    registry: EngineRegistry
    schemas: SchemaCache
    working_state: WorkingState
    models: ModelCatalog
    session: EngineSession
    store: SampleStore
    sampler: Sampler

    @classmethod
    def build(cls, paths: Paths, overlay: Overlay | None = None) -> "Services":
        """All objects below these folders, wired to each other.

        Args:
            overlay: read already; read here when not given.
        """
        overlay = overlay or load_overlay()
        session = EngineSession(paths)
        store = SampleStore()
        services = cls(
            paths=paths,
            overlay=overlay,
            registry=EngineRegistry(paths),
            schemas=SchemaCache(paths),
            working_state=WorkingState(paths, overlay),
            models=ModelCatalog(paths),
            session=session,
            store=store,
            sampler=Sampler.with_default_sources(store),
        )
        services.sampler.watch_processes(session.engine_pids)
        session.changed.connect(services._follow_session)
        return services

    def close(self) -> None:
        """End everything that runs; may be called twice."""
        self.session.close()
        self.sampler.stop()

    def _follow_session(self, snapshot: SessionSnapshot) -> None:
        """Ask for the engine's metrics exactly while there is one that answers."""
        if snapshot.state is State.READY and snapshot.base_url:
            self.sampler.attach_engine(snapshot.base_url, snapshot.api_key, self.session.engine_pids)
        elif snapshot.state in (State.STOPPED, State.FAILED):
            self.sampler.detach_engine()
