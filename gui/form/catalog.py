"""All rows of one schema, and those for what is set although the schema does not have it."""

from collections.abc import Iterable, Iterator

from core.schema.model import Argument, ArgumentSchema, EnvironmentVariable, Kind
from core.schema.overlay import Level, Overlay
from gui.form.binding import ArgumentBinding, DocumentPort
from gui.form.entries import Entry, Source, argument_entries, environment_entries, environment_entry
from gui.form.row_item import FormContext, RowItem
from gui.form.texts import tr

_VARIABLE = "env:"


class Catalog:
    """Rows by key and in the order of the form. Rows of variables are made when they are first needed.

    Args:
        schema: the engine's arguments.
        overlay: order of groups, names, levels.
        port: the document.
        context: what rows share.

    Attributes:
        arguments: rows of the engine's arguments, group by group, what matters most first.
    """

    def __init__(self, schema: ArgumentSchema, overlay: Overlay, port: DocumentPort, context: FormContext) -> None:
        self._schema = schema
        self._overlay = overlay
        self._port = port
        self._context = context
        entries = argument_entries(schema, overlay, port)
        order = overlay.group_order(dict.fromkeys(entry.group for entry in entries))
        groups = {group: place for place, group in enumerate(order)}
        levels = {level: place for place, level in enumerate(Level)}
        # In each group what matters most comes first.
        entries.sort(key=lambda entry: (groups[entry.group], levels[entry.level]))
        self.arguments = [RowItem(entry, context) for entry in entries]
        self._by_key = {row.key: row for row in self.arguments}
        self._known_variables: list[RowItem] | None = None
        self._other_variables: dict[str, RowItem] = {}
        self._unknown: dict[str, RowItem] = {}

    def variables(self) -> list[RowItem]:
        """Rows of environment variables: those that were added first, then those the engine names."""
        if self._known_variables is None:
            entries = environment_entries(self._schema, self._overlay, self._port)
            self._known_variables = [RowItem(entry, self._context) for entry in entries]
            self._by_key.update((row.key, row) for row in self._known_variables)
        for name in self._port.environment:
            self.add_variable(name)
        return [*self._other_variables.values(), *self._known_variables]

    def set_variables(self) -> list[RowItem]:
        """Rows of the variables that are set; nothing else is made for them."""
        names = self._port.environment
        return [row for row in self.variables() if row.entry.spec.name in names] if names else []

    def add_variable(self, name: str) -> RowItem:
        """The row of a variable; made for one that the engine does not name."""
        if self._known_variables is None:
            self.variables()
        key = f"{_VARIABLE}{name}"
        if key not in self._by_key:
            help_text = tr("A variable that was added here; the engine's own list does not have it.")
            entry = environment_entry(EnvironmentVariable(name, help=help_text), self._overlay, self._port)
            self._other_variables[key] = self._by_key[key] = RowItem(entry, self._context)
        return self._by_key[key]

    def unknown(self) -> list[RowItem]:
        """Rows for arguments that are set but that this engine does not have; they keep it from starting."""
        known = {row.key for row in self.arguments}
        for name in self._port.values:
            if name not in known and name not in self._unknown:
                self._unknown[name] = self._by_key[name] = RowItem(self._unknown_entry(name), self._context)
        return [row for row in self._unknown.values() if row.is_set]

    def find(self, key: str) -> RowItem | None:
        """The row of a key, whether it is listed or not; fields of objects by `argument.field`."""
        if key.startswith(_VARIABLE):
            self.variables()
        row = self._by_key.get(key)
        if row is None and "." in key:
            parent = self.find(key.rpartition(".")[0])
            children = parent.children() if parent is not None else []
            row = next((child for child in children if child.key == key), None)
        return row

    def of_argument(self, name: str) -> Iterator[RowItem]:
        """The row of an argument and those of its fields, as far as they were made."""
        row = self._by_key.get(name)
        return _with_fields([row]) if row is not None else iter(())

    def of_variable(self, name: str) -> RowItem | None:
        """The row of a variable, as far as it was made."""
        return self._by_key.get(f"{_VARIABLE}{name}")

    def made(self) -> Iterator[RowItem]:
        """Every row that there is, those of fields among them."""
        return _with_fields(list(self._by_key.values()))

    def _unknown_entry(self, name: str) -> Entry:
        argument = Argument(
            name=name,
            flags=(f"--{name.replace('_', '-')}",),
            kind=Kind.JSON,
            plain_text=True,
            help=tr("This engine version has no such argument, and it will not start while it is set. Reset it here."),
        )
        return Entry(
            key=name,
            spec=argument,
            binding=ArgumentBinding(self._port, name),
            flag=argument.flag,
            group="",
            group_title=tr("Not known to this engine"),
            level=Level.ESSENTIAL,
            source=Source.ARGUMENT,
            overlay=self._overlay,
        )


def _with_fields(rows: Iterable[RowItem]) -> Iterator[RowItem]:
    for row in rows:
        yield row
        yield from _with_fields(row.made_children())


def group_rows(rows: Iterable[RowItem]) -> dict[str, list[RowItem]]:
    """Rows by the title of their group, in order."""
    groups: dict[str, list[RowItem]] = {}
    for row in rows:
        groups.setdefault(row.entry.group_title, []).append(row)
    return groups
