"""Works out what exactly an installation consists of, before anything is made."""

import threading
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from core.base.errors import DynoError
from core.base.progress import ProgressMeter
from core.base.uv_failures import UvFailure, UvFailureKind, lacks_version_of
from core.base.uv_output import UvOutput
from core.base.uv_tool import Uv
from core.engine.recipe import Interpreter, Recipe, torch_sources

_OTHER_PYTHON_MAY_DO = (UvFailureKind.PYTHON_UNSUPPORTED, UvFailureKind.NO_WHEEL)
_OTHER_SOURCE_MAY_DO = (
    UvFailureKind.NO_VERSION,
    UvFailureKind.NO_WHEEL,
    UvFailureKind.PYTHON_UNSUPPORTED,
    UvFailureKind.UNKNOWN_PACKAGE,
    UvFailureKind.CONFLICT,
)


@dataclass(frozen=True, slots=True)
class Resolution:
    """Every package with its version, address and checksum.

    Attributes:
        pins: a requirements file with every version and checksum. uv would install from its own lock format too, but
            then it fetches everything anew each time.
        arguments: uv's arguments that say where wheels come from.
        version: of vLLM.
        packages: how many.
        download_bytes: size of all wheels that the network has to bring when nothing is cached.
        wheel_bytes: size of all wheels, those in local folders too.
        sizes_known: whether every size was told.
    """

    pins: Path
    arguments: tuple[str, ...]
    interpreter: Interpreter
    version: str
    packages: int
    download_bytes: int
    wheel_bytes: int
    sizes_known: bool


@dataclass(frozen=True, slots=True)
class Resolver:
    """Asks uv for a set of packages that fit together.

    Attributes:
        folder: where files for uv may be written.
    """

    uv: Uv
    recipe: Recipe
    folder: Path
    meter: ProgressMeter
    cancel: threading.Event

    def resolve(self, pythons: Iterable[Interpreter]) -> Resolution:
        """A set for the first interpreter for which there is one.

        Raises:
            UvFailure: there is none, told for the interpreter that was tried first; or uv could not look.
            DynoError: no interpreter to try.
        """
        first_failure: UvFailure | None = None
        for interpreter in pythons:
            try:
                return self._from_any_source(interpreter)
            except UvFailure as failure:
                if failure.kind not in _OTHER_PYTHON_MAY_DO:
                    raise
                first_failure = first_failure or failure
                python = f"Python {interpreter.version}" if interpreter.version else interpreter.path
                self.meter.update(f"{self.recipe.title} does not fit {python}")
        if first_failure is None:
            hint = "Install Python 3.12, or give an interpreter with --python."
            raise DynoError("No Python interpreter was found to build on.", hint)
        raise first_failure

    def _from_any_source(self, interpreter: Interpreter) -> Resolution:
        *others, last = torch_sources(self.recipe, self.uv.find_links())
        for source in others:
            try:
                return self._once(interpreter, source)
            except UvFailure as failure:
                if failure.kind not in _OTHER_SOURCE_MAY_DO or lacks_version_of(failure.detail, self.recipe.package):
                    raise
                self.meter.update("Not all of it is in the local folders")
        return self._once(interpreter, last)

    def _once(self, interpreter: Interpreter, torch_source: str | None) -> Resolution:
        wish, leave_out = self.folder / "wish.in", self.folder / "leave-out.txt"
        lock = self.folder / "pylock.engine.toml"
        wish.write_text(self.recipe.requirement + "\n", encoding="utf-8")
        leave_out.write_text("".join(f"{name}\n" for name in self.recipe.excludes), encoding="utf-8")
        lock.unlink(missing_ok=True)
        # The engine itself is never built here: without a wheel that takes hours, and a compiler for the card.
        where = ["--only-binary", self.recipe.package]
        for link in self.uv.find_links():
            where += ["--find-links", link]
        if torch_source:
            where += ["--torch-backend", torch_source]
        excluding = ["--excludes", str(leave_out)] if self.recipe.excludes else []
        command = [
            "pip",
            "compile",
            str(wish),
            "--python",
            interpreter.path,
            "--format",
            "pylock.toml",
            "-o",
            str(lock),
        ]
        self.uv.run(
            [*command, *where, *excluding],
            cwd=self.folder,
            what=self.recipe.title,
            python_version=interpreter.version,
            on_output=self._follow,
            cancel=self.cancel,
        )
        return _read(lock, self.recipe, interpreter, tuple(where))

    def _follow(self, output: UvOutput) -> None:
        if output.downloads:
            # An index without checksums or metadata makes uv fetch whole wheels to find out.
            done, total = output.downloaded_bytes, output.download_bytes
            self.meter.update(output.waiting_for, done_bytes=done, total_bytes=total)
        else:
            self.meter.update(output.package or self.recipe.title)


def _read(lock: Path, recipe: Recipe, interpreter: Interpreter, arguments: tuple[str, ...]) -> Resolution:
    packages = tomllib.loads(lock.read_text(encoding="utf-8")).get("packages", [])
    version = next((package["version"] for package in packages if package["name"] == recipe.package), "")
    sizes = [_wheel_bytes(package, lock.parent) for package in packages]
    pins = lock.with_name("pins.txt")
    pins.write_text("".join(map(_pin, packages)), encoding="utf-8")
    return Resolution(
        pins=pins,
        arguments=arguments,
        interpreter=interpreter,
        version=version,
        packages=len(packages),
        download_bytes=sum(remote for remote, _ in sizes),
        wheel_bytes=sum(remote + local for remote, local in sizes),
        sizes_known=all(remote + local for remote, local in sizes),
    )


def _files(package: dict[str, Any]) -> list[dict[str, Any]]:
    return [*package.get("wheels", []), *(package[kind] for kind in ("sdist", "archive") if kind in package)]


def _pin(package: dict[str, Any]) -> str:
    checksums = [f" --hash=sha256:{file['hashes']['sha256']}" for file in _files(package) if "sha256" in file["hashes"]]
    return f"{package['name']}=={package['version']}{''.join(checksums)}\n"


def _wheel_bytes(package: dict[str, Any], lock_folder: Path) -> tuple[int, int]:
    """Bytes to download and bytes lying in local folders; of several wheels that would do, the largest counts."""
    remote = local = 0
    for file in package.get("wheels") or _files(package):
        address = urlsplit(str(file.get("url", "")))
        path = Path(unquote(address.path)) if address.scheme == "file" else lock_folder / str(file.get("path", ""))
        if path.is_file():
            local = max(local, path.stat().st_size)
        else:
            remote = max(remote, int(file.get("size", 0)))
    return (0, local) if local else (remote, 0)
