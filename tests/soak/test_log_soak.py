"""200,000 log lines at full speed: the window never stalls and memory stays flat. In a process of its own, since what
once went wrong here (a binding that miscounts references) ended the whole process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.surroundings import unmeasured

_LINES = 200_000
_CHUNK = 20_000
_LONGEST_STALL_MS = 50
_MOST_GROWTH_MIB = 40

_PROGRAM = """
import gc, json, os, sys, time
from pathlib import Path
import psutil
from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtWidgets import QApplication
from core.engine.logfile import LogFollower
from gui import theme
from gui.pages.log import LogPage

chunk, lines, wrap = Path(sys.argv[1]).read_bytes(), int(sys.argv[2]), sys.argv[3] == "wrap"
in_chunk = len(chunk.splitlines())
path = Path(sys.argv[1]).with_name("engine.log")
path.touch()
written = 0
app = QApplication([])
theme.apply(app)
follower = LogFollower(path)
page = LogPage(lambda: follower)
page.set_wrap(wrap)
page.resize(1280, 800)
page.show()
page.start()
own = psutil.Process()
# Processor time of this thread: what other programs take away from us is no stall of ours.
# Only the longest is kept: a list of all beats would be what grows here.
longest, last, memory = [0.0], [time.perf_counter(), time.thread_time()], []

# The next lines come when the last ones are shown: as fast as can be, without a backlog that would count as memory.
def write():
    global written
    with path.open("ab") as file:
        file.write(chunk)
    written += in_chunk

def beat():
    wall, cpu = time.perf_counter(), time.thread_time()
    longest[0] = max(longest[0], min(wall - last[0], cpu - last[1]) * 1000)
    last[:] = wall, cpu
    done = page._taken - page.text.waiting() + follower.dropped
    if len(memory) * lines // 8 < done:
        memory.append(own.memory_info().rss / 2**20)
    if done >= lines:
        app.quit()
    elif done >= written:
        write()

timer = QTimer()
timer.setInterval(0)
timer.timeout.connect(beat)
timer.start()
QTimer.singleShot(240_000, app.quit)
begun = time.perf_counter()
app.exec()
print(json.dumps({
    "lines": page._taken, "dropped": follower.dropped, "kept": page.text.line_count(),
    "longest_stall_ms": longest[0], "memory_mib": memory, "took_s": time.perf_counter() - begun,
}))
"""


@pytest.mark.parametrize("wrap", ["wrap", "nowrap"])
def test_a_flood_of_lines(tmp_path: Path, wrap: str) -> None:
    chunk = tmp_path / "chunk.log"
    levels = ("INFO", "INFO", "INFO", "WARNING", "INFO", "ERROR")
    with chunk.open("w", encoding="utf-8") as file:
        for number in range(_CHUNK):
            level = levels[number % len(levels)]
            file.write(f"(EngineCore pid=42) {level} 12-01 02:27:12 [core.py:9] line {number} of many\n")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(chunk), str(_LINES), wrap],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
        env=unmeasured() | {"QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    print(figures)
    assert (figures["lines"], figures["dropped"]) == (_LINES, 0)
    assert figures["kept"] <= 51_000
    assert figures["longest_stall_ms"] < _LONGEST_STALL_MS
    settled = figures["memory_mib"][4:]
    assert max(settled) - settled[0] < _MOST_GROWTH_MIB
