"""Reads the log of a start for its stages, and the log of a failure for its first error."""

from pathlib import Path

from core.base.clock import now
from core.engine.first_error import FirstError
from core.engine.logfile import LineSplitter, LogFollower
from core.engine.stages import StageTracker

_LINES_PER_TURN = 5000
_LAST_WORDS_BYTES = 2 * 1024 * 1024


class StartLog:
    """Follows one start's log; pulled by the life's thread until the engine is ready or gone.

    Attributes:
        stages: where the start stands.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._follower = LogFollower(path)
        self._error = FirstError()
        self._served_from: int | None = None
        self.stages = StageTracker(now)

    def turn(self) -> bool:
        """Read what is new, within bounds.

        Returns:
            Whether the stage, its detail or its progress changed.
        """
        changed = False
        for line in self._follower.take(_LINES_PER_TURN):
            changed |= self.stages.feed(line)
            self._error.feed(line)
        pending = self._follower.pending
        return (bool(pending) and self.stages.feed(pending)) or changed

    def serving(self) -> None:
        """The start is over; from here on the log is a stream of requests that nobody needs to read."""
        try:
            self._served_from = self._path.stat().st_size
        except OSError:
            self._served_from = 0

    def first_error(self) -> str:
        """The first error of the start, or of the last words of an engine that had served; empty for none."""
        if self._served_from is not None:
            return _first_error_after(self._path, self._served_from)
        self._follower.finish()
        while (lines := self._follower.take(_LINES_PER_TURN)) or not self._follower.caught_up:
            for line in lines:
                self.stages.feed(line)
                self._error.feed(line)
        return self._error.text


def _first_error_after(path: Path, start: int) -> str:
    error, splitter = FirstError(), LineSplitter()
    try:
        with path.open("rb") as file:
            file.seek(max(start, file.seek(0, 2) - _LAST_WORDS_BYTES))
            data = file.read()
    except OSError:
        return ""
    for line in [*splitter.feed(data), *splitter.rest()]:
        error.feed(line)
    return error.text
