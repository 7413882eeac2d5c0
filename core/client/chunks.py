"""The chunks of a streamed chat answer, as far as they are used."""

from typing import Any

import msgspec


class Delta(msgspec.Struct, frozen=True):
    """What was added: text of the answer, or of the thoughts before it."""

    content: str | None = None
    # Newer versions of vLLM renamed the first to the second.
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(msgspec.Struct, frozen=True):
    """One answer's part of a chunk."""

    delta: Delta | None = None
    finish_reason: str | None = None


class Usage(msgspec.Struct, frozen=True):
    """The server's own count, in the last chunk."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Chunk(msgspec.Struct, frozen=True):
    """One event of the stream: text, or the counts, or an error."""

    choices: tuple[Choice, ...] | None = None
    usage: Usage | None = None
    error: Any = None


_DECODER = msgspec.json.Decoder(Chunk)


def decode_chunk(data: str) -> Chunk | None:
    """The chunk in an event's data; None when it is none."""
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None
