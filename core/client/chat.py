"""A talk with an OpenAI-compatible server: the answer as it is written, and how fast it came."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.base.clock import now
from core.client.chunks import Chunk, decode_chunk
from core.client.connection import ConnectionFailed, streaming_post
from core.client.messages import message_of, words_for_status
from core.client.sse import events

Message = Mapping[str, str]
CANCELLED = "cancelled"
_LARGEST_ERROR_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class ChatParameters:
    """Sampling of one request. What is None is not sent, so that the server's own default holds.

    Attributes:
        max_tokens: at most so many new tokens.
        temperature: 0 takes the likeliest token always.
        top_p: only the likeliest tokens that together have this probability.
        top_k: only so many of the likeliest tokens.
        min_p: only tokens of at least this share of the likeliest one's probability.
        presence_penalty, frequency_penalty, repetition_penalty: against saying the same again.
        seed: makes the sampling repeatable.
        stop: texts that end the answer.
        ignore_eos: write on until `max_tokens`, for load of a known length.
    """

    max_tokens: int | None = 256
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    ignore_eos: bool | None = None

    def body(self) -> dict[str, Any]:
        """The fields as a request carries them."""
        values = {name: getattr(self, name) for name in self.__slots__}
        values["stop"] = list(self.stop) or None
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ChatResult:
    """One answer and its figures. Times run on the monotonic clock of this machine.

    Attributes:
        text: the answer, as far as it came.
        reasoning: what the model thought before it, where the server tells that apart.
        finish_reason: "stop", "length", ... from the server; "cancelled"; None when the answer broke off.
        ttft_s: from sending to the first text (thoughts count); None when none came.
        duration_s: from sending to the end.
        prompt_tokens: the server's count; None when it did not say.
        completion_tokens: the server's count; pieces of the stream counted instead when it did not say.
        tokens_estimated: the latter is the case.
        tokens_per_s: (completion_tokens - 1) / (time of the last text - time of the first): the rate after the first
            token, which is the decoding speed; None for fewer than two tokens.
        itl_mean_s: mean time between two tokens, the inverse of it.
        error: what went wrong, in plain words; None when nothing did.
    """

    text: str
    finish_reason: str | None
    ttft_s: float | None
    duration_s: float
    prompt_tokens: int | None
    completion_tokens: int | None
    tokens_per_s: float | None
    itl_mean_s: float | None
    error: str | None
    reasoning: str = ""
    tokens_estimated: bool = False


@dataclass(slots=True)
class _Answer:
    """What has come so far."""

    sent_s: float
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    first_s: float | None = None
    last_s: float | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    pieces: int = 0
    done: bool = False

    def result(self, error: str | None, cancelled: bool) -> ChatResult:
        estimated = self.completion_tokens is None and self.pieces > 0
        tokens = self.pieces if estimated else self.completion_tokens
        span_s = (self.last_s or 0.0) - (self.first_s or 0.0)
        measurable = tokens is not None and tokens > 1 and span_s > 0
        return ChatResult(
            text="".join(self.text),
            finish_reason=CANCELLED if cancelled else self.finish_reason,
            ttft_s=None if self.first_s is None else self.first_s - self.sent_s,
            duration_s=now() - self.sent_s,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=tokens,
            tokens_per_s=(tokens - 1) / span_s if measurable and tokens else None,
            itl_mean_s=span_s / (tokens - 1) if measurable and tokens else None,
            error=None if cancelled else error,
            reasoning="".join(self.reasoning),
            tokens_estimated=estimated,
        )


def stream_chat(
    base_url: str,
    model: str,
    messages: Sequence[Message],
    parameters: ChatParameters,
    *,
    api_key: str | None = None,
    on_text: Callable[[str], None] | None = None,
    cancel: threading.Event | None = None,
) -> ChatResult:
    """Ask once and follow the answer. Blocks until it is whole, failed or cancelled; failures are in the result.

    Args:
        base_url: such as "http://127.0.0.1:8000", with or without "/v1".
        model: the name under which the server knows it.
        messages: {"role": ..., "content": ...} each.
        on_text: called with each new piece of the answer, from this thread.
        cancel: set it from any thread to break off within a tenth of a second; the server notices and stops too.
    """
    cancel = cancel or threading.Event()
    body = {
        "model": model,
        "messages": [dict(message) for message in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        **parameters.body(),
    }
    answer = _Answer(sent_s=now())
    try:
        error = _exchange(base_url, body, answer, api_key=api_key, on_text=on_text, cancel=cancel)
    except ConnectionFailed as failure:
        error = str(failure)
    if error is None and not answer.done and answer.finish_reason is None:
        error = "The answer broke off."
    return answer.result(error, cancelled=cancel.is_set() and not answer.done)


def _exchange(
    base_url: str,
    body: dict[str, Any],
    answer: _Answer,
    *,
    api_key: str | None,
    on_text: Callable[[str], None] | None,
    cancel: threading.Event,
) -> str | None:
    """Send and follow; returns what the server says went wrong."""
    with streaming_post(base_url, "/v1/chat/completions", body, api_key, cancel) as reply:
        answer.sent_s = reply.sent_s
        if reply.status != 200:
            return words_for_status(reply.status, reply.first_bytes(_LARGEST_ERROR_BYTES))
        for data in events(reply.pieces):
            if cancel.is_set():
                return None
            if data == "[DONE]":
                answer.done = True
                return None
            chunk = decode_chunk(data)
            if chunk is None:
                return "The server sent something that is no answer."
            if chunk.error is not None:
                return f"The server failed while answering. {message_of({'error': chunk.error})}".strip()
            _take(chunk, answer, on_text)
    return None


def _take(chunk: Chunk, answer: _Answer, on_text: Callable[[str], None] | None) -> None:
    if chunk.usage is not None:
        answer.prompt_tokens = chunk.usage.prompt_tokens
        answer.completion_tokens = chunk.usage.completion_tokens
    for choice in chunk.choices or ():
        answer.finish_reason = choice.finish_reason or answer.finish_reason
        if choice.delta is None:
            continue
        text = choice.delta.content or ""
        thought = choice.delta.reasoning_content or choice.delta.reasoning or ""
        if not text and not thought:
            continue
        answer.last_s = now()
        if answer.first_s is None:
            answer.first_s = answer.last_s
        answer.pieces += 1
        answer.reasoning.append(thought)
        answer.text.append(text)
        if text and on_text is not None:
            on_text(text)
