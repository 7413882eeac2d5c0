"""A short piece of a curve's line, as legend and table show it."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

SAMPLE_WIDTH = 20
"""Its length in device-independent pixels."""

_THICK = 2


def draw_sample(painter: QPainter, color: QColor, dash: tuple[float, ...], x: float, y: float) -> None:
    """Draw it in the curve's colour and dash pattern, from `x` to the right at the height `y`."""
    pen = QPen(color, _THICK)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dash:
        # Pens count dashes in line widths.
        pen.setDashPattern([part / _THICK for part in dash])
    painter.setPen(pen)
    painter.drawLine(QPointF(x, round(y)), QPointF(x + SAMPLE_WIDTH, round(y)))
