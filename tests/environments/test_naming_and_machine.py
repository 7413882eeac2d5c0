"""Names, the driver, the disk: what is decided before anything is installed."""

import shutil
from pathlib import Path

import pytest

from core.base.errors import DynoError
from core.engine.disk_space import check_space
from core.engine.driver import backend_runs_here, nvidia_driver_present
from core.engine.environment_model import Backend
from core.engine.naming import base_name, check_name, is_automatic, unique_name


def test_a_name_is_made_from_build_and_version() -> None:
    assert base_name(Backend.CPU, "0.32.0") == "cpu-0.32.0"
    assert base_name(Backend.CUDA, "0.26.0+cu129") == "cuda-0.26.0"
    assert base_name(Backend.UNKNOWN, "0.1") == "vllm-0.1"


def test_a_name_that_only_begins_alike_was_given_by_a_person() -> None:
    assert is_automatic("cpu-0.32.0", "cpu-0.32.0")
    assert is_automatic("cpu-0.32.0-2", "cpu-0.32.0")
    assert not is_automatic("cpu-0.32.0-work", "cpu-0.32.0")
    assert not is_automatic("cpu-0x32.0", "cpu-0.32.0")


def test_a_taken_name_gets_the_next_suggestion_and_then_a_number() -> None:
    assert unique_name("a", []) == "a"
    assert unique_name("a", ["a"], "a-own") == "a-own"
    assert unique_name("a", ["a", "a-own", "a-2"], "a-own") == "a-3"


@pytest.mark.parametrize("name", ["", ".", "..", "-x", ".hidden", "a/b", "a b", "a\n", "ü", "x" * 65])
def test_names_that_would_not_do_as_a_folder(name: str) -> None:
    with pytest.raises(DynoError, match="cannot be an engine's name"):
        check_name(name)


@pytest.mark.parametrize("name", ["a", "cpu-0.32.0", "My_engine.2", "9", "x" * 64])
def test_names_that_do(name: str) -> None:
    check_name(name)


class TestDriver:
    """Signs of an NVIDIA driver."""

    def test_no_sign_at_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert not nvidia_driver_present(tmp_path / "facts", "libnone.so.9", tmp_path / "wsl")

    def test_each_sign_is_enough(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        here, gone = tmp_path / "here", tmp_path / "gone"
        here.touch()
        assert nvidia_driver_present(here, "libnone.so.9", gone)
        assert nvidia_driver_present(gone, "libnone.so.9", here)
        assert nvidia_driver_present(gone, "libc.so.6", gone)
        tool = tmp_path / "nvidia-smi"
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
        assert nvidia_driver_present(gone, "libnone.so.9", gone)

    def test_only_a_cuda_build_needs_one(self) -> None:
        assert backend_runs_here(Backend.CPU)
        assert backend_runs_here(Backend.UNKNOWN)
        assert backend_runs_here(Backend.CUDA) == nvidia_driver_present()


class TestDiskSpace:
    """Space is looked at before anything is written."""

    def test_enough(self, tmp_path: Path) -> None:
        check_space(0, [tmp_path / "not" / "yet" / "there", tmp_path])

    def test_not_enough_says_both_figures(self, tmp_path: Path) -> None:
        needed = shutil.disk_usage(tmp_path).free + 5 * 10**9
        with pytest.raises(
            DynoError, match=r"Not enough space .*: \d+\.\d GB are needed, \d+\.\d GB are free"
        ) as caught:
            check_space(needed, [tmp_path / "engines"])
        assert "VLLM_DYNO_HOME" in caught.value.hint
