"""What the form shows while an engine is asked, and when answers are late, missing or stale."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from core.base.errors import DynoError
from core.engine.environment_model import Backend, EngineEnvironment, Origin
from core.schema.model import Argument, ArgumentSchema
from core.schema.recorded import load_recorded
from gui.schema_loader import SchemaLoader
from gui.tasks import TaskRunner

Wait = Callable[..., None]
ENGINE = EngineEnvironment(
    name="one",
    python=Path("/nowhere/one/bin/python"),
    prefix=Path("/nowhere/one"),
    version="0.33.0",
    distribution="vllm",
    backend=Backend.CUDA,
    torch="2.14.0",
    cuda="13.0",
    python_version="3.12",
    origin=Origin.ADDED,
    problem=None,
)
OTHER = replace(ENGINE, name="two", python=Path("/nowhere/two/bin/python"), version="0.32.0", backend=Backend.CPU)
OWN = ArgumentSchema(engine_version="0.33.0", arguments=(Argument(name="only_this"),))


class Engines:
    """Answers as the cache of probe answers does, when the test lets it."""

    def __init__(self) -> None:
        self.known: dict[Path, ArgumentSchema] = {}
        self.answers: dict[Path, ArgumentSchema | DynoError] = {}
        self.release = threading.Event()
        self.asked: list[tuple[Path, bool]] = []
        self.cancels: list[threading.Event] = []

    def cached(self, python: Path) -> ArgumentSchema | None:
        return self.known.get(python)

    def get(self, python: Path, refresh: bool = False, cancel: threading.Event | None = None) -> ArgumentSchema:
        assert cancel is not None
        self.asked.append((python, refresh))
        self.cancels.append(cancel)
        self.release.wait(10)
        answer = self.answers[python]
        if isinstance(answer, DynoError):
            raise answer
        return answer


@pytest.fixture
def engines() -> Engines:
    return Engines()


class Seen:
    def __init__(self, loader: SchemaLoader) -> None:
        self.schemas: list[ArgumentSchema] = []
        self.notes: list[str] = []
        self.failures: list[DynoError] = []
        loader.shown.connect(self.schemas.append)
        loader.note_changed.connect(self.notes.append)
        loader.failed.connect(self.failures.append)


@pytest.fixture
def loader(engines: Engines, tasks: TaskRunner) -> SchemaLoader:
    made = SchemaLoader(engines, tasks)
    made.begin_with(load_recorded())
    return made


@pytest.fixture
def seen(loader: SchemaLoader) -> Seen:
    return Seen(loader)


def test_the_recorded_schema_stands_until_the_engine_answers(
    loader: SchemaLoader, seen: Seen, engines: Engines, wait: Wait
) -> None:
    engines.answers[ENGINE.python] = OWN
    loader.show_for(ENGINE)
    wait(lambda: seen.notes)
    assert "0.33.0 are shown; asking your engine" in seen.notes[-1]
    engines.release.set()
    wait(lambda: loader.schema is OWN)
    assert seen.schemas == [OWN]
    assert seen.notes[-1] == ""


def test_what_is_known_is_shown_without_asking(loader: SchemaLoader, seen: Seen, engines: Engines, wait: Wait) -> None:
    engines.known[ENGINE.python] = OWN
    loader.show_for(ENGINE)
    wait(lambda: seen.schemas)
    assert engines.asked == []
    assert seen.notes == [""]


def test_the_nearest_recorded_schema_is_taken(loader: SchemaLoader, seen: Seen, engines: Engines, wait: Wait) -> None:
    engines.answers[OTHER.python] = DynoError("No.", "Do.")
    loader.show_for(OTHER)
    wait(lambda: engines.asked)
    assert loader.schema is not None
    assert (loader.schema.engine_version, loader.schema.backend) == ("0.32.0", "cpu")
    engines.release.set()
    wait(lambda: seen.failures)
    assert "0.32.0" in seen.notes[-1]


def test_an_answer_that_changes_nothing_does_not_rebuild_the_form(
    loader: SchemaLoader, seen: Seen, engines: Engines, wait: Wait
) -> None:
    same = msgspec.structs.replace(load_recorded("0.33.0", "cuda"), recorded=False, note="")
    engines.answers[ENGINE.python] = same
    engines.release.set()
    loader.show_for(ENGINE)
    wait(lambda: loader.schema is same)
    assert seen.schemas == []
    assert seen.notes[-1] == ""


def test_a_failure_keeps_the_recorded_schema_and_is_told(
    loader: SchemaLoader, seen: Seen, engines: Engines, wait: Wait
) -> None:
    engines.answers[ENGINE.python] = DynoError("The engine does not import.", "Reinstall it.")
    engines.release.set()
    loader.show_for(ENGINE)
    wait(lambda: seen.failures)
    assert seen.failures[0].message == "The engine does not import."
    assert loader.schema is not None
    assert loader.schema.recorded


def test_another_engine_makes_the_first_one_s_answer_stale(
    loader: SchemaLoader, seen: Seen, engines: Engines, wait: Wait
) -> None:
    engines.answers[ENGINE.python] = OWN
    loader.show_for(ENGINE)
    wait(lambda: engines.asked)
    engines.known[OTHER.python] = other = msgspec.structs.replace(OWN, engine_version="0.32.0", arguments=())
    loader.show_for(OTHER)
    wait(lambda: loader.schema is other)
    assert engines.cancels[0].is_set()
    engines.release.set()
    wait(lambda: not loader._tasks.running())
    assert loader.schema is other


def test_asking_again_goes_past_the_cache(loader: SchemaLoader, engines: Engines, seen: Seen, wait: Wait) -> None:
    engines.known[ENGINE.python] = OWN
    engines.answers[ENGINE.python] = newer = msgspec.structs.replace(OWN, arguments=(Argument(name="another"),))
    engines.release.set()
    loader.show_for(ENGINE)
    wait(lambda: loader.schema is OWN)
    loader.ask_again()
    wait(lambda: loader.schema is newer)
    assert engines.asked == [(ENGINE.python, True)]
