"""The notification bar: what is wrong with the surroundings, in words, with what can be done. Never a dialog."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import DynoError
from gui import theme
from gui.theme import SPACE
from gui.widgets import copy_text, tool_button

_MOST_NOTES = 3
_GOOD_NEWS_MS = 8000
_DETAIL_LINES = 8


class Level(StrEnum):
    """How much a note matters; the value is its colour role and its icon."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "accent"
    OK = "ok"


_ICONS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "info", Level.OK: "check"}


@dataclass(frozen=True, slots=True)
class NoteAction:
    """A button on a note. It closes the note unless `keeps` is set."""

    text: str
    run: Callable[[], object]
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to tell.

    Attributes:
        key: a later note with the same key takes this one's place; empty is the message itself.
        fades: closes by itself after some seconds; for good news only.
    """

    level: Level
    message: str
    hint: str = ""
    detail: str = ""
    actions: tuple[NoteAction, ...] = ()
    key: str = ""
    fades: bool = False


class NoteCard(QFrame):
    """One note as it is drawn."""

    closed = Signal()

    def __init__(self, shown: Note) -> None:
        super().__init__()
        self.note = shown
        self.setObjectName("note")
        self._icon = QLabel()
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setText(f"{shown.message}\n{shown.hint}" if shown.hint else shown.message)
        self.setAccessibleName(self.text.text())
        self.buttons = [self._action(action) for action in shown.actions]
        self.close_button = tool_button("close", self.tr("Close this message (Esc)"), self.closed.emit)
        top = QHBoxLayout()
        top.setSpacing(SPACE)
        top.addWidget(self._icon)
        top.addWidget(self.text, 1)
        for button in self.buttons:
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.detail_view: QPlainTextEdit | None = None
        if shown.detail:
            details = QPushButton(self.tr("Details"))
            details.setCheckable(True)
            details.toggled.connect(self._show_detail)
            top.addWidget(details, 0, Qt.AlignmentFlag.AlignVCenter)
        top.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE * 2, SPACE // 2, SPACE, SPACE // 2)
        layout.setSpacing(SPACE // 2)
        layout.addLayout(top)
        theme.notifier().changed.connect(self._paint)
        self._paint()
        if shown.fades:
            fading = QTimer(self)
            fading.setSingleShot(True)
            fading.timeout.connect(self.closed)
            fading.start(_GOOD_NEWS_MS)

    def _action(self, action: NoteAction) -> QPushButton:
        button = QPushButton(action.text)

        def clicked() -> None:
            action.run()
            if not action.keeps:
                self.closed.emit()

        button.clicked.connect(clicked)
        return button

    def _show_detail(self, on: bool) -> None:
        if self.detail_view is None:
            view = QPlainTextEdit(self.note.detail)
            view.setReadOnly(True)
            view.setFont(theme.font_mono(small=True))
            view.setAccessibleName(self.tr("Details"))
            view.setFixedHeight(view.fontMetrics().lineSpacing() * _DETAIL_LINES + SPACE * 2)
            copy = QPushButton(self.tr("Copy details"))
            copy.clicked.connect(lambda: copy_text(f"{self.text.text()}\n\n{self.note.detail}"))
            self.detail_view = view
            box = QVBoxLayout()
            box.addWidget(view)
            box.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
            self._detail_box = QWidget()
            self._detail_box.setLayout(box)
            self.layout().addWidget(self._detail_box)
        self._detail_box.setVisible(on)

    def _paint(self) -> None:
        look = theme.colors()
        self._icon.setPixmap(theme.pixmap(_ICONS[self.note.level], 20, self.note.level.value, self.devicePixelRatioF()))
        color = getattr(look, self.note.level.value)
        self.setStyleSheet(
            f"#note {{ background: {look.raised}; border: 0; border-left: 4px solid {color};"
            f" border-bottom: 1px solid {look.border}; }}"
        )


class NotificationBar(QWidget):
    """A stack of notes, newest on top, oldest dropped beyond three. Takes no room while there is nothing to tell."""

    def __init__(self) -> None:
        super().__init__()
        self._cards: list[NoteCard] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.setVisible(False)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.close_newest)

    def notes(self) -> list[Note]:
        """What is shown, newest first."""
        return [card.note for card in self._cards]

    def cards(self) -> list[NoteCard]:
        """The notes as drawn, newest first."""
        return list(self._cards)

    def show_note(self, note: Note) -> None:
        """Tell something; a note of the same key is replaced."""
        key = note.key or note.message
        for card in list(self._cards):
            if (card.note.key or card.note.message) == key:
                self._remove(card)
        card = NoteCard(note)
        card.closed.connect(lambda: self._remove(card))
        self._cards.insert(0, card)
        self._layout.insertWidget(0, card)
        for old in self._cards[_MOST_NOTES:]:
            self._remove(old)
        self.setVisible(True)

    def show_problem(self, error: DynoError, *actions: NoteAction, key: str = "") -> None:
        """Tell a problem with its hint and details."""
        self.show_note(Note(Level.ERROR, error.message, error.hint, error.detail, actions, key))

    def close_note(self, key: str) -> None:
        """Take the note of this key away, if it is there."""
        for card in list(self._cards):
            if (card.note.key or card.note.message) == key:
                self._remove(card)

    def close_newest(self) -> None:
        """Take the newest note away."""
        if self._cards:
            self._remove(self._cards[0])

    def _remove(self, card: NoteCard) -> None:
        if card not in self._cards:
            return
        self._cards.remove(card)
        self._layout.removeWidget(card)
        card.setParent(None)
        card.deleteLater()
        self.setVisible(bool(self._cards))
