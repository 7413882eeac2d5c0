"""Live plots and a table of statistics over one time axis.

Importing this package is cheap: pyqtgraph and numpy come with `MonitorView.build`, or before it with `preload`.
"""

from core.telemetry.marks import Mark
from gui.monitor.view import MonitorView, preload

__all__ = ["Mark", "MonitorView", "preload"]
