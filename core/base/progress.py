"""How far something long has come, for a line and a bar."""

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

_INTERVAL_S = 0.2
_WINDOW_S = 20.0
_SURE_AFTER_S = 2.0


@dataclass(frozen=True, slots=True)
class InstallProgress:
    """One look at a long job.

    Attributes:
        step: what is being done (`Downloading`).
        detail: on what (`torch, 12 of 148 packages`); may be empty.
        done_bytes: of this step, where it is told in bytes.
        total_bytes: likewise; it may still grow while the tool finds more to fetch.
        fraction: of the whole job, 0 to 1, never going back; None while nothing can be said.
        elapsed_s: since the job began.
        remaining_s: estimate for the whole job; None while there is too little to tell by.
    """

    step: str
    detail: str = ""
    done_bytes: int | None = None
    total_bytes: int | None = None
    fraction: float | None = None
    elapsed_s: float = 0.0
    remaining_s: float | None = None


class ProgressMeter:
    """Turns what single steps know into progress of the whole, at most five times a second.

    Args:
        report: gets the progress, on the thread that calls the meter.
        usual_s: the steps in their order with the seconds that each usually takes.
    """

    def __init__(
        self,
        report: Callable[[InstallProgress], None],
        usual_s: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._report = report
        self._usual_s = dict(usual_s)
        self._whole_s = sum(usual_s.values())
        self._clock = clock
        self._began = clock()
        self._told_at = float("-inf")
        self._now = InstallProgress(next(iter(usual_s)))
        self._pace: deque[tuple[float, float]] = deque()

    @property
    def elapsed_s(self) -> float:
        """Since the meter was made."""
        return self._clock() - self._began

    def step(self, step: str, detail: str = "") -> None:
        """A step begins; those before it are done. Told at once."""
        before_s = self._before(step)
        self._pace.clear()
        fraction = max(before_s / self._whole_s, self._now.fraction or 0.0)
        self._tell(InstallProgress(step, detail, fraction=fraction), force=True)

    def update(
        self,
        detail: str | None = None,
        *,
        done_bytes: int | None = None,
        total_bytes: int | None = None,
        part: float | None = None,
    ) -> None:
        """The step has moved on.

        Args:
            detail: None keeps the last one.
            part: of this step, 0 to 1; taken from the bytes when left out.
        """
        if part is None and done_bytes is not None and total_bytes:
            part = done_bytes / total_bytes
        fraction = self._now.fraction
        if part is not None:
            part = min(max(part, 0.0), 1.0)
            self._follow_pace(part)
            reached_s = self._before(self._now.step) + part * self._usual_s[self._now.step]
            fraction = max(reached_s / self._whole_s, fraction or 0.0)
        moved = replace(self._now, done_bytes=done_bytes, total_bytes=total_bytes, fraction=fraction)
        self._tell(moved if detail is None else replace(moved, detail=detail), force=False)

    def beat(self) -> None:
        """Nothing new, but time goes on."""
        self._tell(self._now, force=False)

    def done(self, detail: str = "") -> None:
        """The whole job is done. Told at once."""
        self._pace.clear()
        self._tell(InstallProgress("Done", detail, fraction=1.0), force=True)

    def _before(self, step: str) -> float:
        names = list(self._usual_s)
        return sum(self._usual_s[name] for name in names[: names.index(step)])

    def _tell(self, now: InstallProgress, *, force: bool) -> None:
        self._now = now
        moment = self._clock()
        if force or moment - self._told_at >= _INTERVAL_S:
            self._told_at = moment
            self._report(replace(now, elapsed_s=moment - self._began, remaining_s=self._remaining()))

    def _follow_pace(self, part: float) -> None:
        moment = self._clock()
        self._pace.append((moment, part))
        while len(self._pace) > 2 and moment - self._pace[1][0] > _WINDOW_S:
            self._pace.popleft()

    def _remaining(self) -> float | None:
        """By this step's pace over the last seconds, and what later steps usually take."""
        if not self._pace:
            return None
        (first, from_part), (last, to_part) = self._pace[0], self._pace[-1]
        if last - first < _SURE_AFTER_S or to_part <= from_part:
            return None
        later_s = self._whole_s - self._before(self._now.step) - self._usual_s[self._now.step]
        return (1.0 - to_part) * (last - first) / (to_part - from_part) + later_s
