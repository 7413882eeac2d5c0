"""A spot in the window where a page can stand; one page, several spots, so that it is shown big or small."""

from PySide6.QtWidgets import QVBoxLayout, QWidget


class Place(QWidget):
    """Holds at most one page. Taking a page in takes it out of where it stood before."""

    def __init__(self) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    def take(self, page: QWidget) -> None:
        """Show this page here."""
        if page.parentWidget() is not self:
            self._layout.addWidget(page)
            page.setVisible(True)
