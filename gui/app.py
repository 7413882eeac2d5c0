"""The program's entry: the window without a command, the command line with one. Imports nothing that is not needed."""

import gc
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
        _prepare_imports()
        from gui.measure import main as measure

        return measure(arguments[1:])
    if opens_window(arguments):
        _prepare_imports()
        from gui.startup import run_window

        return run_window(arguments)
    try:
        from core.cli.main import main as run_command

        return run_command(arguments)
    except KeyboardInterrupt:  # so early that nothing has begun, or while the end was under way
        return 130


def _prepare_imports() -> None:
    """Make the imports of the window's start cheaper; together they are half of the time to the first picture."""
    # Imports make no garbage worth looking for; `gui.startup` turns the collector on again.
    gc.disable()
    if "msgspec" not in sys.modules and "typing_extensions" not in sys.modules:
        # msgspec takes its helpers from typing_extensions where that is installed, and otherwise from typing, which
        # has all of them since Python 3.11 and is there already.
        sys.modules["typing_extensions"] = None
        import msgspec  # noqa: F401

        del sys.modules["typing_extensions"]


def opens_window(arguments: Sequence[str]) -> bool:
    """Whether these arguments ask for the window; everything else is done without Qt."""
    if not arguments:
        return True
    if arguments[0] not in _WINDOW_COMMANDS or "-h" in arguments or "--help" in arguments:
        return False
    return "--json" not in arguments or any(word.split("=")[0] == "--screenshot" for word in arguments)


if __name__ == "__main__":
    sys.exit(main())
