"""Where engines are looked for, and what a path that a person points at means."""

import sys
from pathlib import Path

import pytest

from core.engine.discovery import Candidate, environment_of, environment_of_script, surrounding_candidates
from core.engine.environment_model import Origin
from tests.environments.packages import FakeEnvironment


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_own_active_conda_and_path_in_this_order(tmp_path: Path) -> None:
    fake = FakeEnvironment(tmp_path / "tool")
    script(fake.prefix / "bin" / "vllm", f"#!{fake.python}\n")
    variables = {
        "VIRTUAL_ENV": "/somewhere/venv",
        "CONDA_PREFIX": "/somewhere/conda",
        "PATH": f"/nowhere::{fake.prefix / 'bin'}",
    }
    assert list(surrounding_candidates(variables)) == [
        Candidate(Path(sys.prefix), Origin.OWN),
        Candidate(Path("/somewhere/venv"), Origin.ACTIVE),
        Candidate(Path("/somewhere/conda"), Origin.CONDA),
        Candidate(fake.prefix, Origin.PATH),
    ]


def test_nothing_around_but_ourselves() -> None:
    assert [candidate.origin for candidate in surrounding_candidates({})] == [Origin.OWN]


def test_every_vllm_on_path_is_found_and_files_that_cannot_run_are_not(tmp_path: Path) -> None:
    first, second = FakeEnvironment(tmp_path / "a"), FakeEnvironment(tmp_path / "b")
    script(first.prefix / "bin" / "vllm", "#!/x/python\n")
    script(second.prefix / "bin" / "vllm", "#!/x/python\n")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "vllm").write_text("#!/x/python\n")
    path = ":".join(str(folder) for folder in (first.prefix / "bin", tmp_path / "c", second.prefix / "bin"))
    found = [candidate.folder for candidate in surrounding_candidates({"PATH": path})]
    assert found[1:] == [first.prefix, second.prefix]


def test_a_link_into_a_virtual_environment_is_followed(tmp_path: Path) -> None:
    fake = FakeEnvironment(tmp_path / "tools" / "vllm")
    script(fake.prefix / "bin" / "vllm", f"#!{fake.python}\n")
    link = tmp_path / "bin" / "vllm"
    link.parent.mkdir()
    link.symlink_to(fake.prefix / "bin" / "vllm")
    assert environment_of_script(link) == fake.prefix


def test_the_first_line_names_the_interpreter_of_a_script_elsewhere(tmp_path: Path) -> None:
    found = environment_of_script(script(tmp_path / "bin" / "vllm", "#!/opt/conda/envs/x/bin/python3.11 -s\nimport"))
    assert found == Path("/opt/conda/envs/x")


@pytest.mark.parametrize("text", ["#!/usr/bin/env bash\nexec pyenv", "\x7fELF", "", "#!\n"])
def test_a_shim_tells_nothing(tmp_path: Path, text: str) -> None:
    assert environment_of_script(script(tmp_path / "bin" / "vllm", text)) is None


def test_python_by_way_of_env_means_the_folder_that_the_script_is_in(tmp_path: Path) -> None:
    found = script(tmp_path / "conda" / "bin" / "vllm", "#!/usr/bin/env python\n")
    assert environment_of_script(found) is None
    script(tmp_path / "conda" / "bin" / "python", "")
    assert environment_of_script(found) == tmp_path / "conda"


def test_what_a_person_may_point_at(tmp_path: Path) -> None:
    project = tmp_path / "project"
    fake = FakeEnvironment(project / ".venv")
    other = FakeEnvironment(tmp_path / "second" / "venv")
    assert environment_of(fake.prefix) == fake.prefix
    assert environment_of(fake.python) == fake.prefix
    assert environment_of(fake.prefix / "bin") == fake.prefix
    assert environment_of(project) == fake.prefix
    assert environment_of(tmp_path / "second") == other.prefix
    assert environment_of(tmp_path) is None
    assert environment_of(fake.prefix / "pyvenv.cfg") is None


def test_a_script_that_may_not_be_read_is_passed_over(tmp_path: Path) -> None:
    assert environment_of_script(tmp_path / "bin" / "gone") is None
