"""A picture of the window, to a file and to the clipboard."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from core.base.errors import DynoError
from gui.tasks import TaskRunner


def picture_folder(fallback: Path) -> Path:
    """The person's folder for pictures where there is one, else the given one."""
    pictures = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
    return Path(pictures) if pictures and Path(pictures).is_dir() else fallback


def grab(window: QWidget) -> QImage:
    """What the window looks like now, in device pixels."""
    return window.grab().toImage()


def save(image: QImage, path: Path) -> Path:
    """Write a picture; the folder is made.

    Raises:
        DynoError: it could not be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DynoError(f"The picture could not be saved in {path.parent}.", str(error)) from error
    if not image.save(str(path), "PNG"):
        raise DynoError(f"The picture could not be saved as {path}.", "Make room, or make the folder writable.")
    return path


def file_name(moment: datetime) -> str:
    """Name of a picture taken at this moment."""
    return f"vllm-dyno-{moment:%Y-%m-%d-%H%M%S}.png"


def take(
    window: QWidget,
    folder: Path,
    tasks: TaskRunner,
    on_done: Callable[[Path], None],
    on_error: Callable[[DynoError], None],
) -> None:
    """Picture to the clipboard at once, and to a file in the background (packing a PNG takes a while)."""
    image = grab(window)
    QGuiApplication.clipboard().setImage(image)
    path = folder / file_name(datetime.now())
    tasks.run_task(lambda _: save(image, path), on_done=on_done, on_error=on_error, name="screenshot")
