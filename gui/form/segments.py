"""A bar of a few words of which one is chosen; painted by itself, so that hundreds of them cost little."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import theme
from gui.theme import SPACE

_PADDING = SPACE + SPACE // 2
_LEAST = SPACE * 5
_RADIUS = 4.0


class SegmentBar(QWidget):
    """Words side by side; a click or Left and Right choose.

    Signals:
        chosen: the person chose the word at this place. Not sent by `select`.
    """

    chosen = Signal(int)

    def __init__(self, words: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(0.5, 0.5, sum(self._widths) - 1, self.height() - 1)
        focused = self.hasFocus()
        painter.setPen(QPen(QColor(look.accent if focused else look.border), 2 if focused else 1))
        painter.setBrush(QColor(look.surface))
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        for place, word in enumerate(self._words):
            self._paint_word(painter, place, word, look)
        painter.end()

    def _paint_word(self, painter: QPainter, place: int, word: str, look: theme.Colors) -> None:
        rect = self.rect_of(place)
        enabled = self.isEnabled() and place not in self._disabled
        color = look.text if enabled else look.muted
        if place == self._current:
            inner = QRectF(rect).adjusted(2, 2, -2, -2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent_fill if enabled else look.raised))
            painter.drawRoundedRect(inner, _RADIUS - 1, _RADIUS - 1)
            color = look.on_fill if enabled else look.muted
        elif place == self._hovered and enabled:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.raised))
            painter.drawRoundedRect(QRectF(rect).adjusted(2, 2, -2, -2), _RADIUS - 1, _RADIUS - 1)
        painter.setPen(QColor(color))
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
