"""The whole explanation of a setting: our own words first, then the engine's, as Markdown."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QWidget

from gui.form.texts import tr

_MARKDOWN = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)


class WholeText(QLabel):
    """Selectable text with links that open in the browser."""

    def __init__(self, note: str, markdown: str, parent: QWidget) -> None:
        super().__init__(parent)
        parts = [note, tr("**In vLLM's own words:**"), markdown] if note and markdown else [note or markdown]
        document = QTextDocument()
        # Angle brackets in the engine's texts are placeholders, not HTML.
        document.setMarkdown("\n\n".join(parts), _MARKDOWN)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setText(document.toHtml())
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setOpenExternalLinks(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
