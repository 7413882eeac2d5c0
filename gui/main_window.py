"""The window: puts its parts together and moves between pages. What its parts do to each other is in `gui.wiring`.

Only what the first picture shows is built at once. The other pages follow when `build_pages` is called; until then
their places are empty.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QActionGroup, QCloseEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from core.config.document import ConfigDocument
from core.schema.overlay import Overlay
from gui import theme
from gui.actions import build_actions
from gui.form import FormView
from gui.place import Place
from gui.rail import Rail
from gui.theme import SPACE, Scheme
from gui.top_bar import TopBar
from gui.tune import TuneArea
from gui.workbench import Workbench

if TYPE_CHECKING:
    from core.services import Services
    from gui.command_view import CommandView
    from gui.engine_manager import EngineManager
    from gui.monitor import MonitorView
    from gui.notifications import NotificationBar
    from gui.pages.chat import ChatPage
    from gui.pages.engines import EnginesPage
    from gui.pages.log import LogPage
    from gui.tasks import TaskRunner

PAGES = ("tune", "try", "engines", "log")
_LEAST_WIDTH = SPACE * 120
_LEAST_HEIGHT = SPACE * 75


def _needed_at_once(action: str) -> bool:
    return action.startswith("page_") or action in ("start", "stop", "quit")


class MainWindow(QMainWindow):
    """All parts, laid out; it decides nothing.

    Attributes:
        painted: the first picture is on the screen.
        close_wanted: the person wants out.
        layout_changed: something worth remembering moved.
        may_close: the next close is the last one.
        notes, command, monitor, chat, log, engines_page: there after `build_pages`.
    """

    painted = Signal()
    close_wanted = Signal()
    layout_changed = Signal()

    notes: "NotificationBar"
    command: "CommandView"
    monitor: "MonitorView"
    chat: "ChatPage"
    log: "LogPage"
    engines_page: "EnginesPage"

    def __init__(self, overlay: Overlay, document: ConfigDocument) -> None:
        super().__init__()
        self.may_close = False
        self._painted_once = False
        self._built = False
        self._page = ""
        self._saved: dict[str, object] = {}
        self.setObjectName("mainWindow")
        self.setWindowTitle("vLLM Dyno")
        self.actions_by_name = build_actions(self, _needed_at_once)
        self.form = FormView(overlay, document)
        self.tune = TuneArea(self.form)
        self.workbench = Workbench(self.tune)
        self.top_bar = TopBar(self.actions_by_name["start"], self.actions_by_name["stop"])
        self._engines_place = Place()
        self._log_place = Place()
        self.pages = QStackedWidget()
        for page in (self.workbench, self._engines_place, self._log_place):
            self.pages.addWidget(page)
        self._lay_out()
        self.show_page("tune")

    def build_pages(self, services: "Services", engines: "EngineManager", tasks: "TaskRunner") -> None:
        """Build what the first picture did without."""
        from gui.command_view import CommandView
        from gui.monitor import MonitorView
        from gui.notifications import NotificationBar
        from gui.pages.chat import ChatPage
        from gui.pages.engines import EnginesPage
        from gui.pages.log import LogPage

        self.notes = NotificationBar()
        self._head.layout().addWidget(self.notes)
        rest = build_actions(self, lambda name: name not in self.actions_by_name)
        self.actions_by_name.update(rest)
        self.command = CommandView()
        self.workbench.command_place.take(self.command)
        self.monitor = MonitorView(services.store, services.sampler.devices, services.sampler.status)
        self.workbench.monitor_place.take(self.monitor)
        self.chat = ChatPage(tasks, self.actions_by_name["start"].trigger)
        self.log = LogPage(lambda: services.session.log)
        self.engines_page = EnginesPage(engines)
        self._engines_place.take(self.engines_page)
        self.top_bar.models.set_check(services.models.check_reference)
        self.top_bar.complete(self._menu())
        self.workbench.complete()
        self._built = True
        self._restore_pages()
        self._place_pages()
        self._connect()

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
        if name == "try":
            self.workbench.show_chat()
        else:
            self.workbench.show_tune()
        large = {"engines": self._engines_place, "log": self._log_place}
        self.pages.setCurrentWidget(large.get(name, self.workbench))
        if self._built:
            self._place_pages()
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
        from gui.shortcut_sheet import ShortcutSheet

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
        self._saved = state
        geometry = state.get("geometry")
        if not (
            isinstance(geometry, str)
            and self.restoreGeometry(QByteArray.fromBase64(geometry.encode("ascii", "replace")))
        ):
            room = self.screen().availableSize()
            self.resize(min(1600, round(room.width() * 0.92)), min(1000, round(room.height() * 0.92)))
        docks = state.get("docks")
        if isinstance(docks, str):
            self.workbench.restore_layout(docks)

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
        elif kind in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.WindowStateChange) and self._built:
            self.layout_changed.emit()
        return done

    def _restore_pages(self) -> None:
        page, chat = self._saved.get("page"), self._saved.get("chat")
        self.log.set_wrap(self._saved.get("wrap") is True)
        if isinstance(chat, dict):
            self.chat.parameters.restore(chat)
        if page in PAGES and self._page == "tune":
            self.show_page(str(page))

    def _place_pages(self) -> None:
        (self._log_place if self._page == "log" else self.workbench.small_log_place).take(self.log)
        trying = self._page == "try"
        (self.workbench.chat_place if trying else self.workbench.small_chat_place).take(self.chat)
        self.chat.set_compact(not trying)
        if trying:
            self.chat.focus_prompt()

    def _lay_out(self) -> None:
        self.setMinimumSize(_LEAST_WIDTH, _LEAST_HEIGHT)
        self._head = QWidget()
        layout = QVBoxLayout(self._head)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top_bar)
        self.setMenuWidget(self._head)
        self.rail = Rail([self.actions_by_name[f"page_{name}"] for name in PAGES])
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self.rail)
        self.setCentralWidget(self.pages)
        for name in PAGES:
            action = self.actions_by_name[f"page_{name}"]
            action.triggered.connect(lambda _checked=False, page=name: self.show_page(page))
        self.actions_by_name["quit"].triggered.connect(self.close)

    def _connect(self) -> None:
        actions = self.actions_by_name
        actions["find"].triggered.connect(self.find)
        actions["engine"].triggered.connect(self.top_bar.engines.showPopup)
        actions["model"].triggered.connect(self.top_bar.models.focus)
        actions["copy_command"].triggered.connect(self.command.copy)
        actions["new_talk"].triggered.connect(self.chat.clear)
        actions["reset_layout"].triggered.connect(self.workbench.reset_layout)
        actions["shortcuts"].triggered.connect(self.show_shortcuts)
        for name, dock in (("monitor", self.workbench.monitor_dock), ("drawer", self.workbench.drawer_dock)):
            shown = dock.toggleViewAction()
            actions[name].setChecked(shown.isChecked())
            actions[name].triggered.connect(dock.setVisible)
            shown.toggled.connect(actions[name].setChecked)
        self.workbench.layout_changed.connect(self.layout_changed)
        self.log.wrap_changed.connect(lambda _: self.layout_changed.emit())
        self.chat.changed.connect(self.layout_changed)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        looks = menu.addMenu(self.tr("Theme"))
        self.scheme_actions = QActionGroup(self)
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
