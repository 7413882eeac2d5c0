"""Which texts are secrets, and how they are shown."""

import re

from core.schema.model import Value

MASK = "***"
"""Stands for a secret in a command line, a log or a picture."""

# Whole words, so that VLLM_MAX_TOKENS_PER_EXPERT and ..._TOKEN_THRESHOLD stay readable.
_SECRET_WORDS = re.compile(
    r"(?:^|[_-])(?:(?:API|ACCESS|SECRET|PRIVATE|AUTH)[_-]?(?:KEY|TOKEN)|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)"
    r"(?:[_-]|$)",
    re.IGNORECASE,
)
_SECRET_ENDING = re.compile(r"(?:^|_)(?:KEY|TOKEN)$", re.IGNORECASE)
# The password of an address (a proxy's, say): everything between the colon and the last @ before the path.
_URL_PASSWORD = re.compile(r"(\w://[^\s/:@]*:)[^\s/]+(@)")


def is_secret_variable(name: str, value: str = "") -> bool:
    """Whether an environment variable carries a key or a password: by its name, or by an address in its value."""
    return bool(_SECRET_WORDS.search(name) or _SECRET_ENDING.search(name) or _URL_PASSWORD.search(value))


def hide_secrets(value: Value) -> Value:
    """The value for display: passwords in addresses masked, and texts that a JSON object files under such a name.

    A key that merely ends in `token` is left alone there: `eos_token` belongs to the model.
    """
    if isinstance(value, str):
        return _URL_PASSWORD.sub(rf"\g<1>{MASK}\g<2>", value)
    if isinstance(value, list):
        return [hide_secrets(item) for item in value]
    if isinstance(value, dict):
        return {
            key: MASK if isinstance(item, str) and item and _SECRET_WORDS.search(key) else hide_secrets(item)
            for key, item in value.items()
        }
    return value
