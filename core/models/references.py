"""What may be typed as a model: a folder, a Hub id, an address that the engine reads by itself."""

import re
from pathlib import Path

from core.models.model_folder import GGUF_PROBLEM, missing_config

# The Hub's own rules for `organisation/name`.
_PART = r"\b[\w.-]{1,96}\b"
_HUB_ID = re.compile(rf"{_PART}/{_PART}", re.ASCII)
_HUB_ADDRESS = re.compile(r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/(?P<id>[^/\s]+/[^/\s?#]+)")
# Object stores that vLLM streams weights from.
_STORES = ("s3://", "gs://", "az://")


def check_reference(text: str) -> str | None:
    """Why this cannot be a model, as a message for the row; None when it can. Looks at names on disk only."""
    reference = text.strip()
    if not reference:
        return "Choose a model folder, or type a Hub id such as org/name."
    if reference.startswith(_STORES):
        return None
    if address := _HUB_ADDRESS.match(reference):
        return f"Write the Hub id alone: {address['id']}"
    if "://" in reference:
        return "Not an address that vLLM reads models from."
    path = local_path(reference)
    if path is not None:
        if path.suffix == ".gguf" and path.is_file():
            return GGUF_PROBLEM
        return missing_config(path) or None
    return None if is_hub_id(reference) else _hub_id_problem(reference)


def local_path(reference: str) -> Path | None:
    """The place on this machine that is meant; None where it is a Hub id or an address."""
    try:
        path = Path(reference).expanduser()
        looks_local = path.is_absolute() or reference.startswith(("~", "./", "../"))
        return path if looks_local or ("://" not in reference and path.exists()) else None
    except (OSError, ValueError, RuntimeError):
        # Too long for a file name, a NUL character, no home folder.
        return None


def is_hub_id(reference: str) -> bool:
    """Whether this is a legal `org/name`; a quantisation may follow a colon, as vLLM reads it."""
    repo_id, colon, quantisation = reference.partition(":")
    if colon and not re.fullmatch(r"[\w.-]+", quantisation, re.ASCII):
        return False
    return (
        _HUB_ID.fullmatch(repo_id) is not None
        and "--" not in repo_id
        and ".." not in repo_id
        and not repo_id.endswith(".git")
    )


def _hub_id_problem(reference: str) -> str:
    if "/" not in reference:
        return "A Hub id has two parts, org/name; a folder begins with / or ./ or ~."
    if reference.count("/") > 1:
        return "No such folder, and a Hub id has two parts only, org/name."
    return "Neither a folder nor a Hub id: letters, digits, dash, dot and underscore are allowed in org/name."
