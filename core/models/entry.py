"""One model to choose, as a list shows it."""

from dataclasses import dataclass
from enum import StrEnum


class ModelSource(StrEnum):
    """Where an entry was found; in the order of a list."""

    EMBEDDED = "embedded"
    LOCAL = "local"
    CACHE = "cache"
    RECENT = "recent"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model to choose.

    Attributes:
        reference: what `vllm serve` gets: a path or a Hub id.
        label: short name for a list.
        size_bytes: on disk; None when unknown.
        detail: architecture, number type, quantisation, as far as known.
        problem: why it will not load, for a row; empty when nothing is known against it.
    """

    reference: str
    label: str
    source: ModelSource
    size_bytes: int | None = None
    detail: str = ""
    problem: str = ""
