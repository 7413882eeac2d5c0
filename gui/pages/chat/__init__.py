"""A talk with the running engine, and load for it."""

from gui.pages.chat.page import ChatPage, Target

__all__ = ["ChatPage", "Target"]
