"""`vllm-dyno --measure-start`: how fast the window comes up, measured in fresh processes without a screen.

Each process is told when it was started, and reports what it had shown when. The bare window beside it is the least
that PySide6 can do on this machine.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Sequence

from PySide6.QtCore import QProcess, QProcessEnvironment

_RUNS = 5
_BEGUN = "VLLM_DYNO_BEGUN_NS"
_CHILD = "--in-child"
_TIMEOUT_MS = 60_000
_HEAVY = ("numpy", "pyqtgraph", "pynvml", "httpx", "huggingface_hub")
_BARE = """
import os, time
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def event(self, event):
        done = super().event(event)
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self.tell)
        return done
    def tell(self):
        print((time.monotonic_ns() - int(os.environ["VLLM_DYNO_BEGUN_NS"])) / 1e6, flush=True)
        os._exit(0)
app = QApplication([])
window = Window()
window.resize(1280, 800)
window.show()
app.exec()
"""


def main(arguments: Sequence[str]) -> int:
    """Measure, and print one JSON object with medians in milliseconds since the start of the process."""
    if arguments and arguments[0] == _CHILD:
        return _child()
    bare, painted, usable = [], [], []
    for _ in range(_RUNS):
        bare.append(float(_run(["-c", _BARE])))
        figures = json.loads(_run(["-m", "gui.app", "--measure-start", _CHILD]))
        painted.append(figures["first_paint_ms"])
        usable.append(figures["usable_form_ms"])
    print(
        json.dumps(
            {
                "first_paint_ms": round(statistics.median(painted), 1),
                "usable_form_ms": round(statistics.median(usable), 1),
                "bare_window_ms": round(statistics.median(bare), 1),
            }
        )
    )
    return 0


def _run(arguments: list[str]) -> str:
    process = QProcess()
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("QT_QPA_PLATFORM", "offscreen")
    environment.insert(_BEGUN, str(time.monotonic_ns()))
    process.setProcessEnvironment(environment)
    process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
    process.start(sys.executable, arguments)
    finished = process.waitForFinished(_TIMEOUT_MS)
    if not finished or process.exitCode() != 0:
        process.kill()
        process.waitForFinished(1000)
        raise SystemExit(f"The measured window did not come up (exit code {process.exitCode()}).")
    return bytes(process.readAllStandardOutput().data()).decode()


def _since_start_ms() -> float:
    return (time.monotonic_ns() - int(os.environ[_BEGUN])) / 1e6


def _child() -> int:
    from core.base.paths import Paths
    from gui.startup import build_window, make_application

    app = make_application()
    wiring, _ = build_window(app, Paths.default())
    figures: dict[str, object] = {}

    def painted() -> None:
        figures["first_paint_ms"] = _since_start_ms()
        figures["imported"] = sorted(name for name in _HEAVY if name in sys.modules)

    def usable() -> None:
        app.processEvents()
        if not accepts_keys(wiring.window.form):
            raise SystemExit("The form does not accept keys.")
        figures["usable_form_ms"] = _since_start_ms()
        print(json.dumps(figures), flush=True)
        # Nothing is saved and nothing is started: a measurement leaves no traces.
        os._exit(0)

    wiring.window.painted.connect(painted)
    wiring.usable.connect(usable)
    wiring.open()
    # The rest of the start is not measured, and would only disturb the machine.
    return app.exec()
