"""Fonts of the form and their measures, taken once for each look.

Texts are measured letter by letter from a table. That leaves out kerning, a pixel or two in a line, and is several
times quicker than shaping the text, which matters since a keystroke in the search lays out rows that never were shown.
"""

from functools import lru_cache
from math import ceil

from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF

from gui import theme
from gui.form.texts import tr
from gui.theme import SPACE

_SAMPLE = "The number of tokens that are kept in memory for every request, prompts included."
_ELLIPSIS = "…"


class _Widths(dict[str, float]):
    """Width of each letter, measured when it is first met."""

    def __init__(self, metrics: QFontMetricsF) -> None:
        super().__init__()
        self._metrics = metrics

    def __missing__(self, letter: str) -> float:
        width = self[letter] = self._metrics.horizontalAdvance(letter)
        return width


class Face:
    """One font with its measures, in device-independent pixels.

    Attributes:
        line: height of a line of text.
    """

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetrics(font)
        self.line = self.metrics.height() + 2
        self._ascent = self.metrics.ascent()
        self._height = self.metrics.height()
        self._widths = _Widths(QFontMetricsF(font))

    def width(self, text: str) -> int:
        """How wide a text is."""
        return ceil(sum(map(self._widths.__getitem__, text)))

    def elide(self, text: str, room: int) -> str:
        """The text, shortened at its end where it is wider than the room."""
        if self.width(text) <= room:
            return text
        rest = room - self._widths[_ELLIPSIS]
        for place, letter in enumerate(text):
            rest -= self._widths[letter]
            if rest < 0:
                return text[:place].rstrip() + _ELLIPSIS
        return text

    def elide_middle(self, text: str, room: int) -> str:
        """The text, shortened in its middle where it is wider than the room."""
        half = text
        while half and self.width(text) > room:
            half = half[:-1]
            text = half[: (len(half) + 1) // 2] + _ELLIPSIS + half[(len(half) + 1) // 2 :]
        return text

    def baseline(self, top: int, height: int) -> int:
        """Where the letters stand in a line of this height."""
        return top + (height - self._height) // 2 + self._ascent


class Metrics:
    """The form's fonts.

    Attributes:
        label: names of settings.
        body: explanations.
        small: defaults, captions.
        flag: spellings of flags.
        heading: titles of groups.
        letter: how wide a letter of the body font is on average, for reckoning without measuring.
        more: room for the word that opens the whole text.
        changed: room for the word that marks a changed row.
    """

    def __init__(self) -> None:
        label = theme.font_body()
        label.setWeight(QFont.Weight.DemiBold)
        self.body = Face(theme.font_body())
        self.label = Face(label)
        self.small = Face(theme.font_small())
        self.flag = Face(theme.font_mono(small=True))
        self.heading = Face(theme.font_heading())
        self.letter = self.body.width(_SAMPLE) / len(_SAMPLE)
        self.more = self.body.width(tr("more")) + SPACE
        self.changed = self.small.width(tr("changed")) + SPACE * 2
        self._wrapped = lru_cache(maxsize=512)(self._wrap)

    def face(self, name: str) -> Face:
        """The font of this name."""
        found: Face = getattr(self, name)
        return found

    def wrap_two(self, text: str, width: int, last_width: int) -> tuple[str, str, bool]:
        """A text of the body font on at most two lines, the second one shortened to `last_width`.

        Returns:
            Both lines (the second may be empty), and whether something was left out.
        """
        return self._wrapped(text, width, last_width)

    def _wrap(self, text: str, width: int, last_width: int) -> tuple[str, str, bool]:
        if self.body.width(text) <= last_width:
            return text, "", False
        words = text.split(" ")
        space = self.body.width(" ")
        used = self.body.width(words[0])
        count = 1
        for word in words[1:]:
            used += space + self.body.width(word)
            if used > width:
                break
            count += 1
        rest = " ".join(words[count:])
        second = self.body.elide(rest, last_width)
        return self.body.elide(" ".join(words[:count]), width), second, second != rest
