"""The engines of this machine: found, installed, added, updated, removed."""

from gui.pages.engines.page import EnginesPage

__all__ = ["EnginesPage"]
