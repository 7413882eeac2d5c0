"""`vllm-dyno probe`: what an engine accepts, asked from the engine itself."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from core.base.clock import now
from core.base.errors import DynoError
from core.base.files import write_atomic
from core.schema.model import ArgumentSchema
from core.schema.overlay import Level, load_overlay

if TYPE_CHECKING:
    from core.services import Services


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "probe",
        help="show every argument of an engine",
        description="Asks an engine's own argument parser what it accepts. Answers are kept until the engine changes.",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--engine", metavar="NAME", help="an engine as `vllm-dyno engines list` names it")
    source.add_argument("--python", metavar="PATH", type=Path, help="the interpreter of an engine")
    parser.add_argument("--refresh", action="store_true", help="ask again even if the answer is known")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the answer in the form of a recorded schema")
    parser.add_argument("--json", action="store_true", help="print the whole schema as one JSON document")


def run(args: argparse.Namespace, services: "Services") -> int:
    """Ask, then print the schema (`--json`) or a summary.

    Raises:
        DynoError: there is no such engine, or it does not answer.
    """
    given: Path | None = args.python
    python = given.expanduser() if given else _engine_python(args.engine, services)
    started = now()
    if args.refresh or services.schemas.cached(python) is None:
        print(f"Asking {python}; this takes some seconds.", file=sys.stderr)
    schema = services.schemas.get(python, refresh=args.refresh)
    if args.save:
        write_atomic(args.save, msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n", mode=0o644)
    if args.json:
        json.dump(complete(schema), sys.stdout, ensure_ascii=False, indent=1)
        print()
    else:
        print("\n".join(summary(schema)))
        print(f"{now() - started:.2f} s", file=sys.stderr)
    return 0


def _engine_python(name: str | None, services: "Services") -> Path:
    environment = services.registry.get(name) if name else services.registry.default()
    if environment is None:
        raise DynoError("There is no engine yet.", "Install one with: vllm-dyno engines install")
    python: Path = environment.python
    return python


def complete(value: Any) -> Any:
    """The document with every key, also where it has its default; files leave those out."""
    if isinstance(value, msgspec.Struct):
        return {name: complete(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple | list):
        return [complete(item) for item in value]
    return value


def summary(schema: ArgumentSchema) -> list[str]:
    """The schema in some lines for a person."""
    overlay = load_overlay()
    levels = Counter(overlay.level(argument) for argument in schema.arguments)
    sizes = Counter(argument.group for argument in schema.arguments)
    groups = overlay.group_order([group.name for group in schema.groups])
    width = max((len(overlay.group_title(group)) for group in groups), default=0)
    return [
        f"vLLM {schema.engine_version} ({schema.distribution}, {schema.backend or 'unknown'} build), "
        f"torch {schema.torch_version}, Python {schema.python_version}",
        f"{len(schema.arguments)} arguments, {len(schema.environment)} environment variables, "
        f"read through {schema.layout}",
        f"{levels[Level.ESSENTIAL]} essential, {levels[Level.TUNING]} for tuning, {levels[Level.EVERYTHING]} more",
        *(f"  {overlay.group_title(group):{width}}  {sizes[group]:4}  {group}" for group in groups),
    ]
