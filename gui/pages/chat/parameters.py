"""The panel beside the conversation: system prompt, sampling parameters, how many requests at once."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.client.chat import ChatParameters
from gui.theme import SPACE
from gui.widgets import heading, note

_MOST_PARALLEL = 64
_MOST_REPEATS = 100
_OFF = 0
_RANDOM = -1


class ParameterPanel(QScrollArea):
    """Sampling parameters of the requests that are sent from here; the engine's own settings stay as they are."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.system = self._lines(4, self.tr("System prompt"), self.tr("Nothing: the model's own"))
        self.system.setToolTip(self.tr("Tells the model how to behave; it is sent before every message"))
        self.max_tokens = self._count(1, 131_072, 512)
        self.max_tokens.setToolTip(
            self.tr("max_tokens: the longest answer, in tokens; a token is about three quarters of a word")
        )
        self.temperature = self._share(2.0, 0.1, 0.7)
        self.temperature.setToolTip(
            self.tr(
                "temperature: how much chance decides. 0 always takes the likeliest token, more gives varied answers"
            )
        )
        self.top_p = self._share(1.0, 0.05, 1.0)
        self.top_p.setToolTip(
            self.tr("top_p: choose only among the likeliest tokens that together make up this share; 1 allows all")
        )
        self.top_k = self._count(_OFF, 1000, _OFF, self.tr("off"))
        self.top_k.setToolTip(self.tr("top_k: choose only among this many of the likeliest tokens"))
        self.min_p = self._share(1.0, 0.01, 0.0, self.tr("off"))
        self.min_p.setToolTip(
            self.tr("min_p: leave out tokens that are less likely than this share of the likeliest one")
        )
        self.seed = self._count(_RANDOM, 2_147_483_647, _RANDOM, self.tr("random"))
        self.seed.setToolTip(
            self.tr("seed: where chance begins. The same seed gives the same answer, as far as the engine can")
        )
        self.stop = self._lines(2, self.tr("Stop sequences"), self.tr("One on each line"))
        self.stop.setToolTip(self.tr("stop: the answer ends before any of these; \\n stands for a new line"))
        self.parallel = self._count(1, _MOST_PARALLEL, 1)
        self.parallel.setToolTip(self.tr("So many requests run at the same time"))
        self.repeats = self._count(1, _MOST_REPEATS, 1)
        self.repeats.setToolTip(self.tr("Each of them is sent so many times, one after the other"))
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(SPACE * 2, SPACE, SPACE * 2, SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(heading(self.tr("Request")))
        layout.addWidget(note(self.tr("System prompt")))
        layout.addWidget(self.system)
        layout.addLayout(
            self._form(
                ("max_tokens", self.max_tokens),
                ("temperature", self.temperature),
                ("top_p", self.top_p),
                ("top_k", self.top_k),
                ("min_p", self.min_p),
                ("seed", self.seed),
            )
        )
        layout.addWidget(note(self.tr("Stop sequences")))
        layout.addWidget(self.stop)
        layout.addSpacing(SPACE)
        layout.addWidget(heading(self.tr("Several at once")))
        layout.addWidget(note(self.tr("Sends the message many times, to see how the engine works under load.")))
        layout.addLayout(self._form((self.tr("In parallel"), self.parallel), (self.tr("Times"), self.repeats)))
        layout.addStretch(1)
        self.setWidget(inner)
        self.setMinimumWidth(SPACE * 28)
        self.setMaximumWidth(SPACE * 40)

    def parameters(self) -> ChatParameters:
        """What the next request is sent with."""
        return ChatParameters(
            max_tokens=self.max_tokens.value(),
            temperature=self.temperature.value(),
            top_p=self.top_p.value(),
            top_k=self.top_k.value() or None,
            min_p=self.min_p.value() or None,
            seed=None if self.seed.value() == _RANDOM else self.seed.value(),
            stop=tuple(_sequences(self.stop.toPlainText())),
        )

    def system_prompt(self) -> str:
        """The system prompt; empty when there is none."""
        return self.system.toPlainText().strip()

    def requests(self) -> tuple[int, int]:
        """How many in parallel, and how many altogether."""
        return self.parallel.value(), self.parallel.value() * self.repeats.value()

    def state(self) -> dict[str, object]:
        """For the working state."""
        return {
            "system": self.system.toPlainText(),
            "stop": self.stop.toPlainText(),
            **{name: editor.value() for name, editor in self._numbers().items()},
        }

    def restore(self, state: dict[str, object]) -> None:
        """Put back what `state` gave; what does not fit is left alone."""
        for name, editor in self._numbers().items():
            value = state.get(name)
            known = isinstance(value, int | float) and not isinstance(value, bool)
            # Qt's own limits come after a conversion that fails for what is far outside of them.
            if known and editor.minimum() <= value <= editor.maximum():
                editor.setValue(type(editor.value())(value))
        for name, view in (("system", self.system), ("stop", self.stop)):
            text = state.get(name)
            if isinstance(text, str):
                view.setPlainText(text)

    def _numbers(self) -> dict[str, QSpinBox | QDoubleSpinBox]:
        return {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "top_k": self.top_k,
            "min_p": self.min_p,
            "seed": self.seed,
            "parallel": self.parallel,
            "repeats": self.repeats,
        }

    def _form(self, *rows: tuple[str, QSpinBox | QDoubleSpinBox]) -> QFormLayout:
        form = QFormLayout()
        form.setHorizontalSpacing(SPACE)
        form.setVerticalSpacing(SPACE // 2)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, editor in rows:
            editor.setAccessibleName(name)
            form.addRow(name, editor)
            # A person points at the word as often as at the figure.
            form.labelForField(editor).setToolTip(editor.toolTip())
        return form

    def _count(self, least: int, most: int, value: int, special: str = "") -> QSpinBox:
        box = QSpinBox()
        box.setRange(least, most)
        box.setGroupSeparatorShown(True)
        box.setValue(value)
        box.setSpecialValueText(special)
        box.setSingleStep(64 if value >= 512 else 1)
        box.valueChanged.connect(lambda _: self.changed.emit())
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return box

    def _share(self, most: float, step: float, value: float, special: str = "") -> QDoubleSpinBox:
        box = QDoubleSpinBox()
        box.setRange(0.0, most)
        box.setDecimals(2)
        box.setSingleStep(step)
        box.setValue(value)
        box.setSpecialValueText(special)
        box.valueChanged.connect(lambda _: self.changed.emit())
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return box

    def _lines(self, count: int, name: str, placeholder: str) -> QPlainTextEdit:
        edit = QPlainTextEdit()
        edit.setAccessibleName(name)
        edit.setPlaceholderText(placeholder)
        edit.setTabChangesFocus(True)
        edit.setFixedHeight(edit.fontMetrics().lineSpacing() * count + SPACE * 2)
        edit.textChanged.connect(self.changed)
        return edit


def _sequences(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.split("\n") if line]
