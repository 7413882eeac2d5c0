"""The models to choose from: the embedded one, those on this machine, those used lately."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from core.base.errors import DynoError
from core.base.paths import Paths
from core.models.entry import ModelEntry, ModelSource
from core.models.hub_cache import cached_models, hub_cache_folder
from core.models.local_scan import folder_entry, models_below, subfolders
from core.models.model_folder import missing_config
from core.models.references import check_reference, local_path
from core.models.remembered import Remembered, RememberedFile

__all__ = ["ModelCatalog", "ModelEntry", "ModelSource"]

_RECENT_LIMIT = 20


class ModelCatalog:
    """Finds models on this machine and remembers which were used. May be asked from any thread; asks no network.

    The added folders and the recent references are kept in `models.json` in the configuration folder.
    """

    def __init__(self, paths: Paths) -> None:
        self._own = paths.models
        self._remembered = RememberedFile(paths.config / "models.json")

    def scan(
        self, extra_folders: Iterable[Path] = (), environment: Mapping[str, str] | None = None
    ) -> list[ModelEntry]:
        """Look through the disk: slow on large caches, so not for the window's thread.

        Args:
            extra_folders: folders to look through beside the added ones.
            environment: the engine's variables over our own; they decide where the Hub's cache lies.

        Returns:
            one entry a model, by source and name; one that cannot be loaded has its problem told.
        """
        cache = hub_cache_folder({**os.environ, **(environment or {})})
        # The first of several ways to the same folder stays, so the cache's short name wins over a path into it.
        unique: dict[str, ModelEntry] = {}
        for place, entry in (*self._embedded(), *_cached(cache), *_local([*self.folders(), *extra_folders])):
            unique.setdefault(os.path.realpath(place), entry)
        order = list(ModelSource)
        return sorted(unique.values(), key=lambda entry: (order.index(entry.source), entry.label.casefold()))

    def check_reference(self, text: str) -> str | None:
        """Why this cannot be a model, as a message for the row; None when it can. Fast, and asks no network."""
        return check_reference(text)

    def recent(self) -> list[ModelEntry]:
        """What was used lately, the last one first; a folder that is gone has that as its problem."""
        return [_recent_entry(reference) for reference in self._remembered.load().recent]

    def remember(self, reference: str) -> None:
        """Put this model first among those used lately.

        Raises:
            DynoError: it could not be written down.
        """
        used = reference.strip()

        def first(kept: Remembered) -> Remembered:
            others = [known for known in kept.recent if known != used]
            return replace(kept, recent=(used, *others)[:_RECENT_LIMIT])

        if used:
            self._remembered.update(first)

    def folders(self) -> list[Path]:
        """The folders that the person added, in the order of adding."""
        return [Path(folder) for folder in self._remembered.load().folders]

    def add_folder(self, folder: Path) -> None:
        """Look through this folder too, from the next scan on.

        Raises:
            DynoError: no such folder, or it could not be written down.
        """
        place = _place(folder)
        if not Path(place).is_dir():
            raise DynoError(f"There is no folder {place}.", "Choose a folder that holds models.")
        self._remembered.update(
            lambda kept: kept if place in kept.folders else replace(kept, folders=(*kept.folders, place))
        )

    def remove_folder(self, folder: Path) -> None:
        """Forget an added folder; nothing on disk is touched but our own list.

        Raises:
            DynoError: it could not be written down.
        """
        place = _place(folder)
        self._remembered.update(
            lambda kept: replace(kept, folders=tuple(known for known in kept.folders if known != place))
        )

    def _embedded(self) -> Iterator[tuple[Path, ModelEntry]]:
        for folder in subfolders(self._own):
            if not missing_config(folder):
                yield folder, folder_entry(folder, ModelSource.EMBEDDED)


def _cached(cache: Path) -> Iterator[tuple[Path, ModelEntry]]:
    for model in cached_models(cache):
        facts = model.facts
        # A commit other than the Hub's main one can only be named by its folder.
        reference = str(model.snapshot) if model.revision else model.repo_id
        label = f"{model.repo_id} ({model.revision[:8]})" if model.revision else model.repo_id
        entry = ModelEntry(reference, label, ModelSource.CACHE, facts.size_bytes, facts.detail, facts.problem)
        yield model.snapshot or cache / model.repo_id, entry


def _local(roots: Iterable[Path]) -> Iterator[tuple[Path, ModelEntry]]:
    for root in roots:
        for entry in models_below(Path(_place(root))):
            yield Path(entry.reference), entry


def _recent_entry(reference: str) -> ModelEntry:
    path = local_path(reference)
    label = path.name if path is not None and path.name else reference
    return ModelEntry(reference, label, ModelSource.RECENT, problem=check_reference(reference) or "")


def _place(folder: Path) -> str:
    return os.path.normpath(folder.expanduser().absolute())
