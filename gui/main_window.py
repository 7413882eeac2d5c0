"""The window: puts its parts together and moves between pages. What its parts do to each other is in `gui.wiring`."""

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QActionGroup, QCloseEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from core.config.document import ConfigDocument
from core.services import Services
from gui import theme
from gui.actions import ShortcutSheet, build_actions
from gui.command_view import CommandView
from gui.engine_manager import EngineManager
from gui.form import FormView
from gui.monitor import MonitorView
from gui.notifications import NotificationBar
from gui.pages.chat import ChatPage
from gui.pages.engines import EnginesPage
from gui.pages.log import LogPage
from gui.place import Place
from gui.rail import Rail
from gui.tasks import TaskRunner
from gui.theme import SPACE, Scheme
from gui.top_bar import TopBar
from gui.tune import TuneArea
from gui.workbench import Workbench

PAGES = ("tune", "try", "engines", "log")
_LEAST_WIDTH = SPACE * 120
_LEAST_HEIGHT = SPACE * 75


class MainWindow(QMainWindow):
    """All parts, laid out; it decides nothing.

    Attributes:
        painted: the first picture is on the screen.
        close_wanted: the person wants out.
        layout_changed: something worth remembering moved.
        may_close: the next close is the last one.
    """

    painted = Signal()
    close_wanted = Signal()
    layout_changed = Signal()

    def __init__(self, services: Services, document: ConfigDocument, engines: EngineManager, tasks: TaskRunner) -> None:
        super().__init__()
        self.may_close = False
        self._painted_once = False
        self._page = ""
        self.setObjectName("mainWindow")
        self.setWindowTitle("vLLM Dyno")
        self.actions_by_name = build_actions(self)
        self.notes = NotificationBar()
        self.command = CommandView()
        self.form = FormView(services.overlay, document)
        self.monitor = MonitorView(services.store, services.sampler.devices, services.sampler.status)
        self.chat = ChatPage(tasks, self.actions_by_name["start"].trigger)
        self.log = LogPage(lambda: services.session.log)
        self.engines_page = EnginesPage(engines)
        self.tune = TuneArea(self.form)
        self.workbench = Workbench(self.tune, self.monitor, self.command)
        self.scheme_actions = QActionGroup(self)
        self.top_bar = TopBar(
            services.models.check_reference,
            self.actions_by_name["start"],
            self.actions_by_name["stop"],
            self._menu(),
        )
        self._log_place = Place()
        self.pages = QStackedWidget()
        for page in (self.workbench, self.engines_page, self._log_place):
            self.pages.addWidget(page)
        self._lay_out()
        self._connect()
        self.show_page("tune")

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return self._page

    def show_page(self, name: str) -> None:
        """Go to a page of the rail."""
        self.actions_by_name[f"page_{name}"].setChecked(True)
        if name == self._page:
            return
        self.workbench.layout_state()
        self._page = name
        (self._log_place if name == "log" else self.workbench.small_log_place).take(self.log)
        if name == "try":
            self.workbench.chat_place.take(self.chat)
            self.workbench.show_chat()
        else:
            self.workbench.small_chat_place.take(self.chat)
            self.workbench.show_tune()
        self.chat.set_compact(name != "try")
        large = {"engines": self.engines_page, "log": self._log_place}
        self.pages.setCurrentWidget(large.get(name, self.workbench))
        if name == "try":
            self.chat.focus_prompt()
        self.layout_changed.emit()

    def find(self) -> None:
        """Search in what is in front."""
        focus = self.focusWidget()
        in_log = focus is not None and self.log.isAncestorOf(focus)
        if self._page == "log" or (self._page == "tune" and in_log):
            self.log.find_bar.open_bar()
        elif self._page == "try":
            self.chat.focus_prompt()
        elif self._page == "engines":
            self.engines_page.table.setFocus()
        else:
            self.form.focus_search()

    def show_shortcuts(self) -> None:
        """Open the list of keys."""
        ShortcutSheet(self).open()

    def ui_state(self) -> dict[str, object]:
        """Geometry, docks, page and the like, for the working state."""
        return {
            "geometry": bytes(self.saveGeometry().toBase64().data()).decode("ascii"),
            "docks": self.workbench.layout_state(),
            "page": self._page,
            "theme": theme.scheme().value,
            "wrap": self.log.wrap_button.isChecked(),
            "chat": self.chat.parameters.state(),
        }

    def restore_ui(self, state: dict[str, object]) -> None:
        """Put back what `ui_state` gave; what does not fit is left as it is."""
        geometry = state.get("geometry")
        if not (isinstance(geometry, str) and self.restoreGeometry(QByteArray.fromBase64(geometry.encode()))):
            room = self.screen().availableSize()
            self.resize(min(1600, round(room.width() * 0.92)), min(1000, round(room.height() * 0.92)))
        docks = state.get("docks")
        if isinstance(docks, str):
            self.workbench.restore_layout(docks)
        page = state.get("page")
        if page in PAGES:
            self.show_page(str(page))
        self.log.set_wrap(state.get("wrap") is True)
        chat = state.get("chat")
        if isinstance(chat, dict):
            self.chat.parameters.restore(chat)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.workbench.sized:
            self.workbench.first_sizes()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.may_close:
            event.accept()
        else:
            event.ignore()
            self.close_wanted.emit()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        kind = event.type()
        if kind == QEvent.Type.Paint and not self._painted_once:
            self._painted_once = True
            # Once this event is through, the picture is on the screen.
            QTimer.singleShot(0, self, self.painted.emit)
        elif kind in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.WindowStateChange) and self._painted_once:
            self.layout_changed.emit()
        return done

    def _lay_out(self) -> None:
        self.setMinimumSize(_LEAST_WIDTH, _LEAST_HEIGHT)
        head = QWidget()
        layout = QVBoxLayout(head)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top_bar)
        layout.addWidget(self.notes)
        self.setMenuWidget(head)
        self.rail = Rail([self.actions_by_name[f"page_{name}"] for name in PAGES])
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self.rail)
        self.setCentralWidget(self.pages)

    def _connect(self) -> None:
        actions = self.actions_by_name
        for name in PAGES:
            actions[f"page_{name}"].triggered.connect(lambda _checked=False, page=name: self.show_page(page))
        actions["find"].triggered.connect(self.find)
        actions["engine"].triggered.connect(self.top_bar.engines.showPopup)
        actions["model"].triggered.connect(self.top_bar.models.focus)
        actions["copy_command"].triggered.connect(self.command.copy)
        actions["new_talk"].triggered.connect(self.chat.clear)
        actions["reset_layout"].triggered.connect(self.workbench.reset_layout)
        actions["shortcuts"].triggered.connect(self.show_shortcuts)
        actions["quit"].triggered.connect(self.close)
        for name, dock in (("monitor", self.workbench.monitor_dock), ("drawer", self.workbench.drawer_dock)):
            actions[name].setChecked(True)
            actions[name].toggled.connect(dock.setVisible)
            dock.toggleViewAction().toggled.connect(actions[name].setChecked)
        self.workbench.layout_changed.connect(self.layout_changed)
        self.log.wrap_changed.connect(lambda _: self.layout_changed.emit())
        self.chat.changed.connect(self.layout_changed)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        looks = menu.addMenu(self.tr("Theme"))
        for scheme, text in (
            (Scheme.SYSTEM, self.tr("As the system")),
            (Scheme.LIGHT, self.tr("Light")),
            (Scheme.DARK, self.tr("Dark")),
        ):
            action = looks.addAction(text)
            action.setCheckable(True)
            action.setData(scheme.value)
            action.setChecked(scheme is theme.scheme())
            self.scheme_actions.addAction(action)
        for names in (
            ("monitor", "drawer", "reset_layout"),
            ("undo", "redo", "copy_command", "ask_engine"),
            ("demo", "screenshot", "open_state"),
            ("shortcuts", "quit"),
        ):
            menu.addSeparator()
            for name in names:
                menu.addAction(self.actions_by_name[name])
        return menu
