"""The one exception a person gets to read."""


class DynoError(Exception):
    """Something in the surroundings or in what was asked keeps the program from going on.

    Args:
        message: what happened, in one plain sentence.
        hint: what the person can do about it; empty when there is nothing to do.
        detail: the raw text behind it (a tool's output), for the log and for "show details".
    """

    def __init__(self, message: str, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class Cancelled(DynoError):
    """The person called it off; not a failure."""

    def __init__(self, message: str = "Cancelled.") -> None:
        super().__init__(message)
