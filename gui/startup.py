"""Builds the application and its one window, and runs them."""

import os
import sys
from collections.abc import Sequence

from PySide6.QtWidgets import QApplication

from core.base.paths import Paths
from core.services import Services
from gui import theme
from gui.end_signals import EndSignals
from gui.hooks import UncaughtHooks
from gui.tasks import TaskRunner
from gui.wiring import Wiring


def make_application() -> QApplication:
    """The application object with name and look; the platform's own choice of everything else."""
    app = QApplication(["vllm-dyno"])
    app.setApplicationName("vllm-dyno")
    app.setApplicationDisplayName("vLLM Dyno")
    app.setDesktopFileName("vllm-dyno")
    app.setWindowIcon(theme.app_icon())
    theme.apply(app)
    return app


def has_screen() -> bool:
    """Whether Qt will find something to draw on; offscreen drawing by the person's own wish counts."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def build_window(app: QApplication, paths: Paths) -> tuple[Wiring, UncaughtHooks]:
    """The window with everything behind it; `Wiring.open` shows it."""
    hooks = UncaughtHooks(paths.state / "window.log", app)
    tasks = TaskRunner()
    wiring = Wiring(Services.build(paths), tasks, hooks)
    # The task that closed the services is the last one; its thread ends by itself.
    wiring.closed.connect(lambda: tasks.close(wait_s=1.0))
    return wiring, hooks


def run_window(arguments: Sequence[str]) -> int:
    """Show the window and stay until it is closed.

    Args:
        arguments: `demo` and its options, or nothing.

    Returns:
        The exit code.
    """
    if not has_screen():
        if not arguments:
            sys.stderr.write("error: There is no screen to open a window on.\n")
            sys.stderr.write("hint: Use the command line (vllm-dyno --help), or vllm-dyno demo --json.\n")
            return 2
        # The demo works without a screen and takes its picture all the same.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = make_application()
    wiring, hooks = build_window(app, Paths.default())
    hooks.install()
    ends = EndSignals(wiring.closing.go, app)
    ends.install()
    if arguments:
        from gui.demo_run import begin_demo

        begin_demo(wiring, arguments)
    wiring.open()
    try:
        return app.exec()
    finally:
        ends.uninstall()
        hooks.uninstall()
