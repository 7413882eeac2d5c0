"""The last line of the environment variables: set one that the engine's list does not have."""

import re
from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from gui.form.editors.base import LINE_HEIGHT
from gui.form.texts import tr
from gui.form.virtual_list import ListItem
from gui.theme import SPACE

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class AddVariableItem(ListItem):
    """Item of the line."""

    def __init__(self, add: Callable[[str], None]) -> None:
        super().__init__("add-variable")
        self._add = add

    def height(self, width: int) -> int:
        return LINE_HEIGHT + SPACE * 4

    def build(self, parent: QWidget) -> QWidget:
        return AddVariable(self._add, parent)

    def targets(self) -> list[QWidget]:
        return [self.widget.name, self.widget.button] if isinstance(self.widget, AddVariable) else []


class AddVariable(QWidget):
    """A name and a button that makes a row for it."""

    def __init__(self, add: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._add = add
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(tr("NAME of another variable"))
        self.name.setAccessibleName(tr("Name of another environment variable"))
        self.button = QPushButton(tr("Add variable"), self)
        self.button.setEnabled(False)
        self.button.setToolTip(tr("Add a row for a variable that the list does not have"))
        self.button.clicked.connect(self._take)
        self.name.returnPressed.connect(self._take)
        self.name.textChanged.connect(lambda text: self.button.setEnabled(bool(_NAME.fullmatch(text.strip()))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        width = min(SPACE * 34, self.width() // 2)
        self.name.setGeometry(SPACE * 2, SPACE * 2, width, LINE_HEIGHT)
        self.button.setGeometry(SPACE * 3 + width, SPACE * 2, self.button.sizeHint().width(), LINE_HEIGHT)

    def _take(self) -> None:
        name = self.name.text().strip()
        if _NAME.fullmatch(name):
            self.name.clear()
            self._add(name)
