"""What the person decided about engines: folders that were added, those hidden, the default."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

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
            return msgspec.json.decode(self._path.read_bytes(), type=RegistryState)
        except (OSError, msgspec.DecodeError):
            return RegistryState()

    @contextmanager
    def edit(self) -> Iterator[RegistryState]:
        """Change the state and write it when the block ends without an exception. A damaged file is kept aside.

        Raises:
            OSError: it cannot be written; nothing has changed then.
        """
        with file_lock(self._lock):
            try:
                state = msgspec.json.decode(self._path.read_bytes(), type=RegistryState)
            except FileNotFoundError:
                state = RegistryState()
            except msgspec.DecodeError:
                keep_aside(self._path)
                state = RegistryState()
            yield state
            write_atomic(self._path, msgspec.json.format(msgspec.json.encode(state)) + b"\n")
