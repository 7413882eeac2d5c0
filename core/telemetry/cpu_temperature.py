"""The CPU's temperature from the kernel's sensors, at the cost of reading one small file."""

from collections.abc import Iterator
from pathlib import Path

SENSORS = Path("/sys/class/hwmon")
# Driver, and the labels that mean the whole package, best first. An empty label: the sensor that has none.
_CHIPS = {
    "coretemp": ("Package id",),
    "k10temp": ("Tdie", "Tctl"),
    "zenpower": ("Tdie", "Tctl"),
    "cpu_thermal": ("",),
}
_NO_SENSOR = "this machine shows no sensor for it"


class CpuTemperature:
    """Finds the package sensors once and reads them.

    Args:
        sensors: the kernel's folder of sensors.
    """

    def __init__(self, sensors: Path = SENSORS) -> None:
        self._root = sensors
        self._files: list[Path] = []

    def find(self) -> str:
        """Look for the sensors.

        Returns:
            Empty when there are some, else why there are none.
        """
        self._files = [found for chip in self._folders() if (found := _package_sensor(chip)) is not None]
        return "" if self._files else _NO_SENSOR

    def read_c(self) -> float | None:
        """The hottest package in degrees Celsius; None when nothing can be read."""
        found = [value for file in self._files if (value := _read_number(file)) is not None]
        return max(found) / 1000 if found else None

    def _folders(self) -> Iterator[Path]:
        try:
            yield from sorted(self._root.iterdir())
        except OSError:
            return


def _package_sensor(chip: Path) -> Path | None:
    labels = _CHIPS.get(_read_text(chip / "name"), ())
    inputs = sorted(chip.glob("temp*_input"))
    for wanted in labels:
        for file in inputs:
            label = _read_text(file.with_name(file.name.replace("_input", "_label")))
            if label.startswith(wanted) if wanted else not label:
                return file
    return None


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _read_number(file: Path) -> int | None:
    text = _read_text(file)
    return int(text) if text.removeprefix("-").isdecimal() else None
