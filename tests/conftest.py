"""What all tests share: folders of their own, engines fake and real, and a look for what was left running."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
import psutil
import pytest

from core.base.paths import Paths
from core.engine.environments import EngineEnvironment, EngineRegistry
from tests.fakes.environment import make_fake_environment

# The version that the tests know; a newer release is taken up by a change here, not by chance.
_ENGINE_VERSION = "0.32.0"
# Kept between runs, since a real engine is gigabytes.
_CACHE = Path(os.environ.get("VLLM_DYNO_TEST_CACHE") or platformdirs.user_cache_path("vllm-dyno-tests"))
_ENDING_S = 5.0


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """The program's folders, below the test's own."""
    return Paths.below(tmp_path / "dyno")


@pytest.fixture(scope="session")
def fake_environment(tmp_path_factory: pytest.TempPathFactory) -> EngineEnvironment:
    """An engine environment with the fake engine in it (tests/fakes/fake_engine.py tells its habits)."""
    return make_fake_environment(tmp_path_factory.mktemp("fake"))


@pytest.fixture(scope="session")
def engine_python() -> Path:
    """The interpreter of a real vLLM for the CPU, installed on first use.

    `VLLM_DYNO_TEST_ENGINE` names another one.
    """
    given = os.environ.get("VLLM_DYNO_TEST_ENGINE")
    return Path(given) if given else _installed_engine().python


@pytest.fixture(scope="session")
def engine_environment(engine_python: Path, tmp_path_factory: pytest.TempPathFactory) -> EngineEnvironment:
    """That engine, as the program sees it."""
    registry = EngineRegistry(Paths.below(tmp_path_factory.mktemp("registry")))
    return registry.add(engine_python.parent.parent)


@pytest.fixture(scope="session")
def embedded_model(engine_python: Path) -> Path:
    """The small model's folder, made on first use. `VLLM_DYNO_TEST_MODEL` names another one."""
    given = os.environ.get("VLLM_DYNO_TEST_MODEL")
    if given:
        return Path(given)
    from core.models.embedded import make_embedded_model

    return make_embedded_model(Paths.below(_CACHE), engine_python, lambda _: None, threading.Event())


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Fails a test that leaves a thread or a child process behind."""
    threads, children = set(threading.enumerate()), set(_children())
    yield
    deadline = time.monotonic() + _ENDING_S
    while left := [*_new_threads(threads), *(set(_children()) - children)]:
        assert time.monotonic() < deadline, f"left running: {left}"
        time.sleep(0.02)


def _installed_engine() -> EngineEnvironment:
    from core.engine.installer import install

    where = Paths.below(_CACHE)
    with _locked(_CACHE / "engine.lock"):
        for known in EngineRegistry(where).list():
            ours = known.prefix.parent == where.engines.resolve() and known.version == _ENGINE_VERSION
            if ours and not known.problem:
                return known
        return install(where, backend="cpu", version=_ENGINE_VERSION, progress=lambda _: None, cancel=threading.Event())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if _runs(child)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _new_threads(before: set[threading.Thread]) -> set[threading.Thread]:
    # Foreign threads (Qt's) that ran Python once keep a stand-in; whether they still run is not told.
    return {thread for thread in set(threading.enumerate()) - before if not isinstance(thread, threading._DummyThread)}
