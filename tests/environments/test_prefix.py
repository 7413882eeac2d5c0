"""Interpreter, Python version and package folders of an environment, from its folder alone."""

import os
from pathlib import Path

import pytest

from core.engine.prefix import is_environment, read_prefix
from tests.environments.packages import FakeEnvironment


@pytest.fixture
def fake(tmp_path: Path) -> FakeEnvironment:
    return FakeEnvironment(tmp_path / "env")


def test_a_sound_virtual_environment(fake: FakeEnvironment) -> None:
    prefix = read_prefix(fake.prefix)
    assert prefix.problem is None
    assert prefix.python == fake.python
    assert prefix.version == "3.11.7"
    assert prefix.sites[0] == fake.site


def test_the_folder_is_resolved_but_not_the_interpreter(fake: FakeEnvironment, tmp_path: Path) -> None:
    real = tmp_path / "python3.11"
    fake.python.rename(real)
    fake.python.symlink_to(real)
    (tmp_path / "link").symlink_to(fake.prefix)
    prefix = read_prefix(tmp_path / "link")
    assert prefix.folder == fake.prefix
    assert prefix.python == fake.python


def test_an_interpreter_that_went_away_is_named(fake: FakeEnvironment, tmp_path: Path) -> None:
    fake.python.unlink()
    (fake.prefix / "bin" / "python3").symlink_to("python")
    fake.python.symlink_to(tmp_path / "gone" / "python3.11")
    assert read_prefix(fake.prefix).problem == (
        f"Its Python interpreter is gone: {fake.python} points to {tmp_path / 'gone' / 'python3.11'}."
    )
    assert is_environment(fake.prefix)


def test_a_link_that_leads_to_itself_ends(fake: FakeEnvironment) -> None:
    fake.python.unlink()
    fake.python.symlink_to(fake.python)
    assert "is gone" in (read_prefix(fake.prefix).problem or "")


def test_only_python3_is_there(fake: FakeEnvironment) -> None:
    fake.python.rename(fake.prefix / "bin" / "python3")
    assert read_prefix(fake.prefix).python.name == "python3"


def test_no_interpreter_no_folder_no_right(fake: FakeEnvironment, tmp_path: Path) -> None:
    fake.python.chmod(0o644)
    assert "may not be executed" in (read_prefix(fake.prefix).problem or "")
    fake.python.unlink()
    assert "There is no Python interpreter" in (read_prefix(fake.prefix).problem or "")
    assert read_prefix(tmp_path / "nowhere").problem == f"The folder {tmp_path / 'nowhere'} is gone."


def test_a_folder_in_the_interpreters_place_is_no_interpreter(fake: FakeEnvironment) -> None:
    fake.python.unlink()
    fake.python.mkdir()
    assert "is no program" in (read_prefix(fake.prefix).problem or "")


def test_settings_that_no_path_can_be_made_of_are_passed_over(fake: FakeEnvironment) -> None:
    text = "home = /usr/\0bin\nversion = 3\0.11\ninclude-system-site-packages = true\n"
    (fake.prefix / "pyvenv.cfg").write_text(text)
    prefix = read_prefix(fake.prefix)
    assert prefix.problem is None
    assert prefix.sites[0] == fake.site
    assert not any("\0" in str(site) for site in prefix.sites)


def test_the_library_that_fits_the_version_counts(fake: FakeEnvironment) -> None:
    old = fake.prefix / "lib" / "python3.9" / "site-packages"
    old.mkdir(parents=True)
    assert old not in read_prefix(fake.prefix).sites
    (fake.prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
    sites = read_prefix(fake.prefix).sites
    assert sites.index(fake.site) < sites.index(old)
    assert read_prefix(fake.prefix).version == "3.11"


def test_lib64_that_links_to_lib_is_not_read_twice(fake: FakeEnvironment) -> None:
    (fake.prefix / "lib64").symlink_to("lib")
    assert read_prefix(fake.prefix).sites.count(fake.site) == 1


def test_a_conda_environment_tells_its_version(tmp_path: Path) -> None:
    prefix = tmp_path / "conda"
    (prefix / "conda-meta").mkdir(parents=True)
    (prefix / "conda-meta" / "python-3.12.4-h1_0_cpython.json").touch()
    (prefix / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
    found = read_prefix(prefix)
    assert found.version == "3.12.4"
    assert found.sites[0] == prefix / "lib" / "python3.12" / "site-packages"


def test_system_packages_are_seen_when_the_environment_says_so(fake: FakeEnvironment, tmp_path: Path) -> None:
    base = FakeEnvironment(tmp_path / "base")
    settings = f"home = {base.prefix / 'bin'}\nversion_info = 3.11.7\ninclude-system-site-packages = "
    (fake.prefix / "pyvenv.cfg").write_text(settings + "false\n")
    assert base.site not in read_prefix(fake.prefix).sites
    (fake.prefix / "pyvenv.cfg").write_text(settings + "true\n")
    assert read_prefix(fake.prefix).sites.index(fake.site) < read_prefix(fake.prefix).sites.index(base.site)


def test_outside_virtual_environments_the_users_own_packages_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "usr"
    (prefix / "lib" / "python3.11").mkdir(parents=True)
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "mine"))
    sites = read_prefix(prefix).sites
    assert tmp_path / "mine" / "lib" / "python3.11" / "site-packages" in sites
    assert prefix / "local" / "lib" / "python3.11" / "dist-packages" in sites


def test_an_unreadable_library_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").symlink_to(os.devnull)
    assert read_prefix(tmp_path / "env").version == ""
