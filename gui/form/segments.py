"""A bar of a few words of which one is chosen; painted by itself, so that hundreds of them cost little."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import theme
from gui.form.frame import RADIUS, paint_frame
from gui.theme import SPACE

_PADDING = SPACE + SPACE // 2
_LEAST = SPACE * 5


class SegmentBar(QWidget):
    """Words side by side; a click or Left and Right choose.

    Args:
        words: what can be chosen.
        quiet: places whose choice is no news (a default, a way of looking) and is painted without an accent.

    Signals:
        chosen: the person chose the word at this place. Not sent by `select`.
    """

    chosen = Signal(int)

    def __init__(
        self, words: Sequence[str], parent: QWidget | None = None, *, quiet: Collection[int] = frozenset()
    ) -> None:
        super().__init__(parent)
        self._quiet = frozenset(quiet)
        self._words = list(words)
        self._disabled: set[int] = set()
        self._current = -1
        self._hovered = -1
        self._name = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self._measure()

    @property
    def current(self) -> int:
        """Place of the chosen word; -1 when none is."""
        return self._current

    @property
    def words(self) -> list[str]:
        """The words as shown."""
        return list(self._words)

    def select(self, place: int) -> None:
        """Show another word as chosen."""
        if place != self._current:
            self._current = place
            self._tell_name()
            self.update()

    def set_enabled_at(self, place: int, enabled: bool) -> None:
        """Whether one word can be chosen."""
        (self._disabled.discard if enabled else self._disabled.add)(place)
        self.update()

    def set_words(self, words: Sequence[str]) -> None:
        """Replace the words; the choice stays at its place."""
        if list(words) != self._words:
            self._words = list(words)
            self._measure()
            self.updateGeometry()
            self._tell_name()
            self.update()

    def set_name(self, name: str) -> None:
        """The name for screen readers; the chosen word is added to it."""
        self._name = name
        self._tell_name()

    def rect_of(self, place: int) -> QRect:
        """Where one word is painted."""
        left = sum(self._widths[:place])
        return QRect(left, 0, self._widths[place], self.height())

    def sizeHint(self) -> QSize:
        return QSize(sum(self._widths), self._height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._measure()
            self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            if event.key() == Qt.Key.Key_Space:
                self._choose(self._next(self._current, 1, around=True))
                return
            event.ignore()
            return
        self._choose(self._next(self._current, step))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._at(event.position().toPoint()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.colors()
        painter = QPainter(self)
        rect = QRect(0, 0, sum(self._widths), self.height())
        painter.fillRect(rect.adjusted(2, 2, -2, -2), QColor(look.surface))
        paint_frame(painter, rect, look, focused=self.hasFocus())
        for place, word in enumerate(self._words):
            self._paint_word(painter, place, word, look)
        painter.end()

    def _paint_word(self, painter: QPainter, place: int, word: str, look: theme.Colors) -> None:
        rect = self.rect_of(place)
        enabled = self.isEnabled() and place not in self._disabled
        loud = enabled and place == self._current and place not in self._quiet
        if place == self._current or (place == self._hovered and enabled):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent_fill if loud else look.raised))
            painter.drawRoundedRect(QRectF(rect).adjusted(3, 3, -3, -3), RADIUS - 1, RADIUS - 1)
        if place == self._current and not loud:
            # Told by a line as well, since the ground alone is a faint difference.
            painter.fillRect(QRect(rect.left() + 8, rect.bottom() - 4, rect.width() - 16, 2), QColor(look.muted))
        painter.setPen(QColor(look.on_fill if loud else look.text if enabled else look.muted))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, word)

    def _measure(self) -> None:
        metrics = QFontMetrics(self.font())
        self._widths = [max(_LEAST, metrics.horizontalAdvance(word) + 2 * _PADDING) for word in self._words]
        self._height = metrics.height() + SPACE + SPACE // 2

    def _tell_name(self) -> None:
        chosen = self._words[self._current] if 0 <= self._current < len(self._words) else ""
        name = f"{self._name}: {chosen}" if self._name and chosen else self._name
        if name != self.accessibleName():
            self.setAccessibleName(name)

    def _at(self, position: QPoint) -> int:
        return next((place for place in range(len(self._words)) if self.rect_of(place).contains(position)), -1)

    def _hover(self, place: int) -> None:
        if place != self._hovered:
            self._hovered = place
            self.update()

    def _next(self, place: int, step: int, *, around: bool = False) -> int:
        count = len(self._words)
        for _ in range(count):
            place += step
            if around:
                place %= count
            if not 0 <= place < count:
                return -1
            if place not in self._disabled:
                return place
        return -1

    def _choose(self, place: int) -> None:
        if place < 0 or place in self._disabled or place == self._current:
            return
        self.select(place)
        self.chosen.emit(place)
