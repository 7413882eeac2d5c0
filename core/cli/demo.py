"""`vllm-dyno demo`: the main job by itself, headless. The window's entry point takes over where a picture is wanted."""

import argparse
import sys
import threading
from pathlib import Path

import msgspec

from core.demo import Demo, DemoObserver, DemoReport
from core.services import Services


class Printer(DemoObserver):
    """Tells each step once, on standard error."""

    def __init__(self) -> None:
        self._last = ""

    def step(self, text: str, fraction: float | None = None) -> None:
        line = text if fraction is None else f"{text} {fraction:.0%}"
        if line != self._last:
            self._last = line
            print(line, file=sys.stderr, flush=True)


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser("demo", help="install an engine if there is none, start a small model, ask, show")
    parser.add_argument("--json", action="store_true", help="run headless, stop at the end, print one JSON object last")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save the window as it looked under load")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Run without a window and print the report."""
    report = Demo(services, Printer(), threading.Event()).run()
    print(report_json(report, None))
    return 0 if report.leftover_processes == 0 else 1


def report_json(report: DemoReport, screenshot: Path | None) -> str:
    """The one JSON object of the report, on one line."""
    return msgspec.json.encode(
        {**msgspec.to_builtins(report), "screenshot": str(screenshot) if screenshot else None}
    ).decode()
