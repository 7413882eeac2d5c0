"""Keys with values: a line for each pair."""

import msgspec
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from core.config.json_values import same_value
from core.schema.kinds import Spec, check_value, parse_text
from core.schema.model import Value
from gui import theme
from gui.form.editors.base import LINE_HEIGHT, Editor, EditorHost
from gui.form.editors.line import LineEdit
from gui.form.texts import default_words, tr
from gui.theme import SPACE

_STEP = LINE_HEIGHT + SPACE // 2


class _Pair(msgspec.Struct, eq=False):
    key: LineEdit
    value: LineEdit
    remove: QToolButton

    def widgets(self) -> list[QWidget]:
        return [self.key, self.value, self.remove]


class MappingEditor(Editor):
    """A small table of KEY and VALUE. A pair counts from the moment when it has a key."""

    preferred_width = SPACE * 60

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self._pairs: list[_Pair] = []
        self._draft = False
        self._held: tuple[bool, Value] = (False, None)
        self._name = ("", "")
        self.add_button = QToolButton(self)
        self.add_button.setText(tr("Add a pair"))
        self.add_button.setToolTip(tr("Default: {0}").format(default_words(spec)))
        self.add_button.clicked.connect(self.add_pair)
        self.setFocusProxy(self.add_button)

    @property
    def has_draft(self) -> bool:
        return self._draft

    def show_state(self, is_set: bool, value: Value) -> None:
        self._draft = False
        self._held = (is_set, value)
        self.message = (check_value(self.spec, value) or "") if is_set else ""
        if is_set and self._says(value):
            return
        shown = value if is_set and isinstance(value, dict) else {}
        while self._pairs:
            self._take_out(self._pairs[-1])
        for key, item in shown.items():
            pair = self._make_pair()
            pair.key.setText(key)
            pair.value.setText(item if isinstance(item, str) else str(item))
        self._place()

    def height_for(self, width: int) -> int:
        return len(self._pairs) * _STEP + LINE_HEIGHT

    def targets(self) -> list[QWidget]:
        return [widget for pair in self._pairs for widget in pair.widgets()] + [self.add_button]

    def set_names(self, name: str, description: str) -> None:
        self._name = (name, description)
        self.add_button.setAccessibleName(tr("Add a pair: {0}").format(name))
        self.add_button.setAccessibleDescription(description)
        for pair in self._pairs:
            self._name_pair(pair)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def add_pair(self) -> None:
        """Put an empty pair below the others and go there."""
        pair = self._make_pair()
        self._place()
        self.host.resized()
        pair.key.setFocus()

    def lines(self) -> list[tuple[LineEdit, LineEdit]]:
        """The lines for key and value, pair by pair."""
        return [(pair.key, pair.value) for pair in self._pairs]

    def _make_pair(self) -> _Pair:
        remove = QToolButton(self)
        remove.setAutoRaise(True)
        theme.set_icon(remove, "close", "muted")
        remove.setToolTip(tr("Remove this pair"))
        pair = _Pair(self._make_line(tr("key")), self._make_line(tr("value")), remove)
        remove.clicked.connect(lambda: self._remove(pair))
        self._pairs.append(pair)
        self._name_pair(pair)
        for widget in pair.widgets():
            widget.show()
        return pair

    def _make_line(self, placeholder: str) -> LineEdit:
        line = LineEdit(lambda: self.has_draft, self._drop_draft)
        line.setParent(self)
        line.setPlaceholderText(placeholder)
        line.textEdited.connect(self._edited)
        return line

    def _name_pair(self, pair: _Pair) -> None:
        name, description = self._name
        for line, word in ((pair.key, tr("key")), (pair.value, tr("value"))):
            line.setAccessibleName(f"{name}: {word}")
            line.setAccessibleDescription(description)
        pair.remove.setAccessibleName(tr("Remove this pair: {0}").format(name))

    def _place(self) -> None:
        button, gap = SPACE * 3, SPACE // 2
        room = self.width() - button - 2 * gap
        key_width = room * 2 // 5
        for place, pair in enumerate(self._pairs):
            top = place * _STEP
            pair.key.setGeometry(0, top, key_width, LINE_HEIGHT)
            pair.value.setGeometry(key_width + gap, top, room - key_width, LINE_HEIGHT)
            pair.remove.setGeometry(self.width() - button, top + SPACE // 4, button, button)
        width = self.add_button.sizeHint().width()
        self.add_button.setGeometry(0, len(self._pairs) * _STEP, width, LINE_HEIGHT)

    def _remove(self, pair: _Pair) -> None:
        self._take_out(pair)
        self._place()
        self.host.resized()
        self._edited()
        self.add_button.setFocus()

    def _take_out(self, pair: _Pair) -> None:
        self._pairs.remove(pair)
        for widget in pair.widgets():
            widget.hide()
            widget.deleteLater()

    def _drop_draft(self) -> None:
        self.show_state(*self._held)
        self.host.resized()
        self.host.complain()

    def _read(self) -> Value:
        """The value that stands in the lines.

        Raises:
            ValueError: a key is missing or there twice.
        """
        pairs = [(key.text().strip(), value.text()) for key, value in self.lines() if key.text() or value.text()]
        keys = [key for key, _ in pairs]
        if "" in keys:
            raise ValueError(tr("A value has no key."))
        if len(set(keys)) < len(keys):
            raise ValueError(tr("A key is there twice."))
        return parse_text(self.spec, "".join(f"{key}={value}\n" for key, value in pairs)) if pairs else {}

    def _says(self, value: Value) -> bool:
        try:
            return bool(self._pairs) and same_value(self._read(), value)
        except ValueError:
            return False

    def _edited(self) -> None:
        try:
            value = self._read()
            self.message = check_value(self.spec, value) or ""
        except ValueError as error:
            value, self.message = None, str(error)
        self._draft = bool(self.message)
        if self._draft:
            self.host.complain()
        elif value:
            self._held = (True, value)
            self.host.commit(value)
        else:
            self.host.clear()
