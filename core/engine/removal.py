"""Deletes environments that this program installed."""

import contextlib
import os
import shutil
from pathlib import Path

import psutil

from core.base.errors import DynoError
from core.base.locks import LockBusy, file_lock
from core.base.paths import Paths
from core.engine.environment_model import EngineEnvironment
from core.engine.manifest import INSTALLING, MANIFEST, lock_path, stale_folders, trash_name
from core.engine.registry_file import RegistryFile


def delete_installed(paths: Paths, engine: EngineEnvironment) -> None:
    """Delete the folder of an environment that this program installed.

    Raises:
        DynoError: it is in use, or cannot be deleted.
    """
    users = running_in(engine.prefix)
    if users:
        raise DynoError(
            f"{engine.name} is running (process {', '.join(map(str, users))}).", "Stop the engine, then try again."
        )
    try:
        with file_lock(lock_path(paths, engine.prefix.name), wait=False):
            trash = trash_name(engine.prefix)
            engine.prefix.rename(trash)
            shutil.rmtree(trash)
    except LockBusy:
        raise DynoError(f"{engine.name} is being changed by another window.", "Wait until that is done.") from None
    except OSError as error:
        raise DynoError(
            f"{engine.name} could not be deleted: {error.strerror or error}.",
            f"Check the rights of {engine.prefix.parent}.",
            str(error),
        ) from error


def running_in(prefix: Path) -> list[int]:
    """Numbers of processes whose interpreter is this environment's."""
    inside = f"{prefix}{os.sep}bin{os.sep}"
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(word.startswith(inside) for word in process.cmdline()[:2]):
                found.append(process.pid)
    return found


def clean_up(paths: Paths) -> list[Path]:
    """Delete what interrupted installations, updates and removals left; what is under way or running is let be.

    Returns:
        The folders that went.
    """
    gone = []
    for folder in stale_folders(paths):
        with contextlib.suppress(LockBusy, OSError), file_lock(lock_path(paths, folder.name), wait=False):
            if not running_in(folder):
                shutil.rmtree(folder)
                gone.append(folder)
    return gone


def retire(paths: Paths, old: EngineEnvironment, fresh: EngineEnvironment) -> None:
    """Let a new environment take an old one's place: as the default too, and the old folder goes.

    A folder that has come into use meanwhile is deleted by a later `clean_up`.
    """
    with RegistryFile(paths).edit() as state:
        if state.default_folder == str(old.prefix):
            state.default_folder, state.default_name = str(fresh.prefix), fresh.name
    # From here on it counts no longer, whatever happens.
    (old.prefix / MANIFEST).rename(old.prefix / INSTALLING)
    with contextlib.suppress(DynoError):
        delete_installed(paths, old)
