"""The lists that outlive the program: folders that the person added, models used lately."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from core.base.errors import DynoError
from core.base.files import write_atomic
from core.config.kept_aside import keep_aside


class Remembered(msgspec.Struct, frozen=True):
    """What the file holds.

    Attributes:
        folders: added folders, absolute, in the order of adding.
        recent: references of models, the last used one first.
    """

    folders: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()


class RememberedFile:
    """Keeps the lists in one small file. May be used from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def load(self) -> Remembered:
        """The lists; empty when there is no file. A damaged file is kept aside under another name."""
        try:
            return msgspec.convert(json.loads(self._path.read_bytes()), Remembered)
        except FileNotFoundError:
            return Remembered()
        except (OSError, ValueError, RecursionError):
            keep_aside(self._path)
            return Remembered()

    def update(self, change: Callable[[Remembered], Remembered]) -> None:
        """Read, change and write as one step.

        Raises:
            DynoError: it could not be written; what was kept before is untouched.
        """
        with self._lock:
            before = self.load()
            after = change(before)
            if after == before:
                return
            # The standard library's writer: names of folders may be in an encoding that is no valid text.
            data = json.dumps(msgspec.to_builtins(after), indent=1).encode()
            try:
                write_atomic(self._path, data)
            except OSError as error:
                message = f"The list of models could not be saved in {self._path.parent}."
                raise DynoError(message, "Make room or make the folder writable.", str(error)) from error
