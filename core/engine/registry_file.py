"""What the person decided about engines: folders that were added, those hidden, the default."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from core.base.errors import DynoError
from core.base.files import write_atomic
from core.base.locks import file_lock
from core.base.paths import Paths
from core.config.kept_aside import keep_aside


class AddedEngine(msgspec.Struct):
    """A folder that the person pointed at, with the name it got then."""

    name: str
    folder: str


class RegistryState(msgspec.Struct):
    """The file's content.

    Attributes:
        hidden: folders that were found without being asked for, and that the person does not want to see.
        default_folder: of the default engine; empty when none was chosen.
        default_name: its name, for when an update has moved it to another folder.
    """

    added: list[AddedEngine] = msgspec.field(default_factory=list)
    hidden: list[str] = msgspec.field(default_factory=list)
    default_folder: str = ""
    default_name: str = ""


_LEGAL_FOLDER = re.compile(r"/[^\0]{0,4000}")
_DAMAGE = (msgspec.DecodeError, RecursionError)


class RegistryFile:
    """Reads and writes it; several programs may do so at once."""

    def __init__(self, paths: Paths) -> None:
        self._path = paths.config / "engines.json"
        self._lock = paths.config / ".engines.lock"

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return self._path

    def read(self) -> RegistryState:
        """The state; empty when there is no file, or a damaged one (which stays until something is written)."""
        try:
            return _decoded(self._path.read_bytes())
        except (OSError, *_DAMAGE):
            return RegistryState()

    @contextmanager
    def edit(self) -> Iterator[RegistryState]:
        """Change the state and write it when the block ends without an exception. A damaged file is kept aside.

        Raises:
            DynoError: it cannot be written; nothing has changed then.
        """
        try:
            with self._locked() as state:
                yield state
        except OSError as error:
            message = f"The list of engines could not be written: {error.strerror}: {self._path}."
            raise DynoError(message, "Make room, or make the folder writable.") from error

    @contextmanager
    def _locked(self) -> Iterator[RegistryState]:
        with file_lock(self._lock):
            try:
                state = _decoded(self._path.read_bytes())
            except FileNotFoundError:
                state = RegistryState()
            except _DAMAGE:
                keep_aside(self._path)
                state = RegistryState()
            yield state
            write_atomic(self._path, msgspec.json.format(msgspec.json.encode(state)) + b"\n")


def _decoded(data: bytes) -> RegistryState:
    state = msgspec.json.decode(data, type=RegistryState)
    # Nobody can have added these; they would end in an exception, or in the current folder.
    if not all(_LEGAL_FOLDER.fullmatch(added.folder) for added in state.added):
        raise msgspec.ValidationError("no absolute path")
    return state
