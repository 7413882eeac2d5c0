"""`vllm-dyno COMMAND`: finds the command, builds the services, turns errors into words.

JSON goes to standard output; words, progress and errors go to standard error, so that output can be piped.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from core import __version__
from core.base.errors import Cancelled, DynoError
from core.base.paths import Paths
from core.cli import demo, engines, probe, serve
from core.services import Services

EXIT_PROBLEM = 2
EXIT_CANCELLED = 130
EXIT_UNHEARD = 141

_COMMANDS = {"demo": demo, "engines": engines, "probe": probe, "serve": serve}


def command_names() -> frozenset[str]:
    """The words that are commands; anything else opens the window."""
    return frozenset(_COMMANDS)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="vllm-dyno",
        description="Tune vLLM on your own graphics card. Without a command the window opens.",
        epilog="vllm-dyno --measure-start prints as JSON how long the window takes to appear.",
    )
    parser.add_argument("--version", action="version", version=f"vllm-dyno {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in _COMMANDS.values():
        module.register(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit code: 0 done, 1 by the command's own meaning, 2 a problem that was told, 130 called off,
        141 nobody reads the output any more (both as a shell counts them).
    """
    arguments = build_parser().parse_args(argv)
    services = Services.build(Paths.default())
    try:
        code = int(_COMMANDS[arguments.command].run(arguments, services))
        if sys.stdout is not None:  # closed by whoever started us
            sys.stdout.flush()
        return code
    except (Cancelled, KeyboardInterrupt):
        print("Cancelled.", file=sys.stderr)
        return EXIT_CANCELLED
    except DynoError as error:
        print_problem(error)
        return EXIT_PROBLEM
    except BrokenPipeError:
        # Whoever read the output has gone (`| head`).
        _silence()
        return EXIT_UNHEARD
    finally:
        services.close()


def _silence() -> None:
    """Let the rest go nowhere; the interpreter would complain once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def print_problem(error: DynoError) -> None:
    """Say on standard error what went wrong, what to do, and the raw text behind it."""
    if error.detail:
        print(error.detail.rstrip(), file=sys.stderr)
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"hint: {error.hint}", file=sys.stderr)
