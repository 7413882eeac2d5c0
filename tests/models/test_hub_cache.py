"""The Hugging Face cache: found where the library finds it, read as the library reads it."""

import json
import os
import subprocess
import sys

import pytest
from huggingface_hub import scan_cache_dir
from hypothesis import given
from hypothesis import strategies as st

from core.models.hub_cache import cached_model, cached_models, hub_cache_folder, is_cache_folder
from tests.models.folders import LLAMA, make_cached, safetensors_bytes


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"HF_HOME": "{tmp}/hf"},
        {"HF_HOME": "~/hf"},
        {"HF_HOME": "$HOME/hf"},
        {"HF_HOME": "${HOME}/hf", "XDG_CACHE_HOME": "{tmp}/xdg"},
        {"HF_HUB_CACHE": "{tmp}/hub", "HF_HOME": "{tmp}/hf"},
        {"HF_HUB_CACHE": "~/hub"},
        {"HUGGINGFACE_HUB_CACHE": "{tmp}/old"},
        {"HUGGINGFACE_HUB_CACHE": "{tmp}/old", "HF_HUB_CACHE": "{tmp}/new"},
        {"XDG_CACHE_HOME": "{tmp}/xdg"},
    ],
    ids=lambda variables: "+".join(variables) or "none",
)
def test_the_folder_is_the_librarys(tmp_path, variables):
    environment = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    environment |= {name: value.replace("{tmp}", str(tmp_path)) for name, value in variables.items()}
    answer = subprocess.run(
        [sys.executable, "-c", "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(hub_cache_folder(environment)) == answer.stdout.strip()


def test_without_a_home_variable_the_users_home_counts(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert hub_cache_folder({}) == tmp_path / ".cache" / "huggingface" / "hub"


def test_models_are_what_the_library_finds(tmp_path):
    make_cached(tmp_path, "org/complete")
    make_cached(tmp_path, "org/two-refs", commit="b" * 40)
    make_cached(tmp_path, "legacy")
    library = {repo.repo_id: repo for repo in scan_cache_dir(tmp_path).repos}
    ours = {model.repo_id: model for model in cached_models(tmp_path)}
    assert ours.keys() == library.keys()
    for repo_id, model in ours.items():
        assert model.facts.size_bytes == library[repo_id].size_on_disk
        assert model.snapshot in [revision.snapshot_path for revision in library[repo_id].revisions]
        assert model.revision == ""
        assert model.facts.problem == ""


def test_other_kinds_of_repositories_are_not_models(tmp_path):
    make_cached(tmp_path, "org/model")
    (tmp_path / "datasets--org--data" / "snapshots").mkdir(parents=True)
    (tmp_path / "version.txt").write_text("1")
    assert [model.repo_id for model in cached_models(tmp_path)] == ["org/model"]


def test_no_cache_holds_no_models(tmp_path):
    assert list(cached_models(tmp_path / "none")) == []


def test_main_is_chosen_among_revisions(tmp_path):
    make_cached(tmp_path, "org/model", commit="a" * 40)
    make_cached(tmp_path, "org/model", commit="b" * 40, ref="pr")
    (model,) = cached_models(tmp_path)
    assert model.snapshot.name == "a" * 40
    assert model.revision == ""


def test_without_main_the_newest_revision_is_named(tmp_path):
    make_cached(tmp_path, "org/model", commit="a" * 40, ref="v1")
    repo = make_cached(tmp_path, "org/model", commit="b" * 40, ref="v2")
    os.utime(repo / "snapshots" / ("a" * 40), (10, 10))
    (model,) = cached_models(tmp_path)
    assert model.revision == "b" * 40
    assert model.snapshot == repo / "snapshots" / ("b" * 40)


@pytest.mark.parametrize("ref", [b"c" * 40, b"", b"\xff\xfe"])
def test_a_ref_that_leads_nowhere_leaves_the_other_snapshots(tmp_path, ref):
    repo = make_cached(tmp_path, "org/model")
    (repo / "refs" / "main").write_bytes(ref)
    (model,) = cached_models(tmp_path)
    assert model.revision == "a" * 40


def test_an_interrupted_download_is_told(tmp_path):
    files = {"config.json": json.dumps(LLAMA).encode()}
    repo = make_cached(tmp_path, "org/model", files=files)
    (repo / "blobs" / "0123.incomplete").write_bytes(bytes(100))
    (model,) = cached_models(tmp_path)
    assert model.facts.problem.startswith("The download is not finished")
    assert model.facts.detail == "LlamaForCausalLM, bfloat16"


def test_leftovers_beside_a_complete_model_are_no_problem(tmp_path):
    repo = make_cached(tmp_path, "org/model")
    (repo / "blobs" / "0123.incomplete").write_bytes(bytes(100))
    (model,) = cached_models(tmp_path)
    assert model.facts.problem == ""


def test_a_download_that_has_just_begun(tmp_path):
    repo = tmp_path / "models--org--model"
    (repo / "blobs").mkdir(parents=True)
    assert cached_model(repo).facts.problem == "Nothing of this model is in the cache any more."
    (repo / "blobs" / "0123.incomplete").write_bytes(b"x")
    assert cached_model(repo).facts.problem.startswith("The download is not finished")
    assert cached_model(repo).snapshot is None
    (repo / "snapshots").mkdir()
    assert cached_model(repo).snapshot is None


def test_a_deleted_blob_is_told(tmp_path):
    repo = make_cached(tmp_path, "org/model")
    blob = (repo / "snapshots" / ("a" * 40) / "model.safetensors").resolve()
    blob.unlink()
    # The library leaves the whole repository out.
    assert not scan_cache_dir(tmp_path).repos
    (model,) = cached_models(tmp_path)
    assert model.facts.problem == "model.safetensors is a link to nothing; download it again."


def test_a_repository_of_gguf_files_is_told(tmp_path):
    make_cached(tmp_path, "org/model-GGUF", files={"m.gguf": b"GGUF", "README.md": b""})
    (model,) = cached_models(tmp_path)
    assert model.facts.problem.startswith("Only GGUF")


def test_a_repository_that_is_no_folder_is_told(tmp_path):
    (tmp_path / "models--org--model").write_text("")
    (model,) = cached_models(tmp_path)
    assert model.repo_id == "org/model"
    assert model.facts.problem


def test_a_cache_folder_is_recognised(tmp_path):
    assert is_cache_folder(make_cached(tmp_path, "org/model"))
    (tmp_path / "models--x").mkdir()
    assert not is_cache_folder(tmp_path / "models--x")
    assert not is_cache_folder(tmp_path)


PART = st.from_regex(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,10}[a-zA-Z0-9]", fullmatch=True).filter(
    lambda text: "--" not in text and ".." not in text
)


@given(PART, PART)
def test_every_hub_id_comes_back_from_its_folders_name(tmp_path_factory, org, name):
    folder = tmp_path_factory.mktemp("cache")
    repo = folder / f"models--{org}--{name}"
    repo.mkdir()
    assert cached_model(repo).repo_id == f"{org}/{name}"


def test_sizes_follow_links(tmp_path):
    make_cached(tmp_path, "org/model", files={"config.json": b"{}", "model.safetensors": safetensors_bytes(5000)})
    (model,) = cached_models(tmp_path)
    assert model.facts.size_bytes > 5000
