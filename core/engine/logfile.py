"""The engine's log while it grows: whole lines out of bytes, and a follower for whoever pulls by a timer."""

import re
from collections import deque
from pathlib import Path

LINE_LIMIT = 32 * 1024
"""A line longer than this is cut for the view; the file has it whole. Bytes while it grows, characters at the end."""

_CUT_MARK = " ... (cut)"
_PROCESS = re.compile(r"\([A-Za-z][^()]*pid=\d+\)")
_CHUNK_BYTES = 256 * 1024
_CHUNKS_AT_ONCE = 8
_BACKLOG_LIMIT_BYTES = 16 * 1024 * 1024
_KEPT_OF_BACKLOG_BYTES = 1024 * 1024
_SKIPPED_AT_ONCE_BYTES = 4 * 1024 * 1024  # a few milliseconds


class LineSplitter:
    """Bytes in, lines out, with bounded memory whatever comes in.

    A progress bar that redraws itself by carriage returns becomes one line, its last state; `pending` shows the state
    of a bar that is still moving.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._overlong = False

    def feed(self, data: bytes) -> list[str]:
        """Take more bytes; give the lines that they completed, without line ends."""
        lines = (self._buffer + data).split(b"\n")
        self._buffer = lines.pop()
        texts = [self._finished(line) for line in lines]
        self._shorten()
        return texts

    @property
    def pending(self) -> str:
        """The line that has not ended yet, as it would look now."""
        return _shown(self._buffer)

    def rest(self) -> list[str]:
        """The line that never got an end, once nothing more can come; empty when there is none."""
        lines = [self._finished(self._buffer)] if self._buffer else []
        self._buffer = b""
        return lines

    def _finished(self, line: bytes) -> str:
        text = _shown(line)
        overlong = self._overlong or len(text) > LINE_LIMIT
        self._overlong = False
        return text[:LINE_LIMIT] + _CUT_MARK if overlong else text

    def _shorten(self) -> None:
        """Keep no more of an unfinished line than will be shown."""
        if len(self._buffer) <= LINE_LIMIT:
            return
        states = self._buffer.split(b"\r")
        if len(states) > 3:  # of a bar: the process it belongs to, and its latest states
            self._buffer = b"\r".join((states[0], *states[-2:]))
        if len(self._buffer) > LINE_LIMIT:
            self._buffer = self._buffer[:LINE_LIMIT]
            self._overlong = True


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", errors="replace")
    if "\r" not in text:
        return text
    states = [state for state in text.split("\r") if state.strip()]
    if not states:
        return ""
    # vLLM names the process once, before the first state of a bar.
    process = _PROCESS.match(states[0])
    if process and not _PROCESS.match(states[-1]):
        return f"{process.group()} {states[-1]}"
    return states[-1]


class LogFollower:
    """Reads a log file as it grows. Nothing happens between two calls of `take`; one consumer, any thread.

    Memory stays bounded: what waits stays in the file, and when the engine writes faster than the lines are taken,
    the oldest ones are passed over and counted.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._offset = 0
        self._splitter = LineSplitter()
        self._lines: deque[str] = deque()
        self._dropped = 0
        self._finished = False
        self._caught_up = True

    @property
    def path(self) -> Path | None:
        """The file; None before the first start."""
        return self._path

    @property
    def dropped(self) -> int:
        """How many lines were passed over so far."""
        return self._dropped

    @property
    def pending(self) -> str:
        """The last line as far as it is written, for a progress bar that is still moving."""
        return self._splitter.pending

    @property
    def caught_up(self) -> bool:
        """Whether everything that was there at the last call has been taken."""
        return self._caught_up and not self._lines

    def finish(self) -> None:
        """Say that the file will not grow any more: a last line without an end counts as whole."""
        self._finished = True

    def take(self, max_lines: int = 2000) -> list[str]:
        """The next complete lines, at most this many; empty when there is nothing new or nothing to read."""
        for _ in range(_CHUNKS_AT_ONCE):
            if self._path is None or len(self._lines) >= max_lines:
                break
            finished = self._finished  # before the read: what is written afterwards waits for the next call
            data = self._read(self._path)
            self._lines.extend(self._splitter.feed(data))
            if len(data) < _CHUNK_BYTES:
                if finished and self._caught_up:
                    self._lines.extend(self._splitter.rest())
                break
        count = min(max_lines, len(self._lines))
        return [self._lines.popleft() for _ in range(count)]

    def _read(self, path: Path) -> bytes:
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                if size < self._offset:  # emptied by somebody
                    self._offset = 0
                file.seek(self._offset)
                if size - self._offset > _BACKLOG_LIMIT_BYTES:
                    self._pass_over(
                        file.read(min(_SKIPPED_AT_ONCE_BYTES, size - self._offset - _KEPT_OF_BACKLOG_BYTES))
                    )
                file.seek(self._offset)
                data = file.read(_CHUNK_BYTES)
        except OSError:
            return b""
        self._offset += len(data)
        self._caught_up = self._offset >= size
        return data

    def _pass_over(self, skipped: bytes) -> None:
        # Cut at a line's end, so that the next line read is a whole one.
        end = skipped.rfind(b"\n") + 1
        self._dropped += skipped.count(b"\n")
        self._offset += end or len(skipped)
        self._splitter = LineSplitter()
