import math
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.clock import now
from core.telemetry import engine_metrics
from core.telemetry.engine_metrics import EngineMetricsSource
from core.telemetry.metric_families import MetricsUnreadable, read_scrape
from core.telemetry.source import MissedReading, SourceUnavailable
from tests.client.loopback import Connection, Handler, Request, closed_port, serving

DATA = Path(__file__).parent.parent / "data" / "telemetry"
PAGE = (DATA / "vllm0.26.metrics.txt").read_text()


@contextmanager
def reading(handler: Handler, api_key: str | None = None) -> Iterator[EngineMetricsSource]:
    with serving(handler) as server:
        source = EngineMetricsSource(server.base_url + "/", api_key)
        source.open()
        try:
            yield source
        finally:
            source.close()


class Pages:
    """Answers with one page after another; the last one stays."""

    def __init__(self, *pages: str) -> None:
        self.pages = list(pages)
        self.requests: list[Request] = []

    def __call__(self, request: Request, reply: Connection) -> None:
        self.requests.append(request)
        reply.answer(200, self.pages.pop(0) if len(self.pages) > 1 else self.pages[0])


def values(source: EngineMetricsSource) -> dict[str, float | None]:
    (row,) = source.read_fast()
    assert row.device is None
    return dict(row.values)


def two_readings(first: str, second: str) -> tuple[dict[str, float | None], float]:
    """The second reading's values, and the seconds between the two."""
    with reading(Pages(first, second)) as source:
        (before,) = source.read_fast()
        time.sleep(0.1)
        (after,) = source.read_fast()
        return dict(after.values), after.t - before.t


@pytest.mark.parametrize("name", ["vllm0.26", "vllm0.26_ngram4"])
def test_recorded_pages_of_a_real_engine(name: str) -> None:
    scrape = read_scrape((DATA / f"{name}.metrics.txt").read_text())

    assert scrape.gauges == {"running": (0,), "waiting": (0,), "kv_cache": (0,)}
    totals = {ours: sum(counts.values()) for ours, counts in scrape.counters.items()}
    assert totals["generation_tokens"] == totals["prompt_tokens"] == 6144
    assert totals["ttft_count"] == 24
    assert totals["itl_count"] == 6120
    assert ("draft_tokens" in totals) == name.endswith("ngram4")


@pytest.mark.bench
def test_reading_a_page_is_cheap(capsys: pytest.CaptureFixture[str]) -> None:
    costs = []
    for _ in range(100):
        started = time.perf_counter()
        read_scrape(PAGE)
        costs.append(time.perf_counter() - started)
    with capsys.disabled():
        print(f"\na page of {len(PAGE) // 1000} kB: {statistics.median(costs) * 1e3:.2f} ms")

    assert statistics.median(costs) < 0.008


def test_the_first_reading_has_gauges_and_no_rates() -> None:
    with reading(Pages(PAGE)) as source:
        found = values(source)

    assert (found["requests_running"], found["requests_waiting"], found["kv_cache_pct"]) == (0, 0, 0)
    assert {found[name] for name in ("generation_tokens_s", "prompt_tokens_s", "ttft_mean_s")} == {None}
    # This engine does not speculate: it has no such counter, now or later.
    assert found["spec_acceptance_pct"] is None


LATER = """\
# TYPE vllm:generation_tokens_total counter
vllm:num_requests_running{engine="0"} 3.0
vllm:num_requests_waiting{engine="0"} 2.0
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:generation_tokens_total{engine="0"} 1120.0
vllm:prompt_tokens_total{engine="0"} 640.0
vllm:num_preemptions_total{engine="0"} 1.0
vllm:prefix_cache_queries_total{engine="0"} 640.0
vllm:prefix_cache_hits_total{engine="0"} 160.0
vllm:time_to_first_token_seconds_sum{engine="0"} 3.0
vllm:time_to_first_token_seconds_count{engine="0"} 14.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.1"} 3.0
vllm:inter_token_latency_seconds_sum{engine="0"} 5.0
vllm:inter_token_latency_seconds_count{engine="0"} 200.0
vllm:spec_decode_num_draft_tokens_total{engine="0"} 80.0
vllm:spec_decode_num_accepted_tokens_total{engine="0"} 60.0
"""
EARLIER = (
    LATER.replace(" 1120.0", " 1000.0")
    .replace(" 640.0", " 600.0")
    .replace(" 1.0", " 0.0")
    .replace(" 160.0", " 150.0")
    .replace('_sum{engine="0"} 3.0', '_sum{engine="0"} 1.0')
    .replace(" 14.0", " 10.0")
    .replace(" 5.0", " 3.0")
    .replace(" 200.0", " 100.0")
    .replace(" 80.0", " 40.0")
    .replace(" 60.0", " 30.0")
)


def test_rates_and_means_are_those_of_the_interval() -> None:
    found, elapsed_s = two_readings(EARLIER, LATER)

    assert found == {
        "requests_running": 3,
        "requests_waiting": 2,
        "kv_cache_pct": 25,
        "generation_tokens_s": pytest.approx(120 / elapsed_s),
        "prompt_tokens_s": pytest.approx(40 / elapsed_s),
        "preemptions_s": pytest.approx(1 / elapsed_s),
        "prefix_cache_hit_pct": pytest.approx(25),
        "ttft_mean_s": pytest.approx(0.5),
        "itl_mean_s": pytest.approx(0.02),
        "spec_acceptance_pct": pytest.approx(75),
    }


def test_without_requests_rates_are_zero_and_means_are_missing() -> None:
    found, _ = two_readings(LATER, LATER)

    assert (found["generation_tokens_s"], found["preemptions_s"]) == (0, 0)
    for mean in ("ttft_mean_s", "itl_mean_s", "prefix_cache_hit_pct", "spec_acceptance_pct"):
        assert found[mean] is None


def test_an_engine_that_restarted_counts_from_zero_again() -> None:
    found, elapsed_s = two_readings(LATER, 'vllm:generation_tokens_total{engine="0"} 50.0\n')

    assert found["generation_tokens_s"] == pytest.approx(50 / elapsed_s)
    assert found["requests_running"] is None


def test_engines_behind_one_server_are_summed_and_their_cache_use_averaged() -> None:
    def page(first: int, second: int) -> str:
        return (
            f'vllm:generation_tokens_total{{engine="0"}} {first}\nvllm:generation_tokens_total{{engine="1"}} {second}\n'
            'vllm:num_requests_running{engine="0"} 2\nvllm:num_requests_running{engine="1"} 5\n'
            'vllm:kv_cache_usage_perc{engine="0"} 0.2\nvllm:kv_cache_usage_perc{engine="1"} 0.6\n'
        )

    # The first grew by 30; the second restarted and has 20 since: its smaller count takes nothing off.
    found, elapsed_s = two_readings(page(100, 1000), page(130, 20))

    assert found["generation_tokens_s"] == pytest.approx(50 / elapsed_s)
    assert found["requests_running"] == 7
    assert found["kv_cache_pct"] == pytest.approx(40)


OLD = """\
vllm:gpu_cache_usage_perc{engine="0"} 0.5
vllm:time_per_output_token_seconds_sum{engine="0"} {sum}
vllm:time_per_output_token_seconds_count{engine="0"} {count}
vllm:gpu_prefix_cache_queries_total{engine="0"} {count}
vllm:gpu_prefix_cache_hits_total{engine="0"} {sum}
"""


def test_names_of_older_versions() -> None:
    def page(total: int, count: int) -> str:
        return OLD.replace("{sum}", str(total)).replace("{count}", str(count))

    found, _ = two_readings(page(1, 10), page(2, 60))

    assert found["kv_cache_pct"] == 50
    assert found["itl_mean_s"] == pytest.approx(0.02)
    assert found["prefix_cache_hit_pct"] == pytest.approx(2)


def test_an_old_name_beside_the_new_one_is_not_counted_twice() -> None:
    page = 'vllm:kv_cache_usage_perc{engine="0"} 0.3\nvllm:gpu_cache_usage_perc{engine="0"} 0.3\n'
    with reading(Pages(page)) as source:
        assert values(source)["kv_cache_pct"] == pytest.approx(30)


def test_a_value_that_is_no_number_is_missing() -> None:
    with reading(Pages('vllm:num_requests_running{engine="0"} NaN\n')) as source:
        assert math.isnan(values(source)["requests_running"])


def test_the_key_goes_along_and_belongs_to_the_identity() -> None:
    pages = Pages(PAGE)
    with reading(pages, api_key="secret") as source:
        source.read_fast()
        assert source.is_for(source._base_url + "/v1", "secret")
        assert not source.is_for(source._base_url, None)

    assert pages.requests[0].path == "/metrics"
    assert pages.requests[0].headers["authorization"] == "Bearer secret"


def send_half(request: Request, reply: Connection) -> None:
    reply.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(PAGE)}\r\n\r\n{PAGE[:20_000]}".encode())


def cut_off_unnoticed(request: Request, reply: Connection) -> None:
    end = PAGE.index("vllm:generation_tokens_total{") + 70
    reply.send(f"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{PAGE[:end]}".encode())


def drip(request: Request, reply: Connection) -> None:
    reply.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(100):
        reply.send(b"# dripping\n")
        time.sleep(0.05)


def never_answer(request: Request, reply: Connection) -> None:
    reply.closed_by_peer(10)


def endless(request: Request, reply: Connection) -> None:
    reply.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(1000):
        reply.send(b"x" * 65536)


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (lambda request, reply: reply.answer(401), "API key"),
        (lambda request, reply: reply.answer(404), "no metrics page"),
        (lambda request, reply: reply.answer(500), "status 500"),
        (lambda request, reply: reply.answer(200, "<html>hello</html>\n"), "no metrics of vLLM"),
        (lambda request, reply: reply.answer(200, ""), "cut off"),
        (lambda request, reply: reply.answer(200, b'vllm:num_requests_running{engine="0" \xff\n'), "cannot be read"),
        (lambda request, reply: reply.answer(200, "vllm:num_requests_running{} many\n"), "cannot be read"),
        (lambda request, reply: None, "does not answer at http://127.0.0.1"),
        (lambda request, reply: reply.send(b"SSH-2.0-OpenSSH\r\n"), "does not answer at http://127.0.0.1"),
        (send_half, "does not answer"),
        (cut_off_unnoticed, "cut off"),
        (drip, "take too long"),
        (endless, "take too long"),
        (never_answer, "did not answer within"),
    ],
)
def test_bad_answers_are_a_missed_reading_in_plain_words(
    handler: Handler, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_metrics, "_ANSWER_S", 0.3)
    with reading(handler) as source, pytest.raises(MissedReading, match=words):
        started = now()
        try:
            source.read_fast()
        finally:
            assert now() - started < 2


def test_nobody_there_and_then_somebody() -> None:
    source = EngineMetricsSource(f"http://127.0.0.1:{closed_port()}")
    source.open()
    with pytest.raises(MissedReading, match="does not answer at"):
        source.read_fast()
    source.close()
    source.close()
    with pytest.raises(SourceUnavailable):
        source.read_fast()


def test_a_missed_reading_in_between_costs_no_tokens() -> None:
    broken = threading.Event()

    def handler(request: Request, reply: Connection) -> None:
        reply.answer(200, "gone") if broken.is_set() else reply.answer(200, pages.pop(0))

    pages = [EARLIER, LATER]
    with reading(handler) as source:
        (before,) = source.read_fast()
        broken.set()
        with pytest.raises(MissedReading):
            source.read_fast()
        broken.clear()
        (after,) = source.read_fast()

    assert after.values["generation_tokens_s"] * (after.t - before.t) == pytest.approx(120)


@given(
    st.one_of(st.text(max_size=30), st.text('{}"\\=, #\n1.e+', max_size=10)),
    st.integers(0, len(LATER)),
    st.integers(0, 20),
)
def test_garbled_pages_never_raise_anything_else(noise: str, place: int, lost: int) -> None:
    page = LATER[:place] + noise + LATER[place + lost :]
    try:
        read_scrape(page)
    except MetricsUnreadable as error:
        assert str(error)
