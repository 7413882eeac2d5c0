"""Fixtures for tests of engine environments: quiet surroundings, a uv with a cache of its own, an index."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.paths import Paths
from core.base.uv_tool import Uv
from core.engine.environments import EngineRegistry
from tests.environments.loopback_index import LoopbackIndex


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No environment around that could be found by itself."""
    empty = tmp_path / "empty-prefix"
    empty.mkdir()
    monkeypatch.setattr(sys, "prefix", str(empty))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PATH", str(empty))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def registry(paths: Paths, quiet: None) -> EngineRegistry:
    """A registry that knows nothing yet."""
    return EngineRegistry(paths)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder for wheels."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    return folder


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LoopbackIndex]:
    """A package index on the loopback interface; put wheels into its folder."""
    folder = tmp_path / "index"
    folder.mkdir()
    with LoopbackIndex(folder) as server:
        yield server


@pytest.fixture
def uv_variables(index: LoopbackIndex, tmp_path: Path) -> dict[str, str]:
    """Variables for a uv that sees the loopback index alone and has an empty cache."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("UV_", "PIP_")) and "proxy" not in name.lower()
    }
    return {
        **kept,
        "UV_DEFAULT_INDEX": index.url,
        "UV_CACHE_DIR": str(tmp_path / "uv-cache"),
        "UV_NO_CONFIG": "1",
        "UV_HTTP_RETRIES": "0",
        "UV_HTTP_TIMEOUT": "20",
    }


@pytest.fixture
def uv(uv_variables: dict[str, str]) -> Uv:
    """The real uv with these variables."""
    return Uv(environment=uv_variables)
