from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from core.base.paths import assets_dir
from gui import theme
from gui.theme import Scheme, colors, series_color

_GROUNDS = ("background", "surface", "raised")
_TEXTS = ("text", "muted", "accent", "error", "warning", "ok", "modified")
_QUANTITIES = sorted(theme._SERIES)
_ICONS = sorted(path.stem for path in (assets_dir() / "icons").glob("*.svg"))


def luminance(color: QColor) -> float:
    """Relative luminance as WCAG defines it."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: QColor, second: QColor) -> float:
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.fixture
def back_to_light(qapp: QApplication):
    yield
    theme.apply(qapp, Scheme.LIGHT)


def test_contrast_is_measured_as_the_standard_does() -> None:
    assert contrast(QColor("white"), QColor("black")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("ground", _GROUNDS)
@pytest.mark.parametrize("role", _TEXTS)
def test_every_text_can_be_read_on_every_ground(dark: bool, ground: str, role: str) -> None:
    look = colors(dark)
    assert contrast(QColor(getattr(look, role)), QColor(getattr(look, ground))) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("fill", ["accent_fill", "error_fill"])
def test_text_on_filled_buttons_can_be_read(dark: bool, fill: str) -> None:
    look = colors(dark)
    assert contrast(QColor(look.on_fill), QColor(getattr(look, fill))) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_of_the_palette_can_be_read(dark: bool) -> None:
    palette = theme._palette(colors(dark))
    role, groups = QPalette.ColorRole, (QPalette.ColorGroup.Active, QPalette.ColorGroup.Disabled)
    for group in groups:
        for text, ground in (
            (role.WindowText, role.Window),
            (role.Text, role.Base),
            (role.Text, role.AlternateBase),
            (role.ButtonText, role.Button),
            (role.PlaceholderText, role.Base),
            (role.HighlightedText, role.Highlight),
            (role.Link, role.Base),
        ):
            assert contrast(palette.color(group, text), palette.color(group, ground)) >= 4.5, (group, text)


@pytest.mark.parametrize("quantity", _QUANTITIES)
@pytest.mark.parametrize("device", [0, 1])
def test_every_curve_is_visible_in_both_looks(quantity: str, device: int) -> None:
    color = series_color(quantity, device)
    least = 3.0 if device == 0 else 2.6
    assert min(contrast(color, QColor(colors(dark).surface)) for dark in (False, True)) >= least


def test_curves_keep_their_colour_when_the_theme_changes(qapp: QApplication, back_to_light: None) -> None:
    light = series_color("power_w")
    theme.apply(qapp, Scheme.DARK)
    assert series_color("power_w") == light


def test_devices_differ_in_dash_where_the_shade_repeats() -> None:
    looks = {(series_color("power_w", device).name(), theme.series_dash(device)) for device in range(4)}
    assert len(looks) == 4


def test_an_unknown_quantity_still_gets_a_colour() -> None:
    assert series_color("new_in_2030").isValid()


@pytest.mark.parametrize("name", _ICONS)
def test_every_icon_draws_something(name: str, qapp: QApplication) -> None:
    image = theme.pixmap(name, 24).toImage()
    drawn = sum(image.pixelColor(x, y).alpha() > 0 for x in range(24) for y in range(24))
    assert drawn > 10


def test_an_icon_is_sharp_on_a_dense_screen(qapp: QApplication) -> None:
    picture = theme.pixmap("play", 20, ratio=2.0)
    assert picture.width() == 40
    assert picture.deviceIndependentSize().width() == 20


def test_a_missing_icon_is_an_error(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        theme.icon("no-such-icon")


def test_the_person_s_choice_changes_palette_icons_and_tells(
    qapp: QApplication, qtbot: QtBot, back_to_light: None
) -> None:
    button = QToolButton()
    qtbot.addWidget(button)
    theme.set_icon(button, "play")
    before = button.icon().pixmap(24).toImage()
    with qtbot.waitSignal(theme.notifier().changed):
        theme.apply(qapp, Scheme.DARK)
    assert theme.is_dark()
    assert theme.scheme() is Scheme.DARK
    assert button.icon().pixmap(24).toImage() != before
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == colors(dark=True).background


def test_the_variable_overrules_the_choice(
    qapp: QApplication, back_to_light: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLLM_DYNO_THEME", "dark")
    theme.apply(qapp, Scheme.LIGHT)
    assert theme.is_dark()
    monkeypatch.setenv("VLLM_DYNO_THEME", "nonsense")
    theme.apply(qapp, Scheme.LIGHT)
    assert not theme.is_dark()


def test_three_sizes_and_no_more(qapp: QApplication) -> None:
    body, small, heading = theme.font_body(), theme.font_small(), theme.font_heading()
    assert small.pointSizeF() < body.pointSizeF() < heading.pointSizeF()
    assert theme.font_tabular().pointSizeF() == body.pointSizeF()
    assert theme.font_mono(small=True).pointSizeF() == pytest.approx(small.pointSizeF())


def test_digits_are_equally_wide(qapp: QApplication) -> None:
    from PySide6.QtGui import QFontMetricsF

    metrics = QFontMetricsF(theme.font_tabular())
    assert len({round(metrics.horizontalAdvance(digit), 3) for digit in "0123456789"}) == 1


def test_icons_are_drawn_in_one_colour_so_that_they_follow_the_theme() -> None:
    folder: Path = assets_dir() / "icons"
    for path in folder.glob("*.svg"):
        if path.stem != "app":
            assert "currentColor" in path.read_text(encoding="utf-8"), path
