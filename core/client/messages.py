"""What a server's failure means, in plain words."""

import json
from typing import Any

_LONGEST_MESSAGE = 500


def words_for_status(status: int, body: bytes) -> str:
    """Why a request was refused: what the status means, and what the server says itself."""
    said = server_message(body)
    if status in (401, 403):
        return "The server did not accept the API key."
    if status == 404:
        return f"The server does not know this model or address. {said}".strip()
    if status in (400, 422):
        return f"The server refused the request. {said}".strip()
    if status == 429:
        return f"The server is too busy. {said}".strip()
    return f"The server failed with status {status}. {said}".strip()


def server_message(body: bytes) -> str:
    """The message inside an error answer; empty when it has none.

    Servers write {"error": {"message": ...}}, older ones {"message": ...}, FastAPI itself {"detail": ...}.
    """
    try:
        answer = json.loads(body)
    except ValueError:
        return ""
    return message_of(answer)


def message_of(answer: Any) -> str:
    """The message in a decoded error answer, as in `server_message`."""
    if not isinstance(answer, dict):
        return ""
    error = answer.get("error")
    found = error.get("message") if isinstance(error, dict) else error or answer.get("message") or answer.get("detail")
    return " ".join(str(found).split())[:_LONGEST_MESSAGE] if found else ""
