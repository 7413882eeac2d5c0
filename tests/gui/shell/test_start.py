"""The order of the start, and a way out at every moment of it."""

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from gui.wiring import Wiring

OpenWindow = Callable[..., Wiring]


def test_the_form_is_there_with_the_first_picture_and_the_rest_follows(qtbot: QtBot, open_window: OpenWindow) -> None:
    wiring = open_window(until="")
    order: list[str] = []
    wiring.window.painted.connect(lambda: order.append("painted"))
    wiring.usable.connect(lambda: order.append("usable"))
    wiring.settled.connect(lambda: order.append("settled"))
    with qtbot.waitSignal(wiring.usable, timeout=20_000):
        wiring.open()
    assert "model_tag" in wiring.window.form.listed()
    assert wiring.live is None
    with qtbot.waitSignal(wiring.settled, timeout=30_000):
        pass
    assert order == ["painted", "usable", "settled"]


def test_closing_before_everything_is_built(qtbot: QtBot, open_window: OpenWindow) -> None:
    wiring = open_window(until="usable")
    with qtbot.waitSignal(wiring.closed, timeout=20_000):
        wiring.window.close()
    assert not wiring.window.isVisible()
    assert wiring.live is None


def test_a_page_chosen_before_it_is_built_appears_when_it_is(qtbot: QtBot, open_window: OpenWindow) -> None:
    wiring = open_window(until="usable")
    wiring.window.show_page("log")
    with qtbot.waitSignal(wiring.settled, timeout=30_000):
        pass
    assert wiring.window.log.isVisible()


def test_the_keyboard_goes_to_what_is_missing(open_window: OpenWindow, qtbot: QtBot) -> None:
    first = open_window(until="usable")
    assert first.window.focusWidget() is first.window.top_bar.models.combo
    first.document.set("model_tag", "org/name")
    with qtbot.waitSignal(first.settled, timeout=30_000):
        pass
    with qtbot.waitSignal(first.closed, timeout=20_000):
        first.close_now()
    second = open_window(until="usable")
    assert second.window.focusWidget() is second.window.form.header.search
    assert second.window.top_bar.models.edit.cursorPosition() == 0
