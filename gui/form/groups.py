"""The list of groups beside the rows: where one is, and a way to somewhere else."""

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui import theme
from gui.form.frame import color
from gui.form.texts import tr
from gui.theme import SPACE

_GROUP = Qt.ItemDataRole.UserRole
_COUNT = Qt.ItemDataRole.UserRole + 1
_CHANGED = Qt.ItemDataRole.UserRole + 2
_LINE = SPACE * 3 + 2


class GroupCount(msgspec.Struct, frozen=True):
    """One group as listed.

    Attributes:
        count: rows of it that are listed.
        changed: how many of them have a value of their own.
    """

    group: str
    title: str
    count: int
    changed: int


class GroupList(QListWidget):
    """Signals:
    picked: the person wants to see this group.
    """

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[GroupCount] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Groups of settings"))
        self.setItemDelegate(_Delegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # A viewport of our own lets the form show through; `VirtualList` tells what the other one costs.
        self.setViewport(QWidget())
        self.itemClicked.connect(lambda item: self.picked.emit(item.data(_GROUP)))
        self.itemActivated.connect(lambda item: self.picked.emit(item.data(_GROUP)))

    def show_groups(self, groups: Sequence[GroupCount]) -> None:
        """List other groups."""
        if list(groups) == self._groups:
            return
        same = [one.group for one in groups] == [one.group for one in self._groups]
        self._groups = list(groups)
        if not same:
            self.clear()
            for _ in groups:
                self.addItem(QListWidgetItem())
        for place, one in enumerate(groups):
            item = self.item(place)
            self.setRowHidden(place, one.count == 0)
            item.setText(one.title)
            item.setToolTip(one.title)
            item.setData(_GROUP, one.group)
            item.setData(_COUNT, one.count)
            item.setData(_CHANGED, one.changed)
            words = tr("{0}, {1} settings, {2} changed").format(one.title, one.count, one.changed)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)

    def mark(self, group: str) -> None:
        """Show which group is in sight."""
        for place, one in enumerate(self._groups):
            if one.group == group:
                self.setCurrentRow(place)
                return

    def fill_menu(self, menu: QMenu) -> None:
        """The same list as a menu, for where there is no room beside the rows."""
        for one in self._groups:
            if one.count == 0:
                continue
            text = f"{one.title}\t{one.count}"
            menu.addAction(text.replace("&", "&&"), lambda group=one.group: self.picked.emit(group))

    def sizeHint(self) -> QSize:
        return QSize(SPACE * 26, SPACE * 40)


class _Delegate(QStyledItemDelegate):
    """Title on the left, count on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(SPACE * 12, _LINE)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look = theme.colors()
        view = self.parent()
        current = isinstance(view, GroupList) and view.currentRow() == index.row()
        focused = current and isinstance(view, GroupList) and view.hasFocus()
        rect = option.rect
        if current:
            painter.fillRect(rect, color(look.raised))
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), color(look.accent))
        if focused:
            painter.setPen(color(look.accent))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        changed = index.data(_CHANGED)
        count = f"{index.data(_COUNT)}"
        painter.setFont(theme.font_tabular(small=True))
        painter.setPen(color(look.muted))
        inner = rect.adjusted(SPACE + SPACE // 2, 0, -SPACE, 0)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), count)
        width = painter.fontMetrics().horizontalAdvance(count) + SPACE
        painter.setFont(option.font)
        painter.setPen(color(look.modified if changed else look.text))
        title = f"{index.data(Qt.ItemDataRole.DisplayRole)}" + (" •" if changed else "")
        title = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, inner.width() - width)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), title)
