"""A folder of one's own below `Paths.engines`, while an environment is being made in it."""

import shutil
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import DynoError
from core.base.locks import LockBusy, file_lock
from core.base.paths import Paths
from core.engine.manifest import INSTALLING, lock_path


@dataclass(frozen=True, slots=True)
class Claim:
    """An empty folder that nobody else will touch.

    Attributes:
        lock_handle: a child that inherits it keeps the claim should this program die.
    """

    folder: Path
    lock_handle: int


@contextmanager
def claim_folder(paths: Paths, name: str, *, exact: bool, taken: Collection[str] = ()) -> Iterator[Claim]:
    """Make the folder and hold its lock. When the block ends with an exception, the folder and all in it is deleted.

    Args:
        exact: this name or none; otherwise a number is added while the name is taken.
        taken: names that are not to be used although there is no such folder.

    Raises:
        DynoError: the name is taken, or the folder cannot be made.
    """
    number = 1
    while True:
        folder = paths.engines / (name if number == 1 else f"{name}-{number}")
        with ExitStack() as held:
            try:
                if folder.name in taken:
                    raise FileExistsError(folder.name)
                handle = held.enter_context(file_lock(lock_path(paths, folder.name), wait=False))
                folder.mkdir(parents=True)
                (folder / INSTALLING).touch()
            except (LockBusy, FileExistsError) as error:
                if exact and isinstance(error, LockBusy):
                    hint = "Wait until that is done, or choose another name."
                    raise DynoError(f"“{name}” is being installed or changed already.", hint) from None
                if exact:
                    raise name_taken(name) from None
                number += 1
                continue
            except OSError as error:
                raise DynoError(
                    f"{folder} cannot be made: {error.strerror or error}.",
                    f"Check the rights and the space of {paths.data}, or set VLLM_DYNO_HOME to another folder.",
                    str(error),
                ) from error
            try:
                yield Claim(folder, handle)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            return


def name_taken(name: str) -> DynoError:
    """The error for a name that an installed environment has."""
    return DynoError(f"There is an engine named “{name}” already.", "Choose another name, or remove that one first.")
