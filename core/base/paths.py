"""Where the program keeps things. Built once and handed over; tests and `VLLM_DYNO_HOME` put it elsewhere."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

APP_NAME = "vllm-dyno"


@dataclass(frozen=True, slots=True)
class Paths:
    """The program's folders. None of them exists until something is written into it.

    Attributes:
        config: settings and the working state; small, worth backing up.
        data: engines that were installed, models that were made.
        state: logs of runs.
        cache: what can be made again (probe answers).
    """

    config: Path
    data: Path
    state: Path
    cache: Path

    @classmethod
    def default(cls) -> "Paths":
        """The user's folders by the platform's rules, or all below `VLLM_DYNO_HOME` where that is set."""
        home = os.environ.get("VLLM_DYNO_HOME")
        if home:
            return cls.below(Path(home).expanduser().absolute())
        if sys.platform.startswith("linux"):
            # What platformdirs would say, without its import, which the window's first picture would wait for.
            return cls(
                _xdg("XDG_CONFIG_HOME", ".config"),
                _xdg("XDG_DATA_HOME", ".local/share"),
                _xdg("XDG_STATE_HOME", ".local/state"),
                _xdg("XDG_CACHE_HOME", ".cache"),
            )
        import platformdirs

        dirs = platformdirs.PlatformDirs(APP_NAME, appauthor=False)
        return cls(dirs.user_config_path, dirs.user_data_path, dirs.user_state_path, dirs.user_cache_path)

    @classmethod
    def below(cls, root: Path) -> "Paths":
        """All four folders below one root."""
        return cls(root / "config", root / "data", root / "state", root / "cache")

    @property
    def engines(self) -> Path:
        """Engine environments that this program installed, one folder each."""
        return self.data / "engines"

    @property
    def models(self) -> Path:
        """Models that this program made (the embedded one)."""
        return self.data / "models"

    @property
    def logs(self) -> Path:
        """One log file for each engine start."""
        return self.state / "logs"

    @property
    def schemas(self) -> Path:
        """Answers of the probe."""
        return self.cache / "schemas"


def _xdg(variable: str, usual: str) -> Path:
    chosen = os.environ.get(variable, "").strip()
    return (Path(chosen) if chosen else Path.home() / usual) / APP_NAME


def assets_dir() -> Path:
    """The folder of recorded schemas, curated tables and icons, in a checkout as well as in an installed wheel."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "assets"
    return inside if inside.is_dir() else package.parent / "assets"
