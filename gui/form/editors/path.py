"""A file or a folder, typed or chosen."""

import threading
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from core.schema.kinds import Spec
from core.schema.model import Value
from gui import theme
from gui.form.editors.base import EditorHost
from gui.form.editors.text import TextEditor
from gui.form.texts import tr
from gui.theme import SPACE

_BUTTON = SPACE * 4
_POLL_MS = 50


class PathEditor(TextEditor):
    """A line with a button that opens the system's dialog. Which of the two it is, file or folder, the person knows."""

    preferred_width = SPACE * 52

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self.browse = QToolButton(self)
        theme.set_icon(self.browse, "folder")
        self.browse.setToolTip(tr("Choose a file or a folder"))
        self.browse.clicked.connect(self._open_menu)
        self._missing: tuple[str, bool] = ("", False)
        self._answers: list[tuple[str, bool]] = []
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self._hear)

    def meaning_of(self, text: str, value: Value) -> str:
        if not text.startswith(("/", "~")):
            return ""
        if self._missing[0] != text:
            self._look(text)
        return tr("not found on this machine") if self._missing == (text, True) else ""

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

    def _look(self, text: str) -> None:
        """Ask the disk on a thread, since a network folder that hangs must not hang the window."""
        answers = self._answers
        threading.Thread(target=lambda: answers.append((text, _is_missing(text))), name="path", daemon=True).start()
        self._poll.start()

    def _hear(self) -> None:
        latest = next((answer for answer in reversed(self._answers) if answer[0] == self.text()), None)
        if latest is None:
            return
        self._poll.stop()
        self._answers.clear()
        self._missing = latest
        if not self.has_draft and self.text():
            self.meaning = self.meaning_of(latest[0], latest[0])
            self.host.complain()

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Choose a file…"), self._choose_file)
        menu.addAction(tr("Choose a folder…"), self._choose_folder)
        menu.popup(self.browse.mapToGlobal(self.browse.rect().bottomLeft()))

    def _choose_file(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        self.take(QFileDialog.getOpenFileName(self, tr("Choose a file"), self._start())[0])

    def _choose_folder(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        self.take(QFileDialog.getExistingDirectory(self, tr("Choose a folder"), self._start()))

    def _start(self) -> str:
        """Where the dialog opens: the folder of what is typed, or the home folder."""
        typed = Path(self.text()).expanduser()
        places = (typed, typed.parent) if self.text() and typed.is_absolute() else ()
        return str(next((place for place in places if place.is_dir()), Path.home()))


def _is_missing(text: str) -> bool:
    try:
        return not Path(text).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        # Not to be looked at (no rights, no such user, an impossible name): nothing can be said.
        return False
