"""What is found again at the next start."""

import json
import math
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.base.errors import DynoError
from core.base.paths import Paths
from core.config.document import ConfigDocument
from core.config.json_values import same_value
from core.config.kept_aside import keep_aside
from core.config.working_state import FORMAT, SavedState, WorkingState
from tests.config.test_json_values import JSON_VALUES

SECRET = "sk-very-secret-indeed"


@pytest.fixture
def paths(tmp_path):
    return Paths.below(tmp_path)


@pytest.fixture
def state(paths):
    return WorkingState(paths)


def test_at_first_nothing_is_set_and_nothing_is_written(state, paths):
    assert state.load() == SavedState()
    assert not paths.config.exists()


def test_what_was_saved_is_loaded(state, paths):
    saved = SavedState(
        values={"model_tag": "org/name", "max_model_len": 4096, "enforce_eager": False, "seed": None},
        environment={"VLLM_LOGGING_LEVEL": "DEBUG"},
        engine="vllm-0.33",
        ui={"geometry": "AdnQywAD", "open_groups": ["ModelConfig"], "dark": None},
        last_used={"prompt": "Hello", "folder": "/models"},
    )
    assert state.save(saved) == ()
    assert WorkingState(paths).load() == saved


def test_saving_replaces(state):
    state.save(SavedState(values={"seed": 1}, engine="a"))
    state.save(SavedState(values={"block_size": 16}))
    assert state.load() == SavedState(values={"block_size": 16})


def test_the_file_is_for_its_owner_alone_and_tells_its_format(state, paths):
    state.save(SavedState(values={"seed": 1}))
    file = paths.config / "working.json"
    assert state.path == file
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in paths.config.iterdir()] == ["working.json"]
    assert json.loads(file.read_bytes())["format"] == FORMAT


def test_a_document_comes_back_as_it_was(state):
    document = ConfigDocument()
    document.set("cudagraph_capture_sizes", [1, 2, 4])
    document.set("compilation_config", {"level": 3, "x": 1.0, "deep": {"on": True}})
    document.set_environment("A", "")
    state.save(SavedState(values=dict(document.values), environment=dict(document.environment)))
    loaded = state.load()
    again = ConfigDocument()
    again.restore(loaded.values, loaded.environment)
    assert same_value(dict(again.values), dict(document.values))
    assert dict(again.environment) == {"A": ""}
    assert not again.can_undo


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.dictionaries(st.text(), JSON_VALUES, max_size=4),
    environment=st.dictionaries(st.sampled_from(["A", "B", "C_D"]), st.text(alphabet="aé\ud800 \0")),
)
def test_any_values_survive(state, values, environment):
    left_out = state.save(SavedState(values=values, environment=environment))
    loaded = state.load()
    assert same_value(dict(loaded.values), {name: value for name, value in values.items() if name not in left_out})
    assert loaded.environment == environment


def test_odd_numbers_and_names_survive(state):
    name = os.fsdecode(b"/caf\xe9")
    values = {"seed": 2**80, "limit": math.inf, "none": math.nan, "path": name}
    state.save(SavedState(values=values))
    assert same_value(dict(state.load().values), values)


# Secrets


def test_secrets_are_not_written(state, paths):
    left_out = state.save(
        SavedState(
            values={"api_key": [SECRET], "hf_token": SECRET, "seed": 1, "old_api_key": SECRET},
            environment={"HF_TOKEN": SECRET, "HTTPS_PROXY": f"http://me:{SECRET}@proxy", "OMP_NUM_THREADS": "4"},
        )
    )
    assert set(left_out) == {"api_key", "hf_token", "old_api_key", "HF_TOKEN", "HTTPS_PROXY"}
    assert SECRET.encode() not in (paths.config / "working.json").read_bytes()
    loaded = state.load()
    assert loaded.values == {"seed": 1}
    assert loaded.environment == {"OMP_NUM_THREADS": "4"}
    assert loaded.left_out == left_out
    assert loaded.note.startswith("Keys and tokens are not written to disk.")
    assert all(name in loaded.note for name in left_out)


def test_what_only_sounds_like_a_secret_is_kept(state):
    values = {"hf_token": True, "num_speculative_tokens": 3, "tokenizer": "org/name", "skip_tokenizer_init": True}
    environment = {"TOKENIZERS_PARALLELISM": "false"}
    assert state.save(SavedState(values=values, environment=environment)) == ()
    assert state.load() == SavedState(values=values, environment=environment)


def test_an_unset_secret_is_not_missed(state):
    assert state.save(SavedState(values={"api_key": []}, environment={})) == ()
    assert state.load().note == ""


def test_a_note_is_not_carried_on(state):
    state.save(SavedState(values={"api_key": [SECRET]}))
    state.save(state.load())
    assert state.load() == SavedState()


# Damage


DAMAGED = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"\xff\xfe\x00",
    b'{"values": {}}',
    b'{"format": "1"}',
    b'{"format": 1, "values": []}',
    b'{"format": 1, "environment": {"A": 1}}',
    b'{"format": 1, "engine": 3}',
    b"[" * 200_000,
    b'{"format": 1, "values": {"deep": ' + b"[" * 300 + b"]" * 300 + b"}}",
    b'{"format": 1}' + b" " * (16 * 1024 * 1024),
]


@pytest.mark.parametrize("content", DAMAGED, ids=lambda content: repr(content[:20]))
def test_a_damaged_file_is_kept_aside(state, content):
    state.path.parent.mkdir(parents=True)
    state.path.write_bytes(content)
    loaded = state.load()
    kept = state.path.with_name("working.json.damaged-1")
    assert loaded == SavedState(note=loaded.note)
    assert "could not be read" in loaded.note
    assert str(kept) in loaded.note
    assert kept.read_bytes() == content
    assert not state.path.exists()
    state.save(SavedState(values={"seed": 1}))
    assert state.load() == SavedState(values={"seed": 1})
    assert kept.read_bytes() == content


def test_a_newer_programs_file_is_kept_for_it(state):
    state.path.parent.mkdir(parents=True)
    content = json.dumps({"format": FORMAT + 1, "values": "another meaning"}).encode()
    state.path.write_bytes(content)
    assert "written by a newer version" in state.load().note
    assert state.path.with_name("working.json.damaged-1").read_bytes() == content


def test_every_damaged_file_gets_a_name_of_its_own(state):
    state.path.parent.mkdir(parents=True)
    for number in range(1, 4):
        state.path.write_text(f"damage {number}")
        assert f"damaged-{number}" in state.load().note
    for number in range(1, 4):
        assert state.path.with_name(f"working.json.damaged-{number}").read_text() == f"damage {number}"


def test_a_folder_in_its_place_is_moved_aside(state):
    state.path.mkdir(parents=True)
    (state.path / "inside").write_text("x")
    assert "could not be read" in state.load().note
    assert (state.path.with_name("working.json.damaged-1") / "inside").read_text() == "x"
    state.save(SavedState(values={"seed": 1}))
    assert state.load().values == {"seed": 1}


def test_fields_of_a_later_program_of_the_same_format_are_passed_over(state):
    state.path.parent.mkdir(parents=True)
    state.path.write_text(json.dumps({"format": FORMAT, "values": {"seed": 1}, "news": True}))
    assert state.load() == SavedState(values={"seed": 1})


def test_what_cannot_be_saved_is_told_and_changes_nothing(paths):
    paths.config.parent.mkdir(parents=True, exist_ok=True)
    paths.config.write_text("a file where the folder should be")
    with pytest.raises(DynoError, match="could not be saved") as failure:
        WorkingState(paths).save(SavedState(values={"seed": 1}))
    assert failure.value.hint
    assert failure.value.detail


def test_savings_from_several_threads_leave_a_whole_file(state, paths):
    def save(number):
        for _ in range(5):
            state.save(SavedState(values={"seed": number, "text": "x" * 10_000}))

    threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.load().values["seed"] in range(4)
    assert [entry.name for entry in paths.config.iterdir()] == ["working.json"]


def test_what_is_no_json_leaves_the_old_file(state):
    state.save(SavedState(values={"seed": 1}))
    with pytest.raises(TypeError):
        state.save(SavedState(ui={"geometry": object()}))
    assert state.load().values == {"seed": 1}


def test_a_file_that_is_gone_cannot_be_kept_aside(tmp_path):
    assert keep_aside(tmp_path / "gone.json") is None


def test_a_file_in_a_sealed_folder_is_told_and_stays():
    """The kernel's own folder can be written by nobody, not even by its owner."""
    file = Path("/proc/version")
    before = file.read_bytes()
    assert keep_aside(file) is None
    assert file.read_bytes() == before
