"""The engine's whole output."""

from gui.pages.log.page import LogPage

__all__ = ["LogPage"]
