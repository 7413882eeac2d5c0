"""The form inside the window: what only shows when the window hides and shows it."""

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from core.engine.environment_model import EngineEnvironment
from core.engine.snapshot import State
from gui.form.row import Row
from gui.wiring import Wiring


def test_rows_made_while_the_form_was_hidden_do_not_show_all_at_once(window: Wiring, qtbot: QtBot) -> None:
    main = window.window
    main.form.show_schema(window.schema)
    main.show_page("engines")
    known = -1

    def all_made() -> bool:
        nonlocal known
        before, known = known, len(main.form.list.findChildren(Row))
        return before == known > 100

    while not all_made():
        qtbot.wait(300)
    main.show_page("tune")
    qtbot.wait(50)
    shown = [row for row in main.form.list.findChildren(Row) if row.isVisible()]
    tops = [row.y() for row in shown]
    assert len(tops) == len(set(tops))
    assert len(shown) < 20


def test_text_that_cannot_be_taken_keeps_the_engine_from_starting(
    fake_engine: EngineEnvironment, model: Path, window: Wiring, qtbot: QtBot, wait: Callable[..., None]
) -> None:
    main = window.window
    wait(lambda: window.engines.chosen is not None)
    window.document.set("model_tag", str(model))
    assert main.form.reveal("max_model_len")
    row = main.form.row("max_model_len")
    assert row is not None
    target = row.editor.targets()[0]
    target.setFocus()
    qtbot.keyClicks(target, "5x")
    assert main.form.refused() == ["max_model_len"]
    main.show_page("engines")
    main.actions_by_name["start"].trigger()
    assert window.services.session.snapshot.state is State.IDLE
    assert main.page == "tune"
    (card,) = [card for card in main.notes.cards() if card.note.key == "engine"]
    assert "max_model_len" in card.note.message
    card.buttons[0].click()
    wait(lambda: window.services.session.snapshot.state is State.READY, 60_000)
