"""A Python environment's folder: its interpreter, its Python version, where its packages are."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from core.engine.dist_info import read_text

_CONDA_PYTHON = re.compile(r"python-(\d+\.\d+\.\d+)-")
_LIBRARY = re.compile(r"python(\d+\.\d+)$")


@dataclass(frozen=True, slots=True)
class Prefix:
    """One environment as its folder tells it.

    Attributes:
        folder: resolved.
        python: the interpreter to start; its path need not work (see `problem`).
        version: Python's; empty when unknown.
        sites: folders of packages, the environment's own first.
        problem: why its interpreter cannot start; None when it looks sound.
    """

    folder: Path
    python: Path
    version: str
    sites: tuple[Path, ...]
    problem: str | None


def read_prefix(folder: Path) -> Prefix:
    """Look at an environment's folder; a broken one is told by `problem`, never by an exception."""
    folder = Path(os.path.realpath(folder))
    settings = _venv_settings(folder)
    python = _interpreter(folder)
    version = settings.get("version_info") or settings.get("version") or _conda_version(folder)
    libraries = _libraries(folder, version)
    if not version and libraries:
        version = _short(libraries[0])
    sites = [library / kind for library in libraries for kind in ("site-packages", "dist-packages")]
    home = settings.get("home")
    if home is None:
        sites += _system_sites(folder, version)
    elif settings.get("include-system-site-packages", "").lower() == "true":
        base = Path(home).parent
        sites += [library / "site-packages" for library in _libraries(base, version)] + _system_sites(base, version)
    return Prefix(folder, python, version, tuple(sites), _interpreter_problem(folder, python))


def is_environment(folder: Path) -> bool:
    """Whether a folder looks like a Python environment, sound or broken."""
    return (folder / "pyvenv.cfg").is_file() or os.path.lexists(_interpreter(folder))


def _venv_settings(folder: Path) -> dict[str, str]:
    settings: dict[str, str] = {}
    for line in read_text(folder / "pyvenv.cfg").splitlines():
        key, equals, value = line.partition("=")
        if equals and "\0" not in value:  # no path has it, and none may be made of it
            settings[key.strip().lower()] = value.strip()
    return settings


def _interpreter(folder: Path) -> Path:
    for name in ("python", "python3"):
        if os.path.lexists(folder / "bin" / name):
            return folder / "bin" / name
    return folder / "bin" / "python"


def _interpreter_problem(folder: Path, python: Path) -> str | None:
    if not folder.is_dir():
        return f"The folder {folder} is gone."
    if not os.path.lexists(python):
        return f"There is no Python interpreter at {python}."
    if not python.exists():
        return f"Its Python interpreter is gone: {python} points to {_last_link(python)}."
    if not python.is_file():
        return f"{python} is no program."
    if not os.access(python, os.X_OK):
        return f"{python} may not be executed."
    return None


def _last_link(path: Path) -> Path:
    """Where a chain of links ends that leads nowhere."""
    for _ in range(40):
        if not path.is_symlink():
            return path
        path = path.parent / path.readlink()
    return path


def _conda_version(folder: Path) -> str:
    try:
        names = sorted(path.name for path in (folder / "conda-meta").iterdir())
    except OSError:
        return ""
    return next((match[1] for name in names if (match := _CONDA_PYTHON.match(name))), "")


def _libraries(folder: Path, version: str) -> list[Path]:
    """`lib/pythonX.Y` folders, the one of this version first and alone where it exists."""
    found = []
    for lib in ("lib", "lib64"):
        try:
            entries = [path for path in (folder / lib).iterdir() if _LIBRARY.match(path.name)]
        except OSError:
            continue
        found += [Path(os.path.realpath(path)) for path in entries]
    found = sorted(set(found), key=lambda path: tuple(int(part) for part in _short(path).split(".")), reverse=True)
    fitting = [path for path in found if version and _short(path) == ".".join(version.split(".")[:2])]
    return fitting or found


def _short(library: Path) -> str:
    match = _LIBRARY.match(library.name)
    return match[1] if match else "0"


def _system_sites(base: Path, version: str) -> list[Path]:
    """Folders that a Python outside virtual environments sees as well: the user's own, and Debian's."""
    short = ".".join(version.split(".")[:2])
    name = f"python{short}"
    user = os.environ.get("PYTHONUSERBASE")
    return [
        (Path(user) if user else Path.home() / ".local") / "lib" / name / "site-packages",
        base / "local" / "lib" / name / "dist-packages",
        base / "lib" / "python3" / "dist-packages",
    ]
