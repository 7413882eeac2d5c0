"""The demo in the window, with an engine that is a small program: what is shown, the picture, cancel, failure."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

import core.demo
from core.base.errors import Cancelled, DynoError
from core.base.paths import Paths
from core.config.working_state import WorkingState
from core.demo import QUESTION, DemoReport
from core.engine.environment_model import EngineEnvironment
from core.engine.snapshot import State
from core.schema.model import ArgumentSchema
from core.schema.recorded import load_recorded
from gui.demo_run import DemoRun, begin_demo
from gui.pages.chat.messages import MessageCard
from gui.wiring import Wiring

Wait = Callable[..., None]
_LIMIT_MS = 60_000


class RecordedSchemas:
    """The small program has no parser of its own."""

    def get(self, python: Path, refresh: bool = False, cancel: threading.Event | None = None) -> ArgumentSchema:
        return load_recorded(backend="cpu")

    def cached(self, python: Path) -> ArgumentSchema:
        return self.get(python)


@pytest.fixture(autouse=True)
def _short_and_local(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.demo, "_LOAD_S", 1.5)
    monkeypatch.setattr(core.demo, "_PICTURE_AFTER_S", 0.7)
    monkeypatch.setattr(core.demo, "_QUIET_BEFORE_STOP_S", 0.0)
    monkeypatch.setattr(core.demo, "embedded_model", lambda _paths: model)


@pytest.fixture
def ready(fake_engine: EngineEnvironment, window: Wiring, wait: Wait) -> Wiring:
    wait(lambda: window.engines.chosen is not None)
    window.services.schemas = RecordedSchemas()
    return window


def outcome(run: DemoRun, qtbot: QtBot, begin: Callable[[], None]) -> DemoReport | DynoError:
    with qtbot.waitSignal(run.finished, timeout=_LIMIT_MS) as told:
        begin()
    return told.args[0]


def test_it_shows_what_it_does_and_leaves_the_engine_running(ready: Wiring, qtbot: QtBot) -> None:
    ready.document.set("max_num_seqs", 7)
    run = DemoRun(ready)
    report = outcome(run, qtbot, run.begin)
    assert isinstance(report, DemoReport)
    assert ready.services.session.snapshot.state is State.READY
    assert ready.document.values["max_model_len"] == 1024
    texts = [card.text() for card in ready.window.chat.messages.cards() if isinstance(card, MessageCard)]
    assert texts[0] == QUESTION
    assert "Paris" in texts[1]
    assert any("Undo" in note.hint for note in ready.window.notes.notes())
    ready.document.undo()
    assert dict(ready.document.values) == {"max_num_seqs": 7}


def test_the_button_begins_it(ready: Wiring, qtbot: QtBot, wait: Wait) -> None:
    ready.window.actions_by_name["demo"].trigger()
    wait(lambda: ready.services.session.snapshot.state is State.READY, _LIMIT_MS)
    run = ready.findChild(DemoRun)
    assert run is not None
    wait(lambda: not run.running, _LIMIT_MS)


def test_it_is_refused_while_an_engine_runs(ready: Wiring, qtbot: QtBot, wait: Wait) -> None:
    run = DemoRun(ready)
    outcome(run, qtbot, run.begin)
    run.begin()
    assert not run.running
    assert "Stop it, then run the demo." in [note.hint for note in ready.window.notes.notes()]


def test_it_can_be_called_off(ready: Wiring, qtbot: QtBot, wait: Wait) -> None:
    ready.document.set_environment("FAKE_START_S", "30")
    run = DemoRun(ready)

    def begin() -> None:
        run.begin()
        wait(lambda: ready.services.session.snapshot.state is State.STARTING, _LIMIT_MS)
        run.cancel()

    assert isinstance(outcome(run, qtbot, begin), Cancelled)
    wait(lambda: ready.services.session.snapshot.state.at_rest, _LIMIT_MS)
    assert not any(note.key == "demo" for note in ready.window.notes.notes())


def test_a_failure_is_told(ready: Wiring, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_CRASH", "config")
    run = DemoRun(ready)
    told = outcome(run, qtbot, run.begin)
    assert isinstance(told, DynoError)
    assert told.message in [note.message for note in ready.window.notes.notes()]
    assert not run.running


@pytest.mark.usefixtures("fake_engine")
def test_without_a_person_it_prints_takes_a_picture_and_puts_everything_back(
    open_window: Callable[..., Wiring],
    paths: Paths,
    tmp_path: Path,
    qtbot: QtBot,
    capsys: pytest.CaptureFixture[str],
) -> None:
    picture = tmp_path / "pictures" / "demo.png"
    wiring = open_window(until="")
    wiring.settled.connect(lambda: setattr(wiring.services, "schemas", RecordedSchemas()))
    begin_demo(wiring, ["demo", "--json", "--screenshot", str(picture)])
    with qtbot.waitSignal(wiring.closed, timeout=_LIMIT_MS):
        wiring.open()
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert "Paris" in report["completion"]
    assert report["leftover_processes"] == 0
    assert report["screenshot"] == str(picture)
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1600, 1000)
    assert WorkingState(paths, wiring.overlay).load().values == {}
