"""vLLM in an environment: which version, built for what, with which PyTorch, and what keeps it from starting."""

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from core.engine.dist_info import Distribution, find_distributions, local_version, read_assignments, read_text
from core.engine.environment_model import Backend, EngineEnvironment, Origin
from core.engine.prefix import Prefix, read_prefix

_PACKAGE_FILE = "vllm/__init__.py"
_CUDA_LIBRARY = "nvidia-cuda-runtime"
_MARKS = {"cpu": Backend.CPU, "cu": Backend.CUDA, "rocm": Backend.ROCM, "hip": Backend.ROCM, "xpu": Backend.XPU}
# Only builds for a GPU carry this extension module.
_GPU_EXTENSION = "cumem_allocator*.so"


def inspect_environment(folder: Path, name: str, origin: Origin) -> EngineEnvironment | None:
    """What the environment in this folder holds; None when it is sound but has no vLLM."""
    prefix = read_prefix(folder)
    engine = find_engine(prefix)
    if engine is None and not prefix.problem:
        return None
    torch = next((d for d in find_distributions(prefix.sites, ("torch",)) if d.name == "torch"), None)
    facts = read_assignments(torch.site / "torch" / "version.py") if torch else {}
    return EngineEnvironment(
        name=name,
        python=prefix.python,
        prefix=prefix.folder,
        version=engine.version if engine else "",
        distribution=engine.name if engine else "",
        backend=_backend(engine, torch, facts, prefix) if engine else Backend.UNKNOWN,
        torch=(facts.get("__version__") or torch.version) if torch else None,
        cuda=_cuda(engine, torch, facts),
        python_version=prefix.version,
        origin=origin,
        problem=prefix.problem or (_engine_problem(engine, torch, facts) if engine else None),
    )


def find_engine(prefix: Prefix) -> Distribution | None:
    """The package that brought vLLM: `vllm` itself, or another that carries its files."""
    found = list(find_distributions(prefix.sites, ("vllm",)))
    for distribution in found:
        if distribution.name == "vllm":
            return distribution
    return next((d for d in found if d.name.startswith("vllm-") and d.provides(_PACKAGE_FILE)), None)


def _backend(engine: Distribution, torch: Distribution | None, facts: dict[str, str | None], prefix: Prefix) -> Backend:
    """The first sure sign, from the package itself down to what lies beside it."""
    named = _marked(engine.name.removeprefix("vllm").split("-")) or _marked(local_version(engine.version).split("."))
    if named:
        return named
    for key, backend in (("hip", Backend.ROCM), ("cuda", Backend.CUDA), ("xpu", Backend.XPU)):
        if facts.get(key):
            return backend
    built = _marked(local_version(torch.version).split(".")) if torch else None
    if built:
        return built
    # A torch without a local version is the index's default, which on Linux comes with NVIDIA's libraries.
    return Backend.CUDA if any(find_distributions(prefix.sites, (_CUDA_LIBRARY,))) else Backend.UNKNOWN


def _marked(words: Sequence[str]) -> Backend | None:
    for word in words:
        backend = _MARKS.get(word.rstrip("0123456789"))
        if backend:
            return backend
    return None


def _cuda(engine: Distribution | None, torch: Distribution | None, facts: dict[str, str | None]) -> str | None:
    if facts.get("cuda"):
        return facts["cuda"]
    for distribution in (torch, engine):
        for word in local_version(distribution.version).split(".") if distribution else ():
            digits = word.removeprefix("cu")
            if digits != word and digits.isdigit() and len(digits) >= 3:
                return f"{digits[:-1]}.{digits[-1]}"
    return None


def _engine_problem(engine: Distribution, torch: Distribution | None, facts: dict[str, str | None]) -> str | None:
    source = editable_source(engine)
    package = engine.site / "vllm"
    if source is not None:
        if not source.is_dir():
            return f"It was installed from a source folder that is gone: {source}."
        package = source / "vllm"
    elif not (package / "__init__.py").is_file():
        return "Files of vLLM are missing; install it anew."
    if torch is None:
        return "PyTorch is missing in this environment."
    torch_for_gpu = not facts or facts.get("cuda") or facts.get("hip") or facts.get("xpu")
    if not torch_for_gpu and any(package.glob(_GPU_EXTENSION)):
        return f"vLLM was built for a GPU, but its PyTorch {torch.version} is a build without GPU support."
    return None


def editable_source(distribution: Distribution) -> Path | None:
    """The source folder of a package that was installed in editable mode; None for an ordinary one."""
    try:
        record = json.loads(read_text(distribution.folder / "direct_url.json"))
        if not record["dir_info"].get("editable"):
            return None
        address = urlsplit(record["url"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Path(unquote(address.path)) if address.scheme == "file" else None
