"""The bar over everything: engine, model, state, endpoint, and the one button that starts and stops."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from gui import theme
from gui.pickers import EnginePicker, ModelPicker
from gui.state_view import StateView
from gui.theme import SPACE
from gui.widgets import ElidedLabel, FilledButton, copy_text, tool_button

if TYPE_CHECKING:
    from core.engine.environment_model import EngineEnvironment
    from core.engine.snapshot import SessionSnapshot


class EndpointView(QWidget):
    """Where the engine answers, with buttons that copy it. Takes no room until it answers."""

    def __init__(self) -> None:
        super().__init__()
        self._url = ""
        self._key = ""
        self.label = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.label.setFont(theme.font_tabular())
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setMinimumWidth(SPACE * 21)
        self.copy_button = tool_button("copy", self.tr("Copy the endpoint"), self._copy)
        self.key_button = tool_button("key", self.tr("Copy the API key"), self._copy_key)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE // 2)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.copy_button)
        layout.addWidget(self.key_button)
        self.setVisible(False)

    def show_snapshot(self, snapshot: "SessionSnapshot") -> None:
        """Show the endpoint of a ready engine, hide it otherwise."""
        ready = snapshot.state == "ready" and bool(snapshot.base_url)
        self._url = (snapshot.openai_base_url or "") if ready else ""
        self._key = (snapshot.api_key or "") if ready else ""
        self.label.set_whole(self._url)
        self.key_button.setVisible(bool(self._key))
        self.setVisible(ready)

    def url(self) -> str:
        """The endpoint as shown; empty while there is none."""
        return self._url

    def _copy(self) -> None:
        copy_text(self._url)

    def _copy_key(self) -> None:
        copy_text(self._key)


class TopBar(QFrame):
    """See the module. It asks through signals of its parts and through actions.

    Args:
        start: triggered when Start is pressed; `stop` likewise.
    """

    def __init__(self, start: QAction, stop: QAction) -> None:
        super().__init__()
        self.setObjectName("topBar")
        self._start = start
        self._stop = stop
        self.engines = EnginePicker()
        self.models = ModelPicker()
        self.state = StateView()
        self.run_button = FilledButton()
        self.run_button.setMinimumWidth(SPACE * 15)
        self.run_button.clicked.connect(self._run_clicked)
        self.menu_button = tool_button("menu", self.tr("More"))
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SPACE, SPACE // 2, SPACE, SPACE // 2)
        layout.setSpacing(SPACE + SPACE // 2)
        layout.addWidget(self.engines)
        layout.addWidget(self.models, 6)
        layout.addWidget(self.state, 5)
        layout.addWidget(self.run_button)
        layout.addWidget(self.menu_button)
        self._busy = False
        self._stopping = False
        self._starting = False
        theme.notifier().changed.connect(self._paint)
        self._paint()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(SPACE * 100, max(hint.height(), SPACE * 7))

    def complete(self, menu: QMenu) -> None:
        """Add what the first picture does without.

        Args:
            menu: everything that has no button.
        """
        self.endpoint = EndpointView()
        self.layout().insertWidget(self.layout().indexOf(self.run_button), self.endpoint)
        self.menu_button.setMenu(menu)

    def show_snapshot(self, snapshot: "SessionSnapshot") -> None:
        """Show the engine's state everywhere in the bar."""
        self._busy = not snapshot.state.at_rest
        self._starting = snapshot.state == "starting"
        self._stopping = snapshot.state == "stopping"
        self.state.show_snapshot(snapshot)
        self.endpoint.show_snapshot(snapshot)
        self.engines.set_locked(self._busy)
        self._show_button()

    def show_engines(self, engines: "Sequence[EngineEnvironment]", chosen: str | None) -> None:
        """List the engines; while one runs, no other can be picked."""
        self.engines.show_engines(engines, chosen)
        self.engines.set_locked(self._busy)

    def _run_clicked(self) -> None:
        (self._stop if self._busy else self._start).trigger()

    def _show_button(self) -> None:
        running = self._busy and not self._stopping
        button = self.run_button
        if self._starting:
            button.setText(self.tr("Stop (starting)"))
        elif self._stopping:
            button.setText(self.tr("Stopping"))
        else:
            button.setText(self.tr("Stop") if running else self.tr("Start"))
        button.setEnabled(not self._stopping)
        button.set_role("error_fill" if running else "accent_fill")
        theme.set_icon(button, "stop" if running else "play", "muted" if self._stopping else "on_fill")
        tip = self.tr("Stop the engine (Shift+F5)") if running else self.tr("Start the engine (F5)")
        button.setToolTip(tip)
        button.setAccessibleName(button.text())

    def _paint(self) -> None:
        look = theme.colors()
        self.setStyleSheet(f"#topBar {{ background: {look.raised}; border-bottom: 1px solid {look.border}; }}")
        self._show_button()
