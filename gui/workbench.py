"""The area where one tunes and tries: form or talk in the middle, monitor and drawer as docks around it."""

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget, QTabWidget, QWidget

from gui import theme
from gui.place import Place

_STATE_VERSION = 1
_FIRST_MONITOR_SHARE = 0.46
_FIRST_DRAWER_SHARE = 0.24


class Workbench(QMainWindow):
    """Docks can be moved, resized, floated and closed; `saveState` remembers.

    Args:
        tune: what stands in the middle while one tunes.
        command, log, chat: the drawer's pages; log and chat only while they are not shown large.
    """

    layout_changed = Signal()

    def __init__(self, tune: QWidget, monitor: QWidget, command: QWidget) -> None:
        super().__init__(None, Qt.WindowType.Widget)
        self.setWindowFlags(Qt.WindowType.Widget)
        self._sized = False
        self.chat_place = Place()
        self.small_log_place = Place()
        self.small_chat_place = Place()
        self._tune = tune
        self.middle = QStackedWidget()
        self.middle.addWidget(tune)
        self.middle.addWidget(self.chat_place)
        self.setCentralWidget(self.middle)
        self.drawer_tabs = QTabWidget()
        self.drawer_tabs.setDocumentMode(True)
        self.drawer_tabs.setAccessibleName(self.tr("Command, log and answer"))
        for page, icon, title in (
            (command, "command", self.tr("Command")),
            (self.small_log_place, "log", self.tr("Log")),
            (self.small_chat_place, "chat", self.tr("Try")),
        ):
            self.drawer_tabs.addTab(page, title)
            self.drawer_tabs.setTabIcon(self.drawer_tabs.count() - 1, theme.icon(icon))
        self._icons = ("command", "log", "chat")
        self.monitor_dock = self._dock("monitor", self.tr("Monitor"), monitor, Qt.DockWidgetArea.RightDockWidgetArea)
        self.drawer_dock = self._dock(
            "drawer", self.tr("Drawer"), self.drawer_tabs, Qt.DockWidgetArea.BottomDockWidgetArea
        )
        # The monitor keeps the whole height: four plots need it more than the command line does.
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setDockNestingEnabled(True)
        self._first_state = self.saveState(_STATE_VERSION)
        theme.notifier().changed.connect(self._recolour)

    def show_tune(self) -> None:
        """The form in the middle; the talk, small, in the drawer."""
        self.middle.setCurrentWidget(self._tune)
        self.drawer_tabs.setTabVisible(self.drawer_tabs.indexOf(self.small_chat_place), True)

    def show_chat(self) -> None:
        """The talk in the middle."""
        self.middle.setCurrentWidget(self.chat_place)
        self.drawer_tabs.setTabVisible(self.drawer_tabs.indexOf(self.small_chat_place), False)

    def show_drawer_page(self, page: QWidget) -> None:
        """Open the drawer at one of its pages."""
        self.drawer_dock.setVisible(True)
        self.drawer_tabs.setCurrentWidget(page)

    def layout_state(self) -> str:
        """Where the docks are, as text for the working state."""
        return bytes(self.saveState(_STATE_VERSION).toBase64().data()).decode("ascii")

    def restore_layout(self, text: str) -> bool:
        """Put the docks where they were; False when the text does not fit this version of the window."""
        state = QByteArray.fromBase64(text.encode("ascii", errors="ignore"))
        done = bool(text) and self.restoreState(state, _STATE_VERSION)
        self._sized = self._sized or done
        return done

    def reset_layout(self) -> None:
        """Put the docks back where they are at first."""
        self.restoreState(self._first_state, _STATE_VERSION)
        self.first_sizes()

    def first_sizes(self) -> None:
        """Give monitor and drawer their first share of the room; later sizes are the person's."""
        self.resizeDocks([self.monitor_dock], [round(self.width() * _FIRST_MONITOR_SHARE)], Qt.Orientation.Horizontal)
        self.resizeDocks([self.drawer_dock], [round(self.height() * _FIRST_DRAWER_SHARE)], Qt.Orientation.Vertical)
        self._sized = True

    @property
    def sized(self) -> bool:
        """Whether the docks have sizes of their own already."""
        return self._sized

    def _dock(self, name: str, title: str, content: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setAccessibleName(title)
        dock.setWidget(content)
        self.addDockWidget(area, dock)
        dock.dockLocationChanged.connect(lambda _: self.layout_changed.emit())
        dock.visibilityChanged.connect(lambda _: self.layout_changed.emit())
        dock.topLevelChanged.connect(lambda _: self.layout_changed.emit())
        return dock

    def _recolour(self) -> None:
        for index, name in enumerate(self._icons):
            self.drawer_tabs.setTabIcon(index, theme.icon(name))
