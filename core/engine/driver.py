"""Whether this machine has an NVIDIA driver, found out without talking to it."""

import ctypes
import shutil
from pathlib import Path

from core.engine.environment_model import Backend

_DRIVER_FACTS = Path("/proc/driver/nvidia/version")
_LIBRARY = "libnvidia-ml.so.1"
# Windows' driver shows itself here to Linux under WSL2, where /proc knows nothing of it.
_WSL_LIBRARY = Path("/usr/lib/wsl/lib") / _LIBRARY


def nvidia_driver_present(facts: Path = _DRIVER_FACTS, library: str = _LIBRARY, wsl: Path = _WSL_LIBRARY) -> bool:
    """Whether the kernel's driver, its management library or `nvidia-smi` is there."""
    if facts.exists() or wsl.exists() or shutil.which("nvidia-smi"):
        return True
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def backend_runs_here(backend: Backend) -> bool:
    """Whether this machine has what a build of this kind needs; unknown kinds get the benefit of the doubt."""
    return backend is not Backend.CUDA or nvidia_driver_present()
