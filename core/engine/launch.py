"""What the engine is started with: command, environment, folder, and the address it is allowed to listen on."""

import itertools
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.base.errors import DynoError
from core.base.files import write_atomic
from core.base.network import is_loopback
from core.base.paths import Paths
from core.config.command import LaunchPlan
from core.engine.ports import DEFAULT_HOST, PortClaim, bare, claim_port

KEY_VARIABLE = "VLLM_API_KEY"
"""vLLM reads the API key from here; the command line would show it to everybody on the machine."""

_SCRIPT = Path(__file__).parent / "scripts" / "serve_vllm.py"
_KEY_FILE = "api-key"
_KEY_SHAPE = re.compile(r"[\w-]{20,200}")
# What belongs to our own interpreter, its environment or its window, and would mislead the engine's.
_FOREIGN = re.compile(
    r"PYTHON(?:PATH|HOME|STARTUP|SAFEPATH|EXECUTABLE|PLATLIBDIR|OPTIMIZE|INSPECT|PROFILEIMPORTTIME|WARNINGS)"
    r"|__PYVENV_LAUNCHER__|VIRTUAL_ENV(?:_PROMPT)?|CONDA_(?:PREFIX|DEFAULT_ENV|PROMPT_MODIFIER|SHLVL)"
    r"|UV(?:_.*)?|PIP_.*|QT_.*|QML.*|PYTEST_.*|COV(?:ERAGE)?_.*|VLLM_DYNO_.*|DYNO_.*"
)
_HUB_REFERENCE = re.compile(r"(?:^|[\"'=,])(?P<name>[A-Za-z0-9][\w.-]*/[\w.-]+)(?=$|[\"',:@])")
_DRAIN_FLAG = "--shutdown-timeout"
_TLS_FLAGS = ("--ssl-certfile", "--ssl_certfile")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the engine will listen.

    Attributes:
        api_key: what clients must show; None where none is needed. Kept out of the repr.
        tls: the person gave a certificate.
    """

    host: str
    port: int
    api_key: str | None = field(repr=False)
    tls: bool


def choose_endpoint(paths: Paths, plan: LaunchPlan) -> tuple[Endpoint, PortClaim]:
    """Loopback and a free port, unless the plan says otherwise; reachable from outside only with a key.

    Returns:
        The endpoint, and the claim to its port, to be released when the engine has ended.

    Raises:
        DynoError: the port is busy or cannot be bound, or the plan asks for something without a port.
    """
    if any(token == "--uds" or token.startswith("--uds=") for token in plan.argv):
        raise DynoError("A Unix socket (--uds) cannot be watched from here.", "Reset it, and the engine gets a port.")
    host = bare(plan.host) if plan.host else DEFAULT_HOST
    key = plan.environment.get(KEY_VARIABLE) or os.environ.get(KEY_VARIABLE) or None
    if key is None and not is_loopback(host):
        key = stored_key(paths)
    tls = any(token.partition("=")[0] in _TLS_FLAGS for token in plan.argv)
    claim = claim_port(host, plan.port)
    return Endpoint(host, claim.port, key, tls), claim


def drain_time_s(plan: LaunchPlan) -> float:
    """How long the person lets running requests finish when the engine stops (`--shutdown-timeout`); 0 by default."""
    for flag, value in itertools.pairwise((*plan.argv, "")):
        name, equals, attached = flag.partition("=")
        if name.replace("_", "-") == _DRAIN_FLAG:
            text = attached if equals else value
            return float(text) if text.isdecimal() else 0.0
    return 0.0


def key_file(paths: Paths) -> Path:
    """Where the key is kept that was made for engines reachable from outside."""
    return paths.config / _KEY_FILE


def stored_key(paths: Paths) -> str:
    """That key; made on first use, so that clients set up once keep working.

    Raises:
        DynoError: it could not be stored.
    """
    file = key_file(paths)
    try:
        known = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError):
        known = ""
    if _KEY_SHAPE.fullmatch(known):
        return known
    made = secrets.token_urlsafe(32)
    try:
        write_atomic(file, made.encode())
    except OSError as error:
        message = f"The API key could not be stored in {file}: {error.strerror}."
        raise DynoError(message, "Set a key yourself.") from error
    return made


def launch_command(
    python: Path,
    plan: LaunchPlan,
    endpoint: Endpoint,
    *,
    python_version: str = "",
    base: Mapping[str, str] | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Command and environment of the engine.

    Args:
        python: the engine's interpreter.
        python_version: its version; before 3.11 it needs another flag to keep our folders off its path.
        base: the environment to start from; ours by default.
    """
    isolate = "-P" if _version(python_version) >= (3, 11) else "-I"
    address = ["--host", endpoint.host, "--port", str(endpoint.port)]
    argv = [str(python), isolate, str(_SCRIPT), *plan.argv, *address]
    environment = _environment(python, plan, os.environ if base is None else base)
    if endpoint.api_key:
        environment[KEY_VARIABLE] = endpoint.api_key
    return argv, environment


def _environment(python: Path, plan: LaunchPlan, base: Mapping[str, str]) -> dict[str, str]:
    environment = {name: value for name, value in base.items() if not _FOREIGN.fullmatch(name)}
    own_bin = str(Path(base["VIRTUAL_ENV"]) / "bin") if base.get("VIRTUAL_ENV") else None
    path = [part for part in base.get("PATH", os.defpath).split(os.pathsep) if part and part != own_bin]
    # Compilers and build tools that came with the engine (ninja, nvcc) before those of the system.
    environment["PATH"] = os.pathsep.join([str(python.parent), *path])
    defaults = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "PYTHONUNBUFFERED": "1"}
    if _is_local(plan):
        defaults["HF_HUB_OFFLINE"] = "1"
    return {**defaults, **environment, **plan.environment}


def _is_local(plan: LaunchPlan) -> bool:
    """Whether nothing of this start can need the Hub: a model folder, and no argument that names a repository."""
    if not Path(plan.model).is_absolute():
        return False
    names = (match["name"] for token in plan.argv for match in _HUB_REFERENCE.finditer(token))
    return all(Path(name).exists() for name in names)


def _version(text: str) -> tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (3, 11)
