"""The row of controls above the plots."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from core.telemetry.source import DeviceInfo
from gui import theme

SPANS_S: tuple[float | None, ...] = (60.0, 300.0, 900.0, 3600.0, None)
RATES_HZ = (0.5, 1.0, 2.0, 4.0, 10.0)


class MonitorBar(QWidget):
    """Controls only; whoever owns it does the work.

    Attributes:
        live_toggled: follow the newest sample (True) or stand still.
        span_chosen: length of the window in seconds, None for all.
        fit_asked: show the whole run.
        reset_asked: count the statistics from now on.
        rate_chosen: samples a second.
        device_chosen: index of a GPU, None for all.
        wall_clock_toggled: wall-clock times (True) or running time.
    """

    live_toggled = Signal(bool)
    span_chosen = Signal(object)
    fit_asked = Signal()
    reset_asked = Signal()
    rate_chosen = Signal(float)
    device_chosen = Signal(object)
    wall_clock_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pause = self._button("pause", self.tr("Stop following the newest samples (Space)"), self.tr("Pause"))
        self.back = self._button("live", self.tr("Follow the newest samples again (Home)"), self.tr("Back to live"))
        # One stands in the other's place, so nothing moves when they change.
        for button in (self.pause, self.back):
            button.setMinimumWidth(max(self.pause.sizeHint().width(), self.back.sizeHint().width()))
        self.spans = self._choice(self.tr("Length of the window"), [_span_text(self, span) for span in SPANS_S])
        self.fit = self._button("fit", self.tr("Show the whole run, and fit the value axes"))
        self.clock = self._button("clock", self.tr("Show the time of day instead of the time since the start"))
        self.clock.setCheckable(True)
        self.reset = self._button("reset", self.tr("Count min, max and average from now on"))
        self.rates = self._choice(
            self.tr("Samples a second"), [self.tr("{rate} Hz").format(rate=f"{rate:g}") for rate in RATES_HZ]
        )
        self.devices = self._choice(self.tr("GPU to show"), [])
        self.device_name = QLabel()
        theme.muted(self.device_name)
        self.device_name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.device_name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._device_indices: list[int | None] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.SPACE, theme.SPACE // 2, theme.SPACE, theme.SPACE // 2)
        row.setSpacing(theme.SPACE // 2)
        for widget in (
            self.pause,
            self.back,
            self.spans,
            self.fit,
            self.clock,
            self.reset,
            self.rates,
            self.devices,
        ):
            row.addWidget(widget)
        row.addWidget(self.device_name, 1)
        self.set_following(True)
        self.set_devices([], None)
        self.pause.clicked.connect(lambda: self.live_toggled.emit(False))
        self.back.clicked.connect(lambda: self.live_toggled.emit(True))
        self.spans.activated.connect(lambda index: self.span_chosen.emit(SPANS_S[index]))
        self.fit.clicked.connect(self.fit_asked)
        self.clock.toggled.connect(self.wall_clock_toggled)
        self.reset.clicked.connect(self.reset_asked)
        self.rates.activated.connect(lambda index: self.rate_chosen.emit(RATES_HZ[index]))
        self.devices.activated.connect(lambda index: self.device_chosen.emit(self._device_indices[index]))

    def set_following(self, following: bool) -> None:
        """Say whether the plots follow the newest sample."""
        self.pause.setVisible(following)
        self.back.setVisible(not following)

    def set_span(self, span_s: float | None) -> None:
        """Show this length as chosen."""
        self.spans.setCurrentIndex(SPANS_S.index(span_s))

    def set_rate(self, hz: float) -> None:
        """Show this rate as chosen; the nearest one of those on offer."""
        self.rates.setCurrentIndex(min(range(len(RATES_HZ)), key=lambda index: abs(RATES_HZ[index] - hz)))

    def set_devices(self, devices: Sequence[tuple[int, DeviceInfo | None]], chosen: int | None) -> None:
        """Offer these GPUs; a single one is only named."""
        names = [_device_text(self, index, info) for index, info in devices]
        several = len(devices) > 1
        self._device_indices = [None, *(index for index, _ in devices)]
        self.devices.clear()
        self.devices.addItems([self.tr("All GPUs"), *names])
        self.devices.setCurrentIndex(self._device_indices.index(chosen) if chosen in self._device_indices else 0)
        self.devices.setVisible(several)
        self.device_name.setText("" if several or not names else names[0])
        self.device_name.setToolTip(self.device_name.text())

    def _button(self, icon: str, tip: str, text: str = "") -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(text or tip)
        if text:
            button.setText(text)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme.set_icon(button, icon)
        return button

    def _choice(self, tip: str, texts: list[str]) -> QComboBox:
        box = QComboBox()
        box.addItems(texts)
        box.setToolTip(tip)
        box.setAccessibleName(tip)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        return box


def _span_text(widget: QWidget, span_s: float | None) -> str:
    if span_s is None:
        return widget.tr("All")
    minutes = int(span_s // 60)
    if minutes < 60:
        return widget.tr("{count} min").format(count=minutes)
    return widget.tr("{count} h").format(count=minutes // 60)


def _device_text(widget: QWidget, index: int, info: DeviceInfo | None) -> str:
    number = widget.tr("GPU {index}").format(index=index)
    if info is None:
        return number
    return f"{number}: {info.name.removeprefix('NVIDIA ').removeprefix('GeForce ')}"
