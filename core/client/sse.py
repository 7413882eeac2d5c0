"""Server-sent events: the data of each event out of a stream of bytes."""

from collections.abc import Iterable, Iterator

_LONGEST_LINE = 16 * 1024 * 1024


class StreamGarbled(ValueError):
    """The bytes are no stream of events."""


def events(pieces: Iterable[bytes]) -> Iterator[str]:
    """The text after "data:" of every event, as soon as its line is whole.

    Pieces may end anywhere, also inside a character. Comments and other fields are passed over; every data line counts
    as an event, as OpenAI-compatible servers write them.

    Raises:
        StreamGarbled: a line that does not end, or one that is not UTF-8.
    """
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield _text(line[5:])
        if len(rest) > _LONGEST_LINE:
            raise StreamGarbled("a line does not end")
    if rest.startswith(b"data:"):
        yield _text(rest[5:])


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise StreamGarbled("a line is not UTF-8") from error
