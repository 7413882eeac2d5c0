"""Looks through folders for model folders, within bounds."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path

from core.models.entry import ModelEntry, ModelSource
from core.models.hub_cache import cached_model, is_cache_folder
from core.models.model_folder import GGUF_PROBLEM, describe, missing_config

_DEPTH = 2
_FOLDER_LIMIT = 2_000
_MODEL_LIMIT = 500


def models_below(root: Path) -> Iterator[ModelEntry]:
    """Models at this place and up to two levels below.

    A place without one gives an entry of its own that says why, as does a place too large to be looked through.
    """
    waiting = deque([(root, 0)])
    looked_at = found = 0
    while waiting:
        if looked_at >= _FOLDER_LIMIT or found >= _MODEL_LIMIT:
            yield _without_model(root, "Too many folders to look through all of them. Add one closer to the models.")
            return
        folder, depth = waiting.popleft()
        looked_at += 1
        entry = _entry(folder)
        if entry:
            found += 1
            yield entry
        elif depth < _DEPTH and not (folder / "model_index.json").exists():
            waiting.extend((inner, depth + 1) for inner in subfolders(folder))
    if not found:
        yield _without_model(root, "No model in this folder." if root.is_dir() else missing_config(root))


def folder_entry(folder: Path, source: ModelSource) -> ModelEntry:
    """The entry of one model folder."""
    facts = describe(folder)
    return ModelEntry(str(folder), folder.name, source, facts.size_bytes, facts.detail, facts.problem)


def subfolders(folder: Path) -> list[Path]:
    """Visible folders in it, by name; none where it cannot be read."""
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith(".") and entry.is_dir())
    except OSError:
        return []


def _entry(folder: Path) -> ModelEntry | None:
    if is_cache_folder(folder):
        # Part of a Hub cache that is not the engine's own, so that only its path can name it.
        model = cached_model(folder)
        reference, facts = str(model.snapshot or folder), model.facts
        return ModelEntry(reference, model.repo_id, ModelSource.LOCAL, facts.size_bytes, facts.detail, facts.problem)
    return folder_entry(folder, ModelSource.LOCAL) if missing_config(folder) in ("", GGUF_PROBLEM) else None


def _without_model(folder: Path, problem: str) -> ModelEntry:
    return ModelEntry(str(folder), folder.name or str(folder), ModelSource.LOCAL, problem=problem)
