"""One row: texts painted by the row itself, and one real editor. Cheap enough to be made while one types."""

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from core.config.json_values import same_value
from core.schema.model import Kind, Value
from gui import theme
from gui.form.editors import Editor, make_editor
from gui.form.row_item import RowItem
from gui.form.row_paint import paint_row
from gui.form.texts import tr
from gui.form.whole_text import WholeText

_EMPTY_HAS_MEANING = (Kind.TEXT, Kind.PATH)


class Row(QWidget):
    """Frame of one setting. It is the host of its editor and writes through the entry's binding.

    Attributes:
        item: the state behind it.
        editor: the editor for its kind.
    """

    def __init__(self, item: RowItem, parent: QWidget) -> None:
        super().__init__(parent)
        self.item = item
        self._entry = item.entry
        self._whole: WholeText | None = None
        self._reset: QToolButton | None = None
        self._more = QRect()
        self._hovered = False
        self._described = ""
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMouseTracking(True)
        self.editor: Editor = make_editor(self._entry.spec, self, secret=self._entry.secret)
        self.editor.setParent(self)
        self.setToolTip(self._entry.tooltip)
        self._shown: tuple[bool, Value] = (self._entry.binding.is_set(), self._entry.binding.value())
        self.editor.show_state(*self._shown)
        self._take_editor_state()
        self._dress()

    @property
    def reset_button(self) -> QToolButton | None:
        """The button that unsets the value; there only while there is one."""
        return self._reset if self._reset is not None and not self._reset.isHidden() else None

    @property
    def more_rect(self) -> QRect:
        """Where "more" or "less" stands; empty when there is no more."""
        return self._more

    def targets(self) -> list[QWidget]:
        """What can have the keyboard, in reading order."""
        button = self.reset_button
        return [*self.editor.targets(), *([button] if button is not None else [])]

    def refresh(self) -> None:
        """Show what the document holds now. Refused text stays while the value behind it stays."""
        state = (self._entry.binding.is_set(), self._entry.binding.value())
        same = state[0] == self._shown[0] and same_value(state[1], self._shown[1])
        if not (same and self.editor.has_draft):
            self._shown = state
            self.editor.show_state(*state)
        self._settle()

    def refresh_words(self) -> None:
        """Show other messages, caption or look; the editor is left alone."""
        self._dress()
        self.item.context.resized(self.item)
        self._arrange()

    # --- what the editor asks ----------------------------------------------------------------------------------------

    def commit(self, value: Value) -> None:
        """A valid value was entered."""
        self._entry.binding.write(value)
        self._changed()

    def clear(self) -> None:
        """The value was taken out."""
        self._entry.binding.reset()
        self._changed()

    def complain(self) -> None:
        """The editor's message or meaning changed."""
        self._changed()

    def resized(self) -> None:
        """The editor wants another height."""
        self.item.invalidate()
        self.item.context.resized(self.item)
        self._arrange()

    def set_fields_open(self, is_open: bool) -> None:
        """List the fields of the object below, or take them away."""
        if is_open != self.item.fields_open:
            self.item.fields_open = is_open
            self.item.context.structure_changed(self.item)

    # --- what the person asks ----------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Back to the engine's default."""
        focus_was_here = self._reset is not None and self._reset.hasFocus()
        self._entry.binding.reset()
        self.editor.show_state(False, None)
        self._changed()
        if focus_was_here:
            self.editor.targets()[0].setFocus()

    def toggle_whole(self) -> None:
        """Open the whole text, or fold it."""
        self.item.expanded = not self.item.expanded
        if self.item.expanded and self._whole is None:
            self._whole = WholeText(self._entry.note, self._entry.spec.help, self)
        if self._whole is not None:
            self._whole.setVisible(self.item.expanded)
        self.item.invalidate()
        self.item.context.resized(self.item)
        self._arrange()

    def whole_height(self, width: int) -> int:
        """Height of the whole text at this width."""
        return self._whole.heightForWidth(width) if self._whole is not None else 0

    # --- events ------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        item = self.item
        runs, self._more = item.runs(self.width())
        painter = QPainter(self)
        paint_row(painter, self, item, runs, item.context.metrics, hovered=self._hovered)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hover(True)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        on_more = self._more.contains(event.position().toPoint())
        self.setCursor(Qt.CursorShape.PointingHandCursor if on_more else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._more.contains(event.position().toPoint()):
            self.toggle_whole()
        else:
            self.editor.targets()[0].setFocus(Qt.FocusReason.MouseFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # F1 alone is the window's. Shift+F1 asks "what is this" everywhere.
        if event.key() == Qt.Key.Key_F1 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.toggle_whole()
        elif event.key() == Qt.Key.Key_Menu:
            self._menu(self.mapToGlobal(self.editor.geometry().bottomLeft()))
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._menu(event.globalPos())

    # --- inside ------------------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        self._shown = (self._entry.binding.is_set(), self._entry.binding.value())
        self._settle()
        self.item.context.changed(self.item)

    def _settle(self) -> None:
        self._take_editor_state()
        self._dress()
        self.item.context.resized(self.item)
        self._arrange()

    def _take_editor_state(self) -> None:
        editor = self.editor
        self.item.set_editor_state(draft=editor.has_draft, message=editor.message, meaning=editor.meaning)

    def _dress(self) -> None:
        """Reset button and names; they follow from the state."""
        is_set = self.item.is_set
        if is_set and self._reset is None:
            self._reset = self._make_reset()
        if self._reset is not None:
            self._reset.setVisible(is_set)
        described = ". ".join(
            part.rstrip(".")
            for part in (
                self._entry.flag,
                self._entry.summary,
                tr("Default: {0}").format(self._entry.default),
                self.item.status(),
                *(message.text for message in self.item.messages()),
            )
            if part
        )
        if described != self._described:
            self._described = described
            self.editor.set_names(self._entry.label, described)
        self.update()

    def _make_reset(self) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(QSize(16, 16))
        theme.set_icon(button, "reset")
        button.setToolTip(tr("Reset to the default ({0})").format(self._entry.default))
        button.setAccessibleName(tr("Reset {0}").format(self._entry.label))
        button.clicked.connect(self.reset)
        QWidget.setTabOrder(self.editor.targets()[-1], button)
        return button

    def _arrange(self) -> None:
        if self.width() <= 0:
            return
        plan = self.item.plan(self.width())
        self.editor.setGeometry(plan.editor)
        if self._reset is not None:
            self._reset.setGeometry(plan.reset)
        if self._whole is not None:
            self._whole.setGeometry(plan.whole)
        self.update()

    def _hover(self, hovered: bool) -> None:
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def _menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Reset to the default"), self.reset).setEnabled(self.item.is_set)
        if self._entry.spec.kind in _EMPTY_HAS_MEANING:
            menu.addAction(tr("Set to an empty text"), self.set_empty)
        if self._entry.has_more:
            menu.addAction(tr("Less text") if self.item.expanded else tr("Whole text (Shift+F1)"), self.toggle_whole)
        menu.addSeparator()
        name = self._entry.flag or self._entry.label
        menu.addAction(tr("Copy {0}").format(name), lambda: QGuiApplication.clipboard().setText(name))
        menu.popup(where)

    def set_empty(self) -> None:
        """Set a text to nothing, which is not the same as leaving it to the engine."""
        self._entry.binding.write("")
        self.editor.show_state(True, "")
        self._changed()
