"""Installs, checks and updates engine environments with uv."""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.base.child import run_child
from core.base.errors import DynoError
from core.base.paths import Paths
from core.base.progress import InstallProgress, ProgressMeter
from core.base.uv_output import UvOutput, UvPhase
from core.base.uv_tool import Uv
from core.engine.claim import Claim, claim_folder, name_taken
from core.engine.disk_space import check_space
from core.engine.environment_model import EngineEnvironment, Origin
from core.engine.environments import EngineRegistry
from core.engine.inspection import inspect_environment
from core.engine.manifest import Manifest, read_manifest, write_manifest
from core.engine.naming import base_name, check_name, is_automatic
from core.engine.prefix import read_prefix
from core.engine.recipe import Recipe, choose_recipe, interpreters
from core.engine.removal import clean_up, retire, running_in
from core.engine.resolution import Resolution, Resolver

__all__ = ["InstallProgress", "install", "update"]

RESOLVE, CREATE, DOWNLOAD, LINK, CHECK = (
    "Choosing packages",
    "Making the environment",
    "Downloading",
    "Installing",
    "Checking",
)
_USUAL_S = {RESOLVE: 6.0, CREATE: 0.5, DOWNLOAD: 60.0, LINK: 3.0, CHECK: 20.0}
# Imports PyTorch with all its libraries, but not the parts of vLLM that look for hardware.
_TRIAL = "import vllm"


def install(
    paths: Paths,
    *,
    backend: str = "auto",
    version: str | None = None,
    name: str | None = None,
    python: Path | None = None,
    progress: Callable[[InstallProgress], None],
    cancel: threading.Event,
    uv: Uv | None = None,
) -> EngineEnvironment:
    """Make an environment with vLLM in it. Blocks for as long as it takes; run it on a thread of its own.

    Args:
        backend: `auto` (CUDA where an NVIDIA driver is present, CPU elsewhere), `cuda` or `cpu`.
        version: of vLLM; the newest when left out.
        name: made from backend and version when left out.
        python: interpreter to build on; this program's when left out, or another one on this machine that fits.
        progress: called on this thread, at most about five times a second.
        cancel: set it to call the installation off.
        uv: the tool to use; the one that came with this program when left out.

    Raises:
        DynoError: it failed; message and hint say why and what to do, `detail` has uv's words. Nothing is left behind.
        Cancelled: it was called off. Nothing is left behind.
    """
    recipe = choose_recipe(backend, version)
    if name is not None:
        check_name(name)
        if name in _names(paths) or (paths.engines / name).exists():
            raise name_taken(name)
    with _job(paths, recipe, uv, progress, cancel) as job:
        resolution = job.resolver.resolve(interpreters(job.uv, python))
        folder_name = name or base_name(recipe.backend, resolution.version)
        return job.build(resolution, folder_name, exact=name is not None, kept_name=None)


def update(
    paths: Paths,
    engine: EngineEnvironment,
    *,
    version: str | None = None,
    progress: Callable[[InstallProgress], None],
    cancel: threading.Event,
    uv: Uv | None = None,
) -> EngineEnvironment:
    """Put another version in an installed environment's place; the old one stays until the new one works.

    A name made from the version changes with it; one that the person gave stays.

    Args:
        version: the newest when left out.

    Returns:
        The new environment, or `engine` itself when it has that version already.

    Raises:
        DynoError: as for `install`, the old environment is untouched; also when this program did not install the
            engine, or when it is running.
        Cancelled: it was called off; the old environment is untouched.
    """
    if engine.origin is not Origin.INSTALLED:
        raise DynoError(
            f"{engine.name} was not installed by this program, so it is not changed.",
            "Update it with the tool that installed it, or install an engine here beside it.",
        )
    if running_in(engine.prefix):
        raise DynoError(f"{engine.name} is running.", "Stop the engine, then try again.")
    manifest = read_manifest(engine.prefix)
    recipe = choose_recipe(manifest.backend if manifest else engine.backend.value, version)
    with _job(paths, recipe, uv, progress, cancel) as job:
        same_python = Path(os.path.realpath(engine.python))
        resolution = job.resolver.resolve(interpreters(job.uv, None, first=[same_python]))
        if resolution.version == engine.version and not engine.problem:
            job.meter.done(f"vLLM {engine.version} is there already")
            return engine
        before = manifest.version if manifest else engine.version
        automatic = is_automatic(engine.name, base_name(recipe.backend, before)) and before != resolution.version
        kept_name = None if automatic else engine.name
        folder_name = kept_name or base_name(recipe.backend, resolution.version)
        fresh = job.build(resolution, folder_name, exact=False, kept_name=kept_name)
    retire(paths, engine, fresh)
    return fresh


def _names(paths: Paths) -> set[str]:
    return {engine.name for engine in EngineRegistry(paths).list()}


@contextmanager
def _job(
    paths: Paths,
    recipe: Recipe,
    uv: Uv | None,
    progress: Callable[[InstallProgress], None],
    cancel: threading.Event,
) -> Iterator["_Job"]:
    clean_up(paths)
    meter = ProgressMeter(progress, _USUAL_S)
    meter.step(RESOLVE, recipe.title)
    with tempfile.TemporaryDirectory(prefix="vllm-dyno-") as scratch:
        yield _Job(paths, recipe, uv or Uv(), Path(scratch), meter, cancel)


@dataclass(frozen=True, slots=True)
class _Job:
    """One installation under way."""

    paths: Paths
    recipe: Recipe
    uv: Uv
    scratch: Path
    meter: ProgressMeter
    cancel: threading.Event

    @property
    def resolver(self) -> Resolver:
        return Resolver(self.uv, self.recipe, self.scratch, self.meter, self.cancel)

    def build(
        self, resolution: Resolution, folder_name: str, *, exact: bool, kept_name: str | None
    ) -> EngineEnvironment:
        """Make the folder, fill it, try it, and let it count.

        Args:
            exact: whether the folder must have this very name.
            kept_name: the environment's name where it differs from the folder's.
        """
        self._check_space(resolution)
        taken = () if kept_name else _names(self.paths)
        with claim_folder(self.paths, folder_name, exact=exact, taken=taken) as claim:
            self._fill(claim, resolution)
            self.meter.step(CHECK, "starting it once")
            self._try_out(claim.folder)
            name = kept_name or claim.folder.name
            engine = inspect_environment(claim.folder, name, Origin.INSTALLED)
            if engine is None or engine.problem:
                reason = engine.problem if engine else None
                raise DynoError(
                    "The new environment is not usable.", "Try another version.", reason or "No vLLM in it."
                )
            manifest = Manifest(
                name=name,
                backend=self.recipe.backend.value,
                requirement=self.recipe.requirement,
                version=resolution.version,
                install_s=round(self.meter.elapsed_s, 1),
                download_bytes=resolution.download_bytes,
            )
            write_manifest(claim.folder, manifest)
        self.meter.done(f"vLLM {engine.version} as {engine.name}")
        return engine

    def _check_space(self, resolution: Resolution) -> None:
        needed = int(resolution.wheel_bytes * self.recipe.unpacked_factor)
        if not resolution.sizes_known:
            needed = max(needed, self.recipe.usual_bytes)
        cache = self.uv.cache_folder()
        check_space(needed, [self.paths.engines, *([cache] if cache else [])])

    def _fill(self, claim: Claim, resolution: Resolution) -> None:
        interpreter = resolution.interpreter

        def run(arguments: Sequence[str], on_output: Callable[[UvOutput], None]) -> None:
            self.uv.run(
                arguments,
                cwd=self.scratch,
                what=f"{self.recipe.package} {resolution.version}",
                python_version=interpreter.version,
                on_output=on_output,
                cancel=self.cancel,
                keep_open=(claim.lock_handle,),
            )

        self.meter.step(CREATE, f"Python {interpreter.version}" if interpreter.version else interpreter.path)
        making = ["venv", "--allow-existing", "--no-project", "--python", interpreter.path, str(claim.folder)]
        run(making, lambda _: self.meter.beat())
        self.meter.step(DOWNLOAD, f"{resolution.packages} packages")
        python = read_prefix(claim.folder).python
        filling = ["pip", "install", "--no-deps", "--python", str(python), "-r", str(resolution.pins)]
        run([*filling, *resolution.arguments], _InstallFollower(self.meter, resolution).follow)

    def _try_out(self, folder: Path) -> None:
        """Import vLLM with the new interpreter, which also compiles what the first start needs."""
        said = bytearray()

        def take(data: bytes) -> None:
            said.extend(data)
            self.meter.beat()

        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment["VLLM_NO_USAGE_STATS"] = "1"
        argv = [str(read_prefix(folder).python), "-I", "-c", _TRIAL]
        code = run_child(argv, cwd=self.scratch, environment=environment, on_output=take, cancel=self.cancel)
        if code != 0:
            raise DynoError(
                "vLLM was installed, but cannot be imported, so the environment was deleted again.",
                "Choose another version or backend; the details have the traceback.",
                said.decode("utf-8", "replace"),
            )


class _InstallFollower:
    """Turns uv's output into the two steps that a person sees: downloading and installing."""

    def __init__(self, meter: ProgressMeter, resolution: Resolution) -> None:
        self._meter = meter
        self._resolution = resolution
        self._installing = False

    def follow(self, output: UvOutput) -> None:
        """Called for every piece of output."""
        if output.phase is UvPhase.INSTALLING:
            done, total = output.installed or (0, self._resolution.packages)
            if not self._installing:
                self._installing = True
                self._meter.step(LINK, f"{total} packages")
            self._meter.update(f"{output.package}, {done} of {total} packages", part=done / max(total, 1))
            return
        if output.prepared is None and not output.downloads:
            self._meter.beat()
            return
        done, total = output.prepared or (0, self._resolution.packages)
        detail = f"{output.waiting_for or output.package}, {done} of {total} packages".removeprefix(", ")
        if not output.downloads:
            # Nothing large comes over the network: wheels of a local folder are unpacked.
            self._meter.update(detail, part=done / max(total, 1))
            return
        # Before all downloads have begun, what is seen is not all; when everything is fetched, the whole is known.
        all_fetched = total >= self._resolution.packages
        whole = max(output.download_bytes, self._resolution.download_bytes if all_fetched else 0)
        self._meter.update(detail, done_bytes=output.downloaded_bytes, total_bytes=whole)
