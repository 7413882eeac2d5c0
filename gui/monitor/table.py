"""The table of statistics: one row a quantity and device."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.telemetry.store import ChannelKey, SampleStore, Stats
from gui import theme
from gui.format import not_available, number
from gui.monitor.catalog import YES_NO, Quantity, translated, value_text
from gui.monitor.swatch import SAMPLE_WIDTH, draw_sample

_NONE = Stats(None, None, None, None, 0)
_Index = QModelIndex | QPersistentModelIndex
_ROW_PADDING = 6
_SWATCH_GAP = 8
NAME, UNIT, NOW, LEAST, MOST, MEAN = range(6)


@dataclass(slots=True)
class Row:
    """One row.

    Attributes:
        quantity: what it is about.
        key: where its values are.
        label: its name, with the device where there are several.
        dash: the dash pattern of its curve.
        texts: now, least, largest, average.
    """

    quantity: Quantity
    key: ChannelKey
    label: str
    dash: tuple[float, ...]
    texts: tuple[str, str, str, str]


class StatsModel(QAbstractTableModel):
    """Statistics as texts.

    Args:
        store: where the samples are.
        why_missing: the reason why a quantity has no value, for the tooltip.
    """

    def __init__(
        self, store: SampleStore, why_missing: Callable[[ChannelKey], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._why_missing = why_missing
        self._rows: list[Row] = []
        self._since: float | None = None
        self.apply_theme()

    def apply_theme(self) -> None:
        """Take font and colours anew."""
        look = theme.colors()
        self._font = theme.font_tabular(small=True)
        self._text = QColor(look.text)
        self._muted = QColor(look.muted)

    def set_rows(self, quantities: Sequence[Quantity], devices: Sequence[int]) -> None:
        """Show these quantities, the GPU's once for each device (and once without one)."""
        several = len(devices) > 1
        self.beginResetModel()
        self._rows = []
        for quantity in quantities:
            for device in (devices or (0,)) if quantity.source == "gpu" else (None,):
                label = translated(quantity.label)
                if several and device is not None:
                    label = self.tr("{quantity}, GPU {index}").format(quantity=label, index=device)
                dash = theme.series_dash(device) if several and device is not None else quantity.dash
                key = ChannelKey(quantity.source, device, quantity.name)
                self._rows.append(Row(quantity, key, label, dash, self._texts(quantity, _NONE)))
        self.endResetModel()
        self.refresh()

    def reset_statistics(self, since: float | None) -> None:
        """Count from this moment on."""
        self._since = since
        self.refresh()

    def refresh(self) -> None:
        """Read the store anew; only rows that changed are repainted."""
        for index, row in enumerate(self._rows):
            texts = self._texts(row.quantity, self._store.stats(row.key, self._since))
            if texts != row.texts:
                row.texts = texts
                self.dataChanged.emit(self.index(index, NOW), self.index(index, MEAN))

    def row_at(self, index: _Index) -> Row:
        """The row behind an index."""
        return self._rows[index.row()]

    def rows(self) -> Sequence[Row]:
        """All rows."""
        return self._rows

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - an invalid index is immutable
        """Number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - an invalid index is immutable
        """Quantity, unit, now, least, largest, average."""
        return 0 if parent.isValid() else MEAN + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Titles of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            titles = (
                self.tr("Quantity"),
                self.tr("Unit"),
                self.tr("Now"),
                self.tr("Min"),
                self.tr("Max"),
                self.tr("Average"),
            )
            return titles[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts, alignment, fonts, and why something is missing."""
        row = self._rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            if column == NAME:
                return row.label
            return translated(_shown_unit(row.quantity)) if column == UNIT else row.texts[column - NOW]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.FontRole:
            return self._font
        if role == Qt.ItemDataRole.ForegroundRole:
            missing = column >= NOW and row.texts[column - NOW] == not_available()
            return self._muted if missing or column == UNIT else self._text
        if role == Qt.ItemDataRole.ToolTipRole and not_available() in row.texts:
            return self._why_missing(row.key)
        return None

    def _texts(self, quantity: Quantity, stats: Stats) -> tuple[str, str, str, str]:
        if quantity.unit == YES_NO:
            average = None if stats.average is None else 100 * stats.average
            return (
                self._yes_no(stats.current),
                self._yes_no(stats.minimum),
                self._yes_no(stats.maximum),
                number(average, "%"),
            )
        parts = (stats.current, stats.minimum, stats.maximum, stats.average)
        now, least, most, mean = (value_text(quantity, part) for part in parts)
        return now, least, most, mean

    def _yes_no(self, value: float | None) -> str:
        if value is None:
            return not_available()
        return self.tr("yes") if value else self.tr("no")


class SwatchDelegate(QStyledItemDelegate):
    """Draws a piece of the curve's line in front of its name."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        """Leave room for the line."""
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = QSize(SAMPLE_WIDTH + _SWATCH_GAP // 2, 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw the cell, then the line."""
        super().paint(painter, option, index)
        row = index.model().row_at(index)
        if not row.quantity.short:
            return
        painter.save()
        color = theme.series_color(row.quantity.name, row.key.device or 0)
        rect = option.rect
        draw_sample(painter, color, row.dash, rect.left() + _SWATCH_GAP // 2, rect.center().y())
        painter.restore()


class StatsTable(QTableView):
    """The table itself.

    Args:
        store: where the samples are.
        why_missing: the reason why a quantity has no value, for the tooltip.
    """

    def __init__(
        self, store: SampleStore, why_missing: Callable[[ChannelKey], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.stats = StatsModel(store, why_missing, self)
        self.setModel(self.stats)
        self.setItemDelegateForColumn(NAME, SwatchDelegate(self))
        self.setAccessibleName(self.tr("Statistics"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(1)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(UNIT, QHeaderView.ResizeMode.Fixed)
        self.setAlternatingRowColors(True)
        self._measure()
        self.stats.modelReset.connect(self._measure)

    def apply_theme(self) -> None:
        """Take font and colours anew."""
        self.stats.apply_theme()
        self._measure()
        self.viewport().update()

    def _measure(self) -> None:
        metrics = QFontMetrics(theme.font_tabular(small=True))
        self.verticalHeader().setDefaultSectionSize(metrics.height() + _ROW_PADDING)
        self.horizontalHeader().setFont(theme.font_small())
        # No column follows its numbers, so that running ones move nothing.
        labels = [row.label for row in self.stats.rows()] or [""]
        widest = max(metrics.horizontalAdvance(label) for label in labels)
        self.setColumnWidth(NAME, SAMPLE_WIDTH + widest + 5 * _ROW_PADDING)
        self.setColumnWidth(UNIT, metrics.horizontalAdvance("MiB/s") + 3 * _ROW_PADDING)


def _shown_unit(quantity: Quantity) -> str:
    return "" if quantity.unit == YES_NO else quantity.unit


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column in (NAME, UNIT) else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
