"""Reads what uv draws on a terminal: what it does, bytes of each download, packages done."""

import codecs
import re
from enum import StrEnum

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_SIZE = r"([\d.]+) ?(B|[KMGT]i?B)"
_BAR = re.compile(rf"([A-Za-z0-9][\w.+-]*) +[-=━─#>░█ ]{{8,}} +{_SIZE}/{_SIZE}")
_PREPARING = re.compile(r"Preparing packages\.\.\. \((\d+)/(\d+)\)")
_INSTALLING = re.compile(r"\[(\d+)/(\d+)\] +(?:Installing wheels|(\S+?)(?:==|$))")
_RESOLVING = re.compile(r"^(?:[^\s+~-] )?([A-Za-z0-9][\w.-]*)==\S+$")
_LINE_DOWNLOAD = re.compile(rf"^Downloading (\S+) \({_SIZE}\)$")
_LINE_DOWNLOADED = re.compile(r"^Downloaded (\S+)$")
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_TEXT_LIMIT = 400


class UvPhase(StrEnum):
    """What uv is at."""

    RESOLVING = "resolving"
    PREPARING = "preparing"
    """Downloading and unpacking."""
    INSTALLING = "installing"
    """Linking or copying into the environment."""


class UvOutput:
    """Feed it what uv writes, and look at the attributes.

    Attributes:
        phase: the latest thing that it was seen doing.
        package: the package it dealt with last; empty at first.
        prepared: packages done and in all, of those that had to be fetched or unpacked.
        installed: packages done and in all.
    """

    def __init__(self) -> None:
        self.phase = UvPhase.RESOLVING
        self.package = ""
        self.prepared: tuple[int, int] | None = None
        self.installed: tuple[int, int] | None = None
        self._downloads: dict[str, tuple[int, int]] = {}
        # A piece may end in the middle of a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._lines: list[str] = []

    @property
    def downloads(self) -> dict[str, tuple[int, int]]:
        """Bytes done and in all, for each package seen downloading, the finished ones too."""
        return dict(self._downloads)

    @property
    def waiting_for(self) -> str:
        """The package of which most is still to come; empty when no download is under way."""
        left = {name: total - done for name, (done, total) in self._downloads.items() if total > done}
        return max(left, key=lambda name: left[name], default="")

    @property
    def downloaded_bytes(self) -> int:
        """Of all downloads together."""
        return sum(done for done, _ in self._downloads.values())

    @property
    def download_bytes(self) -> int:
        """Size of all downloads seen so far."""
        return sum(total for _, total in self._downloads.values())

    @property
    def text(self) -> str:
        """What it wrote for good, without bars and spinners: the last few hundred lines."""
        rest = _ESCAPE.sub("", self._rest.rstrip("\r").rpartition("\r")[2]).strip()
        return "\n".join([*self._lines, rest] if rest else self._lines)

    def feed(self, data: bytes) -> None:
        """Take in the next piece, cut anywhere."""
        whole, newline, self._rest = (self._rest + self._decoder.decode(data)).rpartition("\n")
        if newline:
            for line in whole.split("\n"):
                self._read_line(line)
        # Bars are drawn over each other without line ends, so the unfinished line would grow for as long as they move.
        # A carriage return at the very end may be half of a line end.
        ended = self._rest.rstrip("\r")
        drawn, carriage, last = ended.rpartition("\r")
        if carriage:
            self._read_drawing(drawn)
            self._rest = last + self._rest[len(ended) :]
        self._read_drawing(self._rest)

    def _read_line(self, line: str) -> None:
        drawn, _, last = line.rstrip("\r").rpartition("\r")
        self._read_drawing(drawn)
        kept = _ESCAPE.sub("", last).rstrip()
        plain = kept.strip()
        if not self._read_drawing(kept) and plain:
            self._lines.append(kept)
            del self._lines[:-_TEXT_LIMIT]
        if match := _LINE_DOWNLOAD.match(plain):
            self._set_download(match[1], 0, _bytes(match[2], match[3]))
        elif (match := _LINE_DOWNLOADED.match(plain)) and match[1] in self._downloads:
            self._finish(match[1])

    def _read_drawing(self, text: str) -> bool:
        """Whether the text shows progress and so is not worth keeping."""
        found = False
        for raw in _ESCAPE.sub("", text).split("\r"):
            segment = raw.strip()
            if match := _PREPARING.search(segment):
                found = True
                self.phase = UvPhase.PREPARING
                self.prepared = (int(match[1]), int(match[2]))
            for match in _BAR.finditer(segment):
                found = True
                self._set_download(match[1], _bytes(match[2], match[3]), _bytes(match[4], match[5]))
            if match := _INSTALLING.search(segment):
                found = True
                self._begin_installing()
                self.installed = (int(match[1]), int(match[2]))
                self.package = match[3] or self.package
            elif match := _RESOLVING.match(segment):
                found = True
                self.package = match[1]
        return found

    def _begin_installing(self) -> None:
        if self.phase is not UvPhase.INSTALLING:
            self.phase = UvPhase.INSTALLING
            # A bar vanishes when its download is done, mostly before it was drawn full.
            for name in self._downloads:
                self._finish(name)

    def _set_download(self, name: str, done: int, total: int) -> None:
        if name not in self._downloads:
            self.package = name
        before = self._downloads.get(name, (0, 0))[0]
        self.phase = UvPhase.PREPARING
        self._downloads[name] = (max(before, done), max(total, done, before))

    def _finish(self, name: str) -> None:
        total = self._downloads[name][1]
        self._downloads[name] = (total, total)


def _bytes(number: str, unit: str) -> int:
    return round(float(number) * _UNITS[unit])
