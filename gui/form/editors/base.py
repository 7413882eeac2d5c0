"""What every editor is to its row, and the common way of those that are text."""

from typing import Protocol

from PySide6.QtWidgets import QWidget

from core.config.json_values import same_value
from core.schema.kinds import Spec, check_value, format_text, parse_text
from core.schema.model import Value
from gui.theme import SPACE

LINE_HEIGHT = 28
"""Height of an editor of one line, in device-independent pixels."""


class EditorHost(Protocol):
    """The row around an editor."""

    def commit(self, value: Value) -> None:
        """A valid value was entered."""

    def clear(self) -> None:
        """The value was taken out: back to the engine's default."""

    def complain(self) -> None:
        """`Editor.message` or `Editor.meaning` changed while nothing was written."""

    def resized(self) -> None:
        """The editor wants another height."""

    def set_fields_open(self, is_open: bool) -> None:
        """Show the fields of an object as rows below this one."""


class Editor(QWidget):
    """Shows one value and asks its host to write another.

    Attributes:
        preferred_width: in device-independent pixels.
        block: it takes the whole width of the row, below the text.
        message: why what stands in the editor is not the value; empty when it is.
        meaning: what the text stands for (`= 32,000`); empty when the text says it.
    """

    preferred_width = SPACE * 42
    block = False

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__()
        self.spec = spec
        self.host = host
        self.message = ""
        self.meaning = ""

    @property
    def has_draft(self) -> bool:
        """Whether something stands in the editor that could not be written."""
        return False

    def show_state(self, is_set: bool, value: Value) -> None:
        """Show what the document holds; a draft gives way."""
        raise NotImplementedError

    def height_for(self, width: int) -> int:
        """The height it wants at this width."""
        raise NotImplementedError

    def targets(self) -> list[QWidget]:
        """What can have the keyboard, in reading order."""
        raise NotImplementedError

    def set_names(self, name: str, description: str) -> None:
        """Names for screen readers."""
        for target in self.targets():
            target.setAccessibleName(name)
            target.setAccessibleDescription(description)


class TextualEditor(Editor):
    """An editor whose content is text: read and written by the kind's converter.

    Valid text is written at once, as typed. Text that does not fit stays where it is, with the reason in `message`, and
    the document keeps the last good value. An emptied editor goes back to the default.
    """

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        self._draft = False
        self._held: tuple[bool, Value] = (False, None)

    @property
    def has_draft(self) -> bool:
        """Whether the text was refused."""
        return self._draft

    def text(self) -> str:
        """What stands in the editor."""
        raise NotImplementedError

    def put_text(self, text: str) -> None:
        """Replace the text without telling the host."""
        raise NotImplementedError

    def to_text(self, value: Value) -> str:
        """How a value that comes from the document is written."""
        return format_text(self.spec, value)

    def meaning_of(self, text: str, value: Value) -> str:
        """See `Editor.meaning`."""
        return ""

    def refusal(self, text: str, reason: str) -> str:
        """What the row says when a text does not fit."""
        return reason

    def show_state(self, is_set: bool, value: Value) -> None:
        self._draft = False
        self._held = (is_set, value)
        if not is_set:
            if self.text():
                self.put_text("")
            self.message = self.meaning = ""
            return
        if not self._says(value):
            self.put_text(self.to_text(value))
        self.message = check_value(self.spec, value) or ""
        self.meaning = self.meaning_of(self.text(), value)

    def edited(self) -> None:
        """The person changed the text."""
        text = self.text()
        if text == "":
            self._draft = False
            self.message = self.meaning = ""
            self.host.clear()
            self.host.complain()
            return
        try:
            value = parse_text(self.spec, text)
            message = check_value(self.spec, value) or ""
        except ValueError as error:
            value, message = None, self.refusal(text, str(error))
        self._draft = bool(message)
        self.message = message
        self.meaning = "" if message else self.meaning_of(text, value)
        if message:
            self.host.complain()
        else:
            self._held = (True, value)
            self.host.commit(value)

    def drop_draft(self) -> None:
        """Go back to the text of the value that the document holds."""
        if self._draft:
            is_set, value = self._held
            self.put_text("")
            self.show_state(is_set, value)
            self.host.complain()

    def _says(self, value: Value) -> bool:
        """Whether the text, as typed, already stands for this value."""
        text = self.text()
        if text == "":
            return False
        try:
            return same_value(parse_text(self.spec, text), value)
        except ValueError:
            return False
