"""Several requests at once: one line each, and what they came to together."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHeaderView, QLabel, QProgressBar, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from core.client.chat import ChatResult
from core.client.load import LoadResult
from gui import theme
from gui.format import duration, number
from gui.pages.chat.figures import figures_tip, finish_word
from gui.theme import SPACE

_MOST_ROWS_SHOWN = 8
_WIDEST = SPACE * 110


class LoadCard(QFrame):
    """A load while it runs and after it."""

    def __init__(self, total: int, parallel: int) -> None:
        super().__init__()
        self.setObjectName("message")
        self.setMaximumWidth(_WIDEST)
        self.summary = QLabel(self.tr("{0} requests, {1} at a time").format(number(total), number(parallel)))
        font = theme.font_tabular()
        font.setBold(True)
        self.summary.setFont(font)
        self.summary.setWordWrap(True)
        self.progress = QProgressBar()
        self.progress.setRange(0, total)
        self.progress.setFixedHeight(SPACE // 2)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Requests done"))
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setFont(theme.font_tabular(small=True))
        self.table.setToolTip(figures_tip())
        self.table.setAccessibleName(self.tr("Requests"))
        self.table.setHeaderLabels(
            [
                "#",
                self.tr("First token"),
                self.tr("Tokens/s"),
                self.tr("Prompt"),
                self.tr("Answer"),
                self.tr("End"),
            ]
        )
        header = self.table.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        height = self.table.fontMetrics().lineSpacing() + SPACE // 2
        self.table.setFixedHeight(height * (min(total, _MOST_ROWS_SHOWN) + 2))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACE * 2, SPACE, SPACE * 2, SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self.summary)
        layout.addWidget(self.progress)
        layout.addWidget(self.table)
        theme.notifier().changed.connect(self._paint)
        self._paint()

    def add_results(self, results: list[tuple[int, ChatResult]]) -> None:
        """Requests that ended since the last call."""
        rows = []
        for index, result in results:
            item = QTreeWidgetItem(
                [
                    str(index + 1),
                    duration(result.ttft_s),
                    number(result.tokens_per_s),
                    number(result.prompt_tokens),
                    number(result.completion_tokens),
                    result.error or finish_word(result.finish_reason),
                ]
            )
            item.setToolTip(5, result.error or result.text[:2000])
            for column in range(1, 5):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            rows.append(item)
        if rows:
            self.table.addTopLevelItems(rows)
            self.progress.setValue(self.table.topLevelItemCount())

    def finish(self, result: LoadResult) -> None:
        """All are done, or called off: show what they came to."""
        self.progress.setVisible(False)
        parts = [
            self.tr("{0} of {1} requests").format(number(result.completed), number(len(result.results))),
            number(result.tokens_per_s, self.tr("tokens/s altogether")),
            self.tr("first token: median {0}, 95 % within {1}").format(
                duration(result.ttft_median_s), duration(result.ttft_p95_s)
            ),
            self.tr("in {0}").format(duration(result.wall_s)),
        ]
        if result.failed:
            parts.append(self.tr("{0} failed").format(number(result.failed)))
        self.summary.setText("  ·  ".join(parts))

    def _paint(self) -> None:
        look = theme.colors()
        self.setStyleSheet(
            f"#message {{ background: {look.surface}; border: 1px solid {look.border}; border-radius: 6px; }}"
        )
