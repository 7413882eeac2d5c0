"""The two pickers of the top bar: which engine, which model."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from gui import theme
from gui.format import bytes_text, model_name
from gui.theme import SPACE
from gui.widgets import tool_button

if TYPE_CHECKING:
    from core.engine.environment_model import EngineEnvironment
    from core.models.entry import ModelEntry

_REFERENCE = Qt.ItemDataRole.UserRole


class EnginePicker(QComboBox):
    """Chooses one of the engines on this machine; says so when there is none."""

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Engine"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._activated)
        self.show_looking()

    def show_looking(self) -> None:
        """Say that the engines are being looked for."""
        self._say(self.tr("Looking for engines"))

    def show_engines(self, engines: "Sequence[EngineEnvironment]", chosen: str | None) -> None:
        """List the engines with the chosen one selected."""
        if not engines:
            self._say(self.tr("No engine found"))
            return
        from gui.words import engine_label

        with QSignalBlocker(self):
            self.clear()
            for engine in engines:
                self.addItem(engine_label(engine), engine.name)
                tip = f"{engine.name}\n{engine.python}" + (f"\n{engine.problem}" if engine.problem else "")
                self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
                if engine.problem:
                    self.setItemIcon(self.count() - 1, theme.icon("warning", "warning"))
            self.setCurrentIndex(max(0, self.findData(chosen)))
        self.setEnabled(True)
        self._tip()

    def set_locked(self, locked: bool) -> None:
        """While an engine runs, another one cannot be picked."""
        self.setEnabled(self.chosen() is not None and not locked)

    def chosen(self) -> str | None:
        """Name of the chosen engine; None when there is none."""
        return self.currentData()

    def _say(self, text: str) -> None:
        with QSignalBlocker(self):
            self.clear()
            self.addItem(text)
        self.setEnabled(False)
        self._tip()

    def _activated(self, index: int) -> None:
        self._tip()
        self.picked.emit(self.itemData(index))

    def _tip(self) -> None:
        place = self.itemData(self.currentIndex(), Qt.ItemDataRole.ToolTipRole) or ""
        self.setToolTip(self.tr("The engine to start (Ctrl+E)") + (f"\n{place}" if place else ""))


class ModelPicker(QWidget):
    """Chooses a model: a local folder, a model in the cache, or a Hub id that is typed.

    While nobody edits it, the editor shows the model's short name; the whole reference is its tooltip.
    """

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._check: Callable[[str], str | None] = lambda _: None
        self._reference = ""
        self.combo = QComboBox()
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.combo.setAccessibleName(self.tr("Model"))
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setMinimumContentsLength(14)
        self.combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.edit: QLineEdit = self.combo.lineEdit()
        self.edit.setPlaceholderText(self.tr("Model: a folder or a Hub id such as org/name"))
        self.combo.completer().setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.combo.completer().setFilterMode(Qt.MatchFlag.MatchContains)
        self._problem = QAction(self)
        self.edit.addAction(self._problem, QLineEdit.ActionPosition.TrailingPosition)
        self._problem.setVisible(False)
        self._browse = tool_button("folder", self.tr("Choose a model folder"), self._choose_folder)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE // 2)
        layout.addWidget(self.combo, 1)
        layout.addWidget(self._browse)
        self.edit.textEdited.connect(self._edited)
        # The keyboard is the box's, which passes it on to its editor.
        self.combo.installEventFilter(self)
        self.combo.activated.connect(self._activated)
        self._judge("")

    def set_check(self, check: Callable[[str], str | None]) -> None:
        """Judge references from now on.

        Args:
            check: says what is wrong with one, or None.
        """
        self._check = check
        theme.set_icon(self._problem, "warning", "warning")
        self._judge(self.reference())

    def show_entries(self, entries: "Sequence[ModelEntry]") -> None:
        """List what is on this machine; the text in the editor stays."""
        text = self.edit.text()
        with QSignalBlocker(self.combo):
            self.combo.clear()
            for entry in entries:
                size = f"  ({bytes_text(entry.size_bytes)})" if entry.size_bytes is not None else ""
                self.combo.addItem(f"{entry.label}{size}", entry.reference)
                lines = [entry.reference, entry.detail, entry.problem or ""]
                tip = "\n".join(line for line in lines if line)
                self.combo.setItemData(self.combo.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
                if entry.problem:
                    self.combo.setItemIcon(self.combo.count() - 1, theme.icon("warning", "warning"))
            self.combo.setCurrentIndex(-1)
            self.edit.setText(text)
            if not self.edit.hasFocus():
                self.edit.setCursorPosition(0)

    def show_reference(self, reference: str) -> None:
        """Show what the document holds; nothing is emitted."""
        self._reference = reference
        self._show_text()
        self._judge(reference)

    def reference(self) -> str:
        """The model, as it was typed or chosen, in whole."""
        return self._reference

    def focus(self) -> None:
        """Put the cursor into the editor, everything selected."""
        self._show_text(whole=True)
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def problem(self) -> str:
        """What is wrong with it; empty when nothing is."""
        return self._problem.toolTip() if self._problem.isVisible() else ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent):
            if event.gotFocus():
                self._show_text(whole=True)
            elif event.reason() != Qt.FocusReason.PopupFocusReason:
                # Later: at the end of an edit the box looks for an entry that is called like the text, and picks it.
                QTimer.singleShot(0, self, self._show_text)
        return super().eventFilter(watched, event)

    def _show_text(self, whole: bool = False) -> None:
        text = self._reference if whole or self.edit.hasFocus() else model_name(self._reference)
        if self.edit.text().strip() != text:
            self.edit.setText(text)
            self.edit.setCursorPosition(0)

    def _edited(self, text: str) -> None:
        self._reference = text.strip()
        self._judge(self._reference)
        self.picked.emit(self._reference)

    def _activated(self, index: int) -> None:
        reference = self.combo.itemData(index, _REFERENCE)
        if reference:
            self.show_reference(reference)
            self.picked.emit(reference)

    def _judge(self, reference: str) -> None:
        message = self._check(reference) if reference else None
        self._problem.setVisible(message is not None)
        self._problem.setToolTip(message or "")
        lines = [line for line in (message, reference) if line]
        self.edit.setToolTip("\n".join(lines) or self.tr("The model to serve (Ctrl+M)"))

    def _choose_folder(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        dialog = QFileDialog(self, self.tr("Choose a model folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._folder_chosen)
        dialog.open()

    def _folder_chosen(self, folder: str) -> None:
        self.show_reference(folder)
        self.picked.emit(folder)
