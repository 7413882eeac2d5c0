"""The settings: every argument and variable of an engine as a row."""

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from core.config.document import Change
from core.schema.model import ArgumentSchema
from core.schema.overlay import Level, Overlay
from gui import theme
from gui.form.binding import DocumentPort
from gui.form.catalog import Catalog
from gui.form.editors.objects import ObjectEditor
from gui.form.groups import GroupList
from gui.form.header import Header
from gui.form.listing import CLEAR, Listing
from gui.form.metrics import Metrics
from gui.form.row import Row
from gui.form.row_item import Finding, FormContext, RowItem
from gui.form.selection import Selection, Selector
from gui.form.texts import tr
from gui.form.virtual_list import VirtualList
from gui.form.warm_up import WarmUp
from gui.theme import SPACE
from gui.widgets import separator

_ROOM_FOR_GROUPS = SPACE * 100
_GROUPS_WIDTH = SPACE * 32


class FormView(QWidget):
    """Shows a schema and asks the document for edits.

    It does not listen to the document; whoever does calls `refresh`.

    Args:
        overlay: names, levels, notes.
        port: the document, or whatever takes its edits.

    Signals:
        refused_changed: the number of settings in whose editor stands something that could not be written.
    """

    refused_changed = Signal(int)

    def __init__(self, overlay: Overlay, port: DocumentPort) -> None:
        super().__init__()
        self._overlay = overlay
        self._port = port
        self._context = FormContext(
            metrics=Metrics(),
            resized=self._row_resized,
            changed=self._row_changed,
            structure_changed=lambda _row: self._fill(keep_place=True),
            make_row=Row,
        )
        self._catalog: Catalog | None = None
        self._selector: Selector | None = None
        self._listing: Listing | None = None
        self._selection = Selection()
        self._findings: Mapping[str, Sequence[Finding]] = {}
        self._refused = 0
        self.header = Header()
        self.groups = GroupList()
        self.list = VirtualList()
        self._lay_out()
        self._warm_up = WarmUp(self._ahead, self)
        self._connect()

    # --- what others ask ---------------------------------------------------------------------------------------------

    def show_schema(self, schema: ArgumentSchema) -> None:
        """Show the arguments of another engine. What is set in the document is shown again; refused text is gone."""
        top = self.list.top_key()
        self._forget()
        self._catalog = Catalog(schema, self._overlay, self._port, self._context)
        self._selector = Selector(schema, self._overlay, self._catalog)
        self._listing = Listing(self._catalog, lambda: self._context.metrics, self._follow, self._add_variable)
        self._apply_findings()
        self.header.show_level_counts(self._selector.counts())
        self._select()
        place = self.list.place_of(top)
        if place is not None:
            self.list.scroll_to(place)
        if self.isVisible():
            self._warm_up.start()

    def focus_search(self) -> None:
        """The keyboard to the search field, its text selected."""
        self.header.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.header.search.selectAll()

    def refresh(self, change: Change) -> None:
        """The document changed: show it in the rows that it touches."""
        if self._catalog is None:
            return
        for name in change.arguments:
            for row in self._catalog.of_argument(name):
                _refresh_row(row)
        for name in change.environment:
            variable = self._catalog.of_variable(name)
            if variable is not None:
                _refresh_row(variable)
        if not self.header.wanted().words and self._is_hidden(change):
            self._select(keep_place=True)
        self._count()

    def set_findings(self, findings: Mapping[str, Sequence[Finding]]) -> None:
        """Show what checks say, by the argument's name; what is not named has no finding any more."""
        self._findings = dict(findings)
        self._apply_findings()
        if self.header.wanted().problems:
            self._select(keep_place=True)
        self._count()

    def reveal(self, key: str) -> bool:
        """Go to a setting by its key, wherever it is hidden; False when there is none of that key.

        Keys are names of arguments, `argument.field` for fields of objects, `env:NAME` for variables.
        """
        row = self._catalog.find(key) if self._catalog is not None else None
        if row is None:
            return False
        if row.entry.depth:
            self._open_fields(key.rpartition(".")[0])
        if self.list.place_of(key) is None:
            self.header.clear_filters()
        if self.list.place_of(key) is None:
            self.header.set_level(row.entry.level)
        place = self.list.place_of(key)
        if place is None:
            return False
        self.list.scroll_to(place)
        return self.list.focus_item(place)

    def show_group(self, title: str) -> None:
        """Bring the heading of a group to the top; while best hits come first, show those of the group only."""
        if self._selection.ranked:
            self.header.search.setText(f'{" ".join(self.header.wanted().words)} @group:"{title}"')
            return
        place = self.list.place_of(f"group:{title}")
        if place is not None:
            self.list.scroll_to(place)
            self.groups.mark(title)

    def ui_state(self) -> dict[str, str]:
        """What is worth remembering of the way the form looks: the level."""
        return {"level": self.header.wanted().level.value}

    def restore_ui(self, state: Mapping[str, object]) -> None:
        """Put back what `ui_state` gave; what does not fit is left as it is."""
        known = [level for level in Level if level.value == state.get("level")]
        if known:
            self.header.set_level(known[0])

    def refused(self) -> list[str]:
        """Keys of settings in whose editor stands something that could not be written."""
        return sorted(self._context.refused)

    def all_keys(self) -> list[str]:
        """Keys of every setting of the schema, listed or not: arguments, then variables."""
        if self._catalog is None:
            return []
        return [row.key for row in (*self._catalog.arguments, *self._catalog.variables())]

    def listed(self) -> list[str]:
        """Keys of the settings that are listed now, in order."""
        return [item.key for item in self.list.items if isinstance(item, RowItem)]

    def row(self, key: str) -> Row | None:
        """The widget of a setting, after going there; None when there is none of that key."""
        if self._catalog is None or not self.reveal(key):
            return None
        item = self._catalog.find(key)
        return item.widget if item is not None and isinstance(item.widget, Row) else None

    # --- events ------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = self.width() >= _ROOM_FOR_GROUPS
        self.groups.setVisible(roomy)
        self.header.groups_button.setVisible(not roomy)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._warm_up.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.focus_search()
        else:
            super().keyPressEvent(event)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.groups.setFixedWidth(_GROUPS_WIDTH)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.groups)
        body.addWidget(self.list, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(separator())
        layout.addLayout(body, 1)
        self.setMinimumWidth(SPACE * 50)

    def _connect(self) -> None:
        self.header.wanted_changed.connect(self._select)
        self.header.search.down.connect(self.list.focus_first)
        self.header.groups_button.clicked.connect(self._open_groups)
        self.groups.picked.connect(self.show_group)
        self.list.top_changed.connect(self._mark_group)
        self.list.left_at_top.connect(self.focus_search)
        theme.notifier().changed.connect(self._restyle)

    def _ahead(self) -> Iterator[None]:
        """Make what a search needs, then every row, a little at a step."""
        if self._catalog is None or self._selector is None:
            return
        yield from self._selector.prepare_in_steps()
        for row in self._catalog.arguments:
            self.list.build(row)
            yield
        for row in self._catalog.variables():
            row.height(self.list.row_width())
            yield

    def _select(self, *, keep_place: bool = False) -> None:
        """Choose rows anew."""
        if self._selector is None:
            return
        wanted = self.header.wanted()
        self._selection = self._selector.select(wanted, self._changed(), self._problems())
        self._fill(keep_place=keep_place)
        count = len(self._selection.rows)
        self.header.search.show_count((tr("{0} found") if wanted.searching else tr("{0} settings")).format(count))
        self._count()

    def _fill(self, *, keep_place: bool) -> None:
        if self._listing is not None:
            self.list.set_items(self._listing.items(self._selection, self.header.wanted()), keep_place=keep_place)

    def _count(self) -> None:
        """Bring the numbers on filters and groups up to date."""
        if self._catalog is None or self._listing is None:
            return
        changed = self._changed()
        self.header.show_counts(len(changed), len(self._problems()))
        self.groups.show_groups(self._listing.groups(self._selection, changed))
        if len(self._context.refused) != self._refused:
            self._refused = len(self._context.refused)
            self.refused_changed.emit(self._refused)

    def _changed(self) -> set[str]:
        """Keys of what has a value of its own."""
        return {*self._port.values, *(f"env:{name}" for name in self._port.environment)}

    def _problems(self) -> set[str]:
        """Keys of what has a warning, an error or a refused text; a field stands for its argument."""
        noted = {name for name, found in self._findings.items() if any(one.severity != "info" for one in found)}
        return noted | {key.split(".", 1)[0] for key in self._context.refused}

    def _row_resized(self, row: RowItem) -> None:
        self.list.item_resized(row)

    def _row_changed(self, row: RowItem) -> None:
        if row.entry.depth and self._catalog is not None:
            # A field is part of its argument's value: the rows around it show the same value.
            for relative in self._catalog.of_argument(row.entry.argument):
                if relative is not row:
                    _refresh_row(relative)
        self._count()

    def _is_hidden(self, change: Change) -> bool:
        keys = [*change.arguments, *(f"env:{name}" for name in change.environment)]
        is_set = self._changed()
        return any(key in is_set and self.list.place_of(key) is None for key in keys)

    def _apply_findings(self) -> None:
        for row in self._catalog.made() if self._catalog is not None else ():
            if row.set_findings(self._findings.get(row.key, ())):
                if isinstance(row.widget, Row):
                    row.widget.refresh_words()
                else:
                    self.list.item_resized(row)

    def _open_fields(self, key: str) -> None:
        row = self.row(key)
        if row is not None and isinstance(row.editor, ObjectEditor):
            row.editor.open_fields()

    def _follow(self, link: str) -> None:
        if link == CLEAR:
            self.header.clear_filters()
            self.focus_search()
        else:
            self.reveal(link)

    def _add_variable(self, name: str) -> None:
        if self._catalog is not None:
            row = self._catalog.add_variable(name)
            self._select(keep_place=True)
            self.reveal(row.key)

    def _mark_group(self, place: int) -> None:
        for item in self.list.items[place : place + 2]:
            if isinstance(item, RowItem):
                self.groups.mark(item.entry.group_title)
                return

    def _open_groups(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.groups.fill_menu(menu)
        button = self.header.groups_button
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _restyle(self) -> None:
        self._context.metrics = Metrics()
        for row in self._catalog.made() if self._catalog is not None else ():
            row.invalidate()
            if row.widget is not None:
                row.widget.update()
        self.list.remeasure()
        self.groups.update()

    def _forget(self) -> None:
        self._warm_up.stop()
        rows = list(self._catalog.made()) if self._catalog is not None else []
        others = self._listing.others() if self._listing is not None else []
        self.list.remove_widgets([*rows, *others])
        self._selection = Selection()
        self._context.refused.clear()


def _refresh_row(row: RowItem) -> None:
    row.invalidate()
    if isinstance(row.widget, Row):
        row.widget.refresh()
