"""Sessions, and the engines that a test body runs on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.paths import Paths
from core.engine.environments import EngineEnvironment
from core.engine.session import EngineSession
from tests.session.helpers import EngineCase


@pytest.fixture
def session(paths: Paths) -> Iterator[EngineSession]:
    """A session; closed at the end, which also must leave nothing running."""
    made = EngineSession(paths)
    yield made
    made.close()


@pytest.fixture
def fake(fake_environment: EngineEnvironment, tmp_path: Path) -> EngineCase:
    """The fake engine alone."""
    folder = tmp_path / "model"
    folder.mkdir()
    return EngineCase("fake", fake_environment, str(folder), 30.0, {})


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.engine)])
def engine(request: pytest.FixtureRequest) -> EngineCase:
    """The same test on the fake engine and on a real one."""
    if request.param == "fake":
        return request.getfixturevalue("fake")
    return EngineCase(
        "real",
        request.getfixturevalue("engine_environment"),
        str(request.getfixturevalue("embedded_model")),
        300.0,
        {"VLLM_CPU_KVCACHE_SPACE": "1"},
        ("--enforce-eager", "--max-model-len", "1024"),
    )
