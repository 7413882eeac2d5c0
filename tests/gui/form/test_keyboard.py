"""Everything can be reached without a mouse."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QVBoxLayout, QWidget

from core.schema.model import Kind
from core.schema.overlay import Level
from gui.form.row import Row
from tests.gui.form.conftest import MakePerson, Person
from tests.gui.form.test_editors import first


def focused_row(person: Person) -> str:
    """Key of the row that has the keyboard."""
    focus = QApplication.focusWidget()
    return next(
        item.key
        for item in person.form.list.shown
        if isinstance(item.widget, Row) and focus is not None and item.widget.isAncestorOf(focus)
    )


def in_sight(person: Person) -> bool:
    """Whether what has the keyboard is on the screen."""
    focus = QApplication.focusWidget()
    assert focus is not None
    view = person.form.list.viewport()
    top = focus.mapTo(view, focus.rect().topLeft()).y()
    return top >= 0 and top + focus.height() <= view.height()


def row_with_more(person: Person) -> Row:
    """The first row in sight whose text goes on."""
    rows = [item.widget for item in person.form.list.shown if isinstance(item.widget, Row)]
    return next(row for row in rows if not row.more_rect.isEmpty())


def test_down_walks_through_every_row_and_up_back_to_the_search(person: Person) -> None:
    person.form.focus_search()
    person.press(Qt.Key.Key_Down)
    walked = [focused_row(person)]
    for _ in person.form.listed()[1:]:
        person.press(Qt.Key.Key_Down)
        assert in_sight(person)
        walked.append(focused_row(person))
    assert walked == person.form.listed()
    for key in reversed(person.form.listed()):
        assert focused_row(person) == key
        person.press(Qt.Key.Key_Up)
    assert QApplication.focusWidget() is person.form.header.search
    assert person.document.values == {}


def test_tab_visits_every_row_in_reading_order(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    person.form.focus_search()
    person.press(Qt.Key.Key_Down)
    listed = person.form.listed()
    seen: list[str] = []
    while len(seen) < len(listed):
        key = focused_row(person)
        assert in_sight(person), key
        if not seen or seen[-1] != key:
            seen.append(key)
        if key == listed[-1]:
            break
        person.press(Qt.Key.Key_Tab)
    assert seen == listed


def test_tab_visits_the_parts_of_a_row_and_backtab_returns(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    name = first(person, Kind.PATH)
    person.document.set(name, "/tmp")
    row = person.row(name)
    targets = row.targets()
    assert len(targets) == 3
    for target in targets[1:]:
        person.press(Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is target
    person.press(Qt.Key.Key_Tab)
    assert focused_row(person) != name
    person.press(Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is targets[-1]


def test_tab_leaves_the_list_at_both_ends_and_comes_in_at_both_ends(make_person: MakePerson, qtbot) -> None:
    person = make_person()
    window = QWidget()
    qtbot.addWidget(window)
    before, after = QLineEdit(), QLineEdit()
    layout = QVBoxLayout(window)
    for widget in (before, person.form, after):
        layout.addWidget(widget)
    window.resize(620, 900)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    after.setFocus()
    person.press(Qt.Key.Key_Backtab)
    assert focused_row(person) == person.form.listed()[-1]
    person.press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is after
    person.form.list.verticalScrollBar().setValue(0)
    person.form.header.problems_chip.setFocus()
    person.press(Qt.Key.Key_Tab)
    assert focused_row(person) == person.form.listed()[0]
    person.press(Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is person.form.header.problems_chip
    person.form.setParent(None)


def test_arrows_and_pages_change_no_value(person: Person) -> None:
    person.form.header.set_level(Level.TUNING)
    person.form.focus_search()
    person.press(Qt.Key.Key_Down)
    for _ in range(60):
        for key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
            person.press(key)
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
        person.press(key)
        assert in_sight(person)
    assert person.document.values == {}


def test_the_ends_of_the_list_have_keys(person: Person) -> None:
    person.form.header.set_level(Level.EVERYTHING)
    person.form.focus_search()
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Down)
    person.qtbot.keyClick(person.form.list, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    bar = person.form.list.verticalScrollBar()
    assert bar.value() == bar.maximum()
    person.qtbot.keyClick(person.form.list, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert bar.value() == 0


def test_escape_goes_to_the_search(person: Person) -> None:
    person.row(person.form.listed()[4])
    person.press(Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is person.form.header.search


def test_shift_f1_opens_the_whole_text_and_the_rest_of_the_form_stays_in_place(person: Person) -> None:
    row = next(
        item.widget
        for item in person.form.list.shown
        if isinstance(item.widget, Row) and item.widget.more_rect.height()
    )
    low = row.height()
    row.editor.targets()[0].setFocus()
    top = row.mapTo(person.form.list.viewport(), row.rect().topLeft()).y()
    person.press(Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    person.settle()
    assert row.height() > low
    assert row.mapTo(person.form.list.viewport(), row.rect().topLeft()).y() == top
    person.press(Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    assert row.height() == low


def test_more_is_a_click_away(person: Person) -> None:
    row = next(
        item.widget
        for item in person.form.list.shown
        if isinstance(item.widget, Row) and item.widget.more_rect.height()
    )
    low = row.height()
    person.click(row, row.more_rect.center())
    person.settle()
    assert row.height() > low
    person.click(row, row.more_rect.center())
    person.settle()
    assert row.height() == low


def test_every_target_has_a_name_and_the_row_a_tooltip_with_its_flag(person: Person) -> None:
    for argument in person.schema.arguments:
        row = person.row(argument.name)
        assert argument.flag in row.toolTip(), argument.name
        for target in row.targets():
            assert target.accessibleName(), argument.name
        assert argument.flag in row.editor.targets()[0].accessibleDescription(), argument.name


def test_the_menu_of_a_row_resets_and_copies(person: Person) -> None:
    name = first(person, Kind.INT, nargs="")
    row = person.type(name, "5")
    person.qtbot.keyClick(row, Qt.Key.Key_Menu)
    menu = person.form.window().findChild(QMenu)
    texts = [action.text() for action in menu.actions()]
    assert "Reset to the default" in texts
    menu.actions()[-1].trigger()
    assert QApplication.clipboard().text() == person.schema.by_name()[name].flag
    menu.actions()[0].trigger()
    menu.close()
    assert not person.document.is_set(name)
