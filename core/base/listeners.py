"""Telling others on the same thread that something changed, with nothing to import."""

from collections.abc import Callable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Listeners(Generic[_Value]):
    """Who wants to be told. Not thread-safe; for signals between threads there is psygnal.

    The window's first picture waits for the document, and would wait a tenth of a second longer for a whole library.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[_Value], object]] = []

    def connect(self, listener: Callable[[_Value], object]) -> None:
        """Tell this one too, from now on; it is kept alive until it is disconnected."""
        self._listeners.append(listener)

    def disconnect(self, listener: Callable[[_Value], object]) -> None:
        """Tell it no more.

        Raises:
            ValueError: it was not connected.
        """
        self._listeners.remove(listener)

    def emit(self, value: _Value) -> None:
        """Tell everybody, in the order of connecting. One that is disconnected meanwhile is still told."""
        for listener in tuple(self._listeners):
            listener(value)
