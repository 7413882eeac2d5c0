"""Progress of something long, in a terminal as a line that rewrites itself, elsewhere as a line now and then."""

import shutil
from types import TracebackType
from typing import TextIO

from core.base.progress import InstallProgress

_LINE_EVERY_S = 5.0
_CLEAR = "\r\x1b[2K"


class ProgressLine:
    """Give `show` to whatever reports progress; leave the block to end the line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rewrites = stream.isatty()
        self._step = ""
        self._printed_s = float("-inf")
        self._open = False

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._open:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._open = False

    def show(self, progress: InstallProgress) -> None:
        """Tell this progress, or leave it out when a line was printed a moment ago."""
        text = progress_text(progress)
        if self._rewrites:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"{_CLEAR}{text[:width]}")
            self._open = True
        elif progress.step != self._step or progress.elapsed_s - self._printed_s >= _LINE_EVERY_S:
            self._stream.write(text + "\n")
            self._printed_s = progress.elapsed_s
        self._step = progress.step
        self._stream.flush()


def progress_text(progress: InstallProgress) -> str:
    """One line with everything that is known."""
    parts = [f"{progress.fraction:4.0%}" if progress.fraction is not None else "    "]
    parts.append(f"{progress.step}: {progress.detail}" if progress.detail else progress.step)
    if progress.done_bytes is not None and progress.total_bytes:
        parts.append(f"{_megabytes(progress.done_bytes)} of {_megabytes(progress.total_bytes)} MB")
    parts.append(_clock(progress.elapsed_s))
    if progress.remaining_s is not None:
        parts.append(f"about {_clock(progress.remaining_s)} left")
    return "  ".join(parts)


def _megabytes(count: int) -> str:
    return f"{count / 10**6:,.0f}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
