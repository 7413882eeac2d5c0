import argparse
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from core.base.errors import DynoError
from core.base.paths import Paths
from core.cli import probe as command
from core.schema.model import ArgumentSchema
from core.schema.probe import SchemaCache
from tests.schema.stub_engine import make_stub


@pytest.fixture
def python(tmp_path: Path) -> Path:
    return make_stub(tmp_path / "engine")


class Registry:
    """The two questions that the command asks about engines."""

    def __init__(self, python: Path | None) -> None:
        self._python = python

    def default(self) -> Any:
        return None if self._python is None else SimpleNamespace(python=self._python)

    def get(self, name: str) -> Any:
        if name != "stub":
            raise DynoError(f"There is no engine {name}.")
        return self.default()


def run(tmp_path: Path, python: Path | None, *words: str) -> int:
    parser = argparse.ArgumentParser()
    command.register(parser.add_subparsers())
    services = SimpleNamespace(registry=Registry(python), schemas=SchemaCache(Paths.below(tmp_path / "home")))
    return command.run(parser.parse_args(["probe", *words]), services)  # type: ignore[arg-type]


def test_json_is_the_whole_schema(tmp_path: Path, python: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, python, "--json") == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert "Asking" in printed.err
    assert document["engine_version"] == "1.2.3"
    assert len(document["arguments"]) == 8
    assert all({"group", "kind", "help", "default", "flags"} <= argument.keys() for argument in document["arguments"])
    again = msgspec.json.decode(printed.out, type=ArgumentSchema)
    assert again == SchemaCache(Paths.below(tmp_path / "home")).cached(python)


def test_words_are_a_summary(tmp_path: Path, python: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, python, "--engine", "stub") == 0
    printed = capsys.readouterr().out
    assert "vLLM 1.2.3 (vllm, cuda build), torch 2.0+cu1" in printed
    assert "8 arguments, 2 environment variables" in printed
    assert re.search(r"^\d+ essential, \d+ for tuning, \d+ more$", printed, re.MULTILINE)
    assert "StubConfig" in printed


def test_the_second_time_nothing_is_asked(tmp_path: Path, python: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, None, "--python", str(python))
    assert "Asking" in capsys.readouterr().err
    run(tmp_path, None, "--python", str(python))
    assert "Asking" not in capsys.readouterr().err
    run(tmp_path, None, "--python", str(python), "--refresh")
    assert "Asking" in capsys.readouterr().err


def test_a_saved_schema_can_be_read_again(tmp_path: Path, python: Path) -> None:
    file = tmp_path / "saved" / "vllm-1.2.3-cuda.json"
    assert run(tmp_path, python, "--save", str(file)) == 0
    assert msgspec.json.decode(file.read_bytes(), type=ArgumentSchema).engine_version == "1.2.3"
    assert file.stat().st_mode & 0o777 == 0o644


def test_problems_are_told(tmp_path: Path, python: Path) -> None:
    with pytest.raises(DynoError, match="no engine yet"):
        run(tmp_path, None)
    with pytest.raises(DynoError, match="There is no engine other"):
        run(tmp_path, python, "--engine", "other")
    with pytest.raises(DynoError, match="is not a Python interpreter"):
        run(tmp_path, None, "--python", str(tmp_path))
