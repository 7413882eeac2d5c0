"""JSON: as text, or as rows for the fields of the class behind it. Both edit the same value."""

import json

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.config.masking import hide_secrets
from core.schema.kinds import Spec, check_value
from core.schema.model import Value
from gui import theme
from gui.form.editors.base import LINE_HEIGHT, Editor, EditorHost
from gui.form.editors.items import BoxEditor
from gui.form.segments import SegmentBar
from gui.form.texts import tr, value_words
from gui.theme import SPACE

_ONE_LINE = 60
_MOST_LINES = 18
_SUMMARY, _FIELDS, _TEXT = range(3)


class JsonTextEditor(BoxEditor):
    """JSON as text, laid out over several lines where it is long."""

    preferred_width = SPACE * 72
    block = True
    most_lines = _MOST_LINES

    def placeholder(self) -> str:
        return tr('JSON, such as {"key": value}')

    def to_text(self, value: Value) -> str:
        text = super().to_text(value)
        if isinstance(value, dict | list) and len(text) > _ONE_LINE:
            return json.dumps(value, indent=2, ensure_ascii=False)
        return text


class ObjectEditor(Editor):
    """An object whose fields are known: a summary, and on demand the fields as rows or the text.

    It is the host of its own text box. Text that is not valid keeps the text view open.
    """

    preferred_width = SPACE * 100
    block = True

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self._state: tuple[bool, Value] = (False, None)
        self._names = ("", "")
        self.box: JsonTextEditor | None = None
        words = [tr("Summary"), tr("Fields ({0})").format(len(spec.fields)), tr("Text")]
        self.bar = SegmentBar(words, self, quiet=range(len(words)))
        self.bar.select(_SUMMARY)
        self.bar.chosen.connect(self._chosen)
        self.bar.setToolTip(tr("How to look at this object"))
        self.setFocusProxy(self.bar)

    @property
    def has_draft(self) -> bool:
        return self.box is not None and self.box.has_draft

    def open_fields(self) -> None:
        """Show the fields as rows."""
        self.bar.select(_FIELDS)
        self._chosen(_FIELDS)

    def show_state(self, is_set: bool, value: Value) -> None:
        self._state = (is_set, value)
        self.message = (check_value(self.spec, value) or "") if is_set else ""
        if self.box is not None:
            self.box.show_state(is_set, value)
        self._offer_fields()
        self.update()

    def height_for(self, width: int) -> int:
        if self.bar.current != _TEXT or self.box is None:
            return LINE_HEIGHT
        return LINE_HEIGHT + SPACE + self.box.height_for(width)

    def targets(self) -> list[QWidget]:
        shown = self.bar.current == _TEXT and self.box is not None
        return [self.bar, *(self.box.targets() if shown else [])]

    def set_names(self, name: str, description: str) -> None:
        self._names = (name, description)
        self.bar.set_name(name)
        self.bar.setAccessibleDescription(f"{self.summary()}. {description}")
        if self.box is not None:
            self.box.set_names(name, description)

    def summary(self) -> str:
        """The value on one line, keys and values in words; secrets masked."""
        is_set, value = self._state
        if not is_set:
            return tr("not set")
        shown = hide_secrets(value)
        if not isinstance(shown, dict):
            return value_words(self.spec, shown)
        fields = {field.name: field for field in self.spec.fields}
        return " · ".join(
            f"{key}: {value_words(fields.get(key, self.spec), item)}" for key, item in shown.items()
        ) or tr("empty object")

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        left = self.bar.width() + SPACE + SPACE // 2
        rect = QRect(left, 0, self.width() - left, LINE_HEIGHT)
        painter = QPainter(self)
        painter.setPen(QColor(theme.colors().text if self._state[0] else theme.colors().muted))
        text = painter.fontMetrics().elidedText(self.summary(), Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()

    def commit(self, value: Value) -> None:
        """The text box has a value."""
        self._state = (True, value)
        self._relay()
        self.host.commit(value)

    def clear(self) -> None:
        """The text box was emptied."""
        self._state = (False, None)
        self._relay()
        self.host.clear()

    def complain(self) -> None:
        """The text box has something to say."""
        self._relay()
        self.host.complain()

    def resized(self) -> None:
        """The text box wants another height."""
        self.host.resized()

    def set_fields_open(self, is_open: bool) -> None:
        """Fields are this editor's own matter."""

    def _relay(self) -> None:
        self.message = self.box.message if self.box is not None else ""
        self._offer_fields()
        self.update()

    def _offer_fields(self) -> None:
        is_set, value = self._state
        possible = not self.has_draft and (not is_set or isinstance(value, dict))
        self.bar.set_enabled_at(_FIELDS, possible)
        self.bar.set_enabled_at(_SUMMARY, not self.has_draft)
        if not possible and self.bar.current == _FIELDS:
            self.bar.select(_SUMMARY)
            self.host.set_fields_open(False)

    def _chosen(self, place: int) -> None:
        if place == _TEXT and self.box is None:
            self.box = JsonTextEditor(self.spec, self)
            self.box.setParent(self)
            self.box.set_names(*self._names)
            self.box.show_state(*self._state)
        if self.box is not None:
            self.box.setVisible(place == _TEXT)
        self._place()
        self.host.set_fields_open(place == _FIELDS)
        self.host.resized()

    def _place(self) -> None:
        self.bar.setGeometry(0, 0, self.bar.sizeHint().width(), LINE_HEIGHT)
        if self.box is not None:
            top = LINE_HEIGHT + SPACE
            self.box.setGeometry(0, top, self.width(), max(LINE_HEIGHT, self.height() - top))


def make_object(spec: Spec, host: EditorHost) -> Editor:
    """The editor for JSON: with fields where the class behind it is known."""
    return (ObjectEditor if spec.fields else JsonTextEditor)(spec, host)
