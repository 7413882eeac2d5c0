"""Paints the texts of a row. Colours follow the theme at the moment of painting."""

from collections.abc import Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from gui import theme
from gui.form.frame import ICON, color, picture
from gui.form.metrics import Metrics
from gui.form.row_item import RowItem
from gui.form.row_layout import BAR, WRAP, Run
from gui.theme import SPACE

_BAR_INSET = SPACE // 2


def paint_row(
    painter: QPainter, row: QWidget, item: RowItem, runs: Sequence[Run], metrics: Metrics, *, hovered: bool
) -> None:
    """Paint ground, bar, guides and texts of a row."""
    look = theme.colors()
    focused = _has_focus(row)
    if focused or hovered:
        ground = QColor(look.raised)
        ground.setAlphaF(0.75 if focused else 0.4)
        painter.fillRect(row.rect(), ground)
    for depth in range(item.entry.depth):
        painter.fillRect(QRect(SPACE * 2 + depth * SPACE * 3 + SPACE // 2, 0, 1, row.height()), color(look.border))
    if item.is_set:
        left = item.entry.depth * SPACE * 3 + (SPACE // 2 if item.entry.depth else 0)
        painter.fillRect(QRect(left, _BAR_INSET, BAR, row.height() - 2 * _BAR_INSET), color(look.modified))
    for run in runs:
        face = metrics.face(run.font)
        painter.setFont(face.font)
        painter.setPen(color(getattr(look, run.role)))
        if run.icon:
            _icon(painter, run, row.devicePixelRatioF())
        rect = run.rect
        if run.wrap:
            painter.drawText(rect, WRAP, run.text)
        else:
            painter.drawText(rect.x(), face.baseline(rect.y(), rect.height()), run.text)


def _icon(painter: QPainter, run: Run, ratio: float) -> None:
    left = run.rect.left() - ICON - SPACE // 2
    painter.drawPixmap(left, run.rect.top(), picture(run.icon, run.role, ratio, theme.colors()))


def _has_focus(row: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and row.isAncestorOf(focus)
