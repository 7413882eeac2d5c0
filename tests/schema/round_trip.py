"""Writes values with `kinds.to_argv` and has an engine's own parser read them back, all in one start of the engine."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.schema.ask import SCRIPT, clean_environment
from core.schema.kinds import check_value, to_argv
from core.schema.model import Argument, ArgumentSchema, Kind, Value
from tests.schema.conditions import UNREADABLE, changed_by_engine
from tests.schema.values import argument_values

_READER = Path(__file__).with_name("read_back.py")
_BEGIN, _END = "-----BEGIN ANSWERS-----", "-----END ANSWERS-----"


@dataclass(frozen=True)
class Reading:
    """What the engine made of one command line.

    Attributes:
        name: the argument.
        value: what was written.
        argv: how it was written.
        answer: `{"value"}`, or `{"exit", "message"}` when the parser ended.
    """

    name: str
    value: Value
    argv: list[str]
    answer: dict[str, Any]

    def problem(self) -> str:
        """Empty when the engine read what was written."""
        if "exit" in self.answer:
            return f"{self.name}: {self.argv} was refused: {self.answer['message'].strip()[-300:]}"
        if not _same(self.name, self.value, self.answer["value"]):
            return f"{self.name}: {self.value!r} written as {self.argv} was read as {self.answer['value']!r}"
        return ""


def engine_reads(python: Path, requests: list[dict[str, Any]]) -> tuple[list[str], list[dict[str, Any]]]:
    """The parser's destinations, and its answer to each request (`{"name", "argv"}`, the words after `serve`)."""
    process = subprocess.run(
        [python, "-P", _READER, SCRIPT.parent],
        input=json.dumps(requests).encode(),
        capture_output=True,
        env=clean_environment(os.environ),
        timeout=400,
        check=False,
    )
    printed = process.stdout.decode()
    assert _BEGIN in printed, process.stderr.decode()[-3000:]
    document = json.loads(printed.split(_BEGIN)[1].split(_END)[0])
    return document["names"], document["answers"]


def write_all(schema: ArgumentSchema) -> list[tuple[Argument, Value, list[str]]]:
    """Every argument with every value that is made for it, and the words that set it."""
    written = []
    for argument in schema.arguments:
        if argument.name in UNREADABLE:
            continue
        for value in argument_values(argument):
            assert check_value(argument, value) is None, f"{argument.name}: {value!r}: {check_value(argument, value)}"
            argv = to_argv(argument, value)
            written.append((argument, value, argv if argument.positional else ["some/model", *argv]))
    return written


def _same(name: str, expected: Value, read: Any) -> bool:
    """Whether the engine's value is the one that was written; of marked classes the fields that were set count."""
    if isinstance(read, dict) and "__class__" in read:
        fields = read["fields"]
        written = _named_path(expected) if isinstance(expected, str) else expected
        return isinstance(written, dict) and all(
            changed_by_engine(name, key) or (key in fields and _same(name, value, fields[key]))
            for key, value in written.items()
        )
    if isinstance(read, dict) and "__enum__" in read:
        return str(expected) in [str(word) for word in read["__enum__"]]
    if isinstance(read, dict) and "__set__" in read:
        return isinstance(expected, list) and sorted(expected, key=str) == read["__set__"]
    if isinstance(expected, dict):
        return (
            isinstance(read, dict)
            and expected.keys() == read.keys()
            and all(_same(name, value, read[key]) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(read, list)
            and len(expected) == len(read)
            and all(_same(name, *pair) for pair in zip(expected, read, strict=True))
        )
    if isinstance(expected, float):
        return isinstance(read, int | float) and float(read) == expected
    return type(expected) is type(read) and expected == read


def _named_path(text: str) -> dict[str, Value]:
    """What the engine makes of `name=path`."""
    name, _, path = text.partition("=")
    return {"name": name, "path": path}


def kinds_in(schema: ArgumentSchema) -> set[Kind]:
    """The kinds that occur, so that a test can tell that none was left out."""
    return {argument.kind for argument in schema.arguments}
