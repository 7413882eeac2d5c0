"""The figures beside an answer, in words."""

from PySide6.QtCore import QCoreApplication

from core.client.chat import ChatResult
from gui.format import duration, not_available, number


def _tr(text: str) -> str:
    return QCoreApplication.translate("chat", text)


def finish_word(reason: str | None) -> str:
    """Why an answer ended."""
    words = {
        "stop": _tr("ended by itself"),
        "length": _tr("cut at max_tokens"),
        "cancelled": _tr("stopped by you"),
    }
    return words.get(reason or "", reason or not_available())


def figures(result: ChatResult) -> str:
    """Time to first token, rate, token counts and the end of one answer, in one line."""
    return "  ·  ".join(
        (
            _tr("first token after {0}").format(duration(result.ttft_s)),
            number(result.tokens_per_s, _tr("tokens/s")),
            _tr("{0} prompt + {1} answer tokens").format(
                number(result.prompt_tokens), number(result.completion_tokens)
            ),
            finish_word(result.finish_reason),
        )
    )


def figures_tip() -> str:
    """How the figures are meant."""
    return _tr(
        "Time to first token: from sending the request until the first piece of text.\n"
        "Tokens per second: answer tokens after the first, divided by the time from the first to the last."
    )
