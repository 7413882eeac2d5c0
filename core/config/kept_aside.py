"""A file that cannot be understood is kept under another name, never overwritten."""

from pathlib import Path


def keep_aside(path: Path) -> Path | None:
    """Rename a damaged file to `<name>.damaged-<n>` with the first free number; None when that cannot be done.

    For files with one writer; two programs that do this at the same moment are not told apart.
    """
    number = 1
    while (target := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    try:
        return path.rename(target)
    except OSError:
        return None
