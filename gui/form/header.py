"""Search field, level, filters and the count of hits."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from core.schema.overlay import Level
from gui import theme
from gui.form.frame import paint_frame
from gui.form.segments import SegmentBar
from gui.form.selection import Wanted
from gui.form.texts import tr
from gui.theme import SPACE

_LEVELS = (Level.ESSENTIAL, Level.TUNING, Level.EVERYTHING)


class SearchLine(QLineEdit):
    """The search field: Down goes to the rows, Escape clears; the count of hits stands inside.

    Signals:
        down: go to the rows.
    """

    down = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFrame(False)
        self.setPlaceholderText(tr("Search settings by name, flag or words (@modified, @warning, @group:)"))
        self.setAccessibleName(tr("Search settings"))
        self.setToolTip(tr("Search names, flags, texts and choices (Ctrl+F)\nFilters: @modified @warning @group:name"))
        picture = QAction(self)
        theme.set_icon(picture, "search", "muted")
        self.addAction(picture, QLineEdit.ActionPosition.LeadingPosition)
        self.count = QLabel(self)
        self.count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.count.setFont(theme.font_small())
        self.count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.clear_button = QToolButton(self)
        self.clear_button.setAutoRaise(True)
        self.clear_button.setIconSize(QSize(14, 14))
        self.clear_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.clear_button.setCursor(Qt.CursorShape.ArrowCursor)
        theme.set_icon(self.clear_button, "close", "muted")
        self.clear_button.setToolTip(tr("Clear the search (Escape)"))
        self.clear_button.setAccessibleName(tr("Clear the search"))
        self.clear_button.clicked.connect(self.clear)
        self.textChanged.connect(self._place)
        self._place()

    def show_count(self, text: str) -> None:
        """Show how many rows were found."""
        if text != self.count.text():
            self.count.setText(text)
            self._place()

    def sizeHint(self) -> QSize:
        return QSize(SPACE * 40, SPACE * 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_frame(painter, self, focused=self.hasFocus())
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.down.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        side = self.height() - SPACE // 2
        shown = bool(self.text())
        self.clear_button.setVisible(shown)
        right = self.width() - 2
        if shown:
            self.clear_button.setGeometry(right - side, SPACE // 4, side, side)
            right -= side
        width = self.count.sizeHint().width()
        self.count.setGeometry(right - width - SPACE // 2, 0, width, self.height())
        self.setTextMargins(0, 0, self.width() - right + width + SPACE // 2, 0)


class Header(QWidget):
    """Everything above the rows. Two lines, so that it fits a narrow form.

    Signals:
        wanted_changed: the person asked for other rows.
    """

    wanted_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.search = SearchLine()
        self.groups_button = QToolButton()
        self.groups_button.setToolTip(tr("Groups of settings"))
        self.groups_button.setAccessibleName(tr("Groups of settings"))
        self.groups_button.setFixedSize(SPACE * 4, SPACE * 4)
        theme.set_icon(self.groups_button, "menu")
        self.levels = SegmentBar([tr("Essentials"), tr("Tuning"), tr("Everything")])
        self.levels.set_name(tr("How many settings are shown"))
        self.levels.select(0)
        self.changed_chip = _chip(tr("Only settings that have a value of their own (@modified)"))
        self.problems_chip = _chip(tr("Only settings with a warning or an error (@warning)"))
        self.show_counts(0, 0)
        first = QHBoxLayout()
        first.setSpacing(SPACE)
        first.addWidget(self.groups_button)
        first.addWidget(self.search, 1)
        second = QHBoxLayout()
        second.setSpacing(SPACE)
        second.addWidget(self.levels)
        second.addStretch(1)
        second.addWidget(self.changed_chip)
        second.addWidget(self.problems_chip)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE * 2, SPACE, SPACE * 2, SPACE)
        layout.setSpacing(SPACE)
        layout.addLayout(first)
        layout.addLayout(second)
        self.search.textChanged.connect(self._changed)
        self.levels.chosen.connect(self._changed)
        self.changed_chip.toggled.connect(self._changed)
        self.problems_chip.toggled.connect(self._changed)

    def wanted(self) -> Wanted:
        """What the person asks to see."""
        return Wanted(
            text=self.search.text(),
            level=_LEVELS[self.levels.current],
            changed=self.changed_chip.isChecked(),
            problems=self.problems_chip.isChecked(),
        )

    def set_level(self, level: Level) -> None:
        """Show another level."""
        self.levels.select(_LEVELS.index(level))
        self._changed()

    def clear_filters(self) -> None:
        """Take away whatever narrows the list beside the level."""
        self.blockSignals(True)
        self.search.clear()
        self.changed_chip.setChecked(False)
        self.problems_chip.setChecked(False)
        self.blockSignals(False)
        self._changed()

    def show_level_counts(self, levels: dict[Level, int]) -> None:
        """Say how many settings each level has."""
        words = zip(self.levels.words, _LEVELS, strict=True)
        self.levels.setToolTip("\n".join(tr("{0}: {1} settings").format(word, levels[level]) for word, level in words))

    def show_counts(self, changed: int, problems: int) -> None:
        """Show how much there is behind each filter."""
        self.changed_chip.setText(tr("Changed {0}").format(changed) if changed else tr("Changed"))
        self.problems_chip.setText(tr("Warnings {0}").format(problems) if problems else tr("Warnings"))

    def _changed(self) -> None:
        searching = self.wanted().searching
        self.levels.setEnabled(not searching)
        self.wanted_changed.emit()


def _chip(tooltip: str) -> QToolButton:
    chip = QToolButton()
    chip.setCheckable(True)
    chip.setToolTip(tooltip)
    chip.setAccessibleName(tooltip)
    chip.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Expanding)
    return chip
