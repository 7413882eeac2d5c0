"""Schemas of real engines that come with the program: the form before, or in place of, an engine's own answer."""

import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.base.errors import DynoError
from core.base.paths import assets_dir
from core.schema.model import ArgumentSchema

_NAME = re.compile(r"vllm-(?P<version>[^-]+)-(?P<backend>[a-z]+)\.json")
_BUILD_NAMES = {"cuda": "CUDA build", "cpu": "CPU build", "rocm": "ROCm build", "xpu": "XPU build"}


@dataclass(frozen=True, slots=True)
class RecordedInfo:
    """One recorded schema.

    Attributes:
        version: vLLM's version.
        backend: `cuda` or `cpu`.
        path: the file.
    """

    version: str
    backend: str
    path: Path

    @property
    def title(self) -> str:
        """For a person."""
        return f"vLLM {self.version} ({_BUILD_NAMES.get(self.backend, self.backend)})"


def recorded_schemas() -> list[RecordedInfo]:
    """What comes with the program, the newest first. Reads names only."""
    found = []
    for path in (assets_dir() / "schemas").glob("*.json"):
        match = _NAME.fullmatch(path.name)
        if match:
            found.append(RecordedInfo(match["version"], match["backend"], path))
    return sorted(found, key=lambda info: (_numbers(info.version), info.backend == "cuda"), reverse=True)


def load_recorded(version: str | None = None, backend: str | None = None) -> ArgumentSchema:
    """The recorded schema that is nearest to an engine: the same kind of build first, then the nearest version.

    Args:
        version: of the engine that it stands in for; None when there is none, which gives the newest.
        backend: likewise; None when it does not matter.

    Returns:
        The schema, with `recorded` set and a `note` that says what is shown.

    Raises:
        DynoError: nothing is recorded; the installation is damaged.
    """
    infos = recorded_schemas()
    if not infos:
        raise DynoError("The recorded settings are missing.", "Install the program again.")
    wanted = _numbers(version) if version else _numbers(infos[0].version)
    nearest = min(infos, key=lambda info: (bool(backend) and info.backend != backend, _distance(info, wanted)))
    try:
        schema = msgspec.json.decode(nearest.path.read_bytes(), type=ArgumentSchema)
    except (OSError, msgspec.DecodeError) as error:
        raise DynoError("The recorded settings cannot be read.", "Install the program again.", str(error)) from error
    return msgspec.structs.replace(schema, recorded=True, note=_note(nearest, version))


def _note(info: RecordedInfo, version: str | None) -> str:
    shown = f"These are the settings of {info.title} as recorded"
    if version is None:
        return f"{shown}; no engine has been asked yet."
    if version.partition("+")[0] == info.version:
        return f"{shown}; the engine itself has not been asked."
    return f"{shown}; the engine is {version} and may differ."


def _numbers(version: str) -> tuple[int, ...]:
    match = re.match(r"[0-9]{1,9}(?:\.[0-9]{1,9})*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else (0,)


def _distance(info: RecordedInfo, wanted: tuple[int, ...]) -> int:
    return abs(_place(_numbers(info.version)) - _place(wanted))


def _place(numbers: tuple[int, ...]) -> int:
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    return major * 1_000_000 + minor * 1_000 + patch
