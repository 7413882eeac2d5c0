import threading
import time
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

from core.base.errors import Cancelled, DynoError
from gui.tasks import Job, TaskRunner

Wait = Callable[..., None]


def test_work_runs_elsewhere_and_answers_here(tasks: TaskRunner, wait: Wait) -> None:
    here = threading.current_thread()
    answers: list[tuple[threading.Thread, threading.Thread]] = []
    tasks.run_task(
        lambda _: threading.current_thread(),
        on_done=lambda where: answers.append((where, threading.current_thread())),
        name="probe",
    )
    wait(lambda: answers)
    assert answers[0][0] is not here
    assert answers[0][0].name == "task-probe"
    assert answers[0][0].daemon
    assert answers[0][1] is here
    assert tasks.running() == []


def test_an_error_with_a_hint_arrives_as_it_is(tasks: TaskRunner, wait: Wait) -> None:
    errors: list[DynoError] = []
    sent = DynoError("No.", "Do it.", "raw")

    def work(_: Job) -> None:
        raise sent

    tasks.run_task(work, on_error=errors.append)
    wait(lambda: errors)
    assert errors == [sent]


def test_a_bug_becomes_words_with_the_trace_as_detail(qapp: QApplication, wait: Wait) -> None:
    tasks = TaskRunner()
    errors: list[DynoError] = []
    tasks.failed.connect(errors.append)
    tasks.run_task(lambda _: 1 // 0)
    wait(lambda: errors)
    tasks.close()
    assert "ZeroDivisionError" in errors[0].hint
    assert "test_tasks.py" in errors[0].detail
    assert isinstance(errors[0].__cause__, ZeroDivisionError)


def test_calling_off_is_no_failure(tasks: TaskRunner, wait: Wait) -> None:
    failures: list[DynoError] = []
    tasks.failed.connect(failures.append)

    def work(_: Job) -> None:
        raise Cancelled

    tasks.run_task(work)
    wait(lambda: not tasks.running())
    assert failures == []


def test_a_newer_work_makes_the_older_one_s_answer_stale(tasks: TaskRunner, wait: Wait) -> None:
    answers: list[str] = []
    release = threading.Event()
    first = tasks.run_task(lambda _: release.wait(5) and "old", on_done=answers.append, name="schema", replaces=True)
    tasks.run_task(lambda _: "new", on_done=answers.append, name="schema", replaces=True)
    assert first.job.cancel.is_set()
    wait(lambda: answers)
    release.set()
    wait(lambda: not tasks.running())
    assert answers == ["new"]


def test_other_names_are_left_alone(tasks: TaskRunner, wait: Wait) -> None:
    answers: list[str] = []
    tasks.run_task(lambda _: "a", on_done=answers.append, name="a", replaces=True)
    tasks.run_task(lambda _: "b", on_done=answers.append, name="b", replaces=True)
    wait(lambda: len(answers) == 2)
    assert sorted(answers) == ["a", "b"]


def test_asked_to_end_it_still_answers(tasks: TaskRunner, wait: Wait) -> None:
    answers: list[str] = []

    def work(job: Job) -> str:
        job.cancel.wait(5)
        return "as far as it came"

    handle = tasks.run_task(work, on_done=answers.append)
    handle.ask_to_end()
    wait(lambda: answers)
    assert answers == ["as far as it came"]


def test_progress_at_full_speed_reaches_the_window_seldom_but_whole(tasks: TaskRunner, wait: Wait) -> None:
    seen: list[int] = []
    done: list[None] = []

    def work(job: Job) -> None:
        for value in range(200_000):
            job.progress(value)

    begun = time.monotonic()
    tasks.run_task(work, on_done=done.append, on_progress=seen.append)
    wait(lambda: done)
    assert seen[-1] == 199_999
    assert seen == sorted(seen)
    assert len(seen) <= (time.monotonic() - begun) / 0.05 + 2


def test_closing_drops_answers_and_waits_for_threads(tasks: TaskRunner) -> None:
    answers: list[object] = []
    handle = tasks.run_task(lambda job: job.cancel.wait(5), on_done=answers.append)
    tasks.close()
    assert handle.thread is not None
    assert not handle.thread.is_alive()
    assert answers == []


def test_closing_does_not_wait_for_ever(tasks: TaskRunner) -> None:
    release = threading.Event()
    tasks.run_task(lambda _: release.wait(10))
    begun = time.monotonic()
    tasks.close(wait_s=0.1)
    assert time.monotonic() - begun < 2
    release.set()


@pytest.mark.parametrize("count", [40])
def test_many_at_once(tasks: TaskRunner, wait: Wait, count: int) -> None:
    answers: list[int] = []
    for number in range(count):
        tasks.run_task(lambda _, n=number: n, on_done=answers.append)
    wait(lambda: len(answers) == count)
    assert sorted(answers) == list(range(count))
