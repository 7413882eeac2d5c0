"""Where engine environments may be: this program's own, the active ones, those with `vllm` on PATH."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.engine.environment_model import Origin
from core.engine.prefix import is_environment

_SHEBANG_BYTES = 512


@dataclass(frozen=True, slots=True)
class Candidate:
    """A folder worth looking into."""

    folder: Path
    origin: Origin


def surrounding_candidates(environment: Mapping[str, str] | None = None) -> Iterator[Candidate]:
    """Environments that the program finds around itself; the folders may hold no vLLM, or be gone.

    Args:
        environment: variables to read; the process's own when left out.
    """
    variables = os.environ if environment is None else environment
    yield Candidate(Path(sys.prefix), Origin.OWN)
    if variables.get("VIRTUAL_ENV"):
        yield Candidate(Path(variables["VIRTUAL_ENV"]), Origin.ACTIVE)
    if variables.get("CONDA_PREFIX"):
        yield Candidate(Path(variables["CONDA_PREFIX"]), Origin.CONDA)
    for entry in variables.get("PATH", "").split(os.pathsep):
        script = Path(entry) / "vllm"
        if entry and os.access(script, os.X_OK) and script.is_file():
            folder = environment_of_script(script)
            if folder is not None:
                yield Candidate(folder, Origin.PATH)


def environment_of_script(script: Path) -> Path | None:
    """The environment whose interpreter runs a console script; None when it cannot be told (a shell's shim)."""
    beside = Path(os.path.realpath(script)).parent.parent
    if (beside / "pyvenv.cfg").is_file():
        return beside
    try:
        with script.open("rb") as file:
            head = file.read(_SHEBANG_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    if not head.startswith("#!"):
        return None
    for word in head.splitlines()[0].removeprefix("#!").split():
        interpreter = Path(word)
        if interpreter.is_absolute() and interpreter.name.startswith("python"):
            # The link's own place tells a virtual environment; where it leads does not.
            return interpreter.parent.parent
    return beside if "python" in head and is_environment(beside) else None


def environment_of(path: Path) -> Path | None:
    """The environment meant by a path that a person points at.

    The path may be the environment, its `bin` folder, its interpreter or another command in it, or a project with a
    `.venv` or `venv` in it; None when there is none.
    """
    if path.is_dir():
        for folder in (path, path / ".venv", path / "venv", path.parent if path.name == "bin" else path):
            if is_environment(folder):
                return folder
        return None
    folder = path.parent.parent
    if path.parent.name == "bin" and is_environment(folder):
        return folder
    return None
