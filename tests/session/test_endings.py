"""Ends of processes that nobody supervises, and the words for every end."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from core.base.processes import ProcessRef
from core.engine.kin import ID_VARIABLE, kill, marked, send_all, wait_gone
from core.engine.outcome import failure, leftovers
from core.engine.rescue import end_without_worker
from core.engine.stages import Stage
from tests.session.helpers import living, seconds_until

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
MANNERLY = "import signal, sys, time; print('up', flush=True); time.sleep(600)"


@pytest.fixture
def launch() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a process with a mark, and wait until it is up."""
    made: list[subprocess.Popen[bytes]] = []

    def start(code: str, mark: str = "kin-test", *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words], env={**os.environ, ID_VARIABLE: mark}, stdout=subprocess.PIPE
        )
        made.append(process)
        assert process.stdout.readline() == b"up\n"
        return process

    yield start
    for process in made:
        with process:
            process.kill()


def test_the_mark_is_found_and_nothing_else(launch) -> None:
    first, second, other = launch(MANNERLY), launch(MANNERLY), launch(MANNERLY, "another")
    assert {process.pid for process in marked("kin-test")} == {first.pid, second.pid}
    assert [process.pid for process in marked("another")] == [other.pid]
    assert marked("nobody") == []
    first.kill()
    seconds_until(lambda: {process.pid for process in marked("kin-test")} == {second.pid}, 5)


def test_a_number_that_was_given_out_again_is_not_signalled(launch) -> None:
    process = launch(MANNERLY)
    send_all([ProcessRef(process.pid, ProcessRef.of(process.pid).started_s - 100)], signal.SIGKILL)
    assert process.poll() is None
    send_all([ProcessRef.of(process.pid)], signal.SIGKILL)
    assert process.wait(5) == -signal.SIGKILL


def test_waiting_has_an_end(launch) -> None:
    process = launch(MANNERLY)
    assert not wait_gone(lambda: marked("kin-test"), 0.25)
    process.kill()
    assert wait_gone(lambda: marked("kin-test"), 5)


def test_resource_trackers_are_killed_last(launch) -> None:
    """One that does not go by itself goes in the second round."""
    plain, tracker = launch(DEAF), launch(DEAF, "kin-test", "from multiprocessing.resource_tracker import main")
    order = []

    def remaining() -> list[ProcessRef]:
        found = marked("kin-test")
        order.append({process.pid for process in found})
        return found

    kill(remaining, 3.0)
    assert {tracker.pid} in order and {plain.pid} not in order
    # The kernel takes a moment to put a killed process away.
    seconds_until(lambda: living([plain.pid, tracker.pid]) == [], 5)


def test_an_engine_that_goes_by_itself_needs_no_rescue(launch) -> None:
    process = launch("import time; print('up', flush=True); time.sleep(1)", "rescue-test")
    outcome = end_without_worker("rescue-test", [ProcessRef.of(process.pid)])
    assert outcome.rung == "SIGTERM" and outcome.leftovers == ()


def test_an_engine_that_stays_is_killed(launch) -> None:
    """The second one is known by the worker's word alone: it has lost the mark."""
    first, second = launch(DEAF, "rescue-test"), launch(DEAF, "lost")
    outcome = end_without_worker("rescue-test", [ProcessRef.of(second.pid)])
    assert outcome.rung == "SIGKILL" and outcome.leftovers == ()
    assert first.wait(5) == second.wait(5) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("stage", "code", "error", "problem", "hint"),
    [
        (Stage.IMPORT, 2, "", "The engine ended with exit code 2 while importing.", "See the log."),
        (
            Stage.WEIGHTS,
            1,
            "KeyError: 'x'",
            "The engine ended with exit code 1 while loading the weights. KeyError: 'x'",
            "See the log.",
        ),
        (
            Stage.READY,
            -9,
            "",
            "The engine was killed by SIGKILL while serving.",
            "Perhaps the system ran out of memory. See the log.",
        ),
        (Stage.COMPILE, -11, "", "The engine was killed by SIGSEGV while compiling.", "See the log."),
        (Stage.SERVER, -99, "", "The engine was killed by signal 99 while starting its server.", "See the log."),
        (Stage.LAUNCH, None, "", "The engine ended while starting.", "See the log."),
    ],
)
def test_words_for_an_end(stage: Stage, code: int | None, error: str, problem: str, hint: str) -> None:
    assert failure(stage, code, error) == (problem, hint)


@pytest.mark.parametrize("stage", Stage)
def test_every_stage_has_words(stage: Stage) -> None:
    assert failure(stage, 1, "")[0].startswith("The engine ended with exit code 1 while ")


def test_words_for_what_is_left() -> None:
    assert leftovers(()) == ""
    assert leftovers((7,)) == "1 process of the engine could not be ended (7)."
    assert leftovers((7, 9)) == "2 processes of the engine could not be ended (7, 9)."
