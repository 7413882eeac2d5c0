"""The command line's frame: what opens the window, exit codes, and problems in words."""

import os
import subprocess
import sys

import pytest

from core.base.errors import Cancelled, DynoError
from core.base.paths import Paths
from core.cli import engines, main
from gui.app import opens_window


@pytest.fixture(autouse=True)
def _own_home(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_DYNO_HOME", str(paths.config.parent))


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ([], True),
        (["demo"], True),
        (["demo", "--json", "--screenshot", "a.png"], True),
        (["demo", "--json"], False),
        (["demo", "--help"], False),
        (["engines"], False),
        (["--version"], False),
    ],
)
def test_what_opens_the_window(words: list[str], window: bool) -> None:
    assert opens_window(words) is window


def test_a_problem_is_told_with_its_hint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object) -> int:
        raise DynoError("The disk is full.", "Make room.", "raw words")

    monkeypatch.setattr(engines, "run", fail)
    assert main.main(["engines", "list"]) == main.EXIT_PROBLEM
    told = capsys.readouterr()
    assert told.err == "raw words\nerror: The disk is full.\nhint: Make room.\n"
    assert told.out == ""


@pytest.mark.parametrize("called_off", [Cancelled(), KeyboardInterrupt()])
def test_called_off(
    called_off: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cancel(*_: object) -> int:
        raise called_off

    monkeypatch.setattr(engines, "run", cancel)
    assert main.main(["engines", "list"]) == main.EXIT_CANCELLED
    assert capsys.readouterr().err == "Cancelled.\n"


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["fly"])
    assert ended.value.code == 2
    assert "fly" in capsys.readouterr().err


def test_commands_do_without_qt_and_numpy() -> None:
    program = (
        "import sys, gui.app\n"
        "try:\n"
        "    gui.app.main(['engines', '--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "heavy = {'PySide6', 'numpy', 'pyqtgraph', 'torch', 'vllm'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


_PROGRAM = "import sys, gui.app; sys.exit(gui.app.main(sys.argv[1:]))"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_gone_is_no_mistake_of_ours(unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, "engines", "list", "--json"],
            stdout=pipe,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (main.EXIT_UNHEARD, "")


def test_ctrl_c_before_anything_has_begun_is_told_by_the_exit_code_alone() -> None:
    program = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'core.services':\n"
        "            raise KeyboardInterrupt\n"
        f"sys.meta_path.insert(0, Interrupted())\n{_PROGRAM}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "engines", "list"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_the_help_names_the_measurement_of_the_start() -> None:
    assert "--measure-start" in main.build_parser().format_help()
