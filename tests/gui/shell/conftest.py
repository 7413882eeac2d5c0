"""The whole window, with the real objects behind it and an engine that is a small program of ours."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.base.paths import Paths
from core.engine.environment_model import EngineEnvironment
from core.engine.environments import EngineRegistry
from gui.tasks import TaskRunner
from gui.wiring import Wiring
from tests.fakes.environment import make_fake_environment

OpenWindow = Callable[..., Wiring]


@pytest.fixture
def fake_engine(paths: Paths, tmp_path: Path) -> EngineEnvironment:
    """An engine that the window will find, since it was added."""
    made = make_fake_environment(tmp_path)
    return EngineRegistry(paths).add(made.prefix)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder that passes for a model."""
    folder = tmp_path / "models" / "small"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}')
    return folder


@pytest.fixture
def open_window(qtbot: QtBot, paths: Paths) -> Iterator[OpenWindow]:
    """Opens a window and waits until something is told; what is still open at the end is closed.

    Waits until everything is built, unless `until` names another signal of `Wiring`, or nothing.
    """
    opened: list[Wiring] = []

    def build(until: str = "settled") -> Wiring:
        tasks = TaskRunner()
        wiring = Wiring(paths, tasks)
        wiring.closed.connect(tasks.close)
        opened.append(wiring)
        if until:
            with qtbot.waitSignal(getattr(wiring, until), timeout=30_000):
                wiring.open()
        return wiring

    yield build
    for wiring in opened:
        if wiring.window.isVisible():
            with qtbot.waitSignal(wiring.closed, timeout=30_000):
                wiring.close_now()
        wiring.window.deleteLater()
        wiring.deleteLater()


@pytest.fixture
def window(open_window: OpenWindow) -> Wiring:
    return open_window()
