"""Start, talk, stop, and every way in which that can go wrong, with an engine that is a small program."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.base.errors import Cancelled
from core.config.command import plan
from core.engine.environment_model import EngineEnvironment
from core.engine.snapshot import State
from gui.pages.chat.load_card import LoadCard
from gui.pages.chat.messages import MessageCard
from gui.tasks import Job
from gui.wiring import Wiring

Wait = Callable[..., None]

pytestmark = pytest.mark.usefixtures("fake_engine")


@pytest.fixture
def ready_to_start(fake_engine: EngineEnvironment, window: Wiring, model: Path, wait: Wait) -> Wiring:
    wait(lambda: window.engines.chosen is not None)
    window.document.set("model_tag", str(model))
    return window


def state(wiring: Wiring) -> State:
    return wiring.services.session.snapshot.state


def start(wiring: Wiring, wait: Wait) -> None:
    wiring.window.actions_by_name["start"].trigger()
    wait(wiring.window.top_bar.endpoint.url, 60_000)


def messages(wiring: Wiring) -> list[str]:
    # Nobody can ask the small program for its arguments; that it is told has a test of its own.
    return [note.message for note in wiring.window.notes.notes() if note.key != "probe"]


def test_start_talk_stop(ready_to_start: Wiring, qtbot: QtBot, wait: Wait) -> None:
    wiring, main = ready_to_start, ready_to_start.window
    qtbot.mouseClick(main.top_bar.run_button, Qt.MouseButton.LeftButton)
    wait(lambda: main.top_bar.run_button.text() == "Stop (starting)")
    assert not main.top_bar.engines.isEnabled()
    wait(main.top_bar.endpoint.url, 60_000)
    assert main.top_bar.run_button.text() == "Stop"
    assert main.top_bar.state.first.whole().startswith("Ready")
    qtbot.mouseClick(main.top_bar.endpoint.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == main.top_bar.endpoint.url()
    assert main.engines_page._running == wiring.engines.chosen.prefix
    assert main.log.isVisible()
    wait(lambda: "Resolved architecture" in main.log.text.toPlainText())

    main.show_page("try")
    qtbot.keyClicks(main.chat.prompt, "What is the capital of France?")
    qtbot.keyClick(main.chat.prompt, Qt.Key.Key_Return)
    wait(lambda: not main.chat.busy, 30_000)
    question, answer = (card for card in main.chat.messages.cards() if isinstance(card, MessageCard))
    assert question.text() == "What is the capital of France?"
    assert "Paris" in answer.text()
    assert "tokens/s" in answer.figures.text()
    assert "first token after" in answer.figures.text()

    qtbot.keyClick(main, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    wait(lambda: state(wiring) is State.STOPPED, 30_000)
    wait(lambda: main.top_bar.run_button.text() == "Start")
    assert main.top_bar.state.first.whole() == "Stopped"
    assert not main.top_bar.endpoint.isVisible()
    assert main.top_bar.engines.isEnabled()
    assert {mark.kind for mark in wiring.live.life.marks} >= {"launch", "weights", "ready", "stop"}
    assert str(wiring.services.models.recent()[0].reference) == wiring.document.values["model_tag"]


def test_it_says_that_the_running_engine_has_other_settings(ready_to_start: Wiring, wait: Wait) -> None:
    shown, document = ready_to_start.window.top_bar.state, ready_to_start.document
    document.set("max_model_len", 512)
    start(ready_to_start, wait)
    assert "restart to apply" not in shown.second.whole()
    document.set("max_model_len", 1024)
    document.set_environment("VLLM_LOGGING_LEVEL", "DEBUG")
    assert "restart to apply" in shown.second.whole()
    assert "--max-model-len" in shown.toolTip()
    assert "VLLM_LOGGING_LEVEL" in shown.second.toolTip()
    document.set("max_model_len", 512)
    document.reset_environment("VLLM_LOGGING_LEVEL")
    assert "restart to apply" not in shown.second.whole()
    assert "--max-model-len" not in shown.toolTip()
    document.set("max_model_len", 1024)
    ready_to_start.control.stop()
    wait(lambda: shown.first.whole() == "Stopped", 30_000)
    assert "restart to apply" not in shown.second.whole()


def test_an_engine_that_the_window_did_not_start_has_what_was_set_then(
    fake_engine: EngineEnvironment, ready_to_start: Wiring, wait: Wait
) -> None:
    schema = ready_to_start.live.schemas.schema
    document, services = ready_to_start.document, ready_to_start.services
    document.set_environment("FAKE_START_S", "60")
    services.session.start(fake_engine, plan(schema, services.overlay, document.values, document.environment))
    shown = ready_to_start.window.top_bar.state
    wait(lambda: shown.first.whole().startswith("Starting"))
    assert ready_to_start.control.changed_names() == []
    document.set("max_model_len", 512)
    assert ready_to_start.control.changed_names() == ["--max-model-len"]
    assert "restart to apply" in shown.second.whole()


def test_while_it_starts_no_page_asks_to_start_it(ready_to_start: Wiring, wait: Wait) -> None:
    main = ready_to_start.window
    ready_to_start.document.set_environment("FAKE_START_S", "60")
    main.show_page("try")
    main.actions_by_name["start"].trigger()
    wait(lambda: main.chat.hint.text().startswith("The engine is starting ("))
    assert not main.chat._start_button.isVisible()
    ready_to_start.control.stop()
    wait(main.chat._start_button.isVisible, 30_000)


def test_stop_while_starting(ready_to_start: Wiring, qtbot: QtBot, wait: Wait) -> None:
    ready_to_start.document.set_environment("FAKE_START_S", "60")
    ready_to_start.window.actions_by_name["start"].trigger()
    wait(lambda: ready_to_start.window.top_bar.run_button.text() == "Stop (starting)")
    qtbot.wait(500)
    qtbot.mouseClick(ready_to_start.window.top_bar.run_button, Qt.MouseButton.LeftButton)
    wait(lambda: ready_to_start.window.top_bar.run_button.text() == "Start", 30_000)
    assert state(ready_to_start) is State.STOPPED
    assert ready_to_start.services.session.snapshot.leftover_pids == ()


def test_a_failed_start_says_why_and_leads_to_the_log(ready_to_start: Wiring, qtbot: QtBot, wait: Wait) -> None:
    ready_to_start.document.set_environment("FAKE_CRASH", "weights")
    ready_to_start.document.set_environment("FAKE_ERROR", "ValueError: these weights are odd")
    ready_to_start.window.actions_by_name["start"].trigger()
    wait(lambda: messages(ready_to_start), 60_000)
    assert state(ready_to_start) is State.FAILED
    assert "these weights are odd" in " ".join(messages(ready_to_start))
    assert ready_to_start.window.top_bar.state.first.whole() == "Failed"
    card = next(card for card in ready_to_start.window.notes.cards() if card.note.key == "engine")
    qtbot.mouseClick(card.buttons[0], Qt.MouseButton.LeftButton)
    assert ready_to_start.window.page == "log"
    wait(lambda: "these weights are odd" in ready_to_start.window.log.text.toPlainText())


def test_a_new_start_takes_the_old_trouble_away(ready_to_start: Wiring, wait: Wait) -> None:
    ready_to_start.document.set_environment("FAKE_CRASH", "config")
    ready_to_start.window.actions_by_name["start"].trigger()
    wait(lambda: messages(ready_to_start), 60_000)
    ready_to_start.document.reset_environment("FAKE_CRASH")
    start(ready_to_start, wait)
    assert messages(ready_to_start) == []
    wait(lambda: "Resolved architecture" in ready_to_start.window.log.text.toPlainText())


def test_without_a_model_it_does_not_start_and_says_so(window: Wiring, wait: Wait) -> None:
    wait(lambda: window.engines.chosen is not None)
    window.window.actions_by_name["start"].trigger()
    assert messages(window) == ["No model is chosen."]
    assert state(window) is State.IDLE


def test_a_taken_port_names_who_has_it(ready_to_start: Wiring, wait: Wait) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ready_to_start.document.set("port", taken.getsockname()[1])
        ready_to_start.window.actions_by_name["start"].trigger()
        wait(lambda: messages(ready_to_start), 30_000)
    assert str(ready_to_start.document.values["port"]) in messages(ready_to_start)[0]


def test_an_engine_that_dies_takes_the_talk_along(ready_to_start: Wiring, wait: Wait) -> None:
    ready_to_start.document.set_environment("FAKE_CRASH", "serving")
    ready_to_start.document.set_environment("FAKE_CRASH_AFTER_S", "1")
    start(ready_to_start, wait)
    wait(lambda: messages(ready_to_start), 60_000)
    assert state(ready_to_start) is State.FAILED
    assert not ready_to_start.window.chat.send_button.isEnabled()


def test_several_at_once_and_stop(ready_to_start: Wiring, qtbot: QtBot, wait: Wait) -> None:
    start(ready_to_start, wait)
    chat = ready_to_start.window.chat
    chat.parameters.parallel.setValue(4)
    chat.parameters.repeats.setValue(2)
    chat.prompt.setPlainText("Go")
    assert chat.send_button.text() == "Send 8 times"
    chat.send()
    wait(lambda: not chat.busy, 60_000)
    load = next(card for card in chat.messages.cards() if isinstance(card, LoadCard))
    assert load.table.topLevelItemCount() == 8
    assert "8 of 8 requests" in load.summary.text()
    assert "tokens/s altogether" in load.summary.text()


def test_an_answer_can_be_stopped(fake_engine: EngineEnvironment, ready_to_start: Wiring, wait: Wait) -> None:
    ready_to_start.document.set_environment("FAKE_TOKENS_PER_S", "2")
    start(ready_to_start, wait)
    chat = ready_to_start.window.chat
    chat.prompt.setPlainText("Go on and on")
    chat.send()
    answer = chat.messages.cards()[1]
    assert isinstance(answer, MessageCard)
    wait(answer.text, 30_000)
    assert chat.send_button.text() == "Stop"
    chat.stop()
    wait(lambda: not chat.busy, 10_000)
    assert "stopped by you" in answer.figures.text()


def test_closing_asks_while_the_engine_runs_and_stops_it(ready_to_start: Wiring, qtbot: QtBot, wait: Wait) -> None:
    start(ready_to_start, wait)
    window, closing = ready_to_start.window, ready_to_start.closing
    window.close()
    assert window.isVisible()
    assert closing.question is not None
    cancel = next(button for button in closing.question.buttons() if "Cancel" in button.text())
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert state(ready_to_start) is State.READY
    assert closing.question is None
    window.close()
    stop = next(button for button in closing.question.buttons() if "Stop" in button.text())
    assert isinstance(stop, QPushButton)
    with qtbot.waitSignal(ready_to_start.closed, timeout=30_000):
        qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
    assert not window.isVisible()
    assert ready_to_start.services.session.snapshot.leftover_pids == ()
    assert ready_to_start.services.session.engine_pids() == []


def test_closing_calls_an_installation_off(window: Wiring, qtbot: QtBot) -> None:
    ended: list[bool] = []

    def slow(job: Job) -> None:
        ended.append(job.cancel.wait(30))
        raise Cancelled

    window.tasks.run_task(slow, name="engine-work")
    window.window.close()
    question = window.closing.question
    assert question is not None
    assert "installation" in question.text()
    stop = next(button for button in question.buttons() if "Stop" in button.text())
    with qtbot.waitSignal(window.closed, timeout=30_000):
        qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
    assert ended == [True]


def test_a_flood_in_the_log_does_not_slow_the_window(ready_to_start: Wiring, wait: Wait) -> None:
    ready_to_start.document.set_environment("FAKE_FLOOD", "20000")
    start(ready_to_start, wait)
    wait(lambda: ready_to_start.window.log.text.line_count() > 20_000, 60_000)
