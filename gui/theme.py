"""Colours, fonts, spacing and icons: one look for light and for dark.

The system decides between the two (`QStyleHints.colorScheme`) unless the person, or `VLLM_DYNO_THEME`, does.
"""

import os
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QImageReader,
    QPalette,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QScrollBar, QWidget

from core.base.paths import assets_dir

SPACE = 8
"""The grid, in device-independent pixels: gaps and margins are multiples (or the half) of it."""

_THEME_VARIABLE = "VLLM_DYNO_THEME"
_BAR = 12
_ICON_SIZE = 24
_ICON_RATIO = 2.0
_NOTIFIER = "theme_notifier"
_ICON_PROPERTY = "themeIcon"
_ICON_ROLE_PROPERTY = "themeIconRole"


class Scheme(StrEnum):
    """What the person chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Colors(NamedTuple):
    """Named colour roles, each `#rrggbb`. Every text role keeps 4.5 : 1 on `background`, `surface` and `raised`.

    Attributes:
        background: behind everything.
        surface: editors, lists, plots.
        raised: bars, buttons, hovered rows.
        border: lines between areas, outlines of editors.
        text: words and numbers.
        muted: second lines, units, hints.
        accent: links, focus, the chosen page.
        accent_fill: filled buttons and selections; `on_fill` stands on it.
        error, warning, ok: words and shapes that tell a state (always with a word or a shape beside them).
        error_fill: the Stop button; `on_fill` stands on it.
        modified: the bar beside a changed row.
        on_fill: text on a filled area.
    """

    background: str
    surface: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    accent_fill: str
    error: str
    error_fill: str
    warning: str
    ok: str
    modified: str
    on_fill: str


_LIGHT = Colors(
    background="#f5f6f8",
    surface="#ffffff",
    raised="#e9ebef",
    border="#c9ced6",
    text="#1c2026",
    muted="#565e6a",
    accent="#0a5fb0",
    accent_fill="#0f67b8",
    error="#b3261e",
    error_fill="#b3261e",
    warning="#7d5200",
    ok="#1a6b41",
    modified="#0a5fb0",
    on_fill="#ffffff",
)
_DARK = Colors(
    background="#1a1d21",
    surface="#212529",
    raised="#2c3137",
    border="#434a53",
    text="#e6e9ed",
    muted="#a6aeb9",
    accent="#7cbcf5",
    accent_fill="#1d6fb8",
    error="#ff9a8f",
    error_fill="#b8382f",
    warning="#f0b849",
    ok="#6ccb98",
    modified="#7cbcf5",
    on_fill="#ffffff",
)

# Okabe-Ito. Orange, sky blue and yellow are darkened, and blue is lightened, until each keeps 3 : 1 on both grounds:
# the same curve has the same colour in every picture, whatever the theme of the one who took it.
_HUES = {
    "orange": "#c98700",
    "sky": "#3c9ad6",
    "green": "#00996f",
    "yellow": "#9a8f00",
    "blue": "#1f7abd",
    "vermillion": "#d55e00",
    "purple": "#c06d9c",
    "grey": "#7b838d",
}
_SERIES = {
    "memory_total_mib": "grey",
    "memory_used_mib": "sky",
    "memory_engine_mib": "orange",
    "memory_others_mib": "purple",
    "temperature_c": "vermillion",
    "power_w": "sky",
    "power_limit_w": "grey",
    "utilization_pct": "green",
    "memory_utilization_pct": "purple",
    "sm_clock_mhz": "orange",
    "memory_clock_mhz": "yellow",
    "fan_pct": "blue",
    "throttled": "grey",
    "pcie_tx_mib_s": "orange",
    "pcie_rx_mib_s": "purple",
    "cpu_pct": "green",
    "ram_used_mib": "sky",
    "ram_total_mib": "grey",
    "ram_engine_mib": "orange",
    "cpu_temperature_c": "vermillion",
    "cpu_engine_pct": "yellow",
    "generation_tokens_s": "green",
    "prompt_tokens_s": "sky",
    "requests_running": "orange",
    "requests_waiting": "vermillion",
    "kv_cache_pct": "purple",
    "prefix_cache_hit_pct": "blue",
    "ttft_mean_s": "sky",
    "itl_mean_s": "orange",
    "preemptions_s": "vermillion",
    "spec_acceptance_pct": "yellow",
}
_DEVICE_LIGHTNESS = (100, 86)
_DEVICE_DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3))


class ThemeNotifier(QObject):
    """Tells that the look changed; `changed` comes after palette and fonts are in place."""

    changed = Signal()


def apply(app: QApplication, scheme: Scheme | None = None) -> None:
    """Put the look on the application and follow the system's theme from now on.

    Args:
        scheme: the person's choice; None keeps the last one. `VLLM_DYNO_THEME` overrules it.
    """
    teller = notifier()
    if scheme is not None:
        teller.setProperty("scheme", scheme.value)
    if not teller.property("follows"):
        teller.setProperty("follows", True)
        app.styleHints().colorSchemeChanged.connect(lambda _: _refresh(app))
    _refresh(app)


def choose(wanted: Scheme) -> None:
    """Take the person's choice from the menu or from the last time."""
    apply(QApplication.instance(), wanted)


def scheme() -> Scheme:
    """What the person chose last; SYSTEM when nothing was chosen."""
    return Scheme(notifier().property("scheme") or Scheme.SYSTEM)


def notifier() -> ThemeNotifier:
    """The one teller of theme changes; it belongs to the application object."""
    app = QGuiApplication.instance()
    found = getattr(app, _NOTIFIER, None)
    if found is None:
        # Kept on the application object: looking for a child costs ten milliseconds the first time.
        found = ThemeNotifier(app)
        setattr(app, _NOTIFIER, found)
    return found


def is_dark() -> bool:
    """Whether the look in place is the dark one."""
    return QGuiApplication.palette().color(QPalette.ColorRole.Window).lightness() < 128


def colors(dark: bool | None = None) -> Colors:
    """The colour roles of one look; of the look in place when `dark` is not given."""
    chosen = is_dark() if dark is None else dark
    return _DARK if chosen else _LIGHT


def series_color(quantity: str, device: int | None = 0) -> QColor:
    """The colour of one curve: the hue tells the quantity, the shade the device. The same in both looks."""
    color = QColor(_HUES[_SERIES.get(quantity, "blue")])
    factor = _DEVICE_LIGHTNESS[(device or 0) % len(_DEVICE_LIGHTNESS)]
    return color.lighter(factor)


def series_dash(device: int | None = 0) -> tuple[float, ...]:
    """The dash pattern that tells devices apart without colour; empty is a full line."""
    return _DEVICE_DASHES[(device or 0) % len(_DEVICE_DASHES)]


def font_body() -> QFont:
    """The text size of rows, buttons and lists: the system's own font."""
    return QFont(QApplication.font())


def font_small() -> QFont:
    """The second text size: flags, units, hints."""
    return _scaled(0.88)


def font_heading() -> QFont:
    """Headings of pages and groups."""
    font = _scaled(1.3)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def font_tabular(small: bool = False) -> QFont:
    """Text whose digits are equally wide, so that running numbers stand still."""
    font = font_small() if small else font_body()
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def font_mono(small: bool = False) -> QFont:
    """Command lines and logs."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF((font_small() if small else font_body()).pointSizeF())
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def icon(name: str, role: str = "text") -> QIcon:
    """The icon `assets/icons/<name>.svg` in the colour of a role of the look in place.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    return _icon(name, getattr(colors(), role))


def list_icon(name: str, role: str = "text") -> QIcon:
    """The same for a line of a list; on a selected line it has the colour of the text there."""
    made = icon(name, role)
    made.addPixmap(_draw(name, colors().on_fill, _ICON_SIZE, _ICON_RATIO), QIcon.Mode.Selected)
    return made


def set_icon(target: QAbstractButton | QAction, name: str, role: str = "text") -> None:
    """Give a button or an action an icon that changes its colour along with the theme."""
    target.setProperty(_ICON_PROPERTY, name)
    target.setProperty(_ICON_ROLE_PROPERTY, role)
    target.setIcon(icon(name, role))


def pixmap(name: str, size: int, role: str = "text", ratio: float = 1.0) -> QPixmap:
    """The icon as a picture of `size` device-independent pixels, for labels."""
    return _draw(name, getattr(colors(), role), size, ratio)


def slim_bars(window: QWidget) -> None:
    """Give the scroll bars of a window a quiet look. They get a style sheet each: one for the whole application would
    make every widget three times as slow to build.
    """
    look = colors()
    sheet = (
        "QScrollBar { border: 0; background: transparent; }"
        f"QScrollBar:vertical {{ width: {_BAR}px; }} QScrollBar:horizontal {{ height: {_BAR}px; }}"
        f"QScrollBar::handle {{ background: {look.border}; border-radius: {_BAR // 2 - 1}px; margin: 2px; }}"
        f"QScrollBar::handle:hover {{ background: {look.muted}; }}"
        f"QScrollBar::handle:vertical {{ min-height: {SPACE * 4}px; }}"
        f"QScrollBar::handle:horizontal {{ min-width: {SPACE * 4}px; }}"
        "QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }"
        "QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }"
    )
    for bar in window.findChildren(QScrollBar):
        bar.setStyleSheet(sheet)


def app_icon() -> QIcon:
    """The program's own icon, for title bars and task bars."""
    made = QIcon()
    for size in (16, 32, 64, 128):
        made.addPixmap(_draw("app", "#ffffff", size, 1.0))
    return made


def muted(label: QLabel) -> QLabel:
    """Mark a label as second-rank text; it follows the theme. Returns the label."""
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setFont(font_small())
    return label


def _refresh(app: QApplication) -> None:
    look = colors(_wants_dark(app))
    app.setPalette(_palette(look))
    for widget in app.allWidgets():
        _recolour(widget)
        for action in widget.actions():
            _recolour(action)
    notifier().changed.emit()


def _recolour(target: QObject) -> None:
    name = target.property(_ICON_PROPERTY)
    if name:
        target.setIcon(icon(name, target.property(_ICON_ROLE_PROPERTY)))


def _wants_dark(app: QApplication) -> bool:
    forced = os.environ.get(_THEME_VARIABLE, "").strip().lower()
    choice = Scheme(forced) if forced in set(Scheme) else scheme()
    if choice is Scheme.SYSTEM:
        return app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return choice is Scheme.DARK


def _palette(look: Colors) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for names, color in (
        ((role.Window, role.AlternateBase), look.background),
        ((role.Base,), look.surface),
        ((role.Button, role.ToolTipBase), look.raised),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText, role.BrightText), look.text),
        ((role.PlaceholderText,), look.muted),
        ((role.Link, role.LinkVisited, role.Accent), look.accent),
        ((role.Highlight,), look.accent_fill),
        ((role.HighlightedText,), look.on_fill),
        ((role.Mid, role.Dark), look.border),
        ((role.Light, role.Midlight), look.raised),
    ):
        for name in names:
            palette.setColor(name, QColor(color))
    palette.setColor(role.Shadow, QColor("#000000"))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(look.muted))
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(look.raised))
    palette.setColor(QPalette.ColorGroup.Disabled, role.HighlightedText, QColor(look.muted))
    return palette


def _scaled(factor: float) -> QFont:
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * factor)
    return font


@lru_cache(maxsize=256)
def _icon(name: str, color: str) -> QIcon:
    # One picture, dense enough for every size up to 24 on every screen: each costs half a millisecond. Where a button
    # is disabled the style greys it.
    return QIcon(_draw(name, color, _ICON_SIZE, _ICON_RATIO))


def _draw(name: str, color: str, size: int, ratio: float) -> QPixmap:
    # Read through the image plugin: it draws vectors at any size and spares the QtSvg module at start.
    text = _svg(name).replace("currentColor", color)
    buffer = QBuffer()
    buffer.setData(QByteArray(text.encode()))
    buffer.open(QBuffer.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, b"svg")
    pixels = round(size * ratio)
    reader.setScaledSize(QSize(pixels, pixels))
    drawn = QPixmap.fromImage(reader.read())
    drawn.setDevicePixelRatio(ratio)
    return drawn


@lru_cache(maxsize=128)
def _svg(name: str) -> str:
    return (assets_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
