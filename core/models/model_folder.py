"""One model folder on disk: what it holds, and what keeps vLLM from loading it."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CONFIG = "config.json"
_MISTRAL_CONFIG = "params.json"
_WEIGHT_SUFFIXES = frozenset({".safetensors", ".bin", ".pt", ".pth"})
_INDEX_ENDING = ".index.json"
_INDEXES = ("model.safetensors" + _INDEX_ENDING, "pytorch_model.bin" + _INDEX_ENDING)
_NO_WEIGHTS = frozenset({"training_args.bin", "optimizer.bin", "scheduler.bin", "optimizer.pt", "scheduler.pt"})
_JSON_LIMIT_BYTES = 64 * 1024 * 1024
_FILE_LIMIT = 20_000
_DEPTH = 3
_POINTER_START = b"version https://git-lfs"

GGUF_PROBLEM = "Only GGUF, which vLLM does not load by itself. Choose the model's safetensors version."


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """What a look at the folder told.

    Attributes:
        size_bytes: all files in it, links followed; None when unreadable.
        detail: architecture, number type, quantisation, as far as its configuration tells.
        problem: why vLLM will not load it, for a row; empty when nothing is known against it.
    """

    size_bytes: int | None
    detail: str
    problem: str


def missing_config(folder: Path) -> str:
    """Why this folder is no model folder, by the names in it alone (fast); empty when it is one."""
    try:
        if not folder.is_dir():
            return "A file, not a folder. Choose the folder that it is in." if folder.exists() else "No such folder."
        names = {entry.name for entry in folder.iterdir()}
    except OSError:
        return "This folder cannot be read."
    if names & {_CONFIG, _MISTRAL_CONFIG}:
        return ""
    if any(name.endswith(".gguf") for name in names):
        return GGUF_PROBLEM
    if "adapter_config.json" in names:
        return "A LoRA adapter, not a model. Choose the model that it was made for."
    if "model_index.json" in names:
        return "A diffusion pipeline, which vLLM does not serve."
    return "No config.json in this folder."


def describe(folder: Path) -> FolderFacts:
    """Look at one folder: its files' names, sizes and configuration; no weights are read."""
    problem = missing_config(folder)
    try:
        size_bytes = _size(folder) if folder.is_dir() else None
        if problem:
            return FolderFacts(size_bytes, "", problem)
        detail, problem = _configuration(folder)
        return FolderFacts(size_bytes, detail, problem or _weights_problem(folder))
    except OSError:
        return FolderFacts(None, "", "This folder cannot be read.")


def read_json_object(path: Path) -> dict[str, Any] | None:
    """A JSON object from a file that somebody else wrote; None when it is none, too large, or unreadable."""
    try:
        if path.stat().st_size > _JSON_LIMIT_BYTES:
            return None
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _configuration(folder: Path) -> tuple[str, str]:
    """Detail and problem by config.json, or by params.json where that is all there is."""
    if not (folder / _CONFIG).exists():
        readable = read_json_object(folder / _MISTRAL_CONFIG) is not None
        return "Mistral format", "" if readable else f"{_MISTRAL_CONFIG} cannot be read."
    config = read_json_object(folder / _CONFIG)
    if config is None:
        return "", f"{_CONFIG} cannot be read."
    architectures = config.get("architectures")
    first = architectures[0] if isinstance(architectures, list) and architectures else config.get("model_type")
    if not isinstance(first, str) or not first:
        return "", f"{_CONFIG} names no kind of model."
    parts = [first, _number_type(config), _quantisation(config)]
    return ", ".join(part for part in parts if part), ""


def _number_type(config: Mapping[str, Any]) -> str:
    text_config = config.get("text_config")
    for source in (config, text_config if isinstance(text_config, dict) else {}):
        for key in ("dtype", "torch_dtype"):
            if isinstance(source.get(key), str):
                return str(source[key])
    return ""


def _quantisation(config: Mapping[str, Any]) -> str:
    quantisation = config.get("quantization_config")
    if not isinstance(quantisation, dict) or not isinstance(quantisation.get("quant_method"), str):
        return ""
    bits = quantisation.get("bits")
    return f"{quantisation['quant_method']} {bits}-bit" if isinstance(bits, int) else str(quantisation["quant_method"])


def _weights_problem(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir())
    weights = [name for name in names if Path(name).suffix in _WEIGHT_SUFFIXES and name not in _NO_WEIGHTS]
    index = next((name for name in _INDEXES if name in names), None)
    # An index counts where files of its kind are, or none at all; some models carry a leftover one of the other kind.
    if index and (
        not weights or any(Path(name).suffix == Path(index[: -len(_INDEX_ENDING)]).suffix for name in weights)
    ):
        problem = _index_problem(folder, index)
        if problem:
            return problem
    elif not weights:
        return GGUF_PROBLEM if any(name.endswith(".gguf") for name in names) else "No weight files in this folder."
    return next((problem for name in weights if (problem := _file_problem(folder / name))), "")


def _index_problem(folder: Path, name: str) -> str:
    index = read_json_object(folder / name)
    weight_map = index.get("weight_map") if index else None
    if not isinstance(weight_map, dict) or not all(isinstance(file, str) for file in weight_map.values()):
        return f"{name} cannot be read."
    wanted = set(weight_map.values())
    # A link of the Hub's cache whose target is gone does not exist either.
    missing = [file for file in wanted if not (folder / file).is_file()]
    if missing:
        return f"{len(missing)} of {len(wanted)} weight files are missing."
    metadata = index.get("metadata") if index else None
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    present = sum((folder / file).stat().st_size for file in wanted)
    if isinstance(total, int) and present < total:
        return "The weight files are shorter than their index says; download them again."
    return ""


def _file_problem(path: Path) -> str:
    """Whether the file is cut off or a mere pointer, by its size and its first bytes."""
    if not path.is_file():
        return f"{path.name} is a link to nothing; download it again."
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(len(_POINTER_START))
    if start == _POINTER_START:
        return f"{path.name} is a Git LFS pointer, not the weights; run git lfs pull."
    # A safetensors file begins with the length of its header.
    header_bytes = int.from_bytes(start[:8], "little") + 8 if path.suffix == ".safetensors" else 1
    if size_bytes < header_bytes:
        return f"{path.name} is cut off; download it again."
    return ""


def _size(folder: Path) -> int:
    """Bytes of the files in it, three levels deep, without hidden folders (`.git`, `.cache`) and what is unreadable."""
    total, seen = 0, 0
    waiting = [(folder, 0)]
    while waiting and seen < _FILE_LIMIT:
        current, depth = waiting.pop()
        with contextlib.suppress(OSError):
            for entry in current.iterdir():
                seen += 1
                if entry.is_file():
                    total += entry.stat().st_size
                elif depth < _DEPTH and not entry.name.startswith("."):
                    # A folder, or a link to nothing, which is then passed over as unreadable.
                    waiting.append((entry, depth + 1))
    return total
