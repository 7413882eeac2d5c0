"""Text on its way from a request's thread to the window."""

import threading


class TextStream:
    """Collects pieces on one thread; another takes what has come since, in one piece. Never blocks for long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: list[str] = []

    def put(self, piece: str) -> None:
        """Add a piece; any thread."""
        with self._lock:
            self._pieces.append(piece)

    def take(self) -> str:
        """What has come since the last call; empty when nothing has."""
        with self._lock:
            pieces, self._pieces = self._pieces, []
        return "".join(pieces)
