"""The entry: what opens the window, what does not even load Qt, and what waits until the first picture is there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.paths import Paths
from gui.app import opens_window

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "VLLM_DYNO_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", **more}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        cwd=ROOT,
        env={name: value for name, value in environment.items() if value},
    )


@pytest.mark.parametrize(
    ("arguments", "window"),
    [
        ([], True),
        (["demo"], True),
        (["demo", "--screenshot", "x.png"], True),
        (["demo", "--json", "--screenshot=x.png"], True),
        (["demo", "--json"], False),
        (["demo", "--help"], False),
        (["engines", "list"], False),
        (["probe", "--json"], False),
        (["serve", "--", "org/name"], False),
        (["--help"], False),
        (["nonsense"], False),
    ],
)
def test_what_opens_the_window(arguments: list[str], window: bool) -> None:
    assert opens_window(arguments) is window


def test_a_command_does_not_load_qt(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom gui.app import main\ncode = main(['engines', 'list', '--json'])\n"
        "print('PySide6' in sys.modules, code, file=sys.stderr)"
    )
    done = run("-c", program, home=tmp_path)
    assert done.stderr.splitlines()[-1] == "False 0", done.stderr
    assert isinstance(json.loads(done.stdout), list | dict)


def test_help_and_a_wrong_word_go_to_the_command_line(tmp_path: Path) -> None:
    helped = run("-m", "gui.app", "--help", home=tmp_path)
    assert helped.returncode == 0
    assert "demo" in helped.stdout
    wrong = run("-m", "gui.app", "nonsense", home=tmp_path)
    assert wrong.returncode == 2
    assert "nonsense" in wrong.stderr


def test_without_a_screen_it_says_so(tmp_path: Path) -> None:
    done = run("-m", "gui.app", home=tmp_path, QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY="")
    assert done.returncode == 2
    assert "no screen" in done.stderr
    assert "hint:" in done.stderr


def test_nothing_heavy_is_loaded_before_the_first_picture(tmp_path: Path) -> None:
    program = """
import os, sys
from gui.app import _prepare_imports
_prepare_imports()
from core.base.paths import Paths
from gui.startup import build_window, make_application
app = make_application()
wiring = build_window(Paths.default())
heavy = ("numpy", "pyqtgraph", "pynvml", "httpx", "huggingface_hub", "psutil", "prometheus_client", "asyncio")
def painted():
    print("painted", [name for name in heavy if name in sys.modules])
def usable():
    print("usable", [name for name in heavy if name in sys.modules], flush=True)
    os._exit(0)
wiring.window.painted.connect(painted)
wiring.usable.connect(usable)
wiring.open()
app.exec()
"""
    done = run("-c", program, home=tmp_path)
    assert done.stdout.splitlines() == ["painted []", "usable []"], done.stderr


def test_the_measurement_prints_three_figures_and_leaves_no_traces(tmp_path: Path) -> None:
    done = run("-m", "gui.app", "--measure-start", home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert list(figures) == ["first_paint_ms", "usable_form_ms", "bare_window_ms"]
    assert 0 < figures["bare_window_ms"] < figures["first_paint_ms"] < figures["usable_form_ms"] < 20_000
    assert not (tmp_path / "home").exists()


def test_ctrl_c_closes_in_order(tmp_path: Path) -> None:
    program = """
import os, signal, sys, threading
from PySide6.QtCore import QTimer
from gui.app import main
import gui.startup
whole = gui.startup.build_window
def build(paths):
    wiring = whole(paths)
    wiring.settled.connect(lambda: QTimer.singleShot(0, lambda: os.kill(os.getpid(), signal.SIGINT)))
    wiring.closed.connect(lambda: print("closed", flush=True))
    return wiring
gui.startup.build_window = build
sys.exit(main([]))
"""
    done = run("-c", program, home=tmp_path)
    assert done.stdout == "closed\n", done.stderr
    assert done.returncode == 0
    assert (Paths.below(tmp_path).config / "working.json").exists()
