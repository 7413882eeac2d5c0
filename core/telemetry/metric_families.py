"""What vLLM's /metrics page says, reduced to the counters and gauges that are drawn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# Our name to vLLM's names, newest first: where a version still exports an old name beside the new one, only the first
# one present counts. Histograms give a sum and a count.
_GAUGES = {
    "running": ("vllm:num_requests_running",),
    "waiting": ("vllm:num_requests_waiting",),
    "kv_cache": ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
}
_COUNTERS = {
    "generation_tokens": ("vllm:generation_tokens_total",),
    "prompt_tokens": ("vllm:prompt_tokens_total",),
    "preemptions": ("vllm:num_preemptions_total",),
    "prefix_queries": ("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total"),
    "prefix_hits": ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
    "draft_tokens": ("vllm:spec_decode_num_draft_tokens_total",),
    "accepted_tokens": ("vllm:spec_decode_num_accepted_tokens_total",),
    "ttft_sum": ("vllm:time_to_first_token_seconds_sum",),
    "ttft_count": ("vllm:time_to_first_token_seconds_count",),
    "itl_sum": ("vllm:inter_token_latency_seconds_sum", "vllm:time_per_output_token_seconds_sum"),
    "itl_count": ("vllm:inter_token_latency_seconds_count", "vllm:time_per_output_token_seconds_count"),
}
_WANTED = frozenset(name for names in (*_GAUGES.values(), *_COUNTERS.values()) for name in names)

Labels = tuple[tuple[str, str], ...]


class MetricsUnreadable(ValueError):
    """The page is not (or not wholly) what an engine answers."""


@dataclass(frozen=True, slots=True)
class Scrape:
    """One reading of /metrics.

    Attributes:
        gauges: our name to the values of all engines behind this server (data parallelism has several).
        counters: our name to each engine's count, by its labels, so that one that restarted is noticed.
    """

    gauges: Mapping[str, tuple[float, ...]]
    counters: Mapping[str, Mapping[Labels, float]]


def read_scrape(text: str) -> Scrape:
    """Take what is wanted out of a page in Prometheus' text format.

    Only the wanted lines reach the parser: a page has some 600 lines, of which a dozen count.

    Raises:
        MetricsUnreadable: cut off, garbled, or without any of vLLM's metrics.
    """
    if not text.endswith("\n"):
        raise MetricsUnreadable("The engine's answer was cut off.")
    wanted = [line for line in text.splitlines() if line.startswith("vllm:") and _name(line) in _WANTED]
    if not wanted:
        raise MetricsUnreadable("The server has no metrics of vLLM.")
    samples = _parse(wanted)
    return Scrape(
        gauges={ours: tuple(found.values()) for ours, names in _GAUGES.items() if (found := _first(samples, names))},
        counters={ours: found for ours, names in _COUNTERS.items() if (found := _first(samples, names))},
    )


def _name(line: str) -> str:
    return line.split("{", 1)[0].split(" ", 1)[0]


def _parse(lines: Iterable[str]) -> dict[str, dict[Labels, float]]:
    from prometheus_client.parser import text_string_to_metric_families

    samples: dict[str, dict[Labels, float]] = {}
    try:
        for family in text_string_to_metric_families("\n".join(lines) + "\n"):
            for sample in family.samples:
                samples.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = float(sample.value)
    except (ValueError, IndexError, KeyError) as error:
        raise MetricsUnreadable(f"The engine's metrics cannot be read: {error}.") from error
    return samples


def _first(samples: Mapping[str, dict[Labels, float]], names: tuple[str, ...]) -> dict[Labels, float] | None:
    return next((samples[name] for name in names if name in samples), None)
