"""Several values: one a line, in a box that grows."""

from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.schema.kinds import Spec, format_text
from core.schema.model import Kind, Value
from gui import theme
from gui.form.editors.base import LINE_HEIGHT, EditorHost, TextualEditor
from gui.form.editors.growing import GrowingEdit
from gui.form.editors.line import fill
from gui.form.frame import paint_frame
from gui.form.texts import placeholder, tr

_MOST_LINES = 10
_EDGE = 2
_MONOSPACED = (Kind.JSON, Kind.MAPPING)


class BoxEditor(TextualEditor):
    """Text of several lines, read by the kind's converter."""

    most_lines = _MOST_LINES

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self._quiet = False
        self._height = 0
        self.box = GrowingEdit(lambda: self.has_draft, self.most_lines)
        self.box.setPlaceholderText(self.placeholder())
        if spec.kind in _MONOSPACED or spec.item in _MONOSPACED:
            self.box.setFont(theme.font_mono())
        self.box.textChanged.connect(self._changed)
        fill(self, self.box)

    def placeholder(self) -> str:
        """What the empty box says."""
        return placeholder(self.spec)

    def text(self) -> str:
        return self.box.toPlainText()

    def put_text(self, text: str) -> None:
        self._quiet = True
        self.box.setPlainText(text)
        self._quiet = False
        self._grow()

    def height_for(self, width: int) -> int:
        self._height = self._wanted()
        return self._height

    def targets(self) -> list[QWidget]:
        return [self.box]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_frame(painter, self, focused=self.box.hasFocus(), wrong=self.has_draft)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.box.setGeometry(self.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE))
        self._grow()

    def _changed(self) -> None:
        if self._quiet:
            return
        self.edited()
        self._grow()

    def _wanted(self) -> int:
        return max(LINE_HEIGHT, self.box.wanted_height() + 2 * _EDGE)

    def _grow(self) -> None:
        if self._height and self._wanted() != self._height:
            self.host.resized()


class ListEditor(BoxEditor):
    """A list: one item a line, or on one line separated by commas."""

    def placeholder(self) -> str:
        if self.spec.choices:
            words = ", ".join(format_text(self.spec, choice) for choice in self.spec.choices)
            return tr("any of: {0}").format(words)
        return placeholder(self.spec) or tr("one item a line, or separated by commas")

    def meaning_of(self, text: str, value: Value) -> str:
        if not isinstance(value, list) or len(value) < 2:
            return ""
        return tr("= {0} items").format(len(value))

    def to_text(self, value: Value) -> str:
        text = super().to_text(value)
        # The last line break matters only where a single item holds a comma.
        short = text.removesuffix("\n")
        return short if "\n" in short or "," not in short or not text.endswith("\n") else text

    def text(self) -> str:
        text = super().text()
        return text if text.strip("\n") else ""
