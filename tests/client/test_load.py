import threading
import time

import pytest

from core.client.chat import CANCELLED, ChatParameters
from core.client.load import run_load
from tests.client.loopback import Connection, Request, closed_port, serving

PARAMETERS = ChatParameters(max_tokens=8)


class Counting:
    """Answers with the prompt's words, and knows how many requests it had at once."""

    def __init__(self, pause_s: float = 0.05) -> None:
        self.most = 0
        self._now = 0
        self._pause_s = pause_s
        self._lock = threading.Lock()

    def __call__(self, request: Request, reply: Connection) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        prompt = request.json()["messages"][0]["content"]
        if prompt == "bad":
            reply.answer(400, '{"error": {"message": "no"}}')
        else:
            reply.begin_stream()
            for word in prompt.split():
                reply.event({"choices": [{"delta": {"content": word}}]})
                time.sleep(self._pause_s)
            reply.event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": len(prompt.split())}})
            with self._lock:
                self._now -= 1
            reply.event("[DONE]")


def test_answers_come_in_the_prompts_order_and_the_rate_is_over_all() -> None:
    handler = Counting()
    prompts = [f"p{number} a b c" for number in range(9)]
    progress: list[tuple[int, int]] = []
    texts: dict[int, str] = {}
    finished: list[int] = []

    def take(index: int, text: str) -> None:
        texts[index] = texts.get(index, "") + text

    with serving(handler) as server:
        result = run_load(
            server.base_url,
            "small",
            prompts,
            PARAMETERS,
            parallel=3,
            on_progress=lambda done, total: progress.append((done, total)),
            on_text=take,
            on_result=lambda index, _: finished.append(index),
        )

    assert [answer.text for answer in result.results] == [prompt.replace(" ", "") for prompt in prompts]
    assert texts == dict(enumerate(answer.text for answer in result.results))
    assert handler.most == 3
    assert progress == [(done, 9) for done in range(1, 10)]
    assert sorted(finished) == list(range(9))
    assert result.completion_tokens == 36
    assert result.tokens_per_s == pytest.approx(36 / result.wall_s)
    assert (result.completed, result.failed) == (9, 0)
    assert 0 < result.ttft_median_s <= result.ttft_p95_s


def test_failures_are_counted_and_do_not_stop_the_rest() -> None:
    with serving(Counting()) as server:
        result = run_load(server.base_url, "small", ["a b", "bad", "c d"], PARAMETERS, parallel=1)

    assert (result.completed, result.failed) == (2, 1)
    assert "no" in result.results[1].error


def test_cancel_breaks_off_what_runs_and_starts_no_more() -> None:
    cancel = threading.Event()
    with serving(Counting(pause_s=0.2)) as server:
        timer = threading.Timer(0.3, cancel.set)
        timer.start()
        started = time.monotonic()
        result = run_load(server.base_url, "small", ["a b c d e f"] * 6, PARAMETERS, parallel=2, cancel=cancel)
        timer.join()

    assert time.monotonic() - started < 1.0
    assert [answer and answer.finish_reason for answer in result.results] == [CANCELLED] * 2 + [None] * 4
    assert (result.completed, result.failed) == (0, 0)


def test_nobody_there() -> None:
    result = run_load(f"http://127.0.0.1:{closed_port()}", "small", ["a", "b"], PARAMETERS, parallel=4)

    assert result.failed == 2
    assert (result.tokens_per_s, result.ttft_median_s, result.ttft_p95_s) == (None, None, None)


def test_no_prompts_is_no_load() -> None:
    result = run_load("http://127.0.0.1:1", "small", [], PARAMETERS, parallel=2)

    assert (result.results, result.completed, result.tokens_per_s) == ((), 0, None)


def test_none_at_a_time_is_refused() -> None:
    with pytest.raises(ValueError, match="At least one"):
        run_load("http://127.0.0.1:1", "small", ["a"], PARAMETERS, parallel=0)


def test_a_callbacks_error_ends_the_load_and_reaches_the_caller() -> None:
    def refuse(done: int, total: int) -> None:
        raise RuntimeError("the listener's own fault")

    with serving(Counting()) as server, pytest.raises(RuntimeError, match="own fault"):
        run_load(server.base_url, "small", ["a b"] * 8, PARAMETERS, parallel=2, on_progress=refuse)
    assert len(server.requests) < 8
