"""The form inside the window: what only shows when the window hides and shows it."""

from pytestqt.qtbot import QtBot

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
