"""Several prompts at once, to see an engine under load."""

import statistics
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.base.clock import now
from core.client.chat import CANCELLED, ChatParameters, ChatResult, stream_chat


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What came of a load.

    Attributes:
        results: one for each prompt, in their order; None for those that a cancel kept from starting.
        wall_s: from the first request's start to the last one's end.
        completion_tokens: over all answers, broken ones included.
        tokens_per_s: completion tokens of all answers / wall time; None when none came.
        ttft_median_s: median time to first token; None without any.
        ttft_p95_s: the 95th percentile of it (nearest rank); None without any.
        completed: answers that are whole.
        failed: answers with an error.
    """

    results: tuple[ChatResult | None, ...]
    wall_s: float
    completion_tokens: int
    tokens_per_s: float | None
    ttft_median_s: float | None
    ttft_p95_s: float | None
    completed: int
    failed: int


def run_load(
    base_url: str,
    model: str,
    prompts: Sequence[str],
    parameters: ChatParameters,
    *,
    parallel: int,
    api_key: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    on_text: Callable[[int, str], None] | None = None,
    on_result: Callable[[int, ChatResult], None] | None = None,
    cancel: threading.Event | None = None,
) -> LoadResult:
    """Ask all prompts, `parallel` of them at a time, and wait for all answers.

    Args:
        on_progress: called with how many are done and how many there are.
        on_text: called with a prompt's index and each new piece of its answer.
        on_result: called with a prompt's index and its result.
        cancel: set it from any thread; requests under way break off, the rest does not start.

    All callbacks come from the load's threads, one call at a time.

    Raises:
        ValueError: `parallel` is below 1.
    """
    if parallel < 1:
        raise ValueError("At least one request must run at a time.")
    load = _Load(prompts, cancel or threading.Event(), on_progress, on_text, on_result)

    def ask(index: int) -> ChatResult:
        return stream_chat(
            base_url,
            model,
            [{"role": "user", "content": prompts[index]}],
            parameters,
            api_key=api_key,
            on_text=lambda text: load.tell_text(index, text),
            cancel=load.cancel,
        )

    started_s = now()
    threads = [
        threading.Thread(target=load.work, args=(ask,), name=f"load-{number}", daemon=True)
        for number in range(min(parallel, len(prompts)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if load.failure is not None:
        raise load.failure
    return _summary(load.results, now() - started_s)


class _Load:
    """Hands out the prompts and gathers the answers."""

    def __init__(
        self,
        prompts: Sequence[str],
        cancel: threading.Event,
        on_progress: Callable[[int, int], None] | None,
        on_text: Callable[[int, str], None] | None,
        on_result: Callable[[int, ChatResult], None] | None,
    ) -> None:
        self.results: list[ChatResult | None] = [None] * len(prompts)
        self.cancel = cancel
        self.failure: Exception | None = None
        self._next = 0
        self._done = 0
        self._lock = threading.Lock()
        self._telling = threading.Lock()
        self._on_progress = on_progress
        self._on_text = on_text
        self._on_result = on_result

    def work(self, ask: Callable[[int], ChatResult]) -> None:
        """One thread's share. A callback that raises ends the load, and `run_load` raises it again."""
        try:
            while (index := self._take()) is not None:
                self._keep(index, ask(index))
        except Exception as error:  # noqa: BLE001 - carried over to the caller's thread
            self.failure = self.failure or error
            self.cancel.set()

    def tell_text(self, index: int, text: str) -> None:
        if self._on_text is not None:
            with self._telling:
                self._on_text(index, text)

    def _take(self) -> int | None:
        with self._lock:
            if self.cancel.is_set() or self._next >= len(self.results):
                return None
            self._next += 1
            return self._next - 1

    def _keep(self, index: int, result: ChatResult) -> None:
        with self._telling:
            self.results[index] = result
            self._done += 1
            if self._on_result is not None:
                self._on_result(index, result)
            if self._on_progress is not None:
                self._on_progress(self._done, len(self.results))


def _summary(results: Sequence[ChatResult | None], wall_s: float) -> LoadResult:
    answers = [result for result in results if result is not None]
    tokens = sum(answer.completion_tokens or 0 for answer in answers)
    waits = sorted(answer.ttft_s for answer in answers if answer.ttft_s is not None)
    return LoadResult(
        results=tuple(results),
        wall_s=wall_s,
        completion_tokens=tokens,
        tokens_per_s=tokens / wall_s if tokens else None,
        ttft_median_s=statistics.median(waits) if waits else None,
        ttft_p95_s=waits[-(-95 * len(waits) // 100) - 1] if waits else None,
        completed=sum(answer.error is None and answer.finish_reason != CANCELLED for answer in answers),
        failed=sum(answer.error is not None for answer in answers),
    )
