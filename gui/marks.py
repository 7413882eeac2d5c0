"""What happened when, as marks on the monitor's time axis."""

from PySide6.QtCore import QCoreApplication

from core.base.clock import now
from core.engine.snapshot import SessionSnapshot, State
from core.engine.stages import Stage
from gui.monitor import Mark
from gui.words import stage_mark

_MARKED = (Stage.LAUNCH, Stage.WEIGHTS, Stage.COMPILE, Stage.CAPTURE, Stage.READY)
_MOST_MARKS = 200


class MarkKeeper:
    """Gathers the marks of all engine lives since the window opened."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []
        self._known: set[tuple[float, str]] = set()

    @property
    def marks(self) -> list[Mark]:
        """All marks, by time."""
        return sorted(self._marks, key=lambda mark: mark.t)

    def follow(self, snapshot: SessionSnapshot) -> bool:
        """Take in a snapshot; returns whether there are new marks."""
        before = len(self._known)
        life = snapshot.started_s or 0.0
        for entry in snapshot.stages:
            if entry.stage in _MARKED:
                self._add(life, entry.stage.value, Mark(entry.started_s, stage_mark(entry.stage), entry.stage.value))
        if snapshot.state is State.STOPPING:
            self._add(life, "stop", Mark(now(), QCoreApplication.translate("marks", "stop"), "stop"))
        elif snapshot.state is State.FAILED:
            self._add(life, "failed", Mark(now(), QCoreApplication.translate("marks", "failed"), "failed"))
        return len(self._known) != before

    def _add(self, life: float, kind: str, mark: Mark) -> None:
        if (life, kind) not in self._known:
            self._known.add((life, kind))
            self._marks.append(mark)
            del self._marks[:-_MOST_MARKS]
