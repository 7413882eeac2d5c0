"""`vllm-dyno --measure-start`: how fast the window comes up, measured in fresh processes without a screen.

Each process is told when it was started, and reports what it had shown when. The bare window beside it is the least
that PySide6 can do on this machine. Byte code is warm in all of them, as it is from the second start of any program on;
it lies in a folder of the measurement's own.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QProcess, QProcessEnvironment, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from core.base.paths import Paths
from gui.form import FormView
from gui.startup import build_window, make_application

_RUNS = 5
_BEGUN = "VLLM_DYNO_BEGUN_NS"
_CHILD = "--in-child"
_TIMEOUT_MS = 60_000
_HEAVY = ("numpy", "pyqtgraph", "pynvml", "httpx", "huggingface_hub")
_OURS = f"import sys; from gui.app import main; sys.exit(main(['--measure-start', '{_CHILD}']))"
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
    with tempfile.TemporaryDirectory() as byte_code:
        for number in range(_RUNS + 1):
            lone = float(_run(["-c", _BARE], byte_code))
            figures = json.loads(_run(["-c", _OURS], byte_code))
            if number:  # the first pair warmed up
                bare.append(lone)
                painted.append(figures["first_paint_ms"])
                usable.append(figures["usable_form_ms"])
    medians = {"first_paint_ms": painted, "usable_form_ms": usable, "bare_window_ms": bare}
    _say({name: round(statistics.median(values), 1) for name, values in medians.items()})
    return 0


def accepts_keys(form: FormView) -> bool:
    """Whether a row of the form has an editor that takes what is typed into it. The text typed stays there."""
    for key in form.listed():
        editor = form.window().focusWidget() if form.reveal(key) else None
        if isinstance(editor, QLineEdit) and editor.isVisible() and editor.isEnabled():
            before = editor.text()
            no_modifier = Qt.KeyboardModifier.NoModifier
            QApplication.sendEvent(editor, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_1, no_modifier, "1"))
            return editor.text() != before
    return False


def _say(figures: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


def _run(arguments: list[str], byte_code: str) -> str:
    process = QProcess()
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("QT_QPA_PLATFORM", "offscreen")
    environment.remove("PYTHONDONTWRITEBYTECODE")
    environment.insert("PYTHONPYCACHEPREFIX", byte_code)
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
    app = make_application()
    wiring = build_window(Paths.default())
    figures: dict[str, object] = {}

    def painted() -> None:
        figures["first_paint_ms"] = _since_start_ms()
        figures["imported"] = sorted(name for name in _HEAVY if name in sys.modules)

    def usable() -> None:
        app.processEvents()
        if not accepts_keys(wiring.window.form):
            raise SystemExit("The form does not accept keys.")
        figures["usable_form_ms"] = _since_start_ms()
        _say(figures)
        # Nothing is saved and nothing is started: a measurement leaves no traces.
        os._exit(0)

    wiring.window.painted.connect(painted)
    wiring.usable.connect(usable)
    wiring.open()
    # The rest of the start is not measured, and would only disturb the machine.
    return app.exec()
