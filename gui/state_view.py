"""State, stage and elapsed time of the engine: in words, with a shape, and with how far it is."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from gui import theme
from gui.theme import SPACE
from gui.widgets import ElidedLabel

if TYPE_CHECKING:
    from core.engine.snapshot import SessionSnapshot

_TICK_MS = 500


class StateView(QWidget):
    """Shows one snapshot; while the engine lives the time runs on."""

    def __init__(self) -> None:
        super().__init__()
        self._snapshot: SessionSnapshot | None = None
        self._changed: list[str] = []
        self._icon = QLabel()
        self._icon.setFixedSize(20, 20)
        self.first = ElidedLabel()
        font = theme.font_tabular()
        font.setBold(True)
        self.first.setFont(font)
        self.second = ElidedLabel()
        theme.muted(self.second)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(4)
        self.progress.setAccessibleName(self.tr("Progress of this stage"))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE)
        grid.setVerticalSpacing(0)
        grid.addWidget(self._icon, 1, 0, 3, 1)
        grid.addWidget(self.first, 1, 1)
        grid.addWidget(self.second, 2, 1)
        grid.addWidget(self.progress, 3, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 1)
        grid.setRowStretch(4, 1)
        self.setMinimumWidth(SPACE * 20)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self._tick)
        theme.notifier().changed.connect(self._paint)

    def show_snapshot(self, snapshot: "SessionSnapshot") -> None:
        """Show another state."""
        self._snapshot = snapshot
        self._paint()
        self._tick()
        fraction = snapshot.stage_fraction
        busy = snapshot.state in ("starting", "stopping")
        self.progress.setVisible(busy)
        if fraction is None or snapshot.state == "stopping":
            self.progress.setRange(0, 0 if busy else 1)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(fraction * 1000))
        if snapshot.state.at_rest:
            self._ticker.stop()
        else:
            self._ticker.start()

    def show_changed(self, names: list[str]) -> None:
        """Say that the running engine was started with other settings.

        Args:
            names: what is set otherwise now, as a person knows it; empty when all is equal.
        """
        if names != self._changed:
            self._changed = names
            self._tick()

    def _tick(self) -> None:
        if self._snapshot is None:
            return
        # Late, here and below: the words bring the engine's states along, which the first picture does without.
        from gui.words import state_lines

        first, second = state_lines(self._snapshot)
        tip = self._snapshot.model or ""
        if self._changed:
            # In place of what is known by now; while the engine starts, the stage moves up.
            first = f"{first}  {second}" if self._snapshot.state == "starting" else first
            tip = "\n".join([self.tr("Changed since the start:"), *self._changed])
            second = self._changed_words()
        self.first.set_whole(first)
        self.second.set_whole(second, tip if self._changed else "")
        self.second.setVisible(bool(second))
        self.setToolTip(tip)

    def _changed_words(self) -> str:
        whole = self.tr("Settings changed since the start; restart to apply.")
        fits = self.second.fontMetrics().horizontalAdvance(whole) <= self.second.width()
        return whole if fits or not self.second.isVisible() else self.tr("Settings changed; restart to apply.")

    def _paint(self) -> None:
        if self._snapshot is None:
            return
        from gui.words import state_icon, state_lines

        name, role = state_icon(self._snapshot.state)
        self._icon.setPixmap(theme.pixmap(name, 20, role, self.devicePixelRatioF()))
        self._icon.setAccessibleName(state_lines(self._snapshot)[0])
