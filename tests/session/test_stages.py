"""Stages out of every recorded log, and out of lines that are in none of them."""

import itertools
from pathlib import Path

import pytest

from core.engine.logfile import LineSplitter
from core.engine.stages import Stage, StageTracker

LOGS = Path(__file__).parents[1] / "data" / "logs"
_EAGER = [Stage.CONFIG, Stage.WEIGHTS]
_TO_PROFILE = [*_EAGER, Stage.PROFILE]
_COMPILED = [*_TO_PROFILE, Stage.COMPILE, Stage.KV_CACHE]
_WHOLE = [*_COMPILED, Stage.CAPTURE, Stage.WARMUP, Stage.SERVER]
EXPECTED = {
    "compiled.log": [*_EAGER, Stage.COMPILE, Stage.KV_CACHE, Stage.SERVER],
    "eager.log": [*_EAGER, Stage.KV_CACHE, Stage.SERVER],
    "gguf_without_config.log": [Stage.CONFIG],
    "llama8b_24g.log": _WHOLE,
    "llama8b_24g_eager.log": [*_TO_PROFILE, Stage.KV_CACHE, Stage.WARMUP, Stage.SERVER],
    "llama8b_24g_kv_too_small.log": _COMPILED,
    "llama8b_24g_ngram4.log": _WHOLE,
    "llama8b_small.log": _WHOLE,
    "llama8b_small_ngram4.log": _WHOLE,
    "llama8b_small_warm.log": _WHOLE,
    "llama8b_too_big.log": _COMPILED,
    "moe30b_small.log": _WHOLE,
}


def tracker() -> StageTracker:
    ticks = itertools.count()
    return StageTracker(lambda: float(next(ticks)))


def follow(data: bytes, piece: int) -> tuple[StageTracker, list[tuple[Stage, str, float | None]]]:
    """Feed a log as it would have grown; gives the tracker and everything it showed."""
    followed, splitter, shown = tracker(), LineSplitter(), []
    for start in range(0, len(data), piece):
        lines = splitter.feed(data[start : start + piece])
        for line in [*lines, splitter.pending]:
            if followed.feed(line):
                shown.append((followed.stage, followed.detail, followed.fraction))
    return followed, shown


def test_every_recorded_log_is_expected() -> None:
    assert {path.name for path in LOGS.glob("*.log")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
@pytest.mark.parametrize("piece", [97, 1_000_000])
def test_stages_of_a_recorded_start(name: str, piece: int) -> None:
    followed, _ = follow((LOGS / name).read_bytes(), piece)
    assert [mark.stage for mark in followed.marks] == [Stage.LAUNCH, *EXPECTED[name]]
    for mark, later in itertools.pairwise(followed.marks):
        assert mark.ended_s == later.started_s > mark.started_s
    assert followed.marks[-1].ended_s is None


def test_progress_of_captures_out_of_redrawn_bars() -> None:
    _, shown = follow((LOGS / "llama8b_24g.log").read_bytes(), 200)
    captures = [(detail, fraction) for stage, detail, fraction in shown if stage is Stage.CAPTURE]
    assert ("graph 51 of 51 PIECEWISE", 1.0) in captures and ("graph 51 of 51 FULL", 1.0) in captures
    assert len(captures) >= 6
    assert all(fraction is None or 0 <= fraction <= 1 for _, fraction in captures)


def test_shards_and_sizes_are_told() -> None:
    _, shown = follow((LOGS / "eager.log").read_bytes(), 500)
    told = [detail for _, detail, _ in shown]
    assert "shard 1 of 1" in told and "46,592 tokens" in told and "context of 1024 tokens" in told
    _, shown = follow((LOGS / "moe30b_small.log").read_bytes(), 500)
    assert "56.88 GiB of weights" in [detail for _, detail, _ in shown]


@pytest.mark.parametrize(
    ("line", "stage", "detail", "fraction"),
    [
        # 0.6 and 0.7
        ("INFO 02-26 09:54:02 model_runner.py:1110] Starting to load model org/x...", Stage.WEIGHTS, "", None),
        (
            "Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:00<00:01,  2.11it/s]",
            Stage.WEIGHTS,
            "shard 1 of 4",
            0.25,
        ),
        (
            "Loading pt checkpoint shards:  50% Completed | 1/2 [00:00<00:01,  2.11it/s]",
            Stage.WEIGHTS,
            "shard 1 of 2",
            0.5,
        ),
        (
            "INFO 02-26 09:54:10 model_runner.py:1115] Loading model weights took 14.9888 GB",
            Stage.PROFILE,
            "14.9888 GB of weights",
            None,
        ),
        (
            "INFO 02-26 09:54:12 gpu_executor.py:76] # GPU blocks: 2021, # CPU blocks: 2048",
            Stage.KV_CACHE,
            "2021 blocks",
            None,
        ),
        (
            "Capturing CUDA graph shapes:  29%|##8    | 10/35 [00:04<00:12,  2.03it/s]",
            Stage.CAPTURE,
            "graph 10 of 35",
            10 / 35,
        ),
        (
            "INFO 02-26 09:54:30 model_runner.py:1535] Graph capturing finished in 18 secs, took 0.20 GiB",
            Stage.WARMUP,
            "graphs took 18 s",
            None,
        ),
        # 0.8 to 0.10
        (
            "INFO 03-20 17:28:12 [gpu_model_runner.py:1] Model loading took 2.8871 GiB and 1.5 seconds",
            Stage.PROFILE,
            "2.8871 GiB of weights",
            None,
        ),
        ("INFO 03-20 17:28:12 [backends.py:430] Dynamo bytecode transform time: 7.37 s", Stage.COMPILE, "", None),
        ("INFO 03-20 17:28:12 [monitor.py:33] torch.compile takes 24.31 s in total", Stage.COMPILE, "24.31 s", None),
        (
            "INFO 03-20 17:28:12 [kv_cache_utils.py:634] GPU KV cache size: 567,978 tokens",
            Stage.KV_CACHE,
            "567,978 tokens",
            None,
        ),
        (
            "INFO 03-20 17:28:12 [api_server.py:1090] Starting vLLM API server 0 on http://0.0.0.0:8000",
            Stage.SERVER,
            "",
            None,
        ),
        ("(APIServer pid=1) INFO:     Application startup complete.", Stage.SERVER, "", None),
    ],
)
def test_lines_of_several_versions(line: str, stage: Stage, detail: str, fraction: float | None) -> None:
    followed = tracker()
    assert followed.feed(line)
    assert (followed.stage, followed.detail, followed.fraction) == (stage, detail, fraction)


@pytest.mark.parametrize(
    "line", ["", "\x00\ufffd", "a line of a version to come", "(EngineCore pid=1) INFO hello", "{}" * 5000]
)
def test_an_unknown_line_changes_nothing(line: str) -> None:
    followed = tracker()
    assert not followed.feed(line)
    assert followed.stage is Stage.LAUNCH and len(followed.marks) == 1


def test_stages_never_go_back() -> None:
    followed = tracker()
    followed.enter(Stage.SERVER)
    followed.enter(Stage.WEIGHTS)
    assert not followed.feed("Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:00<00:01,  2.11it/s]")
    assert followed.stage is Stage.SERVER and followed.fraction is None


def test_a_bar_without_a_total_has_no_fraction() -> None:
    followed = tracker()
    followed.feed("Loading safetensors checkpoint shards:   0% Completed | 0/0 [00:00<?, ?it/s]")
    assert followed.detail == "shard 0 of 0" and followed.fraction is None


def test_the_end_closes_the_last_stage_once() -> None:
    followed = tracker()
    followed.finish()
    ended = followed.marks[-1].ended_s
    followed.finish()
    assert ended is not None and followed.marks[-1].ended_s == ended
