from collections.abc import Callable

import pytest

from core.base.errors import DynoError
from core.base.paths import Paths
from core.config.working_state import SavedState, WorkingState
from gui.autosave import Autosave
from gui.tasks import TaskRunner

Wait = Callable[..., None]


@pytest.fixture
def collected() -> list[SavedState]:
    return []


@pytest.fixture
def working(paths: Paths) -> WorkingState:
    return WorkingState(paths)


@pytest.fixture
def autosave(working: WorkingState, tasks: TaskRunner, collected: list[SavedState]) -> Autosave:
    def collect() -> SavedState:
        collected.append(SavedState(values={"max_model_len": len(collected) + 1}))
        return collected[-1]

    return Autosave(working, collect, tasks)


def test_many_edits_are_one_save_a_moment_later(
    autosave: Autosave, working: WorkingState, collected: list[SavedState], wait: Wait
) -> None:
    for _ in range(20):
        autosave.touch()
    assert collected == []
    wait(working.path.exists)
    assert len(collected) == 1
    assert working.load().values == {"max_model_len": 1}


def test_the_last_save_comes_before_the_end(autosave: Autosave, working: WorkingState, wait: Wait) -> None:
    ended: list[bool] = []
    autosave.touch()
    autosave.finish(lambda: ended.append(working.path.exists()))
    wait(lambda: ended)
    assert ended == [True]


def test_a_save_that_fails_is_told_and_the_end_comes_all_the_same(autosave: Autosave, paths: Paths, wait: Wait) -> None:
    paths.config.parent.mkdir(parents=True)
    paths.config.write_text("a file where the folder should be")
    errors: list[DynoError] = []
    ended: list[bool] = []
    autosave.failed.connect(errors.append)
    autosave.finish(lambda: ended.append(True))
    wait(lambda: ended)
    assert "could not be saved" in errors[0].message


def test_after_a_failure_the_next_change_tries_again(
    autosave: Autosave, working: WorkingState, paths: Paths, wait: Wait
) -> None:
    paths.config.parent.mkdir(parents=True)
    paths.config.write_text("a file where the folder should be")
    errors: list[DynoError] = []
    autosave.failed.connect(errors.append)
    autosave.touch()
    wait(lambda: errors)
    paths.config.unlink()
    autosave.touch()
    wait(working.path.exists)
    assert working.load().values == {"max_model_len": 2}


def test_the_last_save_waits_for_the_one_under_way(
    autosave: Autosave, working: WorkingState, collected: list[SavedState], wait: Wait
) -> None:
    autosave.touch()
    wait(lambda: collected)
    ended: list[bool] = []
    autosave.finish(lambda: ended.append(True))
    wait(lambda: ended)
    assert len(collected) == 2
    assert working.load().values == {"max_model_len": 2}


def test_on_hold_nothing_is_saved(
    autosave: Autosave, working: WorkingState, collected: list[SavedState], wait: Wait
) -> None:
    autosave.touch()
    autosave.hold()
    autosave.touch()
    ended: list[bool] = []
    autosave.finish(lambda: ended.append(True))
    wait(lambda: ended)
    assert collected == []
    assert not working.path.exists()
