"""A file or a folder, typed or chosen."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

from core.schema.kinds import Spec
from gui import theme
from gui.form.editors.base import EditorHost
from gui.form.editors.text import TextEditor
from gui.form.texts import tr
from gui.theme import SPACE

_BUTTON = SPACE * 4


class PathEditor(TextEditor):
    """A line with a button that opens the system's dialog. Which of the two it is, file or folder, the person knows."""

    preferred_width = SPACE * 52

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self.browse = QToolButton(self)
        theme.set_icon(self.browse, "folder")
        self.browse.setToolTip(tr("Choose a file or a folder"))
        self.browse.clicked.connect(self._open_menu)

    def targets(self) -> list[QWidget]:
        return [self.line, self.browse]

    def set_names(self, name: str, description: str) -> None:
        super().set_names(name, description)
        self.browse.setAccessibleName(tr("Choose: {0}").format(name))

    def resizeEvent(self, event: QResizeEvent) -> None:
        line = self.width() - _BUTTON - SPACE // 2
        self.line.setGeometry(0, 0, line, self.height())
        self.browse.setGeometry(self.width() - _BUTTON, 0, _BUTTON, self.height())

    def take(self, path: str) -> None:
        """Enter a path as if it had been typed; an empty one changes nothing."""
        if path:
            self.line.setText(path)
            self.edited()

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Choose a file…"), self._choose_file)
        menu.addAction(tr("Choose a folder…"), self._choose_folder)
        menu.popup(self.browse.mapToGlobal(self.browse.rect().bottomLeft()))

    def _choose_file(self) -> None:
        self.take(QFileDialog.getOpenFileName(self, tr("Choose a file"), self._start())[0])

    def _choose_folder(self) -> None:
        self.take(QFileDialog.getExistingDirectory(self, tr("Choose a folder"), self._start()))

    def _start(self) -> str:
        """Where the dialog opens: the folder of what is typed, or the home folder."""
        typed = Path(self.text()).expanduser()
        places = (typed, typed.parent) if self.text() and typed.is_absolute() else ()
        return str(next((place for place in places if place.is_dir()), Path.home()))
