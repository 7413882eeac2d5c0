"""The list of all keys."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QLabel, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from gui import theme
from gui.actions import action_specs
from gui.theme import SPACE
from gui.widgets import heading


def _tr(text: str) -> str:
    return QCoreApplication.translate("actions", text)


class ShortcutSheet(QDialog):
    """The list of all keys."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QTreeWidget()
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setHeaderLabels([_tr("What"), _tr("Keys")])
        self.list.setAccessibleName(_tr("Keyboard shortcuts"))
        for spec in action_specs():
            keys = ", ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in spec.keys)
            self.list.addTopLevelItem(QTreeWidgetItem([spec.text, keys]))
        for what, keys in (
            (_tr("Send the message; a new line in it"), "Enter, Shift+Enter"),
            (_tr("Close a message, stop an answer"), "Esc"),
            (_tr("Read the whole text of a setting"), "Shift+F1"),
            (_tr("Move through the plots, zoom, back to now"), "Left, Right, +, -, Home"),
        ):
            self.list.addTopLevelItem(QTreeWidgetItem([what, keys]))
        self.list.resizeColumnToContents(0)
        hint = theme.muted(QLabel(_tr("Tab and Shift+Tab go through everything. Esc closes this list.")))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE * 2, SPACE * 2, SPACE * 2, SPACE * 2)
        layout.setSpacing(SPACE)
        layout.addWidget(heading(_tr("Keyboard shortcuts")))
        layout.addWidget(self.list)
        layout.addWidget(hint)
        self.resize(SPACE * 60, SPACE * 70)
