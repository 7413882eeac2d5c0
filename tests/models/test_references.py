"""What may be typed as a model."""

import os

import pytest
from huggingface_hub.utils import HFValidationError, validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from core.models.model_folder import GGUF_PROBLEM
from core.models.references import check_reference, is_hub_id, local_path
from tests.models.folders import make_model


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.parametrize(
    "reference",
    [
        "Qwen/Qwen3-0.6B",
        "  Qwen/Qwen3-0.6B ",
        "unsloth/Qwen3-0.6B-GGUF:IQ1_S",
        "a/b",
        "meta-llama/Llama-3.1-8B-Instruct",
        "s3://bucket/model",
        "gs://bucket/model",
        "az://container/model",
    ],
)
def test_ids_and_stores_are_accepted(here, reference):
    assert check_reference(reference) is None


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("", "Choose a model folder, or type a Hub id such as org/name."),
        ("   ", "Choose a model folder, or type a Hub id such as org/name."),
        ("https://huggingface.co/Qwen/Qwen3-0.6B/tree/main", "Write the Hub id alone: Qwen/Qwen3-0.6B"),
        ("https://hf.co/a/b?x=1", "Write the Hub id alone: a/b"),
        ("https://example.org/model", "Not an address that vLLM reads models from."),
        ("llama", "A Hub id has two parts, org/name; a folder begins with / or ./ or ~."),
        ("a/b/c", "No such folder, and a Hub id has two parts only, org/name."),
        ("/no/such/folder", "No such folder."),
        ("./gone", "No such folder."),
        ("~/gone", "No such folder."),
        ("..", "No config.json in this folder."),
    ],
)
def test_messages(here, reference, message):
    assert check_reference(reference) == message


@pytest.mark.parametrize(
    "reference", ["a b/c", "a/", "/b", "a--b/c", "-a/b", "a/b.", "a/b.git", "a/b..c", "a/b:", "ä/b"]
)
def test_illegal_ids_are_refused(here, reference):
    assert check_reference(reference)


def test_folders_are_accepted_in_every_spelling(here):
    make_model(here / "home" / "m")
    make_model(here / "org" / "name")
    for reference in (str(here / "home" / "m"), "~/m", "home/m", "./home/m", "org/name", f" {here}/org/name "):
        assert check_reference(reference) is None


def test_an_existing_folder_is_meant_rather_than_the_hub(here):
    (here / "org" / "name").mkdir(parents=True)
    assert check_reference("org/name") == "No config.json in this folder."


def test_single_files_are_explained(here):
    (here / "m.gguf").write_bytes(b"GGUF")
    (here / "m.safetensors").write_bytes(b"")
    assert check_reference("m.gguf") == GGUF_PROBLEM
    assert check_reference("./m.safetensors") == "A file, not a folder. Choose the folder that it is in."


def test_names_that_no_disk_can_hold_are_no_folders(here):
    assert local_path("x" * 5000) is None
    assert local_path("a\0b") is None
    assert check_reference("x" * 5000 + "/y")
    assert check_reference("a\0b/c")


def test_a_strangers_home_is_no_crash(here):
    assert check_reference("~nobody-of-this-name/m")


@given(st.text(max_size=30) | st.from_regex(r"[\w.-]{0,12}/[\w.-]{0,12}", fullmatch=True))
def test_legal_ids_are_the_librarys_with_two_parts(text):
    if ":" in text:
        return
    try:
        validate_repo_id(text)
        legal = "/" in text
    except HFValidationError:
        legal = False
    assert is_hub_id(text) == legal


@given(st.text(max_size=40))
def test_any_text_gets_an_answer(text):
    message = check_reference(text)
    assert message is None or (message and message[0].isupper() and not message.endswith("\n"))


def test_relative_paths_are_seen_from_the_current_folder(here):
    make_model(here / "m")
    assert local_path("m") is not None
    os.chdir(here / "m")
    assert local_path("m") is None
