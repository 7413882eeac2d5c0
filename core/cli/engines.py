"""`vllm-dyno engines`: shows, installs, adds, updates and removes engine environments."""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from core.cli.progress_line import ProgressLine
from core.engine.environments import EngineEnvironment
from core.engine.installer import install, update

if TYPE_CHECKING:
    from core.services import Services

_COLUMNS = ("", "NAME", "VLLM", "BUILD", "TORCH", "PYTHON", "FOUND", "FOLDER")


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "engines",
        help="show, install, add, update and remove engines",
        description="Engines are Python environments with vLLM in them. Without an action they are listed.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    _action(actions, "list", "show the engines of this machine")
    making = _action(actions, "install", "install vLLM into an environment of its own")
    making.add_argument(
        "--backend", choices=("auto", "cuda", "cpu"), default="auto", help="auto: cuda where a driver is present"
    )
    making.add_argument("--version", metavar="X", dest="engine_version", help="version of vLLM (default: the newest)")
    making.add_argument("--python", metavar="PATH", type=Path, help="interpreter to build on")
    making.add_argument("--name", metavar="N", help="name of the engine (default: from backend and version)")
    adding = _action(actions, "add", "take in an environment that exists")
    adding.add_argument("folder", type=Path, metavar="FOLDER", help="the environment, or its interpreter")
    updating = _action(actions, "update", "put another version in an installed engine's place")
    updating.add_argument("name", metavar="NAME")
    updating.add_argument("--version", metavar="X", dest="engine_version", help="version of vLLM (default: the newest)")
    removing = _action(actions, "remove", "delete an installed engine, or forget an added one")
    removing.add_argument("name", metavar="NAME")
    choosing = _action(actions, "default", "choose the engine that is used where none is named")
    choosing.add_argument("name", metavar="NAME")


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, text: str
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    # Suppressed, so that `engines --json list` is not undone by this parser's own default.
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return parser


def run(args: argparse.Namespace, services: "Services") -> int:
    """Do what was asked; the engine that it was about, or the list, goes to standard output.

    Raises:
        DynoError: it cannot be done.
        Cancelled: it was interrupted; nothing is left behind.
    """
    registry = services.registry
    engine: EngineEnvironment | None = None
    match args.action:
        case "install":
            with _interruptible() as cancel, ProgressLine(sys.stderr) as line:
                engine = install(
                    services.paths,
                    backend=args.backend,
                    version=args.engine_version,
                    name=args.name,
                    python=args.python,
                    progress=line.show,
                    cancel=cancel,
                )
        case "update":
            with _interruptible() as cancel, ProgressLine(sys.stderr) as line:
                engine = update(
                    services.paths,
                    registry.get(args.name),
                    version=args.engine_version,
                    progress=line.show,
                    cancel=cancel,
                )
        case "add":
            engine = registry.add(args.folder)
        case "default":
            registry.set_default(args.name)
            engine = registry.get(args.name)
        case "remove":
            engine = registry.get(args.name)
            registry.remove(args.name)
            print(f"Removed {engine.name}.", file=sys.stderr)
        case _:
            _print_list(registry.list(), registry.default(), as_json=args.json)
            return 0
    if args.json:
        print(json.dumps(describe(engine), ensure_ascii=False))
    elif args.action != "remove":
        print(f"{engine.name}: vLLM {engine.version} ({_build(engine)}) in {engine.prefix}")
    return 0


def describe(engine: EngineEnvironment, *, default: bool = False) -> dict[str, Any]:
    """An environment as a JSON object."""
    return {
        "name": engine.name,
        "version": engine.version,
        "backend": engine.backend.value,
        "cuda": engine.cuda,
        "torch": engine.torch,
        "python_version": engine.python_version,
        "distribution": engine.distribution,
        "origin": engine.origin.value,
        "python": str(engine.python),
        "prefix": str(engine.prefix),
        "problem": engine.problem,
        "default": default,
    }


def _print_list(engines: list[EngineEnvironment], default: EngineEnvironment | None, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([describe(engine, default=engine == default) for engine in engines], ensure_ascii=False))
        return
    if not engines:
        print("No engine was found. Install one: vllm-dyno engines install", file=sys.stderr)
        return
    rows = [_COLUMNS, *(_row(engine, engine == default) for engine in engines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for row, engine in zip(rows, [None, *engines], strict=True):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if engine and engine.problem:
            print(f"{' ' * (widths[0] + 2)}problem: {engine.problem}")


def _row(engine: EngineEnvironment, default: bool) -> tuple[str, ...]:
    facts = (engine.version, _build(engine), engine.torch, engine.python_version, engine.origin.value)
    return ("*" if default else "", engine.name, *(fact or "n/a" for fact in facts), str(engine.prefix))


def _build(engine: EngineEnvironment) -> str:
    kind = "n/a" if engine.backend == "unknown" else engine.backend.value
    return f"{kind} {engine.cuda}" if engine.cuda and engine.backend == "cuda" else kind


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """An event that Ctrl-C and a polite kill set, so that what is half done is cleared away."""
    cancel = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        cancel.set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
