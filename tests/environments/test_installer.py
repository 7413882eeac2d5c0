"""Installations with the real uv, from a package index on the loopback interface."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from core.base.errors import Cancelled, DynoError
from core.base.locks import file_lock
from core.base.paths import Paths
from core.base.progress import InstallProgress
from core.base.uv_tool import Uv
from core.engine.environments import Backend, EngineEnvironment, EngineRegistry, Origin
from core.engine.installer import install, update
from core.engine.manifest import lock_path, read_manifest
from core.engine.removal import clean_up, running_in
from tests.environments.loopback_index import LoopbackIndex
from tests.environments.packages import TORCH_FILES, FakeEnvironment, make_engine_wheels, make_wheel

MIB = 2**20


@pytest.fixture(autouse=True)
def surroundings(quiet: None) -> None:
    """Nothing around that could be found by itself."""


@pytest.fixture
def engines(index: LoopbackIndex) -> Callable[..., None]:
    """Puts CUDA engines of these versions into the index; torch is in it as well."""

    def put(*versions: str, start: str = "", ballast_bytes: int = 0, requires_python: str = "") -> None:
        make_wheel(index.folder, "torch", "2.13.0", files=TORCH_FILES)
        for version in versions:
            files: dict[str, str | bytes] = {"vllm/__init__.py": start}
            if ballast_bytes:
                files["vllm/ballast.bin"] = b"\x00" * ballast_bytes
            make_wheel(
                index.folder, "vllm", version, files=files, requires=["torch==2.13.0"], requires_python=requires_python
            )

    return put


def make(
    paths: Paths,
    uv: Uv,
    *,
    told: list[InstallProgress] | None = None,
    cancel: threading.Event | None = None,
    backend: str = "cuda",
    version: str | None = None,
    name: str | None = None,
    python: Path | None = None,
) -> EngineEnvironment:
    return install(
        paths,
        backend=backend,
        version=version,
        name=name,
        python=python,
        progress=(told if told is not None else []).append,
        cancel=cancel or threading.Event(),
        uv=uv,
    )


def renew(paths: Paths, uv: Uv, engine: EngineEnvironment, version: str | None = None) -> EngineEnvironment:
    return update(paths, engine, version=version, progress=lambda _: None, cancel=threading.Event(), uv=uv)


def left_behind(paths: Paths) -> list[str]:
    """Folders below the engines' folder, besides locks."""
    if not paths.engines.exists():
        return []
    return sorted(entry.name for entry in paths.engines.iterdir() if entry.name != ".locks")


class TestSuccess:
    """What a good installation gives."""

    def test_the_newest_version_under_a_name_of_its_own(
        self, paths: Paths, uv: Uv, engines: Callable[..., None]
    ) -> None:
        engines("0.31.0", "0.32.0")
        found = make(paths, uv)
        assert (found.name, found.version, found.origin, found.problem) == (
            "cuda-0.32.0",
            "0.32.0",
            Origin.INSTALLED,
            None,
        )
        assert found.prefix == paths.engines / "cuda-0.32.0"
        assert EngineRegistry(paths).list() == [found]
        assert subprocess.run([found.python, "-c", "import vllm"], check=False).returncode == 0
        manifest = read_manifest(found.prefix)
        assert manifest is not None
        assert (manifest.requirement, manifest.version) == ("vllm>=0.10", "0.32.0")
        assert manifest.install_s > 0
        assert not (found.prefix / ".installing").exists()

    def test_several_side_by_side(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.31.0", "0.32.0")
        make(paths, uv, version="0.31.0")
        make(paths, uv)
        make(paths, uv, name="mine")
        again = make(paths, uv)
        assert again.name == "cuda-0.32.0-2"
        assert sorted((found.name, found.version) for found in EngineRegistry(paths).list()) == [
            ("cuda-0.31.0", "0.31.0"),
            ("cuda-0.32.0", "0.32.0"),
            ("cuda-0.32.0-2", "0.32.0"),
            ("mine", "0.32.0"),
        ]

    def test_the_cpu_build_takes_its_torch_from_a_local_folder_and_leaves_out_what_it_can_do_without(
        self, paths: Paths, uv_variables: dict[str, str], wheels: Path, tmp_path: Path
    ) -> None:
        make_engine_wheels(wheels, "0.32.0")
        links = f"{tmp_path / 'gone'} {wheels}"
        found = make(paths, Uv(environment={**uv_variables, "PIP_FIND_LINKS": links}), backend="cpu")
        assert (found.name, found.backend, found.torch) == ("cpu-0.32.0", Backend.CPU, "2.13.0+cpu")
        assert not list(found.prefix.glob("lib/*/site-packages/torchvision*"))

    def test_progress_has_every_step_bytes_and_never_goes_back(
        self, paths: Paths, uv: Uv, engines: Callable[..., None], index: LoopbackIndex
    ) -> None:
        engines("0.32.0", ballast_bytes=8 * MIB)
        index.bytes_per_s = 4 * MIB
        told: list[InstallProgress] = []
        make(paths, uv, told=told)
        steps = list(dict.fromkeys(progress.step for progress in told))
        steps.remove("Installing") if "Installing" in steps else None
        assert steps == ["Choosing packages", "Making the environment", "Downloading", "Checking", "Done"]
        fractions = [progress.fraction or 0.0 for progress in told]
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1.0
        measured = [progress for progress in told if progress.total_bytes]
        assert len(measured) >= 4
        assert 8 * MIB <= (measured[-1].total_bytes or 0) < 9 * MIB
        assert len({progress.done_bytes for progress in measured}) >= 4
        assert any(progress.detail.startswith("vllm, ") for progress in measured)
        assert len(told) < 7 * (told[-1].elapsed_s + 2)

    def test_a_second_installation_downloads_nothing(
        self, paths: Paths, uv: Uv, engines: Callable[..., None], index: LoopbackIndex
    ) -> None:
        engines("0.32.0")
        make(paths, uv)
        index.downloading.clear()
        make(paths, uv)
        assert not index.downloading.is_set()

    def test_what_a_given_interpreter_is(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0")
        found = make(paths, uv, python=Path(sys.executable))
        assert found.python_version == ".".join(map(str, sys.version_info[:3]))


class TestFailure:
    """Each failure says why and what to do, and leaves nothing."""

    def fails(self, paths: Paths, uv: Uv, *words: str, **wish: str) -> DynoError:
        with pytest.raises(DynoError) as caught:
            make(paths, uv, **wish)  # type: ignore[arg-type]
        for word in words:
            assert word in caught.value.message
        assert caught.value.hint
        assert left_behind(paths) == []
        return caught.value

    def test_no_such_version(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0")
        error = self.fails(paths, uv, "There is no vllm 9.9.9.", version="9.9.9")
        assert "No solution found" in error.detail

    def test_no_such_package(self, paths: Paths, uv: Uv) -> None:
        self.fails(paths, uv, "does not have everything that vllm needs")

    def test_the_index_does_not_listen(self, paths: Paths, uv_variables: dict[str, str]) -> None:
        variables = {**uv_variables, "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple"}
        error = self.fails(paths, Uv(environment=variables), "index (127.0.0.1) could not be reached")
        assert "UV_FIND_LINKS" in error.hint

    def test_uv_is_told_to_stay_off_the_network(self, paths: Paths, uv_variables: dict[str, str]) -> None:
        error = self.fails(paths, Uv(environment={**uv_variables, "UV_OFFLINE": "1"}), "network is switched off")
        assert "UV_OFFLINE" in error.hint

    def test_the_index_is_out_of_order(self, paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
        index.status = 503
        self.fails(paths, uv, "refused to answer")

    def test_the_connection_breaks_in_the_middle(
        self, paths: Paths, uv: Uv, engines: Callable[..., None], index: LoopbackIndex, tmp_path: Path
    ) -> None:
        engines("0.32.0", ballast_bytes=2 * MIB)
        index.break_after = MIB
        self.fails(paths, uv)
        assert list((tmp_path / "uv-cache").glob(".tmp*")) == []

    def test_no_python_fits(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0", requires_python=">=3.99")
        self.fails(paths, uv, "does not support Python 3.")

    def test_no_wheel_fits_this_machine(self, paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
        make_wheel(index.folder, "vllm", "0.32.0", files={"vllm/__init__.py": ""}, tag="cp39-cp39-win_amd64")
        self.fails(paths, uv, "no build of vllm 0.32.0", version="0.32.0")

    def test_too_little_space(self, paths: Paths, uv: Uv, engines: Callable[..., None], index: LoopbackIndex) -> None:
        engines("0.32.0")
        index.claimed_size = 10**14
        error = self.fails(paths, uv, "Not enough space", "GB are needed")
        assert "VLLM_DYNO_HOME" in error.hint
        assert not index.downloading.is_set()

    def test_what_was_installed_does_not_start(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0", start="raise ImportError('libcudart.so.13 is missing')")
        error = self.fails(paths, uv, "cannot be imported")
        assert "libcudart.so.13 is missing" in error.detail

    def test_what_was_installed_has_no_torch(self, paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
        make_wheel(index.folder, "vllm", "0.32.0", files={"vllm/__init__.py": ""})
        error = self.fails(paths, uv, "not usable")
        assert error.detail == "PyTorch is missing in this environment."

    def test_the_folder_may_not_be_written(self, uv: Uv, engines: Callable[..., None], tmp_path: Path) -> None:
        engines("0.32.0")
        (tmp_path / "file").touch()
        blocked = Paths.below(tmp_path / "file")
        with pytest.raises(DynoError, match="cannot be made: Not a directory") as caught:
            make(blocked, uv)
        assert "VLLM_DYNO_HOME" in caught.value.hint

    def test_wishes_that_make_no_sense(self, paths: Paths, uv: Uv) -> None:
        self.fails(paths, uv, "not a backend", backend="tpu")
        self.fails(paths, uv, "is not a version", version="newest; rm")
        self.fails(paths, uv, "cannot be an engine's name", name="../x")
        with pytest.raises(DynoError, match="There is no Python at"):
            make(paths, uv, python=Path("/nowhere/python"))

    def test_a_name_that_is_taken(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0")
        make(paths, uv, name="mine")
        with pytest.raises(DynoError, match="an engine named “mine” already"):
            make(paths, uv, name="mine")
        assert left_behind(paths) == ["mine"]

    def test_a_name_that_an_added_engine_has(
        self, paths: Paths, uv: Uv, engines: Callable[..., None], tmp_path: Path
    ) -> None:
        engines("0.32.0")
        fake = FakeEnvironment(tmp_path / "env")
        fake.add_engine("vllm", "0.32.0")
        fake.add_torch()
        assert EngineRegistry(paths).add(fake.prefix).name == "cuda-0.32.0"
        with pytest.raises(DynoError, match=r"an engine named “cuda-0\.32\.0” already"):
            make(paths, uv, name="cuda-0.32.0")
        assert make(paths, uv).name == "cuda-0.32.0-2"
        assert EngineRegistry(paths).get("cuda-0.32.0").origin is Origin.ADDED

    def test_a_name_that_is_being_installed(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0")
        with (
            file_lock(lock_path(paths, "mine")),
            pytest.raises(DynoError, match="“mine” is being installed or changed already"),
        ):
            make(paths, uv, name="mine")
        with file_lock(lock_path(paths, "cuda-0.32.0")):
            assert make(paths, uv).name == "cuda-0.32.0-2"

    def test_without_uv(self, paths: Paths, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            make(paths, Uv(executable=tmp_path / "uv"))


class TestCancel:
    """Calling it off leaves nothing: no process, no folder, no half-unpacked download."""

    def test_in_the_middle_of_a_download(
        self, paths: Paths, uv: Uv, engines: Callable[..., None], index: LoopbackIndex, tmp_path: Path
    ) -> None:
        engines("0.32.0", ballast_bytes=64 * MIB)
        index.bytes_per_s = MIB
        cancel = threading.Event()

        def watch(progress: InstallProgress) -> None:
            if (progress.done_bytes or 0) > 100_000:
                cancel.set()

        began = time.monotonic()
        with pytest.raises(Cancelled):
            install(paths, backend="cuda", progress=watch, cancel=cancel, uv=uv)
        assert time.monotonic() - began < 30
        assert left_behind(paths) == []
        assert list((tmp_path / "uv-cache").glob(".tmp*")) == []
        assert not [process for process in psutil.Process().children(recursive=True) if "uv" in process.name()]

    def test_before_it_began(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0")
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(Cancelled):
            make(paths, uv, cancel=cancel)
        assert left_behind(paths) == []

    def test_while_it_is_tried_out(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0", start="import time; time.sleep(60)")
        cancel = threading.Event()

        def watch(progress: InstallProgress) -> None:
            if progress.step == "Checking":
                cancel.set()

        with pytest.raises(Cancelled):
            install(paths, backend="cuda", progress=watch, cancel=cancel, uv=uv)
        assert left_behind(paths) == []

    def test_what_a_killed_program_left_is_cleared_away_once_its_uv_has_ended(
        self,
        paths: Paths,
        uv_variables: dict[str, str],
        engines: Callable[..., None],
        index: LoopbackIndex,
    ) -> None:
        engines("0.32.0", ballast_bytes=4 * MIB)
        index.bytes_per_s = 4 * MIB
        code = (
            "import os, sys, threading; from pathlib import Path; from core.base.paths import Paths\n"
            "from core.base.uv_tool import Uv; from core.engine.installer import install\n"
            "install(Paths.below(Path(sys.argv[1])), backend='cuda', name='half', progress=lambda _: None,\n"
            "        cancel=threading.Event(), uv=Uv())\n"
        )
        root = paths.config.parent
        program = subprocess.Popen([sys.executable, "-c", code, str(root)], env=uv_variables, cwd=Path.cwd())
        assert index.downloading.wait(30)
        program.send_signal(signal.SIGKILL)
        program.wait()
        assert left_behind(paths) == ["half"]
        assert EngineRegistry(paths).list() == []
        # uv has inherited the lock and may still be writing.
        end = time.monotonic() + 30
        while left_behind(paths) and time.monotonic() < end:
            clean_up(paths)
            time.sleep(0.05)
        assert left_behind(paths) == []


class TestUpdate:
    """Another version in the place of an installed one."""

    def test_the_newest_takes_over_with_its_name_and_stays_the_default(
        self, paths: Paths, uv: Uv, engines: Callable[..., None]
    ) -> None:
        engines("0.31.0", "0.32.0")
        old = make(paths, uv, version="0.31.0")
        make(paths, uv, name="other", version="0.31.0")
        registry = EngineRegistry(paths)
        registry.set_default(old.name)
        new = renew(paths, uv, old)
        assert (new.name, new.version) == ("cuda-0.32.0", "0.32.0")
        assert registry.default() == new
        assert left_behind(paths) == ["cuda-0.32.0", "other"]

    def test_a_given_name_stays(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.31.0", "0.32.0")
        old = make(paths, uv, version="0.32.0", name="work")
        new = renew(paths, uv, old, version="0.31.0")
        assert (new.name, new.version) == ("work", "0.31.0")
        assert EngineRegistry(paths).list() == [new]
        assert left_behind(paths) == [new.prefix.name]
        again = renew(paths, uv, new)
        assert (again.name, again.version) == ("work", "0.32.0")

    def test_the_newest_is_there_already(self, paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
        engines("0.32.0")
        old = make(paths, uv)
        assert renew(paths, uv, old) == old
        assert left_behind(paths) == ["cuda-0.32.0"]

    def test_a_broken_one_is_made_anew_in_the_same_version(
        self, paths: Paths, uv: Uv, engines: Callable[..., None]
    ) -> None:
        engines("0.32.0")
        old = make(paths, uv)
        next(old.prefix.glob("lib/*/site-packages/vllm/__init__.py")).unlink()
        broken = EngineRegistry(paths).get("cuda-0.32.0")
        assert broken.problem
        made = renew(paths, uv, broken)
        assert (made.name, made.problem) == ("cuda-0.32.0", None)
        assert EngineRegistry(paths).list() == [made]

    def test_the_old_one_stays_when_the_new_one_does_not_work(
        self, paths: Paths, uv: Uv, engines: Callable[..., None]
    ) -> None:
        engines("0.31.0")
        old = make(paths, uv)
        engines("0.32.0", start="raise ImportError")
        with pytest.raises(DynoError, match="cannot be imported"):
            renew(paths, uv, old)
        assert EngineRegistry(paths).list() == [old]
        assert left_behind(paths) == ["cuda-0.31.0"]

    def test_only_what_this_program_installed(self, paths: Paths, uv: Uv, tmp_path: Path) -> None:
        fake = FakeEnvironment(tmp_path / "env")
        fake.add_engine()
        added = EngineRegistry(paths).add(fake.prefix)
        with pytest.raises(DynoError, match="was not installed by this program"):
            renew(paths, uv, added)

    def test_a_running_one_is_neither_updated_nor_removed(
        self, paths: Paths, uv: Uv, engines: Callable[..., None]
    ) -> None:
        engines("0.31.0")
        engine = make(paths, uv)
        running = subprocess.Popen([engine.python, "-c", "import time; time.sleep(60)"])
        try:
            assert running_in(engine.prefix) == [running.pid]
            with pytest.raises(DynoError, match="is running"):
                renew(paths, uv, engine)
            with pytest.raises(DynoError, match="is running"):
                EngineRegistry(paths).remove(engine.name)
        finally:
            running.kill()
            running.wait()
        EngineRegistry(paths).remove(engine.name)
        assert left_behind(paths) == []


def test_an_engine_that_is_being_changed_is_not_deleted(paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
    engines("0.32.0")
    engine = make(paths, uv)
    with file_lock(lock_path(paths, engine.prefix.name)), pytest.raises(DynoError, match="changed by another window"):
        EngineRegistry(paths).remove(engine.name)
    assert engine.python.exists()


def test_a_folder_that_cannot_be_deleted_says_so(paths: Paths, uv: Uv, engines: Callable[..., None]) -> None:
    engines("0.32.0")
    engine = make(paths, uv)
    # A file where the folder of locks should be stands for every way in which the disk may refuse.
    (paths.engines / ".locks").rename(paths.engines / "kept")
    (paths.engines / ".locks").touch()
    with pytest.raises(DynoError, match="could not be deleted"):
        EngineRegistry(paths).remove(engine.name)
    assert engine.python.exists()
