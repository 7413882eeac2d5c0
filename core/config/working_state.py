"""What the program finds again when it starts: settings, chosen engine, the window's layout. Never a secret."""

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from core.base.errors import DynoError
from core.base.files import write_atomic
from core.base.paths import Paths
from core.config.kept_aside import keep_aside
from core.config.masking import is_secret_variable
from core.schema.model import Argument, Value
from core.schema.nesting import nested_too_deeply
from core.schema.overlay import Overlay, load_overlay

FORMAT = 1
"""Raised when a field changes its meaning."""

_SIZE_LIMIT_BYTES = 16 * 1024 * 1024


class SavedState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept between two runs of the program.

    Attributes:
        values: arguments that are set, as in the document; secrets are missing.
        environment: variables that are set; secrets are missing.
        engine: name of the chosen engine environment; None for the default one.
        ui: the window's own things (geometry, opened groups), which nobody else reads.
        last_used: small things to offer again (last prompt, last folder), by name.
        left_out: names of secrets that were set but not written.
        note: for the person, about this loading: what was left out, or where a damaged file went. Never written.
    """

    values: dict[str, Value] = {}
    environment: dict[str, str] = {}
    engine: str | None = None
    ui: dict[str, Any] = {}
    last_used: dict[str, Any] = {}
    left_out: tuple[str, ...] = ()
    note: str = ""


class _Document(SavedState, frozen=True, kw_only=True):
    """The same with the number that tells how to read it."""

    format: int


class WorkingState:
    """Keeps the state in `working.json` in the configuration folder, readable by its owner alone.

    Any thread may save; savings that overlap follow each other. When to save (after how long a pause) is the caller's
    business.
    """

    def __init__(self, paths: Paths, overlay: Overlay | None = None) -> None:
        self._path = paths.config / "working.json"
        self._overlay = overlay
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        """Where the state is kept."""
        return self._path

    def load(self) -> SavedState:
        """What was saved last; empty when nothing was.

        A file that is damaged, or that a newer version of the program wrote, is renamed to `working.json.damaged-<n>`;
        the state is then empty and its note says so.
        """
        try:
            return self._read()
        except FileNotFoundError:
            return SavedState()
        except (OSError, ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, _NewerFormat) else "could not be read"
            kept = keep_aside(self._path)
            where = f"it is kept as {kept}" if kept else f"it could not be moved away from {self._path}"
            return SavedState(note=f"The saved settings {reason}; {where}. Starting without settings.")

    def save(self, state: SavedState) -> tuple[str, ...]:
        """Write the state, whole or not at all, without its secrets.

        Returns:
            the names of arguments and variables that were left out because they are secrets.

        Raises:
            DynoError: it could not be written (a full disk, a read-only folder); what was saved before is untouched.
            TypeError: something in it is no JSON value; likewise untouched.
        """
        with self._lock:
            return self._write(state)

    def _write(self, state: SavedState) -> tuple[str, ...]:
        overlay = self._overlay or load_overlay()
        values = {name: value for name, value in state.values.items() if not _secret(overlay, name, value)}
        variables = {name: value for name, value in state.environment.items() if not is_secret_variable(name, value)}
        left_out = (
            *(name for name in state.values if name not in values),
            *(name for name in state.environment if name not in variables),
        )
        document = _Document(
            format=FORMAT,
            values=values,
            environment=variables,
            engine=state.engine,
            ui=state.ui,
            last_used=state.last_used,
            left_out=left_out,
        )
        # The standard library's writer: whole numbers of any size, not-a-number and names of files in odd encodings
        # come back as they were.
        data = json.dumps(msgspec.to_builtins(document), indent=1).encode()
        try:
            write_atomic(self._path, data)
        except OSError as error:
            hint = "Make room or make the folder writable; the settings saved before are untouched."
            raise DynoError(f"The settings could not be saved in {self._path.parent}.", hint, str(error)) from error
        return left_out

    def _read(self) -> SavedState:
        if self._path.stat().st_size > _SIZE_LIMIT_BYTES:
            raise ValueError("too large")
        content = json.loads(self._path.read_bytes())
        found = content.get("format") if isinstance(content, Mapping) else None
        if isinstance(found, int) and found > FORMAT:
            raise _NewerFormat("were written by a newer version of this program")
        state = msgspec.convert(content, _Document)
        if any(map(nested_too_deeply, state.values.values())):
            raise ValueError("nested too deeply")
        note = ""
        if state.left_out:
            names = ", ".join(state.left_out)
            note = f"Keys and tokens are not written to disk. Set again where you need them: {names}."
        return SavedState(
            values=state.values,
            environment=state.environment,
            engine=state.engine,
            ui=state.ui,
            last_used=state.last_used,
            left_out=state.left_out,
            note=note,
        )


class _NewerFormat(ValueError):
    """The file is fine, but for a later program."""


def _secret(overlay: Overlay, name: str, value: Value) -> bool:
    # True and False say whether a stored token is used; they are none.
    return bool(value) and not isinstance(value, bool) and overlay.is_secret(Argument(name=name))
