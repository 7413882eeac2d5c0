import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.clock import now
from core.engine.environment_model import Backend, Origin
from core.engine.snapshot import SessionSnapshot, State
from core.engine.stages import Stage
from gui import words
from gui.state_view import StateView


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_a_word_and_a_shape(state: State) -> None:
    assert words.state_word(state)
    assert words.state_icon(state)[0].startswith("state-")


def test_no_two_states_that_matter_share_a_shape() -> None:
    shapes = [words.state_icon(state)[0] for state in (State.IDLE, State.STARTING, State.READY, State.FAILED)]
    assert len(set(shapes)) == 4


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_has_words(stage: Stage) -> None:
    assert words.stage_word(stage)
    assert words.stage_mark(stage)


def test_every_build_and_origin_has_words() -> None:
    assert all(words.backend_word(backend) for backend in Backend)
    assert all(words.origin_word(origin) for origin in Origin)


@pytest.mark.parametrize(
    ("snapshot", "lines"),
    [
        (SessionSnapshot(), ("Not running", "")),
        (
            SessionSnapshot(
                state=State.STARTING,
                stage=Stage.WEIGHTS,
                stage_detail="shard 3 of 8",
                stage_fraction=0.375,
                started_s=77.0,
            ),
            ("Starting  0:23", "Loading weights · shard 3 of 8"),
        ),
        (
            SessionSnapshot(state=State.READY, stage=Stage.READY, started_s=17.0, ready_after_s=61.2, model="small"),
            ("Ready  0:21", "small · after 1:01"),
        ),
        (SessionSnapshot(state=State.STOPPING), ("Stopping", "waiting for the engine to end")),
        (
            SessionSnapshot(state=State.STOPPED, stop_took_s=0.42, stop_rung="SIGINT"),
            ("Stopped", "in 0.42 s (SIGINT)"),
        ),
        (SessionSnapshot(state=State.FAILED, problem="It broke."), ("Failed", "It broke.")),
    ],
)
def test_a_state_in_two_lines(snapshot: SessionSnapshot, lines: tuple[str, str]) -> None:
    assert words.state_lines(snapshot, moment_s=100.0) == lines


def test_the_view_shows_how_far_a_stage_is(qtbot: QtBot, qapp: QApplication) -> None:
    view = StateView()
    qtbot.addWidget(view)
    view.resize(300, 60)
    view.show()
    view.show_snapshot(SessionSnapshot(state=State.STARTING, stage=Stage.WEIGHTS, stage_fraction=0.25, started_s=now()))
    assert view.progress.isVisible()
    assert view.progress.value() * 4 == view.progress.maximum()
    view.show_snapshot(SessionSnapshot(state=State.STARTING, stage=Stage.COMPILE, started_s=now()))
    assert view.progress.maximum() == 0
    view.show_snapshot(SessionSnapshot(state=State.STOPPED))
    assert not view.progress.isVisible()


def test_the_time_runs_on_while_the_engine_lives(qtbot: QtBot) -> None:
    view = StateView()
    qtbot.addWidget(view)
    view.show()
    view.show_snapshot(SessionSnapshot(state=State.STARTING, stage=Stage.IMPORT, started_s=now() - 0.6))
    before = view.first.whole()
    qtbot.waitUntil(lambda: view.first.whole() != before, timeout=3000)
    view.show_snapshot(SessionSnapshot(state=State.STOPPED))


def test_a_long_text_is_shortened_and_whole_in_the_tooltip(qtbot: QtBot) -> None:
    view = StateView()
    qtbot.addWidget(view)
    view.resize(200, 60)
    view.show()
    problem = "The engine could not be started because of " + "many reasons, " * 20
    view.show_snapshot(SessionSnapshot(state=State.FAILED, problem=problem))
    assert view.second.text() != problem
    assert view.second.toolTip() == problem
    assert view.width() == 200


def test_a_local_model_does_not_push_the_time_out(qtbot: QtBot) -> None:
    model = "/home/someone/with/a/long/way/to/models/small"
    snapshot = SessionSnapshot(state=State.READY, model=model, started_s=0.0, ready_after_s=12.0)
    assert words.state_lines(snapshot, 20.0)[1] == "small · after 12.0 s"
    view = StateView()
    qtbot.addWidget(view)
    view.show_snapshot(snapshot)
    assert view.toolTip() == model
    view.show_snapshot(SessionSnapshot())


def test_an_engine_on_its_way_says_why_it_does_not_answer() -> None:
    assert words.waiting_words(SessionSnapshot(state=State.STARTING)) == "The engine is starting."
    loading = SessionSnapshot(state=State.STARTING, stage=Stage.WEIGHTS)
    assert words.waiting_words(loading) == f"The engine is starting ({words.stage_word(Stage.WEIGHTS)})."
    assert words.waiting_words(SessionSnapshot(state=State.STOPPING)) == "The engine is stopping."
    assert not any(words.waiting_words(SessionSnapshot(state=state)) for state in (State.IDLE, State.READY))
