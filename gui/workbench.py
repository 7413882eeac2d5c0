"""The area where one tunes and tries: form or talk in the middle, monitor and drawer as docks around it."""

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget, QTabBar, QWidget

from gui import theme
from gui.dock_title import DockTitle
from gui.place import Place

_STATE_VERSION = 1
_TALK_ICON = "chat"
_FIRST_MONITOR_SHARE = 0.47
_FIRST_DRAWER_SHARE = 0.26


class Workbench(QMainWindow):
    """Docks can be moved, resized, floated and closed; `saveState` remembers.

    Args:
        tune: what stands in the middle while one tunes.

    Attributes:
        command_place, small_log_place, small_chat_place: the drawer's pages.
        chat_place: where the talk stands while it has the middle.
        monitor_place: where the plots stand.
    """

    layout_changed = Signal()

    def __init__(self, tune: QWidget) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)
        self._sized = False
        self._layout = ""
        self._tune = tune
        self.chat_place = Place()
        self.monitor_place = Place()
        self.command_place = Place()
        self.small_log_place = Place()
        self.small_chat_place = Place()
        self.middle = QStackedWidget()
        self.middle.addWidget(tune)
        self.middle.addWidget(self.chat_place)
        self.setCentralWidget(self.middle)
        self.drawer = QStackedWidget()
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setAccessibleName(self.tr("Command, log and answer"))
        # The talk comes last: its tab goes away while the talk has the middle.
        self._tab_icons = ("command", "log", _TALK_ICON)
        for page, title in (
            (self.command_place, self.tr("Command")),
            (self.small_log_place, self.tr("Log")),
            (self.small_chat_place, self.tr("Try")),
        ):
            self.drawer.addWidget(page)
            self.tabs.addTab(title)
        self.tabs.currentChanged.connect(self.drawer.setCurrentIndex)
        self.monitor_dock = self._dock(
            "monitor", self.tr("Monitor"), self.monitor_place, Qt.DockWidgetArea.RightDockWidgetArea
        )
        self.drawer_dock = self._dock(
            "drawer", self.tr("Command, log and answer"), self.drawer, Qt.DockWidgetArea.BottomDockWidgetArea
        )
        self._titles = (DockTitle(self.monitor_dock), DockTitle(self.drawer_dock, self.tabs))
        self.monitor_dock.setTitleBarWidget(self._titles[0])
        self.drawer_dock.setTitleBarWidget(self._titles[1])
        # The monitor keeps the whole height: four plots need it more than the command line does.
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setDockNestingEnabled(True)
        self._first_state = self.saveState(_STATE_VERSION)

    def complete(self) -> None:
        """Add what the first picture does without."""
        self._recolour()
        for title in self._titles:
            title.complete()
        theme.notifier().changed.connect(self._recolour)

    def show_tune(self) -> None:
        """The form in the middle; the talk, small, in the drawer."""
        self.middle.setCurrentWidget(self._tune)
        if self.tabs.count() < self.drawer.count():
            self.tabs.addTab(theme.icon(_TALK_ICON), self.tr("Try"))

    def show_chat(self) -> None:
        """The talk in the middle."""
        self.middle.setCurrentWidget(self.chat_place)
        index = self.drawer.indexOf(self.small_chat_place)
        if self.tabs.count() > index:
            if self.tabs.currentIndex() == index:
                self.tabs.setCurrentIndex(self.drawer.indexOf(self.small_log_place))
            self.tabs.removeTab(index)

    def show_drawer_page(self, page: QWidget) -> None:
        """Open the drawer at one of its pages."""
        self.drawer_dock.setVisible(True)
        self.tabs.setCurrentIndex(self.drawer.indexOf(page))

    def layout_state(self) -> str:
        """Where the docks are, as text for the working state."""
        # Qt notes docks as hidden while their window is not on the screen: then the last look counts.
        if self.isVisible():
            self._layout = bytes(self.saveState(_STATE_VERSION).toBase64().data()).decode("ascii")
        return self._layout

    def restore_layout(self, text: str) -> bool:
        """Put the docks where they were; False when the text does not fit this version of the window."""
        state = QByteArray.fromBase64(text.encode("ascii", errors="ignore"))
        done = bool(text) and self.restoreState(state, _STATE_VERSION)
        self._layout = text if done else self._layout
        self._sized = self._sized or done
        return done

    def reset_layout(self) -> None:
        """Put the docks back where they are at first."""
        self.restoreState(self._first_state, _STATE_VERSION)
        for dock in (self.monitor_dock, self.drawer_dock):
            dock.setVisible(True)
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
        for moved in (dock.dockLocationChanged, dock.visibilityChanged, dock.topLevelChanged):
            moved.connect(lambda _: self.layout_changed.emit())
        return dock

    def _recolour(self) -> None:
        look = theme.colors()
        for index, name in enumerate(self._tab_icons[: self.tabs.count()]):
            self.tabs.setTabIcon(index, theme.icon(name))
        self.tabs.setStyleSheet(
            f"QTabBar::tab {{ padding: 6px 12px; border: 0; border-bottom: 2px solid transparent;"
            f" color: {look.muted}; }}"
            f"QTabBar::tab:selected {{ color: {look.text}; border-bottom-color: {look.accent}; }}"
            f"QTabBar::tab:hover {{ color: {look.text}; background: {look.raised}; }}"
        )
