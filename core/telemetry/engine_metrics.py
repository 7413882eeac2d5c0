"""Token rates, queues, cache use and latencies of a running vLLM, from its /metrics page."""

from typing import TYPE_CHECKING

from core.base.clock import now
from core.telemetry.metric_families import MetricsUnreadable, Scrape, read_scrape
from core.telemetry.source import MissedReading, Row, Source, SourceUnavailable

if TYPE_CHECKING:
    import httpx

# A page has about 60 kB; whatever else answers on that port shall not fill our memory or hold the thread.
_LARGEST_BYTES = 8 * 1024 * 1024
_ANSWER_S = 2.0


class EngineMetricsSource(Source):
    """Samples of one engine.

    Rates and latencies are those of the interval between two readings, so the first reading gives none; a latency or
    hit rate without a request in the interval is a missing sample. Several engines behind one server are summed, their
    cache use is averaged.

    Args:
        base_url: such as "http://127.0.0.1:8000".
        api_key: sent as a bearer token when it is not None.
    """

    name = "engine"
    longest_pause_s = 2.0

    def __init__(self, base_url: str, api_key: str | None = None) -> None:
        self._base_url = base_url.rstrip("/").removesuffix("/v1")
        self._api_key = api_key
        self._client: httpx.Client | None = None
        self._last: tuple[float, Scrape] | None = None

    def is_for(self, base_url: str, api_key: str | None) -> bool:
        """Whether it already reads this address with this key."""
        return (base_url.rstrip("/").removesuffix("/v1"), api_key) == (self._base_url, self._api_key)

    def open(self) -> None:
        """Make the client; the engine is asked at the first reading."""
        import httpx

        self._client = httpx.Client(
            # Proxies from the environment are for the internet, not for the engine on this machine.
            trust_env=False,
            timeout=httpx.Timeout(_ANSWER_S, connect=1.0),
            headers={"Authorization": f"Bearer {self._api_key}"} if self._api_key else {},
            # Reading the certificates costs 20 ms and is for nothing without TLS.
            verify=self._base_url.startswith("https:"),
        )
        self._last = None

    def read_fast(self) -> list[Row]:
        """Ask once.

        Raises:
            MissedReading: no answer, an error answer, or one that cannot be read.
        """
        asked = now()
        try:
            scrape = read_scrape(self._fetch())
        except MetricsUnreadable as error:
            raise MissedReading(str(error)) from error
        # The engine counted somewhere between question and answer.
        moment = (asked + now()) / 2
        last, self._last = self._last, (moment, scrape)
        return [Row(None, _values(scrape, last, moment), moment)]

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _fetch(self) -> str:
        import httpx

        if self._client is None:
            raise SourceUnavailable("The connection to the engine is closed.")
        deadline = now() + _ANSWER_S
        body = bytearray()
        try:
            with self._client.stream("GET", f"{self._base_url}/metrics") as response:
                if response.status_code != httpx.codes.OK:
                    raise MissedReading(_why(response.status_code))
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > _LARGEST_BYTES or now() > deadline:
                        raise MissedReading("The engine's metrics take too long.")
        except httpx.TimeoutException as error:
            raise MissedReading(f"The engine did not answer within {_ANSWER_S:.0f} s.") from error
        except httpx.HTTPError as error:
            raise MissedReading(f"The engine does not answer at {self._base_url}.") from error
        return body.decode("utf-8", errors="replace")


def _why(status: int) -> str:
    if status in (401, 403):
        return "The engine refuses its metrics: the API key is wrong or missing."
    if status == 404:
        return "The server has no metrics page."
    return f"The engine answered its metrics with status {status}."


def _values(scrape: Scrape, last: tuple[float, Scrape] | None, moment: float) -> dict[str, float | None]:
    gauges = scrape.gauges
    values: dict[str, float | None] = {
        "requests_running": sum(gauges["running"]) if "running" in gauges else None,
        "requests_waiting": sum(gauges["waiting"]) if "waiting" in gauges else None,
        "kv_cache_pct": 100 * sum(gauges["kv_cache"]) / len(gauges["kv_cache"]) if "kv_cache" in gauges else None,
    }
    grown = _growth(scrape, last[1]) if last else {}
    elapsed_s = moment - last[0] if last else 0.0
    for quantity, counter in (
        ("generation_tokens_s", "generation_tokens"),
        ("prompt_tokens_s", "prompt_tokens"),
        ("preemptions_s", "preemptions"),
    ):
        values[quantity] = _ratio(grown.get(counter), elapsed_s)
    values["ttft_mean_s"] = _ratio(grown.get("ttft_sum"), grown.get("ttft_count"))
    values["itl_mean_s"] = _ratio(grown.get("itl_sum"), grown.get("itl_count"))
    values["prefix_cache_hit_pct"] = _ratio(grown.get("prefix_hits"), grown.get("prefix_queries"), 100)
    values["spec_acceptance_pct"] = _ratio(grown.get("accepted_tokens"), grown.get("draft_tokens"), 100)
    return values


def _growth(scrape: Scrape, before: Scrape) -> dict[str, float]:
    """How much each counter grew, over all engines. A smaller count than before is a restart: it began again at 0."""
    return {
        ours: sum(_grew(count, before.counters[ours].get(labels, 0.0)) for labels, count in counts.items())
        for ours, counts in scrape.counters.items()
        if ours in before.counters
    }


def _grew(count: float, before: float) -> float:
    return count - before if count >= before else count


def _ratio(part: float | None, whole: float | None, factor: float = 1.0) -> float | None:
    return None if part is None or not whole else factor * part / whole
