"""The list builds what is in sight, keeps what was built, and does not move what one looks at."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from core.schema.overlay import Level
from gui.form.row import Row
from gui.form.row_item import RowItem
from gui.form.virtual_list import ListItem, VirtualList
from tests.gui.form.conftest import Person


class Block(ListItem):
    """An item that turns out `real` pixels high when it is built, after it was reckoned with `reckoned`."""

    def __init__(self, number: int, reckoned: int, real: int | None = None) -> None:
        super().__init__(f"block {number}")
        self.reckoned = reckoned
        self.real = reckoned if real is None else real

    def height(self, width: int) -> int:
        return self.reckoned

    def exact_height(self, width: int) -> int:
        return self.real

    def build(self, parent: QWidget) -> QWidget:
        return QLineEdit(parent)

    def targets(self) -> list[QWidget]:
        return [self.widget] if self.widget is not None else []


def make_list(qtbot: QtBot, blocks: list[Block]) -> VirtualList:
    shown = VirtualList()
    qtbot.addWidget(shown)
    shown.resize(300, 400)
    shown.set_items(blocks)
    with qtbot.waitExposed(shown):
        shown.show()
    return shown


def top_of(shown: VirtualList, block: Block) -> int:
    assert block.widget is not None
    return block.widget.mapTo(shown.viewport(), block.widget.rect().topLeft()).y()


def test_only_what_is_in_sight_is_built(qtbot: QtBot) -> None:
    blocks = [Block(number, 40) for number in range(5_000)]
    shown = make_list(qtbot, blocks)
    assert sum(block.widget is not None for block in blocks) <= 12
    shown.verticalScrollBar().setValue(100_000)
    assert sum(block.widget is not None for block in blocks) <= 24
    assert blocks[2_500].widget.isVisible()
    assert not blocks[0].widget.isVisible()


def test_items_touch_each_other_whatever_their_heights(qtbot: QtBot) -> None:
    blocks = [Block(number, 40, 25 + number % 7 * 10) for number in range(300)]
    shown = make_list(qtbot, blocks)
    for value in (0, 333, 2_000, 5_000, 1_000, 0):
        shown.verticalScrollBar().setValue(value)
        bottom = None
        for item in shown.shown:
            assert item.widget is not None
            geometry = item.widget.geometry()
            assert geometry.height() == item.real
            assert bottom is None or geometry.top() == bottom
            bottom = geometry.top() + geometry.height()
        visible = [item for item in shown.shown if -item.real < top_of(shown, item) < 400]
        assert top_of(shown, visible[0]) <= 0
        assert top_of(shown, visible[-1]) + visible[-1].real >= 400


def test_scrolling_up_over_unknown_heights_moves_nothing_in_sight(qtbot: QtBot) -> None:
    blocks = [Block(number, 40, 90) for number in range(200)]
    shown = make_list(qtbot, blocks)
    shown.scroll_to(150)
    for _ in range(30):
        mark = next(item for item in shown.shown if top_of(shown, item) > 60)
        before = top_of(shown, mark)
        shown.verticalScrollBar().setValue(shown.verticalScrollBar().value() - 30)
        assert top_of(shown, mark) == before + 30


def test_an_item_that_grows_above_moves_nothing_in_sight(qtbot: QtBot) -> None:
    blocks = [Block(number, 40) for number in range(200)]
    shown = make_list(qtbot, blocks)
    shown.scroll_to(100)
    before = top_of(shown, blocks[102])
    blocks[3].reckoned = 500
    shown.item_resized(blocks[3])
    assert top_of(shown, blocks[102]) == before


def test_other_items_with_the_place_kept(qtbot: QtBot) -> None:
    blocks = [Block(number, 40) for number in range(200)]
    shown = make_list(qtbot, blocks)
    shown.scroll_to(100)
    before = top_of(shown, blocks[100])
    shown.set_items([*blocks[50:], *blocks[:50]], keep_place=True)
    assert top_of(shown, blocks[100]) == before
    shown.set_items(blocks[150:], keep_place=True)
    assert shown.verticalScrollBar().value() == 0


def test_what_has_the_keyboard_keeps_it_out_of_sight(qtbot: QtBot) -> None:
    blocks = [Block(number, 40) for number in range(200)]
    shown = make_list(qtbot, blocks)
    shown.activateWindow()
    qtbot.waitUntil(shown.isActiveWindow)
    shown.focus_item(2)
    shown.verticalScrollBar().setValue(4_000)
    assert QApplication.focusWidget() is blocks[2].widget
    qtbot.keyClick(blocks[2].widget, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is blocks[3].widget
    assert 0 <= top_of(shown, blocks[3]) < 400


def test_an_empty_list_takes_every_call(qtbot: QtBot) -> None:
    shown = make_list(qtbot, [])
    shown.remeasure()
    shown.resize(500, 500)
    assert not shown.focus_first()
    assert shown.top_key() == ""
    assert shown.place_of("anything") is None


def test_typed_text_survives_scrolling_and_searching(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    name = next(one.name for one in person.schema.arguments if one.kind == "int")
    row = person.type(name, "nonsense")
    bar = person.form.list.verticalScrollBar()
    bar.setValue(bar.maximum())
    person.search("something else entirely")
    person.search("")
    again = person.row(name)
    assert again is row
    assert again.editor.targets()[0].text() == "nonsense"


def test_the_form_builds_a_screenful_at_the_start(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    built = [item for item in person.form.list.items if isinstance(item, RowItem) and item.widget is not None]
    assert 3 <= len(built) <= 20


def test_reckoned_heights_come_near_the_real_ones(person: Person) -> None:
    """The scroll bar must not lie much: within a tenth for the whole form."""
    person.form.header.set_level(Level.EVERYTHING)
    for width in (500, 620, 1300):
        person.form.resize(width, 800)
        rows = [item for item in person.form.list.items if isinstance(item, RowItem)]
        viewport = person.form.list.viewport().width()
        reckoned = {row.key: row.height(viewport) for row in rows if row.widget is None}
        real = {key: person.row(key).item.exact_height(viewport) for key in list(reckoned)[::6]}
        assert real or width != 500
        total = sum(real.values())
        assert abs(sum(reckoned[key] for key in real) - total) <= total * 0.1


def test_a_long_text_wraps_or_is_shortened_but_never_cut(make_person) -> None:
    from tests.gui.form import schemas

    for width in (420, 1300):
        person = make_person(schemas.LONG_TEXTS, width=width)
        row: Row = person.row(person.schema.arguments[0].name)
        runs, more = row.item.runs(row.width())
        metrics = row.item.context.metrics
        assert not more.isEmpty()
        for run in runs:
            assert run.rect.right() <= row.width()
            assert metrics.face(run.font).width(run.text) <= run.rect.width() + 2, run.text
        person.form.hide()
