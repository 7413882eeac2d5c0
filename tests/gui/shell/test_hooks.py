import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import qWarning

from gui.hooks import UncaughtHooks


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[UncaughtHooks]:
    made = UncaughtHooks(tmp_path / "state" / "window.log")
    made.install()
    yield made
    made.uninstall()


def test_an_error_on_the_main_thread_is_told_and_written_down(hooks: UncaughtHooks, wait: Callable[..., None]) -> None:
    told: list[tuple[str, str]] = []
    hooks.told.connect(lambda line, text: told.append((line, text)))
    try:
        raise ValueError("odd")
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    wait(lambda: told)
    assert told[0][0] == "ValueError: odd"
    assert "test_hooks.py" in told[0][1]
    assert "ValueError: odd" in hooks.log_path.read_text()


def test_an_error_on_another_thread_arrives_on_this_one(hooks: UncaughtHooks, wait: Callable[..., None]) -> None:
    told: list[threading.Thread] = []
    hooks.told.connect(lambda *_: told.append(threading.current_thread()))

    def fail() -> None:
        raise OSError("gone")

    thread = threading.Thread(target=fail, name="reader")
    thread.start()
    thread.join()
    wait(lambda: told)
    assert told == [threading.main_thread()]
    assert "uncaught in reader" in hooks.log_path.read_text()


def test_qt_s_own_warnings_go_to_the_file_alone(hooks: UncaughtHooks) -> None:
    told: list[str] = []
    hooks.told.connect(lambda line, _: told.append(line))
    qWarning("from Qt")
    assert "Qt: from Qt" in hooks.log_path.read_text()
    assert told == []


def test_afterwards_everything_is_as_before(tmp_path: Path) -> None:
    before = (sys.excepthook, threading.excepthook)
    made = UncaughtHooks(tmp_path / "window.log")
    made.install()
    assert sys.excepthook != before[0]
    made.uninstall()
    made.uninstall()
    assert (sys.excepthook, threading.excepthook) == before
    assert not made.log_path.exists()


def test_ctrl_c_is_left_to_the_hook_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, *_: seen.append(kind))
    made = UncaughtHooks(tmp_path / "window.log")
    made.install()
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    made.uninstall()
    assert seen == [KeyboardInterrupt]
    assert not made.log_path.exists()
