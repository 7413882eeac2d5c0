"""Where everything in a row goes. Pure arithmetic over measured texts, since it runs for every row at every width."""

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QRect, Qt

from gui.form.editors.base import LINE_HEIGHT
from gui.form.entries import Entry
from gui.form.metrics import Metrics
from gui.form.texts import tr
from gui.theme import SPACE

BAR = 3
"""Width of the bar that marks a changed row."""
_LEFT = SPACE * 2
_RIGHT = SPACE
_TOP = SPACE + 2
_BOTTOM = SPACE + 4
_GAP = SPACE
_INDENT = SPACE * 3
_RESET = LINE_HEIGHT
_ICON = 16
_SIDE_BY_SIDE = 720
"""From this room on the editor stands beside the text instead of below it."""
_LEFT_SHARE = 0.56
_LEAST_EDITOR = 200
_MEANING = SPACE * 11
_TALL = 10_000
WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)
"""How messages are broken into lines."""


class Message(msgspec.Struct, frozen=True):
    """A line under the editor.

    Attributes:
        severity: `error`, `warning` or `info`; also the name of its icon.
        text: with the severity as a word in front.
    """

    severity: str
    text: str


class Words(msgspec.Struct, frozen=True):
    """What a row says beside its fixed texts.

    Attributes:
        caption: the group, where rows of several groups are mixed; empty otherwise.
        status: how it differs from the default, in a word; empty when unset.
        meaning: what the editor's text stands for.
        messages: lines under the editor.
    """

    caption: str = ""
    status: str = ""
    meaning: str = ""
    messages: tuple[Message, ...] = ()


class EditorShape(msgspec.Struct, frozen=True):
    """What an editor wants.

    Attributes:
        height: at the width it was asked for.
        preferred_width: the most that it makes use of.
        block: the whole width, below the text.
        meanings: its text may need an explanation beside it.
    """

    height: int
    preferred_width: int
    block: bool = False
    meanings: bool = False


class Run(msgspec.Struct, frozen=True):
    """One text to paint.

    Attributes:
        font: name of one of the fonts of `Metrics`.
        role: name of a colour role.
        icon: painted left of it.
    """

    rect: QRect
    text: str
    font: str
    role: str
    icon: str = ""
    wrap: bool = False


class Measures(msgspec.Struct):
    """Widths of the fixed texts of one row, measured once."""

    label: int
    flag: int
    summary: int
    default: int
    badge: int

    @classmethod
    def of(cls, entry: Entry, metrics: Metrics) -> "Measures":
        """Measure the texts of an entry."""
        return cls(
            label=metrics.label.width(entry.label),
            flag=metrics.flag.width(entry.flag) if entry.flag else 0,
            summary=metrics.body.width(entry.summary),
            default=metrics.small.width(default_line(entry)),
            badge=metrics.small.width(tr("deprecated")) + _GAP if entry.deprecated else 0,
        )


class RowPlan(msgspec.Struct):
    """Heights and places of one row at one width."""

    left: int
    text_width: int
    title_lines: int
    summary_top: int
    summary_lines: int
    editor: QRect
    reset: QRect
    side: QRect
    messages_top: int
    height: int
    whole: QRect = msgspec.field(default_factory=QRect)


def default_line(entry: Entry) -> str:
    """The default as it stands beside the editor."""
    return tr("default: {0}").format(entry.default)


def plan_row(
    entry: Entry,
    measures: Measures,
    metrics: Metrics,
    *,
    words: Words,
    shape: EditorShape,
    width: int,
    whole_height: Callable[[int], int] | None,
) -> RowPlan:
    """Lay a row out.

    Args:
        whole_height: height of the whole text at a width; it then stands in place of the summary. None while folded.
    """
    left = _LEFT + entry.depth * _INDENT
    room = max(_LEAST_EDITOR, width - left - _RIGHT)
    beside = room >= _SIDE_BY_SIDE and not shape.block
    text_width = int(room * _LEFT_SHARE) - SPACE * 3 if beside else room
    caption = metrics.small.width(words.caption) + _GAP if words.caption else 0
    title = caption + measures.label + _GAP + measures.flag + measures.badge + metrics.changed
    title_lines = 1 if title <= text_width or not entry.flag else 2
    top = _TOP + metrics.label.line + (metrics.small.line if title_lines == 2 else 0)
    summary_top = top
    summary_lines = 0
    whole = whole_height(text_width) if whole_height is not None else None
    if whole is not None:
        top += whole + metrics.body.line
    elif entry.summary:
        more = metrics.more if entry.has_more else 0
        summary_lines = 1 if measures.summary + more <= text_width else 2
        top += summary_lines * metrics.body.line
    if beside:
        start = left + int(room * _LEFT_SHARE)
        editor, reset, side, end = _place_beside(shape, metrics, start, left + room - start)
        end = max(top, end)
    else:
        editor, reset, side, end = _place_below(measures, shape, metrics, QRect(left, top + SPACE // 2 + 2, room, 0))
    messages_top = end + (SPACE // 2 if words.messages else 0)
    height = messages_top + sum(_message_height(message, metrics, room) for message in words.messages) + _BOTTOM
    whole_rect = QRect(left, summary_top, text_width, whole) if whole is not None else QRect()
    return RowPlan(
        left, text_width, title_lines, summary_top, summary_lines, editor, reset, side, messages_top, height, whole_rect
    )


def reckon_height(entry: Entry, metrics: Metrics, *, caption: bool, lines: int, messages: int, width: int) -> int:
    """About how high a row will be, without measuring a single text: good enough for the length of a scroll bar.

    Args:
        lines: of the editor.
        messages: how many there are.
    """
    room = max(_LEAST_EDITOR, width - _LEFT - entry.depth * _INDENT - _RIGHT)
    block = entry.block
    beside = room >= _SIDE_BY_SIDE and not block
    text_width = int(room * _LEFT_SHARE) - SPACE * 3 if beside else room
    letters = len(entry.label) + len(entry.flag) + (len(entry.group_title) if caption else 0)
    top = _TOP + metrics.label.line
    if letters * metrics.letter + metrics.changed + 2 * _GAP > text_width and entry.flag:
        top += metrics.small.line
    if entry.summary:
        more = metrics.more if entry.has_more else 0
        top += metrics.body.line * (1 if len(entry.summary) * metrics.letter + more <= text_width else 2)
    editor = LINE_HEIGHT + (lines - 1) * metrics.body.line
    side = metrics.small.line + 4
    if beside:
        top = max(top, _TOP + editor + side)
    else:
        top += SPACE // 2 + 2 + editor + (side if block else 0)
    return top + messages * metrics.body.line + _BOTTOM


def row_runs(
    entry: Entry, measures: Measures, metrics: Metrics, *, words: Words, plan: RowPlan, width: int
) -> tuple[list[Run], QRect]:
    """The texts to paint, and where "more" or "less" stands (empty when there is no more)."""
    runs = _title(entry, measures, metrics, words, plan)
    more = QRect()
    if not plan.whole.isNull():
        more = QRect(plan.left, plan.whole.bottom() + 1, metrics.more, metrics.body.line)
        runs.append(Run(more, tr("less"), "body", "accent"))
    elif plan.summary_lines:
        more = _summary(entry, metrics, plan, runs)
    text = " · ".join(part for part in (words.meaning, default_line(entry)) if part)
    runs.append(Run(plan.side, metrics.small.elide(text, plan.side.width()), "small", "muted"))
    top = plan.messages_top
    room = width - plan.left - _RIGHT
    for message in words.messages:
        height = _message_height(message, metrics, room)
        rect = QRect(plan.left + _ICON + SPACE // 2, top, room - _ICON - SPACE // 2, height)
        role = "muted" if message.severity == "info" else message.severity
        runs.append(Run(rect, message.text, "body", role, icon=message.severity, wrap=True))
        top += height
    return runs, more


def _place_beside(shape: EditorShape, metrics: Metrics, start: int, room: int) -> tuple[QRect, QRect, QRect, int]:
    editor_width = min(shape.preferred_width, room - _RESET - 4)
    editor = QRect(start, _TOP, editor_width, shape.height)
    reset = QRect(start + editor_width + 4, _TOP, _RESET, _RESET)
    side = QRect(start, _TOP + shape.height + 4, room, metrics.small.line)
    return editor, reset, side, side.bottom() + 1


def _place_below(
    measures: Measures, shape: EditorShape, metrics: Metrics, line: QRect
) -> tuple[QRect, QRect, QRect, int]:
    left, top, room = line.left(), line.top(), line.width()
    editor_width = min(shape.preferred_width, room - _RESET - 4)
    side_width = measures.default + (_MEANING if shape.meanings else 0)
    rest = room - _RESET - 4 - _GAP - side_width
    fits = rest >= min(editor_width, _LEAST_EDITOR) and not shape.block
    if fits:
        editor_width = min(editor_width, rest)
    editor = QRect(left, top, editor_width, shape.height)
    reset = QRect(left + editor_width + 4, top, _RESET, _RESET)
    if fits:
        side_left = reset.right() + 1 + _GAP
        return editor, reset, QRect(side_left, top, left + room - side_left, _RESET), top + shape.height
    side = QRect(left, top + shape.height + 4, room, metrics.small.line)
    return editor, reset, side, side.bottom() + 1


def _title(entry: Entry, measures: Measures, metrics: Metrics, words: Words, plan: RowPlan) -> list[Run]:
    runs: list[Run] = []
    x, end = plan.left, plan.left + plan.text_width
    line = metrics.label.line

    def put(text: str, font: str, role: str, width: int) -> None:
        nonlocal x
        room = end - x
        if text and room > SPACE * 2:
            shown = text if width <= room else metrics.face(font).elide(text, room)
            runs.append(Run(QRect(x, _TOP, min(width, room), line), shown, font, role))
            x += width + _GAP

    put(words.caption, "small", "muted", metrics.small.width(words.caption))
    put(entry.label, "label", "text", measures.label)
    if plan.title_lines == 1:
        put(entry.flag, "flag", "muted", measures.flag)
    put(words.status, "small", "modified", metrics.small.width(words.status))
    if entry.deprecated:
        put(tr("deprecated"), "small", "warning", measures.badge)
    if plan.title_lines == 2:
        shown = metrics.flag.elide_middle(entry.flag, plan.text_width)
        runs.append(Run(QRect(plan.left, _TOP + line, plan.text_width, metrics.small.line), shown, "flag", "muted"))
    return runs


def _summary(entry: Entry, metrics: Metrics, plan: RowPlan, runs: list[Run]) -> QRect:
    width = plan.text_width
    last = width - metrics.more
    with_more = entry.has_more or plan.summary_lines == 2
    first, second, cut = metrics.wrap_two(entry.summary, width, last if with_more else width)
    for number, text in enumerate((first, second)):
        rect = QRect(plan.left, plan.summary_top + number * metrics.body.line, width, metrics.body.line)
        if text:
            runs.append(Run(rect, text, "body", "muted"))
    if not entry.has_more and not cut:
        return QRect()
    below = plan.summary_lines == 2
    line = second if below else first
    x = metrics.body.width(line) + SPACE // 2 if line else 0
    top = plan.summary_top + (metrics.body.line if below else 0)
    more = QRect(plan.left + x, top, metrics.more, metrics.body.line)
    runs.append(Run(more, tr("more"), "body", "accent"))
    return more


def _message_height(message: Message, metrics: Metrics, room: int) -> int:
    rect = QRect(0, 0, room - _ICON - SPACE // 2, _TALL)
    wrapped = metrics.body.metrics.boundingRect(rect, WRAP, message.text)
    return max(metrics.body.line, wrapped.height() + 2)
