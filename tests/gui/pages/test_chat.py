from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from core.client.chat import ChatParameters, ChatResult
from gui.pages.chat import ChatPage, Target
from gui.pages.chat.messages import MessageCard, MessageList
from gui.pages.chat.parameters import ParameterPanel
from gui.pages.chat.prompt_box import PromptBox
from gui.tasks import TaskRunner

Wait = Callable[..., None]


def result(text: str = "Paris.", error: str | None = None, **more: object) -> ChatResult:
    fields: dict[str, object] = {
        "finish_reason": "stop",
        "ttft_s": 0.42,
        "duration_s": 3.0,
        "prompt_tokens": 47,
        "completion_tokens": 128,
        "tokens_per_s": 13.27,
        "itl_mean_s": 0.075,
    }
    return ChatResult(text=text, error=error, **{**fields, **more})


@pytest.fixture
def card(qtbot: QtBot) -> MessageCard:
    made = MessageCard("small-model", own=False)
    qtbot.addWidget(made)
    made.resize(500, 100)
    made.show()
    return made


@pytest.fixture
def page(qtbot: QtBot, tasks: TaskRunner) -> ChatPage:
    made = ChatPage(tasks, lambda: None)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def test_an_answer_grows_as_it_comes_and_is_formatted_at_the_end(card: MessageCard) -> None:
    for piece in ("It is ", "**Par", "is**."):
        card.append(piece)
    assert card.body.toPlainText() == "It is **Paris**."
    card.finish(result("It is **Paris**."))
    assert card.body.toPlainText() == "It is Paris."
    assert card.text() == "It is **Paris**."
    assert card.figures.text() == (
        "first token after 0.42 s  ·  13.3 tokens/s  ·  47 prompt + 128 answer tokens  ·  ended by itself"
    )


def test_what_is_unknown_is_not_zero(card: MessageCard) -> None:
    card.finish(result(tokens_per_s=None, prompt_tokens=None, completion_tokens=1, finish_reason="length"))
    assert "n/a" in card.figures.text()
    assert "0 prompt" not in card.figures.text()
    assert "cut at max_tokens" in card.figures.text()


def test_an_answer_is_data(card: MessageCard, tmp_path: Path) -> None:
    picture = tmp_path / "secret.png"
    image = card.grab()
    image.save(str(picture))
    card.finish(result(f"<img src='{picture}'><script>x</script>\n\n![x]({picture}) ![y](http://192.0.2.1/z.png)"))
    url = QUrl.fromLocalFile(str(picture))
    found = card.body.document().resource(QTextDocument.ResourceType.ImageResource, url)
    assert found is None or found.isNull()
    assert "<script>" in card.body.toPlainText()


def test_trouble_is_told_in_the_message(card: MessageCard) -> None:
    card.finish(result("", error="Nothing answers there.", ttft_s=None))
    assert card.problem.isVisible()
    assert card.problem.text() == "Nothing answers there.\nThe log shows what the engine says about it."
    assert not card.figures.isVisible()
    assert not card.body.isVisible()


def test_what_came_before_the_trouble_stays(card: MessageCard) -> None:
    card.append("It is Pa")
    card.finish(result("It is Pa", error="The answer broke off."))
    assert card.body.isVisible()
    assert card.problem.isVisible()


def test_a_message_is_as_high_as_its_text(card: MessageCard, qtbot: QtBot) -> None:
    card.append("one line")
    low = card.body.height()
    card.append("\nmore" * 30)
    assert card.body.height() > low * 10
    assert card.body.verticalScrollBar().maximum() == 0


def test_an_answer_is_headed_by_the_short_name_of_its_model(qtbot: QtBot) -> None:
    made = MessageCard("/home/someone/models/small", own=False)
    qtbot.addWidget(made)
    made.resize(500, 100)
    made.show()
    assert made.name.text() == "small"
    assert made.name.toolTip() == "/home/someone/models/small"


def test_no_card_is_wider_than_the_view(qtbot: QtBot, wait: Wait) -> None:
    messages = MessageList()
    qtbot.addWidget(messages)
    messages.resize(400, 300)
    messages.show()
    messages.add_card(MessageCard("an-endless-name-" * 20, own=False))
    messages.add_card(QLabel("what-cannot-be-broken" * 20))
    wait(lambda: all(300 < card.width() <= messages.viewport().width() for card in messages.cards()), 2_000)


def test_copy_takes_the_message_as_it_came(card: MessageCard, qtbot: QtBot) -> None:
    card.finish(result("a *b* c"))
    qtbot.mouseClick(card.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "a *b* c"


def test_the_list_follows_the_newest_unless_one_reads_further_up(qtbot: QtBot, wait: Wait) -> None:
    messages = MessageList()
    qtbot.addWidget(messages)
    messages.resize(400, 300)
    messages.show()
    first = MessageCard("a", own=False)
    messages.add_card(first)
    first.append("line\n" * 100)
    bar = messages.verticalScrollBar()
    wait(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    qtbot.wait(20)
    first.append("line\n" * 100)
    qtbot.wait(50)
    assert bar.value() == 0
    bar.triggerAction(bar.SliderAction.SliderToMaximum)
    qtbot.wait(20)
    first.append("line\n" * 100)
    wait(lambda: bar.value() == bar.maximum())


def test_enter_sends_and_shift_enter_does_not(qtbot: QtBot) -> None:
    box = PromptBox()
    qtbot.addWidget(box)
    sent: list[str] = []
    box.sent.connect(lambda: sent.append(box.toPlainText()))
    qtbot.keyClicks(box, "a")
    qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(box, "b")
    assert sent == []
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.keyClick(box, Qt.Key.Key_Enter, Qt.KeyboardModifier.ControlModifier)
    assert sent == ["a\nb", "a\nb"]


def test_off_means_that_nothing_is_sent(qtbot: QtBot) -> None:
    panel = ParameterPanel()
    qtbot.addWidget(panel)
    assert panel.parameters() == ChatParameters(max_tokens=512, temperature=0.7, top_p=1.0)
    panel.top_k.setValue(40)
    panel.min_p.setValue(0.05)
    panel.seed.setValue(0)
    panel.stop.setPlainText("END\n\\n\\n\n")
    sent = panel.parameters()
    assert (sent.top_k, sent.min_p, sent.seed, sent.stop) == (40, 0.05, 0, ("END", "\n\n"))


def test_the_panel_comes_back_as_it_was(qtbot: QtBot) -> None:
    first, second = ParameterPanel(), ParameterPanel()
    qtbot.addWidget(first)
    qtbot.addWidget(second)
    first.max_tokens.setValue(77)
    first.temperature.setValue(0.35)
    first.system.setPlainText("Be brief.")
    second.restore(first.state())
    assert second.parameters() == first.parameters()
    assert second.system_prompt() == "Be brief."
    second.restore({"max_tokens": "many", "temperature": True, "system": 5, "unknown": 1})
    second.restore({"max_tokens": 10**30, "parallel": 1e99, "temperature": float("nan"), "top_p": float("inf")})
    assert second.parameters() == first.parameters()
    assert second.requests() == first.requests()


def test_before_an_engine_is_ready_the_page_says_so(page: ChatPage, qtbot: QtBot) -> None:
    assert page.hint.isVisible()
    page.prompt.setPlainText("hello")
    assert not page.send_button.isEnabled()
    page.set_target(Target("http://127.0.0.1:9", "small"))
    assert not page.hint.isVisible()
    assert page.send_button.isEnabled()
    assert "small is ready" in page._empty.text.text()
    page.set_target(Target("http://127.0.0.1:9", "/home/someone/small"))
    assert page._empty.text.text().startswith("small is ready")
    assert page._empty.text.toolTip() == "/home/someone/small"


def test_while_the_engine_starts_the_page_does_not_ask_to_start_it(page: ChatPage) -> None:
    assert page._start_button.isVisible()
    assert page.hint.text() == "The engine is not ready; start it first."
    page.set_waiting("The engine is starting (Loading weights).")
    assert not page._start_button.isVisible()
    assert page.hint.text() == "The engine is starting (Loading weights)."
    assert "start the engine" not in page._empty.text.text()
    page.set_waiting("")
    page.set_target(Target("http://127.0.0.1:9", "small"))
    page.set_target(None)
    assert page._start_button.isVisible()
    assert "start the engine" in page._empty.text.text()


def test_a_server_that_is_gone_is_words_in_the_message_and_no_part_of_the_talk(
    page: ChatPage, wait: Wait, unused_port: int
) -> None:
    page.set_target(Target(f"http://127.0.0.1:{unused_port}", "small"))
    page.prompt.setPlainText("hello")
    page.send()
    wait(lambda: not page.busy)
    answer = page.messages.cards()[1]
    assert isinstance(answer, MessageCard)
    assert "Nothing answers" in answer.problem.text()
    assert page._talk == []


def test_the_key_is_not_in_what_is_printed() -> None:
    assert "hush" not in repr(Target("http://x", "m", "hush"))


def test_the_parameters_give_way_where_there_is_no_room(page: ChatPage, qtbot: QtBot) -> None:
    assert page.parameters.isVisible()
    page.resize(500, 600)
    assert not page.parameters.isVisible()
    qtbot.mouseClick(page.parameters_button, Qt.MouseButton.LeftButton)
    assert page.parameters.isVisible()
    page.resize(900, 600)
    assert page.parameters.isVisible()


def test_a_new_conversation_forgets_the_old_one(page: ChatPage) -> None:
    page.add_question("a")
    page.add_answer("m").append("b")
    page.clear()
    assert page.messages.cards() == []
    assert page._empty.isVisible()


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_of_an_answer_without_end_the_beginning_is_shown_and_all_is_copied(card: MessageCard) -> None:
    whole = "word " * 400_000
    for start in range(0, len(whole), 100_000):
        card.append(whole[start : start + 100_000])
    card.finish(result(whole))
    assert card.body.document().characterCount() < 100_000
    assert card.rest.isVisible()
    assert card.rest.text().startswith("1,940,000 more characters")
    card.copy_button.click()
    assert QGuiApplication.clipboard().text() == whole


def test_a_long_answer_that_comes_in_one_piece_is_shown_too(card: MessageCard) -> None:
    card.finish(result("word " * 20_000))
    assert card.body.toPlainText().startswith("word word")
    assert card.rest.isVisible()
