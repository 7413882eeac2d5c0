"""The stretch of time that all plots show: it follows the newest sample until the person moves it."""

import math

_SHORTEST_S = 2.0
_LONGEST_S = 12 * 3600.0
# While there is less data than the window is long, it grows in these steps, so that a young run fills the width.
_GROWTH_S = (60.0, 120.0, 180.0, 300.0, 600.0, 900.0, 1200.0, 1800.0, 2700.0, 3600.0, 5400.0, 7200.0, 10800.0, 14400.0)


class Timeline:
    """Start and end of the shown time, in seconds of `core.base.clock.now`.

    Args:
        span_s: length of the window while it follows; None shows all there is.
    """

    def __init__(self, span_s: float | None = 300.0) -> None:
        self.span_s = span_s
        self.following = True
        self.start = 0.0
        self.end = _GROWTH_S[0]
        self._first = 0.0
        self._newest = 0.0

    @property
    def length_s(self) -> float:
        """Seconds shown now."""
        return self.end - self.start

    def see(self, first: float, newest: float, pixels: float = math.inf) -> None:
        """Tell where the data begins and ends now; a following window moves along, by whole pixels of so many."""
        self._first = first
        self._newest = newest
        if self.following:
            self._follow(pixels)

    def go_live(self) -> None:
        """Follow the newest sample again, with the chosen length."""
        self.following = True
        self._follow()

    def pause(self) -> None:
        """Stand still."""
        self.following = False

    def set_span(self, span_s: float | None) -> None:
        """Choose the length of the window; shows it at once, following."""
        self.span_s = span_s
        self.go_live()

    def pan(self, share: float) -> None:
        """Move by a share of the length; to the left when negative. Stops following."""
        self.show(self.start + share * self.length_s, self.end + share * self.length_s)

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Show `factor` times as long a stretch around the moment `at` (None: the middle). Stops following."""
        length = min(max(self.length_s * factor, _SHORTEST_S), _LONGEST_S)
        centre = (self.start + self.end) / 2 if at is None else at
        before = (centre - self.start) / self.length_s
        start = centre - before * length
        self.show(start, start + length)

    def show(self, start: float, end: float) -> None:
        """Show this stretch, moved where needed so that some of the data stays in sight. Stops following."""
        length = end - start
        start = min(max(start, self._first - 0.9 * length), self._newest - 0.1 * length)
        self.start, self.end = start, start + length
        self.following = False

    def _follow(self, pixels: float = math.inf) -> None:
        available = self._newest - self._first
        if self.span_s is None or available < self.span_s:
            length = next((step for step in _GROWTH_S if step >= available), available)
            if self.span_s is not None:
                length = min(length, self.span_s)
            self.start = self._first
        else:
            length = self.span_s
            # A curve that moves by parts of a pixel shimmers.
            pixel_s = length / pixels
            newest = math.ceil(self._newest / pixel_s) * pixel_s if pixel_s else self._newest
            self.start = newest - length
        self.end = self.start + length
