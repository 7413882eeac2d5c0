"""Editors, one for each kind of value. The form knows kinds, never arguments."""

from collections.abc import Callable

from core.schema.kinds import Spec
from core.schema.model import Kind
from gui.form.editors.base import Editor, EditorHost
from gui.form.editors.choice import make_choice
from gui.form.editors.items import ListEditor
from gui.form.editors.mapping import MappingEditor
from gui.form.editors.objects import make_object
from gui.form.editors.path import PathEditor
from gui.form.editors.text import NumberEditor, SecretEditor, TextEditor
from gui.form.editors.toggle import ToggleEditor

__all__ = ["EDITORS", "Editor", "EditorHost", "make_editor"]

EDITORS: dict[Kind, Callable[[Spec, EditorHost], Editor]] = {
    Kind.FLAG: ToggleEditor,
    Kind.SWITCH: ToggleEditor,
    Kind.INT: NumberEditor,
    Kind.SIZE: NumberEditor,
    Kind.FLOAT: NumberEditor,
    Kind.CHOICE: make_choice,
    Kind.TEXT: TextEditor,
    Kind.PATH: PathEditor,
    Kind.LIST: ListEditor,
    Kind.MAPPING: MappingEditor,
    Kind.JSON: make_object,
    Kind.RAW: TextEditor,
}


def make_editor(spec: Spec, host: EditorHost, *, secret: bool = False) -> Editor:
    """The editor for one value; a kind that is not in the table is edited as text."""
    if secret:
        return SecretEditor(spec, host)
    return EDITORS.get(spec.kind, TextEditor)(spec, host)
