"""Where the program keeps things."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.paths import APP_NAME, Paths, assets_dir

ROOT = Path(__file__).resolve().parent.parent.parent


def test_one_root_holds_everything(tmp_path):
    paths = Paths.below(tmp_path)
    places = [
        paths.config,
        paths.data,
        paths.state,
        paths.cache,
        paths.engines,
        paths.models,
        paths.logs,
        paths.schemas,
    ]
    assert len(set(places)) == len(places)
    assert all(place.is_relative_to(tmp_path) for place in places)


def test_asking_makes_no_folder(tmp_path):
    paths = Paths.below(tmp_path / "program")
    assert paths.engines.parent == paths.data
    assert paths.logs.parent == paths.state
    assert paths.schemas.parent == paths.cache
    assert not (tmp_path / "program").exists()


def test_the_variable_moves_all_of_it(monkeypatch, tmp_path):
    monkeypatch.setenv("VLLM_DYNO_HOME", str(tmp_path / "here"))
    assert Paths.default() == Paths.below(tmp_path / "here")


@pytest.mark.parametrize(("text", "below"), [("~/dyno", "home/dyno"), ("dyno", "work/dyno")])
def test_the_variable_may_be_written_shortly(monkeypatch, tmp_path, text, below):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VLLM_DYNO_HOME", text)
    assert Paths.default() == Paths.below(tmp_path / below)


@pytest.mark.parametrize("empty", [None, ""])
def test_without_it_the_platforms_folders_are_used(monkeypatch, tmp_path, empty):
    if empty is None:
        monkeypatch.delenv("VLLM_DYNO_HOME", raising=False)
    else:
        monkeypatch.setenv("VLLM_DYNO_HOME", empty)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    assert Paths.default() == Paths(*(tmp_path / name / APP_NAME for name in ("config", "data", "state", "cache")))


def test_assets_of_a_checkout_are_found():
    assert assets_dir() == ROOT / "assets"
    assert (assets_dir() / "icons").is_dir()


def test_assets_of_an_installed_package_lie_inside_it(tmp_path):
    base = tmp_path / "site" / "core" / "base"
    base.mkdir(parents=True)
    (tmp_path / "site" / "assets").mkdir()
    inside = tmp_path / "site" / "core" / "assets"
    inside.mkdir()
    for package in (base.parent, base):
        (package / "__init__.py").write_text("")
    (base / "paths.py").write_text((ROOT / "core" / "base" / "paths.py").read_text())
    program = "from core.base.paths import assets_dir; print(assets_dir())"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == str(inside)
