"""Fixtures for the embedded model: the packages that read and check converted models."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base.uv_tool import Uv
from tests.environments.loopback_index import LoopbackIndex
from tests.models_embedded import tiny_gguf


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `gguf`, and with the readers of what a conversion gives."""
    folder = tmp_path_factory.mktemp("packages")
    uv = Uv()
    links = [word for link in uv.find_links() for word in ("--find-links", link)]
    wanted = ["gguf", "pyyaml", "tqdm", "tokenizers", "safetensors"]
    uv.run(
        ["pip", "install", "--no-deps", "--python", sys.executable, "--target", str(folder), *links, *wanted],
        cwd=folder,
        what="packages for tests",
        on_output=lambda _: None,
        cancel=threading.Event(),
    )
    return folder


@pytest.fixture
def tiny(packages: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Writes a tiny GGUF file of the given variant."""

    def make(variant: str) -> Path:
        path = tmp_path / f"{variant}.gguf"
        subprocess.run([sys.executable, tiny_gguf.__file__, packages, path, variant], check=True)
        return path

    return make


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LoopbackIndex]:
    """A package index on the loopback interface; put wheels into its folder."""
    folder = tmp_path / "index"
    folder.mkdir()
    with LoopbackIndex(folder) as server:
        yield server
