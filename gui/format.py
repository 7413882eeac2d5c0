"""Numbers, times and sizes as a person reads them. Unknown is "n/a", never 0."""

import math
from pathlib import Path

from PySide6.QtCore import QCoreApplication

_MINUTE_S = 60
_HOUR_S = 3600
_SIZES = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def not_available() -> str:
    """The word for an unknown value."""
    return QCoreApplication.translate("format", "n/a")


def number(value: float | None, unit: str = "", digits: int = 3) -> str:
    """A value with `digits` significant digits, thousands separated, and its unit; "n/a" for None and NaN.

    Whole digits are never rounded away: 12,345 stays 12,345 with three digits too. An `int` is a count: no decimals.
    """
    if value is None or not math.isfinite(value):
        return not_available()
    places = 0 if isinstance(value, int) else _decimals(value, digits)
    text = f"{value:,.{places}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return f"{text} {unit}" if unit else text


def duration(seconds: float | None) -> str:
    """`0.42 s`, `12.3 s`, `1:23`, `1:02:03`; "n/a" for None."""
    if seconds is None or not math.isfinite(seconds):
        return not_available()
    if abs(seconds) < 1:
        return number(seconds, "s", digits=2)
    if abs(seconds) < _MINUTE_S:
        return number(seconds, "s")
    return clock(seconds)


def clock(seconds: float) -> str:
    """A running time without fractions: `0:07`, `1:23`, `1:02:03`."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, _HOUR_S)
    minutes, second = divmod(rest, _MINUTE_S)
    return f"{hours}:{minutes:02}:{second:02}" if hours else f"{minutes}:{second:02}"


def bytes_text(count: float | None) -> str:
    """A size in bytes with binary units: `512 bytes`, `1.50 KiB`, `12.3 GiB`; "n/a" for None."""
    if count is None or not math.isfinite(count):
        return not_available()
    size = float(count)
    step = 0
    while abs(size) >= 1024 and step < len(_SIZES) - 1:
        size /= 1024
        step += 1
    return number(size, _SIZES[step], digits=3 if step else 1)


def model_name(reference: str) -> str:
    """The short name of a model: the folder's name of a local path, a Hub id as it is."""
    if not reference.startswith(("/", "~", ".")):
        return reference
    return Path(reference).name or reference


def home_path(path: Path) -> str:
    """A path as people write it: `~` in place of the home folder."""
    home = Path.home()
    return str(Path("~") / path.relative_to(home)) if path.is_relative_to(home) else str(path)


def _decimals(value: float, digits: int) -> int:
    if value == 0:
        return 0
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    # 99.96 rounds up into one more whole digit.
    rounded = abs(round(value, places))
    return max(0, digits - 1 - math.floor(math.log10(rounded))) if rounded else places
