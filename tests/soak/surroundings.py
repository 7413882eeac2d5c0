"""What the soaking programs run in."""

import os


def unmeasured() -> dict[str, str]:
    """This process's environment without coverage's wish to measure child processes too: it would be timed along."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
