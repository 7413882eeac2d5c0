"""Which lines of an engine's log are the echo of this program's own questions.

The readiness check and the monitor ask the engine a few times a second, and its server writes a line for each answer.
"""

import re

# Only what was answered well: a refusal is worth seeing. Other clients of the same three paths look alike.
_ANSWERED = re.compile(r'"GET /(?:metrics|health|v1/models) HTTP/[\d.]+" 200\b')


def is_polling(line: str) -> bool:
    """Whether the line is an access line of a successful /metrics, /health or /v1/models request."""
    return _ANSWERED.search(line) is not None
