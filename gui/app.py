"""The program's entry: the window without a command, the command line with one. Imports nothing that is not needed."""

import sys
from collections.abc import Sequence

_MEASURE = "--measure-start"
_WINDOW_COMMANDS = ("demo",)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `vllm-dyno`.

    Args:
        argv: what follows the program's name; that of this process when not given.

    Returns:
        The exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == [_MEASURE]:
        from gui.measure import main as measure

        return measure(arguments[1:])
    if opens_window(arguments):
        from gui.startup import run_window

        return run_window(arguments)
    from core.cli.main import main as run_command

    return run_command(arguments)


def opens_window(arguments: Sequence[str]) -> bool:
    """Whether these arguments ask for the window; everything else is done without Qt."""
    if not arguments:
        return True
    if arguments[0] not in _WINDOW_COMMANDS or "-h" in arguments or "--help" in arguments:
        return False
    return "--json" not in arguments or any(word.split("=")[0] == "--screenshot" for word in arguments)


if __name__ == "__main__":
    sys.exit(main())
