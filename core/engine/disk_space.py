"""Whether an installation fits on the disk."""

import shutil
from pathlib import Path

from core.base.errors import DynoError

_RESERVE_BYTES = 256 * 1024**2


def check_space(needed_bytes: int, folders: list[Path]) -> None:
    """Refuse before anything is written when a disk is too full.

    Args:
        needed_bytes: on each disk that one of the folders is on.
        folders: where files will go; they need not exist.

    Raises:
        DynoError: not enough space; the message has both figures.
    """
    looked_at = set()
    for folder in folders:
        there = _existing(folder)
        device = there.stat().st_dev
        if device in looked_at:
            continue
        looked_at.add(device)
        free = shutil.disk_usage(there).free
        if free < needed_bytes + _RESERVE_BYTES:
            raise DynoError(
                f"Not enough space on the disk of {there}: {_gigabytes(needed_bytes + _RESERVE_BYTES)} are needed, "
                f"{_gigabytes(free)} are free.",
                "Free some space, or set VLLM_DYNO_HOME (and UV_CACHE_DIR) to folders on a larger disk.",
            )


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _gigabytes(count: int) -> str:
    return f"{count / 10**9:.1f} GB"
