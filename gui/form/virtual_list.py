"""A list of widgets of which only those in sight exist, so that its length costs nothing.

Items know about how high they will be without a widget. A widget is made when its item first comes into sight, and
stays: what was typed in it is never lost by scrolling or searching.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QScrollBar, QWidget

from gui.theme import SPACE

_LINE = SPACE * 4
_TAB_REASONS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class ListItem:
    """One place in the list.

    Attributes:
        key: unique in the list.
        widget: what shows it, once it was in sight.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.widget: QWidget | None = None

    def height(self, width: int) -> int:
        """About its height at this width, in device-independent pixels; must cost next to nothing."""
        raise NotImplementedError

    def exact_height(self, width: int) -> int:
        """Its height at this width; asked for only when it is in sight, after its widget was made."""
        return self.height(width)

    def build(self, parent: QWidget) -> QWidget:
        """Make the widget."""
        raise NotImplementedError

    def targets(self) -> list[QWidget]:
        """What in the widget can have the keyboard, in reading order."""
        return []


class _Content(QWidget):
    """Holds the widgets; hands Tab to the list, whose order is not the order in which widgets were made."""

    def __init__(self, parent: QWidget, step: Callable[[bool], bool]) -> None:
        super().__init__(parent)
        self._step = step

    def focusNextPrevChild(self, forward: bool) -> bool:
        return self._step(forward) or super().focusNextPrevChild(forward)


class _Door(QWidget):
    """A place in the window's Tab order before or behind all rows: whoever comes in through it is led to a row."""

    def __init__(self, parent: QWidget, reason: Qt.FocusReason, entered: Callable[[], None]) -> None:
        super().__init__(parent)
        self._reason = reason
        self._entered = entered
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.resize(0, 0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() == self._reason:
            self._entered()


class VirtualList(QAbstractScrollArea):
    """See the module.

    Signals:
        top_changed: another item is the first in sight; carries its place.
        left_at_top: Up was pressed in the first row.
    """

    top_changed = Signal(int)
    left_at_top = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[ListItem] = []
        self._places: dict[str, int] = {}
        self._tops: list[int] = [0]
        self._shown: dict[str, ListItem] = {}
        self._top_place = -1
        self._busy = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Always there: a bar that comes and goes would change the width and with it every height.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._head = _Door(self, Qt.FocusReason.TabFocusReason, lambda: self._enter(forward=True))
        # One of our own: asking for the one that comes with the area makes PySide load every class of widgets there is,
        # which costs more than the whole list.
        self._view = QWidget()
        self._view.setBackgroundRole(QPalette.ColorRole.Base)
        self._view.setAutoFillBackground(True)
        self.setViewport(self._view)
        self._content = _Content(self._view, self._tab)
        self._content.show()
        self._tail = _Door(self, Qt.FocusReason.BacktabFocusReason, lambda: self._enter(forward=False))
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def items(self) -> Sequence[ListItem]:
        """What is listed, in order."""
        return self._items

    @property
    def shown(self) -> list[ListItem]:
        """Items whose widgets are placed now."""
        return list(self._shown.values())

    def set_items(self, items: Sequence[ListItem], *, keep_place: bool = False) -> None:
        """List other items.

        Args:
            keep_place: leave what is in sight where it is, as far as it is still listed; otherwise begin at the top.
        """
        anchor = self._anchor() if keep_place else None
        self._items = list(items)
        self._places = {item.key: place for place, item in enumerate(self._items)}
        self._top_place = -1
        self._measure()
        self._settle(self._anchored(anchor))

    def remove_widgets(self, items: Iterable[ListItem]) -> None:
        """List nothing, and end the widgets of these items."""
        self._shown.clear()
        self.set_items([])
        for item in items:
            if item.widget is not None:
                item.widget.hide()
                item.widget.deleteLater()
                item.widget = None

    def build(self, item: ListItem) -> None:
        """Make an item's widget before it comes into sight; nothing happens when it is there."""
        if item.widget is None:
            item.widget = item.build(self._content)
            # Made while the list itself is hidden, it would otherwise come up along with it.
            item.widget.hide()
            self._order(item)

    def top_key(self) -> str:
        """Key of the first item in sight; empty when nothing is listed."""
        return self._items[self._top_place].key if 0 <= self._top_place < len(self._items) else ""

    def row_width(self) -> int:
        """Width of every item."""
        return self._view.width()

    def place_of(self, key: str) -> int | None:
        """Where an item is listed; None when it is not."""
        return self._places.get(key)

    def item_resized(self, item: ListItem) -> None:
        """An item's height may have changed. What is in sight stays in place."""
        place = self._places.get(item.key)
        if place is None or self._items[place] is not item or self._busy:
            return
        height = item.height(self.row_width()) if item.widget is None else item.exact_height(self.row_width())
        if height == self._tops[place + 1] - self._tops[place]:
            if item.key in self._shown and item.widget is not None:
                item.widget.resize(self.row_width(), height)
            return
        anchor = self._anchor()
        self._set_height(place, height)
        self._settle(self._anchored(anchor))

    def remeasure(self) -> None:
        """All heights may have changed (fonts, width)."""
        anchor = self._anchor()
        self._measure()
        self._settle(self._anchored(anchor))

    def scroll_to(self, place: int) -> None:
        """Bring an item to the top."""
        self._settle(self._tops[place])

    def make_visible(self, place: int) -> None:
        """Scroll as little as needed until the whole item is in sight."""
        # Twice, since the real height of a row that is made on the way may differ from the one that was reckoned with.
        for _ in range(2):
            top, bottom = self._tops[place], self._tops[place + 1]
            value, height = self.verticalScrollBar().value(), self._view.height()
            if top < value or bottom - top > height:
                value = top
            elif bottom > value + height:
                value = bottom - height
            self._settle(value)

    def focus_item(
        self, place: int, *, last: bool = False, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason
    ) -> bool:
        """Give an item the keyboard; False when nothing in it takes it."""
        item = self._items[place]
        self.make_visible(place)
        targets = _usable(item)
        if not targets:
            return False
        targets[-1 if last else 0].setFocus(reason)
        return True

    def focus_first(self) -> bool:
        """Give the first row in sight the keyboard."""
        return self._focus_from(max(self._top_place, 0), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.remeasure()
        else:
            self._settle(self.verticalScrollBar().value())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar: QScrollBar = self.verticalScrollBar()
        place = self._focused_place()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Down if place is not None:
                self._focus_from(place + 1, 1)
            case Qt.Key.Key_Up if place is not None:
                if not self._focus_from(place - 1, -1):
                    self.left_at_top.emit()
            case Qt.Key.Key_PageDown | Qt.Key.Key_PageUp:
                step = self._view.height() - _LINE * 2
                self._page(bar.value() + (step if event.key() == Qt.Key.Key_PageDown else -step), place)
            case Qt.Key.Key_Home if control:
                self._page(0, place)
            case Qt.Key.Key_End if control:
                self._page(bar.maximum(), place)
            case _:
                event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._items:
            self.remeasure()

    # --- geometry --------------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        width = self.row_width()
        self._tops = list(accumulate((item.height(width) for item in self._items), initial=0))

    def _set_height(self, place: int, height: int, *, above: bool = False) -> int:
        """Correct a height; tells how far to scroll so that what is in sight stays, when the item begins above it."""
        step = height - (self._tops[place + 1] - self._tops[place])
        if step:
            self._tops[place + 1 :] = [top + step for top in self._tops[place + 1 :]]
        return step if above else 0

    def _anchor(self) -> tuple[str, int] | None:
        """The item that must not move in sight: the focused one if it is in sight, else the first; and its distance."""
        if not self._items:
            return None
        value = self.verticalScrollBar().value()
        place = self._focused_place()
        if place is None or not value - _LINE <= self._tops[place] < value + self._view.height():
            place = min(bisect_right(self._tops, value) - 1, len(self._items) - 1)
        return self._items[place].key, self._tops[place] - value

    def _anchored(self, anchor: tuple[str, int] | None) -> int:
        place = self._places.get(anchor[0]) if anchor is not None else None
        return self._tops[place] - anchor[1] if place is not None and anchor is not None else 0

    def _settle(self, value: int) -> None:
        """Scroll to a value and place what is then in sight, making widgets as needed."""
        if self._busy:
            return
        self._busy = True
        try:
            self._set_range()
            self.verticalScrollBar().setValue(value)
            self._place_widgets()
        finally:
            self._busy = False
        self._tell_top()

    def _set_range(self) -> None:
        bar, height = self.verticalScrollBar(), self._view.height()
        bar.setRange(0, max(0, self._tops[-1] - height))
        bar.setPageStep(height)
        bar.setSingleStep(_LINE)

    def _place_widgets(self) -> None:
        width, height = self.row_width(), self._view.height()
        value = self.verticalScrollBar().value()
        place = max(0, bisect_right(self._tops, value) - 1)
        seen: dict[str, ListItem] = {}
        while place < len(self._items) and self._tops[place] < value + height:
            item = self._items[place]
            self.build(item)
            value += self._set_height(place, item.exact_height(width), above=self._tops[place] < value)
            seen[item.key] = item
            place += 1
        self._keep_focused(seen)
        for key, item in self._shown.items():
            if seen.get(key) is not item and item.widget is not None:
                item.widget.hide()
        self._set_range()
        self.verticalScrollBar().setValue(value)
        value = self.verticalScrollBar().value()
        self._content.setGeometry(0, -value, width, max(height, self._tops[-1]))
        for key, item in seen.items():
            place = self._places[key]
            if item.widget is not None:
                item.widget.setGeometry(0, self._tops[place], width, self._tops[place + 1] - self._tops[place])
                item.widget.show()
        self._shown = seen

    def _keep_focused(self, seen: dict[str, ListItem]) -> None:
        # Hiding the widget that has the keyboard would send the keyboard to an arbitrary other one.
        place = self._focused_place()
        if place is not None:
            seen.setdefault(self._items[place].key, self._items[place])

    def _scrolled(self, value: int) -> None:
        self._settle(value)

    def _tell_top(self) -> None:
        place = min(bisect_right(self._tops, self.verticalScrollBar().value()) - 1, len(self._items) - 1)
        if place != self._top_place:
            self._top_place = place
            if place >= 0:
                self.top_changed.emit(place)

    # --- keyboard --------------------------------------------------------------------------------------------------

    def _order(self, item: ListItem) -> None:
        previous: QWidget = self._head
        for target in item.targets():
            QWidget.setTabOrder(previous, target)
            previous = target

    def _focused_place(self) -> int | None:
        focus = QApplication.focusWidget()
        if focus is None or not self._content.isAncestorOf(focus):
            return None
        for item in self._shown.values():
            if item.widget is not None and (item.widget is focus or item.widget.isAncestorOf(focus)):
                return self._places.get(item.key)
        return None

    def _focus_from(self, place: int, step: int, *, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> bool:
        """The keyboard to the nearest row from here on that takes it."""
        while 0 <= place < len(self._items):
            if self.focus_item(place, last=reason == Qt.FocusReason.BacktabFocusReason, reason=reason):
                return True
            place += step
        return False

    def _tab(self, forward: bool) -> bool:
        place, focus = self._focused_place(), QApplication.focusWidget()
        if place is None:
            return False
        reason = _TAB_REASONS[0 if forward else 1]
        targets = _usable(self._items[place])
        index = next((number for number, target in enumerate(targets) if _holds(target, focus)), None)
        if index is not None:
            neighbour = index + (1 if forward else -1)
            if 0 <= neighbour < len(targets):
                targets[neighbour].setFocus(reason)
                return True
        if self._focus_from(place + (1 if forward else -1), 1 if forward else -1, reason=reason):
            return True
        # From the edge of the list the window's own order goes on.
        (self._tail if forward else self._head).setFocus(Qt.FocusReason.OtherFocusReason)
        return False

    def _enter(self, *, forward: bool) -> None:
        reason = _TAB_REASONS[0 if forward else 1]
        # Coming forward: to what is in sight, since that is where the person looks.
        place = max(self._top_place, 0) if forward else len(self._items) - 1
        self._focus_from(place, 1 if forward else -1, reason=reason)

    def _page(self, value: int, place: int | None) -> None:
        self._settle(max(0, min(value, self.verticalScrollBar().maximum())))
        if place is not None:
            at_end = self.verticalScrollBar().value() == self.verticalScrollBar().maximum()
            self._focus_from(len(self._items) - 1, -1) if at_end else self._focus_from(self._top_place, 1)


def _holds(target: QWidget, focus: QWidget | None) -> bool:
    return focus is not None and (target is focus or target.isAncestorOf(focus) or target.focusProxy() is focus)


def _usable(item: ListItem) -> list[QWidget]:
    return [target for target in item.targets() if target.isEnabled() and not target.isHidden()]
