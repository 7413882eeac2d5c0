"""A bar of a few words of which one is chosen; painted by itself, so that hundreds of them cost little."""

from collections.abc import Collection, Sequence
from functools import lru_cache

import msgspec
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import theme
from gui.form.frame import RADIUS, blank, draw_outline
from gui.theme import SPACE, Colors

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
        face = _Face(
            words=tuple(zip(self._words, self._widths, strict=True)),
            height=self.height(),
            current=self._current,
            hovered=self._hovered,
            disabled=frozenset(range(len(self._words))) if not self.isEnabled() else frozenset(self._disabled),
            quiet=self._quiet,
            focused=self.hasFocus(),
            font=self.font().toString(),
        )
        painter = QPainter(self)
        painter.drawPixmap(0, 0, _draw(face, self.devicePixelRatioF(), theme.colors()))
        painter.end()

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


class _Face(msgspec.Struct, frozen=True):
    """Everything that a bar's picture depends on. Most bars of a form look alike, so few pictures are drawn."""

    words: tuple[tuple[str, int], ...]
    height: int
    current: int
    hovered: int
    disabled: frozenset[int]
    quiet: frozenset[int]
    focused: bool
    font: str


@lru_cache(maxsize=128)
def _draw(face: _Face, ratio: float, look: Colors) -> QPixmap:
    whole = QRect(0, 0, sum(width for _, width in face.words), face.height)
    made = blank(whole.size(), ratio)
    font = QFont()
    font.fromString(face.font)
    painter = QPainter(made)
    painter.setFont(font)
    painter.fillRect(whole.adjusted(2, 2, -2, -2), QColor(look.surface))
    draw_outline(painter, QRectF(whole), look, focused=face.focused)
    left = 0
    for place, (_, width) in enumerate(face.words):
        _draw_word(painter, QRect(left, 0, width, face.height), place, face, look)
        left += width
    painter.end()
    return made


def _draw_word(painter: QPainter, rect: QRect, place: int, face: _Face, look: Colors) -> None:
    enabled = place not in face.disabled
    chosen = place == face.current
    loud = enabled and chosen and place not in face.quiet
    if chosen or (place == face.hovered and enabled):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.accent_fill if loud else look.raised))
        painter.drawRoundedRect(QRectF(rect).adjusted(3, 3, -3, -3), RADIUS - 1, RADIUS - 1)
    if chosen and not loud:
        # Told by a line as well, since the ground alone is a faint difference.
        painter.fillRect(QRect(rect.left() + 8, rect.bottom() - 4, rect.width() - 16, 2), QColor(look.muted))
    painter.setPen(QColor(look.on_fill if loud else look.text if enabled else look.muted))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), face.words[place][0])
