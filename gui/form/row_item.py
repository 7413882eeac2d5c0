"""One row as the list knows it: its state and its height, with or without a widget."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtWidgets import QWidget

from core.schema.kinds import format_text
from core.schema.model import Kind, Value
from gui.form.editors.base import LINE_HEIGHT
from gui.form.entries import Entry, field_entries
from gui.form.metrics import Metrics
from gui.form.row_layout import EditorShape, Measures, Message, RowPlan, Words, plan_row
from gui.form.texts import tr
from gui.form.virtual_list import ListItem
from gui.theme import SPACE

_MEANINGFUL = frozenset({Kind.INT, Kind.SIZE})
_SEVERITIES = ("error", "warning", "info")


class Finding(Protocol):
    """What a check says about one argument."""

    @property
    def severity(self) -> str:
        """`error`, `warning` or `info`."""

    @property
    def message(self) -> str:
        """One sentence."""


@dataclass(slots=True)
class FormContext:
    """What rows share.

    Attributes:
        metrics: of the look in place.
        resized: a row wants another height.
        changed: a row's state changed (set, unset, refused).
        structure_changed: a row's fields were opened or closed.
        open_setting: go to another setting by its key.
    """

    metrics: Metrics
    resized: Callable[["RowItem"], None]
    changed: Callable[["RowItem"], None]
    structure_changed: Callable[["RowItem"], None]
    make_row: Callable[["RowItem", QWidget], QWidget]


class RowItem(ListItem):
    """State of one row that outlives searching and scrolling.

    Attributes:
        caption: shown before the label where rows of several groups are mixed.
        expanded: the whole text is open.
        fields_open: the fields of the object are listed below.
        draft: what stands in the editor could not be written.
        editor_message: what the editor says about its text or value; empty when all is well.
        meaning: what the editor's text stands for.
    """

    def __init__(self, entry: Entry, context: FormContext) -> None:
        super().__init__(entry.key)
        self.entry = entry
        self.context = context
        self.caption = False
        self.expanded = False
        self.fields_open = False
        self.draft = False
        self.editor_message = ""
        self.meaning = ""
        self._children: list[RowItem] | None = None
        self._findings: tuple[Finding, ...] = ()
        self._measures: Measures | None = None
        self._measured_with: Metrics | None = None
        self._plan: RowPlan | None = None
        self._plan_width = -1

    @property
    def measures(self) -> Measures:
        """Widths of the fixed texts in the present look."""
        if self._measures is None or self._measured_with is not self.context.metrics:
            self._measures = Measures.of(self.entry, self.context.metrics)
            self._measured_with = self.context.metrics
            self._plan = None
        return self._measures

    @property
    def is_set(self) -> bool:
        """Whether the document has a value for it."""
        return self.entry.binding.is_set()

    @property
    def has_problem(self) -> bool:
        """Whether something is wrong with it: refused text, a warning, an error."""
        return bool(self.editor_message) or any(finding.severity in ("error", "warning") for finding in self._findings)

    def children(self) -> list["RowItem"]:
        """Rows for the fields of the object; made when they are first asked for."""
        if self._children is None:
            self._children = [RowItem(entry, self.context) for entry in field_entries(self.entry)]
        return self._children

    def made_children(self) -> list["RowItem"]:
        """Rows for the fields, as far as they were asked for."""
        return self._children or []

    def open_rows(self) -> list["RowItem"]:
        """This row and, below it, the rows of its open fields, all the way down."""
        rows = [self]
        if self.fields_open:
            for child in self.children():
                rows += child.open_rows()
        return rows

    def set_findings(self, findings: Sequence[Finding]) -> bool:
        """Show other findings; tells whether anything changed."""
        found = tuple(findings)
        if found == self._findings:
            return False
        self._findings = found
        self.invalidate()
        return True

    def set_caption(self, shown: bool) -> None:
        """Show the group before the label, or not."""
        if shown != self.caption:
            self.caption = shown
            self.invalidate()
            if self.widget is not None:
                self.widget.update()

    def words(self) -> Words:
        """What the row says now."""
        caption = tr("{0}:").format(self.entry.group_title) if self.caption else ""
        return Words(caption, self.status(), self.meaning, self.messages())

    def status(self) -> str:
        """How it differs from the default, in a word."""
        if not self.is_set:
            return ""
        return tr("set to the default") if self.entry.is_default(self.entry.binding.value()) else tr("changed")

    def messages(self) -> tuple[Message, ...]:
        """Lines under the editor, the worst first."""
        own = [Message("error", _worded("error", self.editor_message))] if self.editor_message else []
        found = sorted(self._findings, key=lambda finding: _SEVERITIES.index(_severity(finding)))
        return (*own, *(Message(_severity(one), _worded(_severity(one), one.message)) for one in found))

    def invalidate(self) -> None:
        """Its height has to be worked out anew."""
        self._plan = None

    def plan(self, width: int) -> RowPlan:
        """Where everything goes at this width."""
        measures = self.measures
        if self._plan is None or self._plan_width != width:
            whole = self.widget.whole_height if self.expanded and self.widget is not None else None
            self._plan = plan_row(
                self.entry,
                measures,
                self.context.metrics,
                words=self.words(),
                shape=self._shape(width),
                width=width,
                whole_height=whole,
            )
            self._plan_width = width
        return self._plan

    def height(self, width: int) -> int:
        return self.plan(width).height

    def build(self, parent: QWidget) -> QWidget:
        row = self.context.make_row(self, parent)
        self.invalidate()
        return row

    def targets(self) -> list[QWidget]:
        return self.widget.targets() if self.widget is not None else []

    def _shape(self, width: int) -> EditorShape:
        meanings = self.entry.spec.kind in _MEANINGFUL
        if self.widget is not None:
            editor = self.widget.editor
            height = editor.height_for(min(editor.preferred_width, width - SPACE * 8))
            return EditorShape(height, editor.preferred_width, editor.block, meanings)
        return _reckoned_shape(self.entry, meanings)


def _reckoned_shape(entry: Entry, meanings: bool) -> EditorShape:
    """What the editor will probably want, without making one."""
    spec = entry.spec
    block = spec.kind is Kind.JSON and not entry.secret
    lines = 1
    if spec.kind in (Kind.LIST, Kind.MAPPING) or (spec.kind is Kind.JSON and not spec.fields):
        lines = _lines(entry, entry.binding.value())
    return EditorShape(LINE_HEIGHT + (lines - 1) * SPACE * 2, SPACE * 42, block, meanings)


def _lines(entry: Entry, value: Value) -> int:
    if value is None:
        return 1
    return min(10, 1 + format_text(entry.spec, value).strip().count("\n"))


def _severity(finding: Finding) -> str:
    severity = str(finding.severity)
    return severity if severity in _SEVERITIES else "info"


def _worded(severity: str, message: str) -> str:
    words = {"error": tr("Error: {0}"), "warning": tr("Warning: {0}"), "info": tr("Note: {0}")}
    return words[severity].format(message)
