"""The first exception of the engine, which is nearer to the cause than the last one.

vLLM's API server ends with "Engine core initialization failed", whatever the engine process said before; and every
process repeats its traceback. So the first exception of an engine or worker process counts, then that of any other.
"""

import re

_LIMIT = 600
_PROCESS = re.compile(r"^\s*\((?P<name>[A-Za-z][^()]*?)(?: rank=\d+)? pid=\d+\)\s?")
_RECORD = re.compile(r"^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d [\d:,.]+ (?:\[[^\]]*\]|[\w.]+:\d+\])\s?")
_RANK = re.compile(r"^\[rank\d+\]:\s?")
_EXCEPTION = re.compile(
    r"^(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|OutOfMemory|Failure|Refused))"
    r"(?:: (?P<text>.*))?$"
)
_ARGUMENTS = re.compile(r"^[\w. /-]+: error: (?P<text>.+)$")
_VALIDATION = re.compile(r"^(?:[\w.]+: )?\d+ validation errors? for \w+")
_REASON = re.compile(r"^\s*(?:Value error|Assertion failed), (?P<text>.*?)(?: \[type=.*)?$")
# Said by a process about another one: never the cause.
_ECHOES = re.compile(
    r"Engine core initialization failed|Engine process failed to start|EngineCore (?:failed|encountered)"
    r"|WorkerProc initialization failed|Worker failed with error|EngineDeadError"
)
# All there is when the engine process was killed; a process that wrote its own exception says more.
_DEATH = re.compile(r"EngineDeadError|(?:Engine core|Worker) proc \S+ died unexpectedly")
_DIED = "Its core process died."
# Cheap first look, since nearly every line of a log is no error.
_HINT = re.compile("rror|died|xception|Interrupt|Exit|OutOfMemory|Failure|Refused")
_STOPPED = re.compile(r"^(?:\w+\.)*(?:KeyboardInterrupt|SystemExit|CancelledError)")


class FirstError:
    """Reads a log line by line and keeps one error of each kind of process; memory does not grow."""

    def __init__(self) -> None:
        self._engine = ""
        self._other = ""
        self._death = ""
        self._awaiting: str | None = None

    @property
    def text(self) -> str:
        """The error to tell; empty when there was none."""
        return self._engine or self._other or self._death

    def feed(self, line: str) -> None:
        """Read one line."""
        if self._awaiting is None and not _HINT.search(line):
            return
        process, message = _split(line)
        if self._awaiting is not None:
            reason = _REASON.match(message)
            if reason:
                self._keep(self._awaiting, reason["text"])
                self._awaiting = None
            elif not message.startswith((" ", "\t")) and message:
                self._awaiting = None
        if _VALIDATION.match(message):
            self._awaiting = process  # what is wrong comes a line or two later
            return
        if _DEATH.search(message):
            self._death = _DIED
        wrong = _ARGUMENTS.match(message)
        found = wrong["text"] if wrong else message if _EXCEPTION.match(message) else ""
        if found and not _ECHOES.search(found) and not _STOPPED.match(found):
            self._keep(process, found)

    def _keep(self, process: str, text: str) -> None:
        text = text.strip()[:_LIMIT]
        if process.startswith(("EngineCore", "Worker", "VllmWorker", "Engine")):
            self._engine = self._engine or text
        else:
            self._other = self._other or text


def _split(line: str) -> tuple[str, str]:
    """The process that wrote the line, and its message without prefixes and colours."""
    text = re.sub(r"\x1b\[[\d;]*m", "", line)
    match = _PROCESS.match(text)
    process = match["name"] if match else ""
    text = text[match.end() :] if match else text
    for prefix in (_RECORD, _RANK):
        text = prefix.sub("", text, count=1)
    return process, text.rstrip()
