"""Paths as people type them, made fit for a program that runs elsewhere."""

import os
from pathlib import Path

_BEGINNINGS = ("~/", "./", "../")


def absolute(text: str) -> str:
    """The text, made absolute where it is a path of this machine for certain; anything else stays as it is.

    Certain are `~`, `./` and `../` at the beginning, and a relative path that exists (as vLLM itself takes a folder
    `org/name` in the current folder for the model, before it asks the Hub).
    """
    try:
        path = Path(text)
        exists = bool(text) and not path.is_absolute() and path.exists()
    except (OSError, ValueError):
        # Too long for a name, a NUL character: no path that the engine could open either.
        return text
    return _absolute(text) if exists or text == "~" else written_out(text)


def written_out(text: str) -> str:
    """The text, made absolute where it begins like a path; words that merely happen to be names of files stay."""
    return _absolute(text) if text.startswith(_BEGINNINGS) else text


def _absolute(text: str) -> str:
    try:
        return os.path.normpath(Path(text).expanduser().absolute())
    except RuntimeError:
        return text  # This user has no home folder.
