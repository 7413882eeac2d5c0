"""The catalogue: everything that can be chosen on this machine, and what was used lately."""

import json
import os
import stat
import threading
import time
from pathlib import Path

import pytest

from core.base.errors import DynoError
from core.base.paths import Paths
from core.models import local_scan
from core.models.catalog import ModelCatalog, ModelSource
from core.models.model_folder import GGUF_PROBLEM
from tests.models.folders import make_cached, make_model, make_sharded


@pytest.fixture
def paths(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return Paths.below(tmp_path / "program")


@pytest.fixture
def catalog(paths):
    return ModelCatalog(paths)


def by_label(entries):
    return {entry.label: entry for entry in entries}


def test_a_bare_machine_has_no_models_and_nothing_is_written(catalog, paths):
    assert catalog.scan() == []
    assert catalog.recent() == []
    assert catalog.folders() == []
    assert not paths.config.exists()


def test_every_source_is_found_in_the_order_of_a_list(catalog, paths, tmp_path):
    make_model(paths.models / "SmolLM2")
    make_model(tmp_path / "mine" / "b")
    make_model(tmp_path / "mine" / "A")
    make_cached(tmp_path / "hub", "org/cached")
    catalog.add_folder(tmp_path / "mine")
    entries = catalog.scan()
    assert [(entry.source, entry.label) for entry in entries] == [
        (ModelSource.EMBEDDED, "SmolLM2"),
        (ModelSource.LOCAL, "A"),
        (ModelSource.LOCAL, "b"),
        (ModelSource.CACHE, "org/cached"),
    ]
    assert [entry.reference for entry in entries] == [
        str(paths.models / "SmolLM2"),
        str(tmp_path / "mine" / "A"),
        str(tmp_path / "mine" / "b"),
        "org/cached",
    ]
    assert all(entry.problem == "" and entry.size_bytes for entry in entries)
    assert all(entry.detail == "LlamaForCausalLM, bfloat16" for entry in entries)


def test_every_reference_without_a_problem_is_accepted_as_typed(catalog, paths, tmp_path):
    make_model(paths.models / "m")
    make_cached(tmp_path / "hub", "org/cached")
    make_cached(tmp_path / "hub", "org/other", ref="v1")
    for entry in catalog.scan([make_model(tmp_path / "x")]):
        assert catalog.check_reference(entry.reference) is None


def test_extra_folders_count_for_one_scan(catalog, tmp_path):
    folder = make_model(tmp_path / "m")
    assert [entry.label for entry in catalog.scan([folder])] == ["m"]
    assert catalog.scan() == []


def test_the_engines_variables_move_the_cache(catalog, tmp_path):
    make_cached(tmp_path / "elsewhere", "org/there")
    make_cached(tmp_path / "hub", "org/here")
    entries = catalog.scan(environment={"HF_HUB_CACHE": str(tmp_path / "elsewhere")})
    assert [entry.reference for entry in entries] == ["org/there"]


def test_a_revision_beside_main_is_named_by_its_folder(catalog, tmp_path):
    repo = make_cached(tmp_path / "hub", "org/model", commit="f" * 40, ref="v1")
    (entry,) = catalog.scan()
    assert entry.label == "org/model (ffffffff)"
    assert entry.reference == str(repo / "snapshots" / ("f" * 40))


def test_an_unfinished_download_is_listed_with_its_problem(catalog, tmp_path):
    repo = make_cached(tmp_path / "hub", "org/model", files={"config.json": b'{"model_type": "opt"}'})
    (repo / "blobs" / "1.incomplete").write_bytes(b"")
    (entry,) = catalog.scan()
    assert entry.reference == "org/model"
    assert entry.problem.startswith("The download is not finished")


# Looking through folders


def test_folders_are_looked_through_two_levels_deep(catalog, tmp_path):
    root = tmp_path / "root"
    make_model(root / "one")
    make_model(root / "org" / "two")
    make_model(root / "a" / "b" / "three")
    make_model(root / ".hidden" / "four")
    assert [entry.label for entry in catalog.scan([root])] == ["one", "two"]


def test_what_lies_inside_a_model_is_no_model(catalog, tmp_path):
    make_model(tmp_path / "m")
    make_model(tmp_path / "m" / "original")
    assert [entry.label for entry in catalog.scan([tmp_path / "m"])] == ["m"]


def test_a_diffusion_pipeline_is_not_looked_through(catalog, tmp_path):
    root = tmp_path / "root"
    make_model(root / "pipeline" / "text_encoder")
    (root / "pipeline" / "model_index.json").write_text("{}")
    (entry,) = catalog.scan([root])
    assert (entry.reference, entry.problem) == (str(root), "No model in this folder.")


def test_gguf_and_incomplete_folders_are_listed_with_their_problem(catalog, tmp_path):
    root = tmp_path / "root"
    (root / "quant").mkdir(parents=True)
    (root / "quant" / "m-Q4.gguf").write_bytes(b"GGUF")
    next(make_sharded(root / "sharded").glob("model-00002*")).unlink()
    (root / "adapter").mkdir()
    (root / "adapter" / "adapter_config.json").write_text("{}")
    entries = by_label(catalog.scan([root]))
    assert entries.keys() == {"quant", "sharded"}
    assert entries["quant"].problem == GGUF_PROBLEM
    assert entries["sharded"].problem == "1 of 3 weight files are missing."


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda folder: folder.mkdir(), "No model in this folder."),
        (lambda folder: None, "No such folder."),
        (lambda folder: folder.write_text("x"), "A file, not a folder. Choose the folder that it is in."),
    ],
)
def test_a_place_without_models_says_so(catalog, tmp_path, make, problem):
    make(tmp_path / "place")
    (entry,) = catalog.scan([tmp_path / "place"])
    assert (entry.label, entry.source, entry.problem) == ("place", ModelSource.LOCAL, problem)


def test_another_hub_cache_may_be_added(catalog, tmp_path):
    repo = make_cached(tmp_path / "disk2", "org/model")
    (tmp_path / "disk2" / "models--org--empty" / "snapshots").mkdir(parents=True)
    entries = by_label(catalog.scan([tmp_path / "disk2"]))
    # The engine would not look there by itself, so the path is what names it.
    assert entries["org/model"].reference == str(repo / "snapshots" / ("a" * 40))
    assert entries["org/model"].source is ModelSource.LOCAL
    assert entries["org/empty"].problem == "Nothing of this model is in the cache any more."


def test_a_model_found_twice_is_listed_once(catalog, paths, tmp_path):
    make_cached(tmp_path / "hub", "org/model")
    folder = make_model(tmp_path / "mine" / "m")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    make_model(paths.models / "own")
    places = [
        tmp_path / "mine",
        folder,
        tmp_path / "link",
        tmp_path / "hub",
        paths.models,
        tmp_path / "mine" / ".." / "mine",
    ]
    entries = catalog.scan(places)
    assert [(entry.label, entry.source) for entry in entries] == [
        ("own", ModelSource.EMBEDDED),
        ("m", ModelSource.LOCAL),
        ("org/model", ModelSource.CACHE),
    ]
    assert entries[2].reference == "org/model"


@pytest.mark.parametrize("limit", ["_FOLDER_LIMIT", "_MODEL_LIMIT"])
def test_a_scan_is_bounded_and_says_so(catalog, tmp_path, monkeypatch, limit):
    monkeypatch.setattr(local_scan, limit, 5)
    root = tmp_path / "root"
    for number in range(12):
        make_model(root / f"m{number:02}")
    entries = catalog.scan([root])
    assert len([entry for entry in entries if not entry.problem]) in (4, 5)
    assert [entry.problem for entry in entries if entry.problem] == [
        "Too many folders to look through all of them. Add one closer to the models."
    ]


def test_loops_of_links_end(catalog, tmp_path):
    root = tmp_path / "root"
    make_model(root / "m")
    (root / "again").symlink_to(root)
    assert [entry.label for entry in catalog.scan([root])] == ["m"]


def test_the_embedded_folder_shows_whole_models_only(catalog, paths):
    make_model(paths.models / "whole")
    (paths.models / "begun").mkdir()
    (paths.models / ".partial").mkdir()
    assert [entry.label for entry in catalog.scan()] == ["whole"]


# What is remembered


def test_added_folders_are_kept_in_order_once(catalog, paths, tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        catalog.add_folder(tmp_path / name)
    catalog.add_folder(tmp_path / "b" / ".." / "b")
    assert ModelCatalog(paths).folders() == [tmp_path / "b", tmp_path / "a"]
    catalog.remove_folder(tmp_path / "b")
    catalog.remove_folder(tmp_path / "never")
    assert ModelCatalog(paths).folders() == [tmp_path / "a"]
    assert (tmp_path / "b").is_dir()


def test_a_folder_that_is_not_there_cannot_be_added(catalog, paths, tmp_path):
    with pytest.raises(DynoError, match="There is no folder"):
        catalog.add_folder(tmp_path / "gone")
    assert not paths.config.exists()


def test_an_added_folder_that_went_away_is_told(catalog, tmp_path):
    folder = tmp_path / "usb"
    folder.mkdir()
    catalog.add_folder(folder)
    folder.rmdir()
    (entry,) = catalog.scan()
    assert (entry.reference, entry.problem) == (str(folder), "No such folder.")


def test_the_home_sign_is_understood(catalog, tmp_path):
    make_model(tmp_path / "home" / "models" / "m")
    catalog.add_folder(Path("~/models"))
    assert catalog.folders() == [tmp_path / "home" / "models"]


def test_recent_models_come_last_used_first_and_once(catalog, paths):
    for reference in ("org/a", "org/b", " org/a ", ""):
        catalog.remember(reference)
    assert [entry.reference for entry in ModelCatalog(paths).recent()] == ["org/a", "org/b"]
    assert all(entry.source is ModelSource.RECENT and entry.problem == "" for entry in catalog.recent())


def test_twenty_are_remembered(catalog):
    for number in range(25):
        catalog.remember(f"org/m{number}")
    recent = [entry.reference for entry in catalog.recent()]
    assert len(recent) == 20
    assert recent[0] == "org/m24"


def test_a_recent_folder_that_is_gone_is_told(catalog, tmp_path):
    folder = make_model(tmp_path / "m")
    catalog.remember(str(folder))
    (entry,) = catalog.recent()
    assert (entry.label, entry.problem) == ("m", "")
    (folder / "config.json").unlink()
    assert catalog.recent()[0].problem == "No config.json in this folder."


def test_names_that_are_no_text_survive(catalog, paths, tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    make_model(folder / "m")
    catalog.add_folder(folder)
    catalog.remember(str(folder / "m"))
    again = ModelCatalog(paths)
    assert again.folders() == [folder]
    assert again.recent()[0].problem == ""
    assert [entry.problem for entry in again.scan()] == [""]


def test_the_file_is_for_its_owner_alone(catalog, paths):
    catalog.remember("org/a")
    assert stat.S_IMODE((paths.config / "models.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"recent": 3}', b"\xff\xfe", b"", b"[" * 100_000])
def test_a_damaged_file_is_kept_aside(catalog, paths, content):
    paths.config.mkdir(parents=True)
    (paths.config / "models.json").write_bytes(content)
    assert catalog.recent() == []
    catalog.remember("org/a")
    assert [entry.reference for entry in catalog.recent()] == ["org/a"]
    assert (paths.config / "models.json.damaged-1").read_bytes() == content


def test_a_folder_that_cannot_be_written_is_a_plain_error(paths, catalog):
    paths.config.parent.mkdir(parents=True)
    paths.config.write_text("a file where the folder should be")
    with pytest.raises(DynoError, match="could not be saved"):
        catalog.remember("org/a")


def test_using_the_same_model_again_writes_nothing(catalog, paths):
    catalog.remember("org/a")
    before = (paths.config / "models.json").stat().st_ino
    catalog.remember("org/a")
    assert (paths.config / "models.json").stat().st_ino == before


def test_threads_lose_nothing(catalog):
    def remember(start):
        for number in range(start, start + 5):
            catalog.remember(f"org/m{number}")

    threads = [threading.Thread(target=remember, args=(start,)) for start in (0, 5, 10, 15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {entry.reference for entry in catalog.recent()} == {f"org/m{number}" for number in range(20)}


def test_a_check_as_typed_is_fast(catalog, tmp_path):
    folder = make_model(tmp_path / "m")
    began = time.perf_counter()
    for _ in range(200):
        catalog.check_reference(str(folder))
    assert (time.perf_counter() - began) / 200 < 0.005


def test_a_large_cache_is_scanned_quickly(catalog, tmp_path):
    for number in range(60):
        make_cached(tmp_path / "hub", f"org/model{number}")
    began = time.perf_counter()
    assert len(catalog.scan()) == 60
    assert time.perf_counter() - began < 2


def test_the_kept_lists_are_plain_json(catalog, paths):
    catalog.remember("org/a")
    assert json.loads((paths.config / "models.json").read_bytes()) == {"folders": [], "recent": ["org/a"]}
