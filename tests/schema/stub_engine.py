"""A virtual environment with a few files in the place of vLLM, for layouts and builds that no real engine has.

What real engines do is tested with real engines (`test_engine_*.py`).
"""

import venv
from pathlib import Path

_UTILS = """
import argparse

class FlexibleArgumentParser(argparse.ArgumentParser):
    pass
"""

_ARGUMENTS = """
import dataclasses

def converter_of_the_future(text):
    return text

def add(parser):
    parser.add_argument("model_tag", nargs="?", help="The model.")
    group = parser.add_argument_group("StubConfig", "About the stub.")
    group.add_argument("--size-limit", "-sl", type=int, default=3, help="At most 100%% of it.")
    group.add_argument("--no-text", type=str)
    group.add_argument("--future", type=converter_of_the_future, default=None, help="Unlike anything known.")
    group.add_argument("--hidden", default="==SUPPRESS==", help="Not there unless given.")
    group.add_argument("--made", type=int, default=object(), help="Worked out later.")
    group.add_argument("--old", action="store_true", help="[DEPRECATED] Use nothing.")
    return parser
"""

_SERVE = """
from vllm.stub_arguments import add

class Serve:
    def subparser_init(self, subparsers):
        return add(subparsers.add_parser("serve"))

def cmd_init():
    return [Serve()]
"""

_OLD_LAYOUT = """
from vllm.stub_arguments import add

def make_arg_parser(parser):
    return add(parser)
"""

_PLATFORMS = """
class Platform:
    device_type = {device!r}

_current_platform = Platform()

def __getattr__(name):
    if name == "current_platform":
        return _current_platform
    raise AttributeError(name)
"""

_NEEDY_SERVE = """
from vllm import platforms

def cmd_init():
    if not platforms.current_platform.device_type:
        raise RuntimeError("Failed to infer device type")
    from vllm.stub_serve import cmd_init
    return cmd_init()
"""

_ENVS = """
import os

A: str = ""
environment_variables = {
    # How loud it is.
    # Two lines about it.
    "STUB_LEVEL": lambda: os.getenv("STUB_LEVEL", "quiet"),
    # === A heading ===
    "STUB_HOME": lambda: os.path.expanduser("~/stub"),
}
"""


def make_stub(
    folder: Path, *, layout: str = "serve", distribution: str = "vllm", version: str = "1.2.3", device: str = "cpu"
) -> Path:
    """The interpreter of a new stub engine.

    Args:
        folder: where to make it.
        layout: `serve` (today's), `openai` (the parser's older place), `none` (nowhere), `broken` (an import fails).
        distribution: name in the package metadata.
        version: likewise.
        device: device type that the platform claims; empty as on a machine without a driver.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python3*/site-packages"))
    files = {
        "torch/__init__.py": "__version__ = '2.0+cu1'\nclass version:\n    cuda = '1.0'\n    hip = None\n",
        "vllm/__init__.py": "import package_that_is_missing\n" if layout == "broken" else "",
        "vllm/config/__init__.py": "",
        "vllm/engine/__init__.py": "",
        "vllm/engine/arg_utils.py": "",
        "vllm/entrypoints/__init__.py": "",
        "vllm/entrypoints/cli/__init__.py": "",
        "vllm/envs.py": _ENVS,
        "vllm/platforms/__init__.py": _PLATFORMS.format(device=device),
        "vllm/platforms/cpu.py": "class CpuPlatform:\n    device_type = 'cpu'\n",
        "vllm/stub_arguments.py": _ARGUMENTS,
        "vllm/stub_serve.py": _SERVE,
        "vllm/utils/__init__.py": _UTILS,
        f"{distribution.replace('-', '_')}-{version}.dist-info/METADATA": (
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        ),
    }
    if layout == "serve":
        files["vllm/entrypoints/cli/serve.py"] = _NEEDY_SERVE
    if layout == "openai":
        files["vllm/entrypoints/openai/__init__.py"] = ""
        files["vllm/entrypoints/openai/cli_args.py"] = _OLD_LAYOUT
    for name, text in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "bin" / "python"


def metadata_folder(python: Path) -> Path:
    """The stub's package metadata, to be touched as an update would."""
    return next(python.parent.parent.glob("lib/python3*/site-packages/vllm*.dist-info"))
