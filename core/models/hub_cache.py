"""The Hugging Face cache, read from its folders: `models--<org>--<name>/{blobs,refs,snapshots}`.

Read here rather than by huggingface_hub, whose import costs a third of a second, which leaves a repository with one
broken link out of its answer, and which does not tell an interrupted download from a finished one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from core.models.model_folder import FolderFacts, describe

_PREFIX = "models--"
_UNFINISHED = "The download is not finished; vLLM goes on with it at the start."


@dataclass(frozen=True, slots=True)
class CachedModel:
    """One model of the cache.

    Attributes:
        repo_id: its Hub id.
        snapshot: the folder with the revision that a start would use; None when the cache holds none.
        revision: the commit, where that is not the Hub's `main`; empty otherwise.
    """

    repo_id: str
    snapshot: Path | None
    revision: str
    facts: FolderFacts


def hub_cache_folder(environment: Mapping[str, str]) -> Path:
    """Where huggingface_hub keeps models under these environment variables; the folder need not exist."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if environment.get(name):
            return _expanded(environment[name], environment)
    if environment.get("HF_HOME"):
        return _expanded(environment["HF_HOME"], environment) / "hub"
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return _expanded(cache, environment) / "huggingface" / "hub"


def cached_models(cache: Path) -> Iterator[CachedModel]:
    """Every model repository in the cache, by name. Nothing when there is no cache or it cannot be read."""
    try:
        folders = sorted(cache.glob(_PREFIX + "*"))
    except OSError:
        return
    yield from map(cached_model, folders)


def cached_model(folder: Path) -> CachedModel:
    """The model in one folder of the cache."""
    repo_id = folder.name.removeprefix(_PREFIX).replace("--", "/")
    try:
        return _look(repo_id, folder)
    except OSError:
        return CachedModel(repo_id, None, "", FolderFacts(None, "", "This folder of the cache cannot be read."))


def is_cache_folder(folder: Path) -> bool:
    """Whether this is one model's folder in a Hugging Face cache."""
    return folder.name.startswith(_PREFIX) and (folder / "snapshots").is_dir()


def _look(repo_id: str, folder: Path) -> CachedModel:
    unfinished = any((folder / "blobs").glob("*.incomplete"))
    snapshot, revision = _snapshot(folder)
    if snapshot is None:
        problem = _UNFINISHED if unfinished else "Nothing of this model is in the cache any more."
        return CachedModel(repo_id, None, "", FolderFacts(None, "", problem))
    facts = describe(snapshot)
    if facts.problem and unfinished:
        facts = FolderFacts(facts.size_bytes, facts.detail, _UNFINISHED)
    return CachedModel(repo_id, snapshot, revision, facts)


def _snapshot(folder: Path) -> tuple[Path | None, str]:
    """The snapshot of `main`, or the newest of others with its commit."""
    try:
        commit = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        commit = ""
    snapshots = folder / "snapshots"
    if commit and (snapshots / commit).is_dir():
        return snapshots / commit, ""
    others = [entry for entry in snapshots.iterdir() if entry.is_dir()] if snapshots.is_dir() else []
    if not others:
        return None, ""
    newest = max(others, key=lambda entry: entry.stat().st_mtime)
    return newest, newest.name


def _expanded(text: str, environment: Mapping[str, str]) -> Path:
    # The given variables count, which may be those of the engine to be started rather than our own.
    path = Template(text).safe_substitute(environment)
    home = environment.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return Path(home + path[1:])
    return Path(path).expanduser()
