"""A line of text in a row: keys for undo belong to the document, arrows to the list of rows."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from gui import theme
from gui.form.frame import paint_frame
from gui.form.texts import tr
from gui.theme import SPACE

_MANY = 16


def is_undo_key(event: QKeyEvent) -> bool:
    """Whether the keys mean undo or redo."""
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


class LineEdit(QLineEdit):
    """A line whose undo is the document's.

    What was written is undone in the document, by the window's key, wherever the keyboard is. Only a text that could
    not be written is this line's own business: undo, or Escape, drops it.

    Args:
        has_draft: whether the text could not be written.
        drop_draft: put back the text of the value.
    """

    def __init__(self, has_draft: Callable[[], bool], drop_draft: Callable[[], None]) -> None:
        super().__init__()
        self._has_draft = has_draft
        self._drop_draft = drop_draft
        self.setFrame(False)
        self.setTextMargins(SPACE // 2, 0, 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_frame(painter, self, focused=self.hasFocus(), wrong=self._has_draft())
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and is_undo_key(event):
            event.setAccepted(self._has_draft())
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_undo_key(event):
            if self._has_draft():
                self._drop_draft()
            else:
                event.ignore()
            return
        if event.key() == Qt.Key.Key_Escape and self._has_draft():
            self._drop_draft()
            return
        super().keyPressEvent(event)


class SuggestLine(LineEdit):
    """A line that offers known words; the list is made when it is first wanted.

    Args:
        words: what is offered.
        chosen: called after a word was taken from the list.
    """

    def __init__(
        self,
        has_draft: Callable[[], bool],
        drop_draft: Callable[[], None],
        words: Sequence[str],
        chosen: Callable[[], None],
    ) -> None:
        super().__init__(has_draft, drop_draft)
        self._words = list(words)
        self._chosen = chosen
        self._open_action = QAction(self)
        theme.set_icon(self._open_action, "chevron-down", "muted")
        self._open_action.setToolTip(tr("Show the known values (Alt+Down)"))
        self._open_action.triggered.connect(self.show_words)
        self.addAction(self._open_action, QLineEdit.ActionPosition.TrailingPosition)

    @property
    def words(self) -> list[str]:
        """What is offered."""
        return self._words

    def show_words(self) -> None:
        """Open the whole list, whatever stands in the line."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        completer = self._ready()
        completer.setCompletionPrefix("")
        completer.complete()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ready()
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.show_words()
            return
        super().keyPressEvent(event)

    def _ready(self) -> QCompleter:
        completer = self.completer()
        if completer is None:
            completer = QCompleter(self._words, self)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setMaxVisibleItems(_MANY)
            self.setCompleter(completer)
            completer.activated.connect(self._take)
        return completer

    def _take(self, word: str) -> None:
        self.setText(word)
        self._chosen()


def fill(owner: QWidget, child: QWidget) -> None:
    """Let a child cover its owner. Cheaper than a layout, and rows are made by the hundred."""
    child.setParent(owner)
    owner.setFocusProxy(child)
