"""Builds the application and its one window, and runs them."""

import gc
import os
import sys
from collections.abc import Sequence

from PySide6.QtWidgets import QApplication

from core.base.paths import Paths
from gui import theme
from gui.tasks import TaskRunner
from gui.wiring import Wiring


def make_application() -> QApplication:
    """The application object with name and look; the platform's own choice of everything else."""
    # Chosen here and not by `setStyle`, whose answer would bring the whole QStyle class along.
    app = QApplication(["vllm-dyno", "-style", "Fusion"])
    app.setApplicationName("vllm-dyno")
    app.setApplicationDisplayName("vLLM Dyno")
    app.setDesktopFileName("vllm-dyno")
    theme.apply(app)
    return app


def has_screen() -> bool:
    """Whether Qt will find something to draw on; offscreen drawing by the person's own wish counts."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def build_window(paths: Paths) -> Wiring:
    """The window with everything behind it; `Wiring.open` shows it."""
    # Nothing is thrown away while the window is built: looking for garbage would only cost time.
    gc.disable()
    tasks = TaskRunner()
    wiring = Wiring(paths, tasks)
    wiring.settled.connect(_settle)
    # The task that closed the services is the last one; its thread ends by itself.
    wiring.closed.connect(lambda: tasks.close(wait_s=1.0))
    return wiring


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
    wiring = build_window(Paths.default())
    if arguments:
        from gui.demo_run import begin_demo

        begin_demo(wiring, arguments)
    wiring.usable.connect(lambda: _after_usable(app, wiring))
    wiring.open()
    return app.exec()


def _after_usable(app: QApplication, wiring: Wiring) -> None:
    from gui.end_signals import EndSignals

    app.setWindowIcon(theme.app_icon())
    ends = EndSignals(wiring.close_now, app)
    ends.install()
    wiring.closed.connect(ends.uninstall)


def _settle() -> None:
    gc.enable()
    gc.collect()
    # What is there now stays: it need not be looked at again and again.
    gc.freeze()
