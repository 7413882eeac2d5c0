"""Asks an engine for its arguments, in its own interpreter."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import IO

import msgspec

from core.base.errors import Cancelled, DynoError
from core.schema.assemble import assemble
from core.schema.model import ArgumentSchema
from core.schema.overlay import load_overlay

SCRIPT = Path(__file__).parent / "scripts" / "probe_vllm.py"

_BEGIN = b"-----BEGIN VLLM ARGUMENTS-----"
_END = b"-----END VLLM ARGUMENTS-----"
_DETAIL_LENGTH = 20_000
_OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024  # a hundred times what an engine has to say
_POLL_S = 0.1

# What would lead the engine's interpreter to other modules, or change the defaults that it reports.
_DROPPED_PREFIXES = ("PYTHON", "VLLM_", "VIRTUAL_ENV", "CONDA_", "__PYVENV", "QT_", "COV_")


class FailureKind(StrEnum):
    """Why there is no answer."""

    NO_INTERPRETER = "no_interpreter"
    IMPORT_FAILED = "import_failed"
    UNKNOWN_LAYOUT = "unknown_layout"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    BAD_ANSWER = "bad_answer"


_HINTS = {
    FailureKind.NO_INTERPRETER: "Choose another engine, or install one.",
    FailureKind.IMPORT_FAILED: "The engine's packages do not fit together; update or reinstall this engine.",
    FailureKind.UNKNOWN_LAYOUT: "Recorded settings of another version can be used until this version is supported.",
    FailureKind.CRASHED: "The details say what the engine printed; a reinstallation often helps.",
    FailureKind.TIMED_OUT: "The machine may be busy, or its disk slow; try again.",
    FailureKind.BAD_ANSWER: "Something else than the probe answered; reinstall this engine.",
}


class ProbeFailure(DynoError):
    """The engine did not say what it accepts.

    Attributes:
        kind: what went wrong; a `FailureKind`, which is a text.
        tried: the ways that were tried, with the reason why each failed.
    """

    def __init__(self, kind: FailureKind, message: str, detail: str = "", tried: tuple[str, ...] = ()) -> None:
        listed = "".join(f"\n- {way}" for way in tried)
        super().__init__(message + (f" Tried:{listed}" if listed else ""), _HINTS[kind], detail)
        self.kind = kind
        self.tried = tried


def probe(python: Path, *, timeout_s: float = 180, cancel: threading.Event | None = None) -> ArgumentSchema:
    """What the engine of this interpreter accepts. Takes 8 to 15 seconds, on a cold disk more than a minute.

    Args:
        python: the engine's interpreter; a virtual environment's own, not the one that its link leads to.
        timeout_s: after this long the probe is ended.
        cancel: set it to call the probe off.

    Raises:
        ProbeFailure: there is no answer.
        Cancelled: `cancel` was set.
    """
    if not python.is_file() or not os.access(python, os.X_OK):
        raise ProbeFailure(FailureKind.NO_INTERPRETER, f"{python} is not a Python interpreter.")
    deadline = time.monotonic() + timeout_s
    # -P keeps the script's folder off the module path; before Python 3.11 only -I does so.
    code, answer, errors = _run(python, "-P", deadline, cancel)
    if code == 2 and "nknown option" in errors:
        code, answer, errors = _run(python, "-I", deadline, cancel)
    return _read(code, answer, errors)


def _run(python: Path, isolation: str, deadline: float, cancel: threading.Event | None) -> tuple[int, bytes, str]:
    """Exit code, standard output and the end of standard error of one run of the script."""
    # Into files: what writes without end fills no memory, and what outlives the script keeps nobody waiting.
    with (
        tempfile.TemporaryDirectory(prefix="vllm-dyno-probe-") as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        try:
            process = subprocess.Popen(
                [str(python), isolation, str(SCRIPT)],
                cwd=folder,
                env=clean_environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise ProbeFailure(FailureKind.NO_INTERPRETER, f"{python} cannot be started: {error}.") from error
        try:
            _wait(process, deadline, cancel, output, errors)
        finally:
            _end(process)
        output.seek(0)
        return process.returncode, output.read(), _tail(errors)


def _wait(
    process: subprocess.Popen[bytes],
    deadline: float,
    cancel: threading.Event | None,
    output: IO[bytes],
    errors: IO[bytes],
) -> None:
    pause = threading.Event() if cancel is None else cancel
    while not _has_ended(process):
        if pause.wait(_POLL_S):
            raise Cancelled
        if time.monotonic() > deadline:
            message = "The engine did not say in time what it accepts."
            raise ProbeFailure(FailureKind.TIMED_OUT, message, _tail(errors))
        _refuse_flood(output, errors)
    _refuse_flood(output, errors)


def _refuse_flood(output: IO[bytes], errors: IO[bytes]) -> None:
    if any(os.fstat(file.fileno()).st_size > _OUTPUT_LIMIT_BYTES for file in (output, errors)):
        raise ProbeFailure(FailureKind.BAD_ANSWER, "The engine's interpreter writes without end.", _tail(errors))


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the script has ended; it is not waited for yet, so that its pid stays its own."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the script and whatever it started; the group has the script's pid, which nobody else has until we wait."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for the engine's interpreter, without what belongs to ours."""
    return {name: value for name, value in environment.items() if not name.startswith(_DROPPED_PREFIXES)}


def _tail(errors: IO[bytes]) -> str:
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _DETAIL_LENGTH))
    return errors.read().decode(errors="replace")


def _read(code: int, answer: bytes, errors: str) -> ArgumentSchema:
    start, end = answer.rfind(_BEGIN), answer.rfind(_END)
    if start < 0 or end < start:
        if code != 0:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise ProbeFailure(FailureKind.CRASHED, f"The engine's interpreter ended with {how}.", errors)
        raise ProbeFailure(FailureKind.BAD_ANSWER, "The engine's interpreter gave no answer.", errors)
    try:
        document = msgspec.json.decode(answer[start + len(_BEGIN) : end])
        failure = document.get("failure")
        if failure is not None:
            raise ProbeFailure(
                FailureKind(failure["kind"]), _sentence(failure["message"]), errors, tuple(failure["tried"])
            )
        return assemble(document, load_overlay().is_path)
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ProbeFailure(
            FailureKind.BAD_ANSWER, f"The engine's answer cannot be read ({type(error).__name__}: {error}).", errors
        ) from error


def _sentence(message: str) -> str:
    return message if message.endswith(".") else f"{message}."
