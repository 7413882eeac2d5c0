"""A form over a real recorded schema and a real document, connected the way the window connects them."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.config.document import ConfigDocument
from core.schema.model import ArgumentSchema
from core.schema.overlay import load_overlay
from core.schema.recorded import load_recorded
from gui.form import FormView
from gui.form.row import Row


class Person:
    """Somebody at the form: reaches rows, types, clicks, and reads the document."""

    def __init__(self, qtbot: QtBot, form: FormView, document: ConfigDocument, schema: ArgumentSchema) -> None:
        self.qtbot = qtbot
        self.form = form
        self.document = document
        self.schema = schema

    def row(self, key: str) -> Row:
        """The row of a setting, in sight."""
        row = self.form.row(key)
        assert row is not None, f"{key} has no row"
        return row

    def type(self, key: str, text: str) -> Row:
        """Replace the text of a setting's editor, key by key."""
        row = self.row(key)
        self.replace(row.editor.targets()[0], text)
        return row

    def replace(self, target: QWidget, text: str) -> None:
        """Wipe a line or box and type."""
        target.setFocus()
        self.qtbot.keyClick(target, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.qtbot.keyClick(target, Qt.Key.Key_Delete)
        for number, line in enumerate(text.split("\n")):
            if number:
                self.qtbot.keyClick(target, Qt.Key.Key_Return)
            self.qtbot.keyClicks(target, line)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key, to whatever has the keyboard."""
        focus = QApplication.focusWidget()
        assert focus is not None
        self.qtbot.keyClick(focus, key, modifier)

    def click_reset(self, row: Row) -> None:
        """The reset button of a row."""
        assert row.reset_button is not None, f"{row.item.key} shows no reset button"
        self.qtbot.mouseClick(row.reset_button, Qt.MouseButton.LeftButton)

    def click(self, row: Row, where: QPoint) -> None:
        """A place in a row."""
        self.qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=where)

    def search(self, text: str) -> list[str]:
        """Type into the search; keys of what is listed then."""
        self.form.focus_search()
        self.replace(self.form.header.search, text)
        return self.form.listed()

    def settle(self) -> None:
        """Let everything be painted."""
        for _ in range(3):
            QApplication.processEvents()


MakePerson = Callable[..., Person]


@pytest.fixture
def make_person(qtbot: QtBot) -> MakePerson:
    def make(schema: ArgumentSchema | None = None, *, width: int = 620, height: int = 800) -> Person:
        document = ConfigDocument()
        form = FormView(load_overlay(), document)
        document.changed.connect(form.refresh)
        qtbot.addWidget(form)
        form.resize(width, height)
        shown = schema or load_recorded(backend="cuda")
        form.show_schema(shown)
        with qtbot.waitExposed(form):
            form.show()
        form.activateWindow()
        qtbot.waitUntil(form.isActiveWindow)
        person = Person(qtbot, form, document, shown)
        person.settle()
        return person

    return make


@pytest.fixture
def person(make_person: MakePerson) -> Person:
    return make_person()
