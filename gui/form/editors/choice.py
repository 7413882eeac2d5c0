"""One of several known values."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from core.config.json_values import same_value
from core.schema.kinds import Spec, check_value, format_text
from core.schema.model import Value
from gui import theme
from gui.form.editors.base import LINE_HEIGHT, Editor, EditorHost
from gui.form.editors.line import LineEdit, SuggestLine, fill
from gui.form.editors.text import TextEditor
from gui.form.frame import ICON, color, paint_frame, picture
from gui.form.texts import default_words, tr
from gui.theme import SPACE

_SEARCHABLE_FROM = 13
"""From so many choices on the list can be searched by typing."""
_MOST_NEAR = 4


class Combo(QComboBox):
    """A list to choose from that never changes by accident: the wheel scrolls the page, and so do the arrows.

    It opens by Space, Enter, F4 or Alt+Down, and letters choose. The first entry is the default and is painted quietly.
    """

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.colors()
        painter = QPainter(self)
        painter.fillRect(self.rect().adjusted(2, 2, -2, -2), color(look.surface))
        paint_frame(painter, self, focused=self.hasFocus())
        arrow = picture("chevron-down", "muted", self.devicePixelRatioF(), look)
        painter.drawPixmap(self.width() - ICON - SPACE // 2, (self.height() - ICON) // 2, arrow)
        painter.setPen(color(look.text if self.currentIndex() > 0 else look.muted))
        rect = self.rect().adjusted(SPACE // 2 + 2, 0, -ICON - SPACE, 0)
        text = painter.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if plain and event.key() in _PAGE_KEYS:
            event.ignore()
            return
        if plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.showPopup()
            return
        super().keyPressEvent(event)


_PAGE_KEYS = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)


class ChoiceEditor(Editor):
    """A short list; its first entry is the default."""

    preferred_width = SPACE * 34

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self.combo = Combo()
        self.combo.addItem(tr("Default ({0})").format(default_words(spec)))
        self.combo.addItems([format_text(spec, choice) for choice in spec.choices])
        self.combo.setMaxVisibleItems(_SEARCHABLE_FROM)
        self.combo.activated.connect(self._chosen)
        fill(self, self.combo)

    def show_state(self, is_set: bool, value: Value) -> None:
        self.message = (check_value(self.spec, value) or "") if is_set else ""
        self._set_foreign(format_text(self.spec, value) if self.message else "")
        if not is_set:
            self.combo.setCurrentIndex(0)
            return
        known = (place for place, choice in enumerate(self.spec.choices, start=1) if same_value(choice, value))
        self.combo.setCurrentIndex(next(known, self.combo.count() - 1))

    def height_for(self, width: int) -> int:
        return LINE_HEIGHT

    def targets(self) -> list[QWidget]:
        return [self.combo]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.combo.setGeometry(self.rect())

    def _set_foreign(self, text: str) -> None:
        """A value that is none of the choices stays visible as a last entry."""
        last = len(self.spec.choices) + 1
        if self.combo.count() > last:
            self.combo.removeItem(last)
        if text:
            self.combo.addItem(text)

    def _chosen(self, place: int) -> None:
        if place == 0:
            self.message = ""
            self.host.clear()
        elif place <= len(self.spec.choices):
            self.message = ""
            self.host.commit(self.spec.choices[place - 1])


class SearchChoiceEditor(TextEditor):
    """A long list: typing searches it, and only a word of the list is taken."""

    preferred_width = SPACE * 34

    def make_line(self) -> LineEdit:
        return SuggestLine(lambda: self.has_draft, self.drop_draft, self._words(), self.edited)

    def refusal(self, text: str, reason: str) -> str:
        near = [word for word in self._words() if text.lower() in word.lower()][:_MOST_NEAR]
        if not near:
            return tr("{0} is none of the {1} choices.").format(text, len(self.spec.choices))
        return tr("{0} is not complete. It could be: {1}.").format(text, ", ".join(near))

    def _words(self) -> list[str]:
        return [format_text(self.spec, choice) for choice in self.spec.choices]


def make_choice(spec: Spec, host: EditorHost) -> Editor:
    """The editor that fits the length of the list."""
    return (ChoiceEditor if len(spec.choices) < _SEARCHABLE_FROM else SearchChoiceEditor)(spec, host)
