"""Runs uv: found beside us, with a clean environment, its progress followed, its failures explained."""

import contextlib
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.base.child import run_child
from core.base.errors import DynoError
from core.base.locks import LockBusy, file_lock
from core.base.uv_failures import explain
from core.base.uv_output import UvOutput

# They would lead uv to another environment than the one that is meant, or hide its progress.
_DROPPED = (
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONPATH",
    "PYTHONHOME",
    "UV_PYTHON",
    "UV_SYSTEM_PYTHON",
    "UV_PROJECT_ENVIRONMENT",
    "UV_NO_PROGRESS",
    "UV_FIND_LINKS",
    "NO_COLOR",
    "COLUMNS",
)
_QUERY_TIMEOUT_S = 60.0


class Uv:
    """One uv executable.

    Args:
        executable: found by itself when left out.
        environment: variables it starts from; the process's own when left out.
    """

    def __init__(self, executable: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
        self._given = executable
        self._variables = dict(os.environ if environment is None else environment)

    def find_links(self) -> list[str]:
        """Folders and pages of wheels named by UV_FIND_LINKS and PIP_FIND_LINKS, without folders that are gone."""
        named = self._variables.get("UV_FIND_LINKS", "").split(",") + self._variables.get("PIP_FIND_LINKS", "").split()
        entries = [entry.strip() for entry in named if entry.strip()]
        # Absolute, since uv runs in a folder of its own.
        links = dict.fromkeys(e if "://" in e else str(Path(e).expanduser().absolute()) for e in entries)
        return [entry for entry in links if "://" in entry or Path(entry).is_dir()]

    def run(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        what: str,
        python_version: str = "",
        on_output: Callable[[UvOutput], None],
        cancel: threading.Event,
        keep_open: Sequence[int] = (),
    ) -> str:
        """Run one command to its end and return what it wrote.

        Args:
            what: what is being installed, for messages.
            on_output: called whenever there is something new, and about ten times a second besides.
            keep_open: descriptors that uv inherits.

        Raises:
            UvFailure: it ended with an error; `kind` tells which.
            Cancelled: it was called off; what it had half done in its cache is gone.
            DynoError: there is no uv.
        """
        output = UvOutput()

        def take(data: bytes) -> None:
            output.feed(data)
            on_output(output)

        began = time.time()
        argv = [str(self.executable()), *arguments]
        try:
            code = run_child(
                argv,
                cwd=cwd,
                environment=self._environment(),
                on_output=take,
                cancel=cancel,
                keep_open=keep_open,
                with_stdout=False,
            )
        except BaseException:
            self._sweep_cache(since=began)
            raise
        if code != 0:
            self._sweep_cache(since=began)
            raise explain(output.text or f"uv ended with code {code}.", what, python_version)
        return output.text

    def query(self, arguments: Sequence[str]) -> str:
        """Standard output of a quick command; empty when it fails.

        Raises:
            DynoError: there is no uv.
        """
        try:
            answer = subprocess.run(
                [str(self.executable()), *arguments],
                capture_output=True,
                env=self._environment(),
                cwd=Path.home() if Path.home().is_dir() else None,
                stdin=subprocess.DEVNULL,
                timeout=_QUERY_TIMEOUT_S,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        return answer.stdout.decode("utf-8", "replace").strip()

    def cache_folder(self) -> Path | None:
        """Where uv keeps downloads; None when it does not tell."""
        answer = self.query(["cache", "dir"])
        return Path(answer) if answer else None

    def executable(self) -> Path:
        """The program itself.

        Raises:
            DynoError: it is not there.
        """
        if self._given is not None:
            return self._given
        try:
            import uv

            return Path(uv.find_uv_bin())
        except (ImportError, FileNotFoundError):
            on_path = shutil.which("uv", path=self._variables.get("PATH"))
            if on_path is None:
                raise DynoError(
                    "uv, which installs engines, is missing.", "Install it: python -m pip install uv"
                ) from None
            return Path(on_path)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in self._variables.items() if name not in _DROPPED}
        return {**kept, "TERM": "xterm", "UV_PYTHON_DOWNLOADS": "never"}

    def _sweep_cache(self, since: float) -> None:
        """Delete half-unpacked downloads that a killed uv leaves in its cache; gigabytes at worst.

        Only while no other uv uses the cache (each holds its lock), and only what is newer than our own start.
        """
        cache = self.cache_folder()
        if cache is None or not (cache / ".lock").is_file():
            return
        with contextlib.suppress(LockBusy, OSError), file_lock(cache / ".lock", wait=False):
            for entry in cache.glob(".tmp*"):
                if entry.lstat().st_ctime >= since - 1.0:
                    if entry.is_dir():
                        shutil.rmtree(entry, ignore_errors=True)
                    else:
                        entry.unlink()
