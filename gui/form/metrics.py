"""Fonts of the form and their measures, taken once for each look."""

from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics

from gui import theme
from gui.form.texts import tr
from gui.theme import SPACE


class Metrics:
    """Fonts and widths of texts, in device-independent pixels.

    Attributes:
        label: names of settings.
        body: explanations.
        small: defaults, captions.
        flag: spellings of flags.
    """

    def __init__(self) -> None:
        self.body = theme.font_body()
        self.label = theme.font_body()
        self.label.setWeight(QFont.Weight.DemiBold)
        self.small = theme.font_small()
        self.flag = theme.font_mono(small=True)
        self.heading = theme.font_heading()
        self.body_metrics = QFontMetrics(self.body)
        self.label_metrics = QFontMetrics(self.label)
        self.small_metrics = QFontMetrics(self.small)
        self.flag_metrics = QFontMetrics(self.flag)
        self.heading_metrics = QFontMetrics(self.heading)
        self.body_line = self.body_metrics.height() + 2
        self.label_line = self.label_metrics.height() + 2
        self.small_line = self.small_metrics.height() + 2
        self.more = self.body_metrics.horizontalAdvance(tr("more")) + SPACE
        self.changed = self.small_metrics.horizontalAdvance(tr("changed")) + SPACE * 2
        self._wrapped = lru_cache(maxsize=512)(self._wrap)

    def wrap_two(self, text: str, width: int, last_width: int) -> tuple[str, str, bool]:
        """A text of the body font on at most two lines, the second one shortened to `last_width`.

        Returns:
            Both lines (the second may be empty), and whether something was left out.
        """
        return self._wrapped(text, width, last_width)

    def _wrap(self, text: str, width: int, last_width: int) -> tuple[str, str, bool]:
        measure = self.body_metrics.horizontalAdvance
        if measure(text) <= last_width:
            return text, "", False
        words = text.split(" ")
        low, high = 1, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            if measure(" ".join(words[:middle])) <= width:
                low = middle
            else:
                high = middle - 1
        first, rest = " ".join(words[:low]), " ".join(words[low:])
        second = self.body_metrics.elidedText(rest, Qt.TextElideMode.ElideRight, last_width)
        return first, second, second != rest
