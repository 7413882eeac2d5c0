import threading
import time

import pytest

from core.client import connection
from core.client.chat import CANCELLED, ChatParameters, ChatResult, stream_chat
from tests.client.loopback import Connection, Handler, Request, closed_port, serving

ASK = [{"role": "user", "content": "Hello"}]


def delta(text: str = "", *, finish: str | None = None, **more: str) -> dict:
    return {"choices": [{"index": 0, "delta": {"content": text, **more}, "finish_reason": finish}]}


def usage(prompt: int, completion: int) -> dict:
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}


def ask(base_url: str, **options) -> ChatResult:
    return stream_chat(base_url, "small", ASK, options.pop("parameters", ChatParameters()), **options)


def ask_of(handler: Handler, **options) -> ChatResult:
    with serving(handler) as server:
        return ask(server.base_url, **options)


def test_an_answer_with_its_figures() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
        time.sleep(0.2)
        for word in ("One", " two", " three"):
            reply.event(delta(word))
            time.sleep(0.1)
        reply.event(delta(finish="stop"))
        reply.event(usage(12, 5))
        reply.event("[DONE]")

    seen: list[str] = []
    result = ask_of(handler, on_text=seen.append)

    assert result.text == "One two three"
    assert seen == ["One", " two", " three"]
    assert result.finish_reason == "stop"
    assert result.error is None
    assert (result.prompt_tokens, result.completion_tokens, result.tokens_estimated) == (12, 5, False)
    assert result.ttft_s == pytest.approx(0.2, abs=0.1)
    # Five tokens: four intervals over the two tenths of a second between first and last text.
    assert result.tokens_per_s == pytest.approx(4 / 0.2, rel=0.4)
    assert result.itl_mean_s == pytest.approx(1 / result.tokens_per_s)
    assert result.duration_s > 0.5


def test_what_is_sent() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event("[DONE]")

    parameters = ChatParameters(max_tokens=7, temperature=0.0, top_k=3, seed=1, stop=("END",))
    with serving(handler) as server:
        ask(server.base_url + "/v1/", parameters=parameters, api_key="secret")
        ask(server.base_url)
    first, second = server.requests

    assert (first.method, first.path) == ("POST", "/v1/chat/completions")
    assert first.headers["authorization"] == "Bearer secret"
    assert first.json() == {
        "model": "small",
        "messages": ASK,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 7,
        "temperature": 0.0,
        "top_k": 3,
        "seed": 1,
        "stop": ["END"],
    }
    assert "authorization" not in second.headers
    assert "temperature" not in second.json()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_count_as_first_token_and_are_kept_apart(field: str) -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event(delta(**{field: "Hm."}))
        time.sleep(0.3)
        reply.event(delta("Four.", finish="stop"))
        reply.event("[DONE]")

    seen: list[str] = []
    result = ask_of(handler, on_text=seen.append)

    assert (result.text, result.reasoning) == ("Four.", "Hm.")
    assert seen == ["Four."]
    assert result.ttft_s < 0.25


def test_pieces_are_counted_and_flagged_where_the_server_does_not_count() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        for _ in range(3):
            reply.event(delta("x"))
            time.sleep(0.02)
        reply.event({"choices": [{"delta": None, "finish_reason": "length"}]})
        reply.event("[DONE]")

    result = ask_of(handler)

    assert (result.completion_tokens, result.tokens_estimated) == (3, True)
    assert result.finish_reason == "length"
    assert result.tokens_per_s is not None


def test_one_token_has_no_rate() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event(delta("x", finish="length"))
        reply.event(usage(1, 1))
        reply.event("[DONE]")

    result = ask_of(handler)

    assert (result.tokens_per_s, result.itl_mean_s, result.completion_tokens) == (None, None, 1)


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, '{"error": "Unauthorized"}', "The server did not accept the API key."),
        (404, '{"error": {"message": "The model `x` does not exist."}}', "The model `x` does not exist."),
        (400, '{"error": {"message": "maximum context length is 1024 tokens"}}', "maximum context length is 1024"),
        (400, '{"object": "error", "message": "old style"}', "old style"),
        (422, '{"detail": "no messages"}', "no messages"),
        (429, "{}", "The server is too busy."),
        (500, "not json", "The server failed with status 500."),
        (503, '["odd"]', "The server failed with status 503."),
    ],
)
def test_refusals_in_plain_words(status: int, body: str, words: str) -> None:
    result = ask_of(lambda request, reply: reply.answer(status, body, "application/json"))

    assert words in result.error
    assert result.text == ""
    assert (result.ttft_s, result.completion_tokens, result.finish_reason) == (None, None, None)


def test_an_endless_error_page_is_not_read_to_its_end() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.send(b"HTTP/1.1 500 X\r\nConnection: close\r\n\r\n")
        for _ in range(10_000):
            reply.send(b"x" * 65536)

    assert "500" in ask_of(handler).error


def test_nobody_there() -> None:
    result = ask(f"http://127.0.0.1:{closed_port()}")

    assert result.error.startswith("Nothing answers at http://127.0.0.1:")


def test_an_address_that_is_none() -> None:
    assert "broke" in ask("http://[::1").error


def test_a_broken_stream_keeps_the_text_so_far() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        data = b'data: {"choices": [{"delta": {"content": "Half"}}]}\n\n'
        reply.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    result = ask_of(handler)

    assert result.text == "Half"
    assert "broke" in result.error
    assert (result.completion_tokens, result.tokens_estimated) == (1, True)


def test_an_answer_that_just_ends_is_said_to_be_broken_off() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event(delta("Half"))

    result = ask_of(handler)

    assert (result.text, result.error) == ("Half", "The answer broke off.")


def test_an_error_inside_the_stream() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event(delta("Half"))
        reply.event({"error": {"message": "EngineCore died", "code": 500}})

    result = ask_of(handler)

    assert result.text == "Half"
    assert result.error == "The server failed while answering. EngineCore died"


@pytest.mark.parametrize(
    "garbage",
    [
        "{half",
        "[]",
        '{"choices": 7}',
        '{"usage": {"prompt_tokens": "x"}}',
        '{"error": ' + "[" * 9999 + "]" * 9999 + "}",
    ],
    ids=["half", "list", "choices", "usage", "deep"],
)
def test_garbage_inside_the_stream(garbage: str) -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event(delta("Half"))
        reply.event(garbage)

    result = ask_of(handler)

    assert result.text == "Half"
    assert result.error == "The server sent something that is no answer."


def test_bytes_that_are_no_text() -> None:
    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.send(b"data: \xff\xff\n\n")

    assert "UTF-8" in ask_of(handler).error


def test_a_server_that_goes_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_SILENCE_S", 0.2)

    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.closed_by_peer(5)

    assert ask_of(handler).error == "The server went silent."


@pytest.mark.parametrize("stage", ["before the head", "before the first text", "in the middle"])
def test_cancel_breaks_off_at_once_and_the_server_notices(stage: str) -> None:
    cancel = threading.Event()
    noticed: list[bool] = []
    waiting = threading.Event()

    def handler(request: Request, reply: Connection) -> None:
        if stage != "before the head":
            reply.begin_stream()
        if stage == "in the middle":
            reply.event(delta("Half"))
        waiting.set()
        noticed.append(reply.closed_by_peer(5))

    with serving(handler) as server:
        cancelled_at: list[float] = []

        def call_off() -> None:
            waiting.wait(5)
            time.sleep(0.1)
            cancelled_at.append(time.monotonic())
            cancel.set()

        other = threading.Thread(target=call_off)
        other.start()
        result = ask(server.base_url, cancel=cancel)
        took_s = time.monotonic() - cancelled_at[0]
        other.join()

    assert took_s < 0.3
    assert noticed == [True]
    assert result.finish_reason == CANCELLED
    assert result.error is None
    assert result.text == ("Half" if stage == "in the middle" else "")


def test_cancel_while_text_pours_in() -> None:
    cancel = threading.Event()

    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        while True:
            reply.event(delta("x"))
            time.sleep(0.001)

    result = ask_of(handler, cancel=cancel, on_text=lambda text: cancel.set())

    assert result.finish_reason == CANCELLED
    assert 1 <= len(result.text) < 1000


def test_an_error_of_the_listener_reaches_the_caller_and_closes_the_connection() -> None:
    noticed: list[bool] = []

    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event(delta("x"))
        noticed.append(reply.closed_by_peer(5))

    def listen(text: str) -> None:
        raise RuntimeError("the listener's own fault")

    with pytest.raises(RuntimeError, match="own fault"):
        ask_of(handler, on_text=listen)
    assert noticed == [True]
    assert not [thread for thread in threading.enumerate() if thread.name == "chat-cancel"]


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{closed_port()}")

    def handler(request: Request, reply: Connection) -> None:
        reply.begin_stream()
        reply.event(delta("there", finish="stop"))

    assert ask_of(handler).text == "there"
