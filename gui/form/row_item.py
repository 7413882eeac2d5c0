"""One row as the list knows it: its state and its height, with or without a widget."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from core.schema.kinds import format_text
from core.schema.model import Kind
from gui.form.entries import Entry, field_entries
from gui.form.metrics import Metrics
from gui.form.row_layout import EditorShape, Measures, Message, RowPlan, Run, Words, plan_row, reckon_height, row_runs
from gui.form.texts import tr
from gui.form.virtual_list import ListItem
from gui.theme import SPACE

_MEANINGFUL = frozenset({Kind.INT, Kind.SIZE})
_SEVERAL_LINES = frozenset({Kind.LIST, Kind.MAPPING})
_WIDTHS_KEPT = 6
_SEVERITIES = ("error", "warning", "info")


class Finding(Protocol):
    """What a check says about one argument."""

    @property
    def severity(self) -> str:
        """`error`, `warning` or `info`."""

    @property
    def message(self) -> str:
        """One sentence."""


class FormContext(msgspec.Struct):
    """What rows share.

    Attributes:
        metrics: of the look in place.
        resized: a row wants another height.
        changed: a row's state changed (set, unset, refused).
        structure_changed: a row's fields were opened or closed.
        make_row: makes the widget.
        refused: keys of rows in whose editor stands something that could not be written.
    """

    metrics: Metrics
    resized: Callable[["RowItem"], None]
    changed: Callable[["RowItem"], None]
    structure_changed: Callable[["RowItem"], None]
    make_row: Callable[["RowItem", QWidget], QWidget]
    refused: set[str] = msgspec.field(default_factory=set)


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
        self._plans: dict[tuple[int, bool], RowPlan] = {}
        self._reckoned: dict[tuple[int, bool], int] = {}
        self._runs: tuple[RowPlan, list[Run], QRect] | None = None

    @property
    def measures(self) -> Measures:
        """Widths of the fixed texts in the present look."""
        if self._measures is None or self._measured_with is not self.context.metrics:
            self._measures = Measures.of(self.entry, self.context.metrics)
            self._measured_with = self.context.metrics
        return self._measures

    @property
    def is_set(self) -> bool:
        """Whether the document has a value for it."""
        return self.entry.binding.is_set()

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
        own = [Message("error", _worded("error", self._own_message()))] if self.editor_message else []
        found = sorted(self._findings, key=lambda finding: _SEVERITIES.index(_severity(finding)))
        return (*own, *(Message(_severity(one), _worded(_severity(one), one.message)) for one in found))

    def _own_message(self) -> str:
        if not self.draft:
            return self.editor_message
        stays = tr("The last good value stays set.") if self.is_set else tr("It is not set.")
        return f"{self.editor_message} {stays}"

    def set_editor_state(self, *, draft: bool, message: str, meaning: str) -> None:
        """Take over what the editor says."""
        self.draft = draft
        self.editor_message = message
        self.meaning = meaning
        (self.context.refused.add if draft else self.context.refused.discard)(self.key)
        self.invalidate()

    def invalidate(self) -> None:
        """Its height has to be worked out anew."""
        self._plans.clear()
        self._reckoned.clear()

    def plan(self, width: int) -> RowPlan:
        """Where everything goes at this width."""
        plan = self._plans.get((width, self.caption))
        if plan is None:
            _keep_few(self._plans)
            expanded = self.expanded and self.widget is not None
            plan = self._plans[width, self.caption] = plan_row(
                self.entry,
                self.measures,
                self.context.metrics,
                words=self.words(),
                shape=self._shape(width),
                width=width,
                whole_height=self.widget.whole_height if expanded else None,
            )
        return plan

    def runs(self, width: int) -> tuple[list[Run], QRect]:
        """The texts to paint, and where "more" stands."""
        plan = self.plan(width)
        if self._runs is None or self._runs[0] is not plan:
            painted = row_runs(
                self.entry, self.measures, self.context.metrics, words=self.words(), plan=plan, width=width
            )
            self._runs = (plan, *painted)
        return self._runs[1], self._runs[2]

    def exact_height(self, width: int) -> int:
        return self.plan(width).height

    def height(self, width: int) -> int:
        plan = self._plans.get((width, self.caption))
        if plan is not None:
            return plan.height
        height = self._reckoned.get((width, self.caption))
        if height is None:
            _keep_few(self._reckoned)
            height = self._reckoned[width, self.caption] = reckon_height(
                self.entry,
                self.context.metrics,
                caption=self.caption,
                lines=_lines(self.entry),
                messages=len(self._findings),
                width=width,
            )
        return height

    def build(self, parent: QWidget) -> QWidget:
        row = self.context.make_row(self, parent)
        self.invalidate()
        return row

    def targets(self) -> list[QWidget]:
        return self.widget.targets() if self.widget is not None else []

    def _shape(self, width: int) -> EditorShape:
        editor = self.widget.editor
        height = editor.height_for(min(editor.preferred_width, width - SPACE * 8))
        meanings = self.entry.spec.kind in _MEANINGFUL
        return EditorShape(height, editor.preferred_width, editor.block, meanings)


def _keep_few(by_width: dict[tuple[int, bool], Any]) -> None:
    """A window that is dragged wider passes through hundreds of widths."""
    if len(by_width) >= _WIDTHS_KEPT:
        by_width.clear()


def _lines(entry: Entry) -> int:
    """About how many lines the editor will have."""
    if entry.spec.kind not in _SEVERAL_LINES or not entry.binding.is_set():
        return 1
    return min(10, 1 + format_text(entry.spec, entry.binding.value()).strip().count("\n"))


def _severity(finding: Finding) -> str:
    severity = str(finding.severity)
    return severity if severity in _SEVERITIES else "info"


def _worded(severity: str, message: str) -> str:
    words = {"error": tr("Error: {0}"), "warning": tr("Warning: {0}"), "info": tr("Note: {0}")}
    return words[severity].format(message)
