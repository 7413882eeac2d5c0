"""Items of the list that are no settings: headings of groups, explanations, and what an empty result says."""

from collections.abc import Callable

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from core.schema.overlay import ArticleTerm
from gui import theme
from gui.form.metrics import Metrics
from gui.form.texts import escape, tr
from gui.form.virtual_list import ListItem
from gui.theme import SPACE

_LEFT = SPACE * 2
_HEADING_TOP = SPACE * 2
_CODE = "`"


class HeadingItem(ListItem):
    """Title of a group, with how many settings of it are listed."""

    def __init__(self, title: str, metrics: Callable[[], Metrics]) -> None:
        super().__init__(f"group:{title}")
        self.title = title
        self.count = 0
        self.metrics = metrics

    def show_count(self, count: int) -> None:
        """Show another number."""
        if count != self.count:
            self.count = count
            if self.widget is not None:
                self.widget.update()

    def height(self, width: int) -> int:
        return self.metrics().heading.line + _HEADING_TOP + SPACE

    def build(self, parent: QWidget) -> QWidget:
        return _Heading(self, parent)


class _Heading(QWidget):
    def __init__(self, item: HeadingItem, parent: QWidget) -> None:
        super().__init__(parent)
        self._item = item
        self.setAccessibleName(item.title)

    def paintEvent(self, event: QPaintEvent) -> None:
        look, metrics = theme.colors(), self._item.metrics()
        painter = QPainter(self)
        rect = self.rect().adjusted(_LEFT, _HEADING_TOP, -_LEFT, -SPACE)
        painter.fillRect(QRect(_LEFT, self.height() - 3, self.width() - 2 * _LEFT, 1), QColor(look.border))
        painter.setFont(metrics.heading.font)
        painter.setPen(QColor(look.text))
        count_width = metrics.small.width(str(self._item.count)) + SPACE
        title = metrics.heading.elide(self._item.title, rect.width() - count_width)
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), title)
        painter.setFont(metrics.small.font)
        painter.setPen(QColor(look.muted))
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), str(self._item.count))
        painter.end()


class CardItem(ListItem):
    """A text on a card, with links.

    Args:
        html: rich text; links are keys of settings.
        follow: called with the key of a link.
    """

    def __init__(self, key: str, html: str, icon: str, metrics: Callable[[], Metrics], follow: Callable[[str], None]):
        super().__init__(key)
        self.html = html
        self.icon = icon
        self.follow = follow
        self.metrics = metrics

    def height(self, width: int) -> int:
        if isinstance(self.widget, Card):
            return self.widget.wanted_height(width)
        # Only until the card comes into sight.
        letters = max(20, width // max(1, round(self.metrics().letter)))
        return SPACE * 6 + self.metrics().body.line * (2 + len(self.html) // letters)

    def build(self, parent: QWidget) -> QWidget:
        return Card(self, parent)

    def targets(self) -> list[QWidget]:
        return [self.widget.label] if isinstance(self.widget, Card) else []


class Card(QWidget):
    """The widget of a `CardItem`."""

    def __init__(self, item: CardItem, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = item.icon
        self.label = QLabel(item.html, self)
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.label.linkActivated.connect(item.follow)

    def wanted_height(self, width: int) -> int:
        """The height its text needs."""
        return self.label.heightForWidth(width - self._left() - _LEFT - SPACE) + SPACE * 4

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.label.setGeometry(
            self._left(), SPACE * 2, self.width() - self._left() - _LEFT - SPACE, self.height() - SPACE * 4
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.colors()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(look.border))
        painter.setBrush(QColor(look.surface))
        painter.drawRoundedRect(self.rect().adjusted(_LEFT, SPACE, -_LEFT, -SPACE), 4, 4)
        picture = theme.pixmap(self._icon, 20, "accent", self.devicePixelRatioF())
        painter.drawPixmap(_LEFT + SPACE + 4, SPACE * 2, picture)
        painter.end()

    def _left(self) -> int:
        return _LEFT + SPACE * 5


def term_html(term: ArticleTerm, known: Callable[[str], str | None]) -> str:
    """The explanation of a word that vLLM does not have as a setting, and links to what it has.

    Args:
        known: the flag or name of a setting by its key; None for what this engine does not have.
    """
    links = [_link(name, known(name)) for name in term.arguments]
    links += [_link(f"env:{name}", known(f"env:{name}")) for name in term.environment]
    shown = [link for link in links if link]
    title = tr("{0} is not a setting of vLLM").format(term.name)
    lines = [f"<b>{escape(title)}</b>", _code(term.text)]
    if shown:
        lines.append(tr("Look at: {0}").format(" · ".join(shown)))
    return "<br>".join(lines)


def _link(key: str, text: str | None) -> str:
    return f'<a href="{escape(key)}">{escape(text)}</a>' if text else ""


def _code(text: str) -> str:
    parts = escape(text).split(_CODE)
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
