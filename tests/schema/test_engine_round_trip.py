"""The real engine reads back what we write: every argument, every kind of value, one start of the engine."""

import os
from pathlib import Path

import pytest

from core.schema.ask import probe
from core.schema.model import ArgumentSchema, Kind
from tests.schema.conditions import UNREADABLE
from tests.schema.round_trip import Reading, engine_reads, kinds_in, write_all

pytestmark = pytest.mark.engine

# A CUDA build needs no driver for this; it is large, so it is used only where somebody points at one.
CUDA_ENGINE = os.environ.get("VLLM_DYNO_TEST_CUDA_ENGINE")


@pytest.fixture(scope="module", params=["engine", *(["cuda"] if CUDA_ENGINE else [])])
def python(request: pytest.FixtureRequest) -> Path:
    return Path(CUDA_ENGINE) if request.param == "cuda" else request.getfixturevalue("engine_python")


@pytest.fixture(scope="module")
def schema(python: Path) -> ArgumentSchema:
    return probe(python)


@pytest.fixture(scope="module")
def readings(python: Path, schema: ArgumentSchema, tmp_path_factory: pytest.TempPathFactory) -> "Readings":
    return Readings(python, schema, tmp_path_factory.mktemp("config") / "options.yaml")


class Readings:
    """All answers of one start of the engine."""

    def __init__(self, python: Path, schema: ArgumentSchema, options: Path) -> None:
        options.write_text("seed: 4711\n")
        written = write_all(schema)
        requests = [{"name": argument.name, "argv": argv} for argument, _, argv in written]
        special = [
            {"name": "help", "argv": ["some/model", "--help"]},
            {"name": "seed", "argv": ["some/model", "--config", str(options)]},
            {"name": "model_tag", "argv": ["--model", "another/model"]},
        ]
        self.names, answers = engine_reads(python, requests + special)
        self.help, self.config, self.model = answers[-3:]
        self.all = [
            Reading(argument.name, value, argv, answer)
            for (argument, value, argv), answer in zip(written, answers[:-3], strict=True)
        ]


def test_the_schema_has_the_arguments_of_the_parser_in_its_order(schema: ArgumentSchema, readings: Readings) -> None:
    assert sorted(argument.name for argument in schema.arguments) == sorted(readings.names)
    assert len({argument.name for argument in schema.arguments}) == len(schema.arguments) > 150


def test_every_argument_has_a_group_a_kind_and_a_text(schema: ArgumentSchema) -> None:
    groups = {group.name for group in schema.groups}
    for argument in schema.arguments:
        assert argument.group in groups, argument.name
        assert argument.kind is not Kind.RAW, argument.name
        assert argument.help.strip(), argument.name
    assert [argument.name for argument in schema.arguments if argument.own_help] == []


def test_every_value_is_read_back_by_the_engine_as_it_was_written(schema: ArgumentSchema, readings: Readings) -> None:
    problems = [problem for reading in readings.all if (problem := reading.problem())]
    assert problems == []
    assert {reading.name for reading in readings.all} == {a.name for a in schema.arguments} - UNREADABLE.keys()
    assert kinds_in(schema) >= set(Kind) - {Kind.RAW, Kind.MAPPING}


def test_the_three_that_cannot_be_read_back_do_what_they_say(readings: Readings) -> None:
    assert readings.help["exit"] == 0
    assert readings.config["value"] == 4711
    assert readings.model["value"] == "another/model"
