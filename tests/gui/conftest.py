"""Every test of the window runs without a screen, and leaves nothing behind: no window, no running timer, no thread."""

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.pop("VLLM_DYNO_THEME", None)

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from core.base.errors import DynoError
from core.base.paths import Paths
from core.services import Services
from gui import theme
from gui.tasks import TaskRunner

_THREADS_MAY_TAKE_S = 5.0


@pytest.fixture(scope="session", autouse=True)
def _look(qapp: QApplication) -> None:
    theme.apply(qapp, theme.Scheme.LIGHT)


@pytest.fixture(autouse=True)
def _nothing_left(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves something running. pytest-qt closes `qtbot.addWidget` widgets before this looks."""
    windows = set(map(id, QApplication.topLevelWidgets()))
    threads = set(threading.enumerate())
    yield
    _delete_what_waits(qapp)
    left = [widget for widget in QApplication.topLevelWidgets() if id(widget) not in windows and widget.isVisible()]
    assert not left, f"left open: {left}"
    timers = [timer for timer in _running_timers() if timer.parent() is not qapp]
    assert not timers, f"left running: {[(timer.parent(), timer.interval()) for timer in timers]}"
    assert _ended(threads), f"left running: {set(threading.enumerate()) - threads}"


def _delete_what_waits(app: QApplication) -> None:
    # A test that asked the application to exit, without a loop to leave, would end the loops of all later tests at
    # once; one run of the application's own loop forgets the wish.
    QTimer.singleShot(0, app, lambda: app.exit(0))
    app.exec()
    for _ in range(3):
        app.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


def _running_timers() -> list[QTimer]:
    found = [thing for thing in gc.get_objects() if type(thing) is QTimer]
    return [timer for timer in found if isValid(timer) and timer.isActive()]


def _ended(before: set[threading.Thread]) -> bool:
    deadline = time.monotonic() + _THREADS_MAY_TAKE_S
    while time.monotonic() < deadline:
        if not set(threading.enumerate()) - before:
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    """Runs work; a failure that nobody listened to fails the test."""
    runner = TaskRunner()
    unheard: list[DynoError] = []
    runner.failed.connect(unheard.append)
    yield runner
    runner.close()
    assert [(error.message, error.hint, error.detail) for error in unheard] == []


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """Folders of the test's own, on a machine that has no engine and no models of its own."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return Paths.below(tmp_path / "dyno")


@pytest.fixture
def services(paths: Paths) -> Iterator[Services]:
    built = Services.build(paths)
    yield built
    built.close()


@pytest.fixture
def wait(qtbot: QtBot) -> Callable[[Callable[[], bool], int], None]:
    """Turn the event loop until something holds: `wait(lambda: ..., timeout_ms)`."""

    def until(condition: Callable[[], bool], timeout_ms: int = 10_000) -> None:
        qtbot.waitUntil(lambda: bool(condition()), timeout=timeout_ms)

    return until
