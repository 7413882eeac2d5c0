"""Text on one line: plain, with known words, secret, and whatever kind is not known."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from core.schema.kinds import Spec, format_text
from core.schema.model import Argument, Kind, Value
from gui import theme
from gui.form.editors.base import LINE_HEIGHT, EditorHost, TextualEditor
from gui.form.editors.line import LineEdit, SuggestLine, fill
from gui.form.texts import placeholder, tr
from gui.theme import SPACE

_LONG = 10_000
"""From here on a number is easier to read with separators."""


class TextEditor(TextualEditor):
    """One line of text. Also the editor of any kind that the form does not know."""

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self.line = self.make_line()
        self.line.setPlaceholderText(placeholder(spec))
        self.line.textEdited.connect(self.edited)
        fill(self, self.line)

    def make_line(self) -> LineEdit:
        """The line itself; with a list where words are known."""
        words = [*self.spec.suggestions, *self._constant()]
        if words:
            return SuggestLine(lambda: self.has_draft, self.drop_draft, words, self.edited)
        return LineEdit(lambda: self.has_draft, self.drop_draft)

    def text(self) -> str:
        return self.line.text()

    def put_text(self, text: str) -> None:
        self.line.setText(text)
        self.line.setCursorPosition(0)

    def show_state(self, is_set: bool, value: Value) -> None:
        super().show_state(is_set, value)
        empty = is_set and value == ""
        self.line.setPlaceholderText(tr("(empty text)") if empty else placeholder(self.spec))

    def height_for(self, width: int) -> int:
        return LINE_HEIGHT

    def targets(self) -> list[QWidget]:
        return [self.line]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.line.setGeometry(self.rect())

    def _constant(self) -> list[str]:
        """The word for a flag that may stand alone."""
        spec = self.spec
        alone = isinstance(spec, Argument) and spec.nargs == "?" and spec.const is not None
        return [format_text(spec, spec.const)] if alone else []


class SecretEditor(TextEditor):
    """A line that hides its text until it is asked to show it. Nothing is suggested and nothing is spelled out."""

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.reveal = QAction(tr("Show the text"), self)
        self.reveal.setCheckable(True)
        theme.set_icon(self.reveal, "eye", "muted")
        self.reveal.setToolTip(tr("Show the text"))
        self.reveal.toggled.connect(self._show)
        self.line.addAction(self.reveal, QLineEdit.ActionPosition.TrailingPosition)

    def make_line(self) -> LineEdit:
        return LineEdit(lambda: self.has_draft, self.drop_draft)

    def to_text(self, value: Value) -> str:
        text = format_text(self.spec, value)
        if self.spec.kind is Kind.LIST and "\n" in text:
            # A line holds no line breaks; JSON is understood as well.
            return format_text(Argument(name="", kind=Kind.JSON), value)
        return text

    def _show(self, shown: bool) -> None:
        self.line.setEchoMode(QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password)
        self.reveal.setToolTip(tr("Hide the text") if shown else tr("Show the text"))


class NumberEditor(TextEditor):
    """A whole number, a size or a fraction, as people type them."""

    preferred_width = SPACE * 22

    def make_line(self) -> LineEdit:
        line = super().make_line()
        line.setFont(theme.font_tabular())
        line.setInputMethodHints(Qt.InputMethodHint.ImhPreferNumbers)
        return line

    def meaning_of(self, text: str, value: Value) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            return ""
        plain = text.strip()
        if plain.isalpha() or (plain.isdigit() and value < _LONG):
            return ""
        return f"= {value:,}"
