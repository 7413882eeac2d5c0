"""Lays the fake engine out as an engine environment: an interpreter with a package named `vllm` and its metadata.

The distribution has another name, as the CPU builds have, so the launcher's answer for it is put to the test as well.
"""

import os
import sys
from pathlib import Path

from core.engine.environment_model import Backend, EngineEnvironment, Origin

VERSION = "0.99.0"
TORCH = "2.13.0+cpu"
_DISTRIBUTION = "vllm-fake"


def make_fake_environment(folder: Path) -> EngineEnvironment:
    """Make it below `folder`; a few files, no copy of the interpreter."""
    prefix = folder / "fake-engine"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    site = prefix / "lib" / f"python{version}" / "site-packages"
    package = site / "vllm" / "entrypoints" / "cli"
    metadata = site / f"vllm_fake-{VERSION}.dist-info"
    for made in (prefix / "bin", package, metadata):
        made.mkdir(parents=True, exist_ok=True)
    base = Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))
    python = prefix / "bin" / "python"
    if not python.exists():
        python.symlink_to(base)
    (prefix / "pyvenv.cfg").write_text(f"home = {base.parent}\ninclude-system-site-packages = false\n")
    (site / "fakes.pth").write_text(f"{Path(__file__).parent}\n")
    for level in (site / "vllm", site / "vllm" / "entrypoints", package):
        (level / "__init__.py").touch()
    (package / "main.py").write_text("from fake_engine import main\n\n__all__ = ['main']\n")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {_DISTRIBUTION}\nVersion: {VERSION}\n")
    (metadata / "RECORD").write_text("vllm/__init__.py,,\n")
    torch = site / f"torch-{TORCH}.dist-info"
    torch.mkdir(exist_ok=True)
    (torch / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {TORCH}\n")
    return EngineEnvironment(
        name="fake",
        python=python,
        prefix=prefix,
        version=VERSION,
        distribution=_DISTRIBUTION,
        backend=Backend.CPU,
        torch=TORCH,
        cuda=None,
        python_version=version,
        origin=Origin.ADDED,
        problem=None,
    )
