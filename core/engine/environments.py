"""The engine environments of this machine, found by themselves, added by the person, or installed by this program."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.base.errors import DynoError
from core.base.paths import Paths
from core.engine.discovery import Candidate, environment_of, surrounding_candidates
from core.engine.driver import backend_runs_here
from core.engine.environment_model import Backend, EngineEnvironment, Origin
from core.engine.inspection import inspect_environment
from core.engine.manifest import installed_folders
from core.engine.naming import base_name, unique_name
from core.engine.registry_file import AddedEngine, RegistryFile, RegistryState
from core.engine.removal import delete_installed

__all__ = ["Backend", "EngineEnvironment", "EngineRegistry", "Origin"]

_DEFAULT_ORDER = (Origin.INSTALLED, Origin.ADDED, Origin.ACTIVE, Origin.CONDA, Origin.OWN, Origin.PATH)


class EngineRegistry:
    """Every answer is read from disk anew; no interpreter is started. Safe to use from several threads."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._file = RegistryFile(paths)

    def list(self) -> list[EngineEnvironment]:
        """Installed ones first (the latest first), then added ones, then those found by themselves.

        An environment that several ways lead to is listed once. Names do not change while the same environments are
        there.
        """
        return list(self._all(self._file.read()).values())

    def get(self, name: str) -> EngineEnvironment:
        """The environment of this name.

        Raises:
            DynoError: there is none.
        """
        engines = self._all(self._file.read())
        if name in engines:
            return engines[name]
        known = ", ".join(engines) or "none yet"
        raise DynoError(f"There is no engine named “{name}”.", f"Known engines: {known}.")

    def default(self) -> EngineEnvironment | None:
        """The chosen one; without a choice the one most likely to start here; None when there is none at all."""
        state = self._file.read()
        engines = self._all(state)
        for engine in engines.values():
            if state.default_folder and engine.prefix == Path(state.default_folder):
                return engine
        if state.default_name in engines:
            return engines[state.default_name]
        # Stable: among equals the order of the list decides, in which the latest installation is first.
        return min(engines.values(), key=_reluctance, default=None)

    def set_default(self, name: str) -> None:
        """Choose the engine that is used where none is named.

        Raises:
            DynoError: there is none of this name.
        """
        engine = self.get(name)
        with self._file.edit() as state:
            state.default_folder, state.default_name = str(engine.prefix), engine.name

    def add(self, folder: Path) -> EngineEnvironment:
        """Take in an environment: its folder, its interpreter, or a project with a `.venv`.

        One that is known already is given back as it is known; one that was hidden shows again.

        Raises:
            DynoError: there is no environment, or none with vLLM in it.
        """
        path = folder.expanduser().absolute()
        if not path.exists():
            raise DynoError(f"{path} does not exist.", "Check the path.")
        prefix = environment_of(path)
        if prefix is None:
            raise DynoError(
                f"{path} is not a Python environment.",
                "Choose the folder that has bin/python in it, or a project folder with a .venv.",
            )
        prefix = Path(os.path.realpath(prefix))
        found = inspect_environment(prefix, "", Origin.ADDED)
        if found is None or not found.version:
            problem = found.problem if found else None
            raise DynoError(
                f"There is no vLLM in {prefix}.", problem or "Install vLLM there first, or let this program install it."
            )
        with self._file.edit() as state:
            if str(prefix) in state.hidden:
                state.hidden.remove(str(prefix))
            engines = self._all(state)
            known = next((e for e in engines.values() if e.prefix == prefix), None)
            if known and known.origin in (Origin.INSTALLED, Origin.ADDED):
                return known
            name = known.name if known else unique_name(base_name(found.backend, found.version), engines)
            state.added.append(AddedEngine(name, str(prefix)))
        return self.get(name)

    def remove(self, name: str) -> None:
        """Delete an environment that this program installed; forget any other, whose files stay untouched.

        Raises:
            DynoError: there is none of this name, it is running, it is being installed, or it cannot be deleted.
        """
        engine = self.get(name)
        if engine.origin is Origin.INSTALLED:
            delete_installed(self._paths, engine)
        with self._file.edit() as state:
            state.added = [added for added in state.added if Path(added.folder) != engine.prefix]
            if engine.origin is not Origin.INSTALLED and _found_by_itself(engine.prefix):
                state.hidden.append(str(engine.prefix))
            if state.default_folder == str(engine.prefix):
                state.default_folder = state.default_name = ""

    def _all(self, state: RegistryState) -> dict[str, EngineEnvironment]:
        engines: dict[str, EngineEnvironment] = {}
        seen: set[Path] = set()
        ours = Path(os.path.realpath(self._paths.engines))
        for candidate, name in self._candidates(state):
            prefix = Path(os.path.realpath(candidate.folder))
            if prefix in seen:
                continue
            seen.add(prefix)
            if name is None and (str(prefix) in state.hidden or ours in prefix.parents):
                continue
            engine = inspect_environment(prefix, name or "", candidate.origin)
            if engine is None and name is not None:
                engine = _without_engine(prefix, name, candidate.origin)
            if engine is None or (name is None and not engine.version):
                continue
            chosen = name or base_name(engine.backend, engine.version)
            chosen = unique_name(chosen, engines, f"{chosen}-{candidate.origin.value}")
            engines[chosen] = replace(engine, name=chosen)
        return engines

    def _candidates(self, state: RegistryState) -> Iterator[tuple[Candidate, str | None]]:
        """Folders to look into, each with the name it has for good, or None."""
        for folder, manifest in installed_folders(self._paths):
            yield Candidate(folder, Origin.INSTALLED), manifest.name
        for added in state.added:
            yield Candidate(Path(added.folder), Origin.ADDED), added.name
        for candidate in surrounding_candidates():
            yield candidate, None


def _reluctance(engine: EngineEnvironment) -> tuple[bool, bool, int]:
    return (
        engine.problem is not None,
        not backend_runs_here(engine.backend),
        _DEFAULT_ORDER.index(engine.origin),
    )


def _found_by_itself(prefix: Path) -> bool:
    return any(Path(os.path.realpath(candidate.folder)) == prefix for candidate in surrounding_candidates())


def _without_engine(prefix: Path, name: str, origin: Origin) -> EngineEnvironment:
    """A known environment out of which vLLM has gone."""
    return EngineEnvironment(
        name=name,
        python=prefix / "bin" / "python",
        prefix=prefix,
        version="",
        distribution="",
        backend=Backend.UNKNOWN,
        torch=None,
        cuda=None,
        python_version="",
        origin=origin,
        problem="vLLM is no longer installed in this environment.",
    )
