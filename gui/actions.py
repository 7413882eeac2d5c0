"""Everything that has a key, in one table: the menu, the tooltips and the list of shortcuts are made from it."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from gui import theme


class ActionSpec(NamedTuple):
    """One thing that the window can do.

    Attributes:
        keys: the first one is shown; all of them work.
    """

    name: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    checkable: bool = False


def _tr(text: str) -> str:
    return QCoreApplication.translate("actions", text)


def action_specs() -> tuple[ActionSpec, ...]:
    """All actions, in the order of the list of shortcuts."""
    return (
        ActionSpec("start", _tr("Start the engine"), ("F5",), "play"),
        ActionSpec("stop", _tr("Stop the engine"), ("Shift+F5",), "stop"),
        ActionSpec("page_tune", _tr("Tune"), ("Ctrl+1",), "tune", checkable=True),
        ActionSpec("page_try", _tr("Try"), ("Ctrl+2",), "chat", checkable=True),
        ActionSpec("page_engines", _tr("Engines"), ("Ctrl+3",), "engine", checkable=True),
        ActionSpec("page_log", _tr("Log"), ("Ctrl+4",), "log", checkable=True),
        ActionSpec("find", _tr("Find on this page"), ("Ctrl+F",), "search"),
        ActionSpec("engine", _tr("Choose the engine"), ("Ctrl+E",)),
        ActionSpec("model", _tr("Choose the model"), ("Ctrl+M",)),
        ActionSpec("undo", _tr("Undo"), ("Ctrl+Z",), "undo"),
        ActionSpec("redo", _tr("Redo"), ("Ctrl+Shift+Z", "Ctrl+Y"), "redo"),
        ActionSpec("copy_command", _tr("Copy the command line"), ("Ctrl+Shift+C",), "copy"),
        ActionSpec("new_talk", _tr("New conversation"), ("Ctrl+N",), "plus"),
        ActionSpec("monitor", _tr("Show the monitor"), ("Ctrl+Shift+M",), "chart", checkable=True),
        ActionSpec("drawer", _tr("Show command, log and answer"), ("Ctrl+J",), "command", checkable=True),
        ActionSpec("reset_layout", _tr("Put all areas back in place"), ("Ctrl+Shift+R",), "reset"),
        ActionSpec("ask_engine", _tr("Ask the engine for its arguments again"), ("Ctrl+Shift+F5",), "refresh"),
        ActionSpec("demo", _tr("Run the demo"), ("Ctrl+Shift+D",), "star"),
        ActionSpec("screenshot", _tr("Picture of the window"), ("F12",), "camera"),
        ActionSpec("open_state", _tr("Open the folder of the log files"), ("Ctrl+Shift+O",), "folder"),
        ActionSpec("shortcuts", _tr("Keyboard shortcuts"), ("F1",), "keyboard"),
        ActionSpec("quit", _tr("Quit"), ("Ctrl+Q",), "close"),
    )


def build_actions(window: QWidget, wanted: Callable[[str], bool]) -> dict[str, QAction]:
    """The actions whose names are wanted, attached to the window so that their keys work everywhere in it.

    They are not connected yet.
    """
    made = {}
    for spec in action_specs():
        if not wanted(spec.name):
            continue
        action = QAction(spec.text, window)
        action.setCheckable(spec.checkable)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setToolTip(f"{spec.text} ({spec.keys[0]})" if spec.keys else spec.text)
        if spec.icon:
            theme.set_icon(action, spec.icon)
        window.addAction(action)
        made[spec.name] = action
    return made
