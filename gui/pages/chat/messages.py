"""The list of messages: what was asked, what the engine answers while it answers, and the figures under it."""

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, QUrl
from PySide6.QtGui import QImage, QPalette, QResizeEvent, QTextCursor, QTextDocument, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from core.client.chat import ChatResult
from gui import theme
from gui.format import model_name
from gui.pages.chat.figures import figures, figures_tip
from gui.theme import SPACE
from gui.widgets import ElidedLabel, copy_text, tool_button

_WIDEST = SPACE * 110
# Laying text out takes time by its length, on the window's own thread; no answer that is read is as long.
_MOST_SHOWN = 60_000


class GrowingText(QTextEdit):
    """Read-only text that is as high as what it holds; the list around it scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLineWrapMode(QTextEdit.LineWrapMode.WidgetWidth)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def loadResource(self, kind: int, name: QUrl) -> object:
        """Answers are data: a picture that one names is neither read nor fetched."""
        if kind == QTextDocument.ResourceType.ImageResource:
            return QImage()
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(SPACE * 40, self.height())

    def append_piece(self, piece: str) -> None:
        """Add text at the end; a selection stays."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(piece)

    def _fit(self) -> None:
        wanted = max(self.fontMetrics().lineSpacing(), round(self.document().size().height()))
        if wanted != self.height():
            self.setFixedHeight(wanted)


class MessageCard(QFrame):
    """One message. An answer grows piece by piece and gets its figures at the end."""

    def __init__(self, who: str, own: bool) -> None:
        super().__init__()
        self.setObjectName("message")
        self._own = own
        self._text = ""
        self.setMaximumWidth(_WIDEST)
        short = who if own else model_name(who)
        self.name = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.name.set_whole(short, who if who != short else "")
        font = theme.font_body()
        font.setBold(True)
        self.name.setFont(font)
        self.copy_button = tool_button("copy", self.tr("Copy this message"), lambda: copy_text(self._text))
        self.body = GrowingText()
        self.body.setAccessibleName(who)
        self.figures = QLabel()
        self.figures.setTextFormat(Qt.TextFormat.PlainText)
        self.figures.setFont(theme.font_tabular(small=True))
        self.figures.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.figures.setWordWrap(True)
        self.figures.setVisible(False)
        self.rest = QLabel()
        self.rest.setTextFormat(Qt.TextFormat.PlainText)
        self.rest.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.rest.setWordWrap(True)
        self.rest.setVisible(False)
        self.problem = QLabel()
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setWordWrap(True)
        self.problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.problem.setVisible(False)
        top = QHBoxLayout()
        top.addWidget(self.name, 1)
        top.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE * 2, SPACE // 2, SPACE, SPACE)
        layout.setSpacing(SPACE // 2)
        layout.addLayout(top)
        layout.addWidget(self.body)
        layout.addWidget(self.rest)
        layout.addWidget(self.problem)
        layout.addWidget(self.figures)
        theme.notifier().changed.connect(self._paint)
        self._paint()

    def text(self) -> str:
        """The message as it came, without formatting."""
        return self._text

    def append(self, piece: str) -> None:
        """Add a piece of an answer."""
        room = _MOST_SHOWN - len(self._text)
        self._text += piece
        if piece and room > 0:
            self.body.append_piece(piece[:room])
        self._tell_rest()

    def finish(self, result: ChatResult) -> None:
        """The answer is whole: format it and show its figures, or the problem in its place."""
        self._text = result.text or self._text
        if len(self._text) <= _MOST_SHOWN:
            self.body.document().setMarkdown(self._text, QTextDocument.MarkdownFeature.MarkdownNoHTML)
        elif self.body.document().isEmpty():
            self.body.append_piece(self._text[:_MOST_SHOWN])
        self._tell_rest()
        self.body.setVisible(bool(self._text))
        self.figures.setText(figures(result))
        self.figures.setToolTip(figures_tip())
        self.figures.setVisible(result.ttft_s is not None or not result.error)
        if result.error:
            self.show_problem(result.error, self.tr("The log shows what the engine says about it."))

    def show_problem(self, text: str, hint: str = "") -> None:
        """Say in words what went wrong and what can be done."""
        self.problem.setText(f"{text}\n{hint}" if hint else text)
        self.problem.setVisible(True)
        self.body.setVisible(bool(self._text))

    def _tell_rest(self) -> None:
        hidden = len(self._text) - _MOST_SHOWN
        if hidden > 0:
            self.rest.setText(self.tr("{0} more characters are not shown; Copy takes all.").format(f"{hidden:,}"))
            self.rest.setVisible(True)

    def _paint(self) -> None:
        look = theme.colors()
        ground = look.raised if self._own else look.surface
        self.setStyleSheet(
            f"#message {{ background: {ground}; border: 1px solid {look.border}; border-radius: 6px; }}"
            "#message QTextEdit { background: transparent; }"
        )
        palette = self.problem.palette()
        palette.setColor(QPalette.ColorRole.WindowText, look.error)
        self.problem.setPalette(palette)


class MessageList(QScrollArea):
    """Cards from top to bottom; the newest stays in view unless one reads further up."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Conversation"))
        self._following = True
        self._inner = QWidget()
        # No card makes the others wider than the view: what does not fit shortens itself.
        self._inner.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._layout = QVBoxLayout(self._inner)
        self._layout.setContentsMargins(SPACE, SPACE, SPACE, SPACE)
        self._layout.setSpacing(SPACE)
        self._layout.addStretch(1)
        self.setWidget(self._inner)
        self._inner.installEventFilter(self)
        self.verticalScrollBar().actionTriggered.connect(lambda _: QTimer.singleShot(0, self, self._look_where))

    def add_card(self, card: QWidget) -> None:
        """Put a card at the end and go there."""
        self._layout.insertWidget(self._layout.count() - 1, card)
        self._following = True

    def cards(self) -> list[QWidget]:
        """The cards, oldest first."""
        items = (self._layout.itemAt(index).widget() for index in range(self._layout.count()))
        return [item for item in items if item is not None]

    def clear(self) -> None:
        """Take all cards away."""
        for card in self.cards():
            self._layout.removeWidget(card)
            card.setParent(None)
            card.deleteLater()

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self._look_where()

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self._following:
            QTimer.singleShot(0, self, self._to_end)
        return super().eventFilter(watched, event)

    def _to_end(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _look_where(self) -> None:
        bar = self.verticalScrollBar()
        self._following = bar.value() >= bar.maximum() - SPACE
