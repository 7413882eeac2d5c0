"""Default, on, off: three states, told apart."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from core.schema.kinds import Spec, check_value
from core.schema.model import DefaultState, Kind, Value
from gui.form.editors.base import LINE_HEIGHT, Editor, EditorHost
from gui.form.segments import SegmentBar
from gui.form.texts import tr

_DEFAULT, _ON, _OFF = range(3)


class ToggleEditor(Editor):
    """Unset, on, or off. A flag that has no negative form has no off."""

    def __init__(self, spec: Spec, host: EditorHost) -> None:
        super().__init__(spec, host)
        words = [self._default_word(), tr("On")]
        if spec.kind is not Kind.FLAG:
            words.append(tr("Off"))
        self.bar = SegmentBar(words, self, quiet=(_DEFAULT,))
        self.bar.select(_DEFAULT)
        self.preferred_width = self.bar.sizeHint().width()
        self.bar.chosen.connect(self._chosen)
        self.setFocusProxy(self.bar)

    def show_state(self, is_set: bool, value: Value) -> None:
        self.message = (check_value(self.spec, value) or "") if is_set else ""
        known = is_set and isinstance(value, bool) and not self.message
        place = (_ON if value else _OFF) if known else -1
        self.bar.select(place if is_set else _DEFAULT)

    def height_for(self, width: int) -> int:
        return LINE_HEIGHT

    def targets(self) -> list[QWidget]:
        return [self.bar]

    def set_names(self, name: str, description: str) -> None:
        self.bar.set_name(name)
        self.bar.setAccessibleDescription(description)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.bar.resize(min(self.width(), self.bar.sizeHint().width()), self.height())

    def _chosen(self, place: int) -> None:
        self.message = ""
        if place == _DEFAULT:
            self.host.clear()
        else:
            self.host.commit(place == _ON)

    def _default_word(self) -> str:
        default = self.spec.default
        if default.state is DefaultState.VALUE and isinstance(default.value, bool):
            return tr("Default (on)") if default.value else tr("Default (off)")
        return tr("Default")
