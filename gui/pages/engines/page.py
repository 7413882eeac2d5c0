"""The Engines page: what there is, with buttons for what one may want to do about it."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import DynoError
from core.engine.environments import EngineEnvironment, Origin
from gui import theme
from gui.engine_manager import EngineManager
from gui.notifications import Level, Note, NotificationBar
from gui.pages.engines.install_panel import InstallPanel
from gui.pages.engines.progress_row import ProgressRow
from gui.theme import SPACE
from gui.widgets import EmptyState, FilledButton, heading, note, row
from gui.words import backend_word, origin_word

_NAME_ROLE = Qt.ItemDataRole.UserRole


class EnginesPage(QWidget):
    """See the module."""

    demo_wanted = Signal()

    def __init__(self, manager: EngineManager) -> None:
        super().__init__()
        self._manager = manager
        self._engines: dict[str, EngineEnvironment] = {}
        self._running: Path | None = None
        self._tips: dict[str, str] = {}
        self.notes = NotificationBar()
        self.install_panel = InstallPanel()
        self.install_panel.setVisible(False)
        self.install_panel.wanted.connect(self._install)
        self.progress = ProgressRow()
        self.progress.cancelled.connect(manager.cancel)
        self.table = self._table()
        self.buttons = self._buttons()
        self.confirm = self._confirm()
        install = FilledButton(self.tr("Install an engine"))
        install.clicked.connect(self.show_install)
        demo = QPushButton(self.tr("Run the demo"))
        demo.clicked.connect(self.demo_wanted)
        self._empty = EmptyState(
            "engine",
            self.tr("No vLLM on this machine yet"),
            self.tr("Install one into an environment of its own, or add the folder of one that you have."),
            [install, demo],
        )
        self._lay_out()
        manager.listed.connect(self._show)
        manager.chosen_changed.connect(lambda _: self._show(manager.engines))
        manager.progress.connect(self.progress.show_progress)
        manager.busy_changed.connect(self._busy)
        manager.failed.connect(self._failed)
        manager.told.connect(self._told)
        self._enable()

    def show_install(self) -> None:
        """Open the panel that asks what to install."""
        self.install_panel.setVisible(True)
        self.install_panel.backend.setFocus()

    def selected(self) -> EngineEnvironment | None:
        """The engine whose line is selected."""
        item = self.table.currentItem()
        return self._engines.get(item.data(0, _NAME_ROLE)) if item is not None else None

    def set_running(self, prefix: Path | None) -> None:
        """Say in which environment an engine runs at present; None when none does. It stays untouched meanwhile."""
        self._running = prefix
        self._enable()

    def _install(self, backend: str, version: str, name: str) -> None:
        self.install_panel.setVisible(False)
        self._manager.install(backend, version or None, name or None)

    def _busy(self, busy: bool) -> None:
        if busy:
            self.progress.begin()
        else:
            self.progress.setVisible(False)
        self._enable()

    def _failed(self, error: DynoError) -> None:
        self.notes.show_problem(error, key="work")

    def _told(self, text: str) -> None:
        self.notes.show_note(Note(Level.OK, text, key="work", fades=True))

    def _show(self, engines: list[EngineEnvironment]) -> None:
        before = self.selected()
        self._engines = {engine.name: engine for engine in engines}
        self.table.clear()
        chosen = self._manager.chosen
        for engine in engines:
            used = chosen is not None and engine.name == chosen.name
            item = QTreeWidgetItem(
                [
                    self.tr("in use") if used else "",
                    engine.name,
                    engine.version or self.tr("unknown"),
                    backend_word(engine.backend) + (f" {engine.cuda}" if engine.cuda else ""),
                    engine.torch or self.tr("none"),
                    engine.python_version,
                    origin_word(engine.origin),
                    engine.problem or str(engine.prefix),
                ]
            )
            item.setData(0, _NAME_ROLE, engine.name)
            if used:
                item.setIcon(0, theme.list_icon("check", "ok"))
            if engine.problem:
                item.setIcon(7, theme.list_icon("warning", "warning"))
            item.setToolTip(7, f"{engine.python}\n{engine.problem or ''}".strip())
            self.table.addTopLevelItem(item)
            if (before is not None and engine.name == before.name) or (before is None and used):
                self.table.setCurrentItem(item)
        self._stack.setCurrentWidget(self.table if engines else self._empty)
        self._enable()

    def _enable(self) -> None:
        engine = self.selected()
        idle = not self._manager.busy
        ours = engine is not None and engine.origin is Origin.INSTALLED
        runs = engine is not None and engine.prefix == self._running
        chosen = self._manager.chosen
        allowed = {
            "install": idle,
            "add": idle,
            "update": idle and ours and not runs,
            "remove": idle and engine is not None and not runs,
            "use": engine is not None and (chosen is None or engine.name != chosen.name),
            "refresh": True,
        }
        for name, button in self.buttons.items():
            button.setEnabled(allowed[name])
            held = runs and name in ("update", "remove")
            button.setToolTip(self.tr("It is running. Stop the engine first.") if held else self._tips[name])
        if engine is None or not allowed["remove"]:
            self.confirm.setVisible(False)

    def _ask_remove(self) -> None:
        engine = self.selected()
        if engine is None:
            return
        if engine.origin is Origin.INSTALLED:
            text = self.tr("Remove {0}? Its folder {1} is deleted.")
        else:
            text = self.tr("Forget {0}? The folder {1} stays as it is.")
        self._question.setText(text.format(engine.name, engine.prefix))
        self.confirm.setVisible(True)
        self._keep.setFocus()

    def _remove(self) -> None:
        engine = self.selected()
        self.confirm.setVisible(False)
        if engine is not None:
            self._manager.remove(engine)

    def _add_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose the folder of an environment with vLLM"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda folder: self._manager.add(Path(folder)))
        dialog.open()

    def _use(self) -> None:
        engine = self.selected()
        if engine is not None:
            self._manager.choose(engine.name)

    def _update(self) -> None:
        engine = self.selected()
        if engine is not None:
            self._manager.update(engine)

    def _table(self) -> QTreeWidget:
        table = QTreeWidget()
        table.setRootIsDecorated(False)
        table.setIndentation(0)
        table.setUniformRowHeights(True)
        table.setAllColumnsShowFocus(True)
        table.setAlternatingRowColors(True)
        table.setAccessibleName(self.tr("Engines on this machine"))
        table.setHeaderLabels(
            [
                "",
                self.tr("Name"),
                self.tr("vLLM"),
                self.tr("Build"),
                self.tr("torch"),
                self.tr("Python"),
                self.tr("Origin"),
                self.tr("Folder"),
            ]
        )
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.header().setStretchLastSection(True)
        table.currentItemChanged.connect(lambda *_: self._enable())
        table.itemActivated.connect(lambda *_: self._use())
        return table

    def _buttons(self) -> dict[str, QPushButton]:
        made = {}
        for name, text, tip, icon, clicked in (
            ("install", self.tr("Install…"), self.tr("Install vLLM"), "download", self.show_install),
            ("add", self.tr("Add folder…"), self.tr("Add an environment that has vLLM"), "folder", self._add_folder),
            ("use", self.tr("Use this"), self.tr("Start this engine from now on"), "check", self._use),
            ("update", self.tr("Update"), self.tr("Bring it to the newest version"), "update", self._update),
            ("remove", self.tr("Remove"), self.tr("Remove this engine"), "trash", self._ask_remove),
            ("refresh", self.tr("Refresh"), self.tr("Look for engines again"), "refresh", self._manager.refresh),
        ):
            button = QPushButton(text)
            self._tips[name] = tip
            button.setToolTip(tip)
            theme.set_icon(button, icon)
            button.clicked.connect(lambda _checked=False, run=clicked: run())
            made[name] = button
        return made

    def _confirm(self) -> QFrame:
        frame = QFrame()
        self._question = QLabel()
        self._question.setWordWrap(True)
        self.remove_button = FilledButton(self.tr("Remove"), "error_fill")
        self.remove_button.clicked.connect(self._remove)
        self._keep = QPushButton(self.tr("Keep"))
        self._keep.clicked.connect(lambda: frame.setVisible(False))
        layout = row(self._question, None, self._keep, self.remove_button)
        layout.setStretch(0, 1)
        frame.setLayout(layout)
        frame.setVisible(False)
        return frame

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(SPACE * 3, SPACE * 2, SPACE * 3, SPACE * 2)
        layout.setSpacing(SPACE)
        layout.addWidget(heading(self.tr("Engines")))
        layout.addWidget(
            note(self.tr("An engine is a Python environment with vLLM in it. Several versions can stand side by side."))
        )
        layout.addLayout(row(*self.buttons.values(), None))
        layout.addWidget(self.notes)
        layout.addWidget(self.progress)
        layout.addWidget(self.confirm)
        layout.addWidget(self.install_panel, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(body, 1)
        body.setMinimumHeight(SPACE * 20)
        # With a message, a question and the panel open at once the page is higher than a small window.
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)
