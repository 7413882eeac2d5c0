"""Names of engine environments: short, unique, fit for a command line and for a folder."""

import re
from collections.abc import Collection

from core.base.errors import DynoError
from core.engine.environment_model import Backend

_ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def base_name(backend: Backend, version: str) -> str:
    """`cpu-0.32.0`; the part of the version after a plus sign is left out."""
    kind = "vllm" if backend is Backend.UNKNOWN else backend.value
    return f"{kind}-{version.partition('+')[0]}"


def is_automatic(name: str, base: str) -> bool:
    """Whether a name is what `base_name` gave, perhaps with a number."""
    return bool(re.fullmatch(rf"{re.escape(base)}(-\d+)?", name))


def unique_name(base: str, taken: Collection[str], *others: str) -> str:
    """The first that is free: the base, the other suggestions, then the base with a number from 2."""
    for name in (base, *others):
        if name not in taken:
            return name
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"


def check_name(name: str) -> None:
    """Refuse a name that would not do as a folder.

    Raises:
        DynoError: it has other characters, begins with a sign, or is too long.
    """
    if not _ALLOWED.fullmatch(name):
        raise DynoError(
            f"“{name}” cannot be an engine's name.",
            "Use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or a digit.",
        )
