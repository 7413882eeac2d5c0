"""The window as a process of its own: it comes up, says nothing on standard error, and ends on request."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_UP_WITHIN_S = 30.0
_PROGRAM = """
from gui import startup
build = startup.build_window

def built(paths):
    wiring = build(paths)
    wiring.settled.connect(lambda: print("settled", flush=True))
    return wiring

startup.build_window = built
raise SystemExit(startup.run_window([]))
"""


def test_the_window_comes_up_and_ends_without_a_word(tmp_path: Path) -> None:
    hidden = ("VIRTUAL_ENV", "CONDA_PREFIX")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"VLLM_DYNO_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    environment["QT_QPA_PLATFORM"] = "offscreen"
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "settled\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=_UP_WITHIN_S)
    finally:
        process.kill()
        process.wait()
    assert errors == ""
    assert process.returncode == 0
    log = tmp_path / "state" / "window.log"
    assert not log.exists() or log.read_text() == ""
