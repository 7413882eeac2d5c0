"""Where a start stands, read from the engine's log.

A stage begins with the first line that only it writes; stages never go back, and an unknown line changes nothing.
The table holds what vLLM 0.6 to 0.33 write.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum


class Stage(StrEnum):
    """The steps of a start, in their order. Not every start has every one (nothing is compiled in eager mode)."""

    LAUNCH = "launch"
    """The program prepares: port, log file, supervisor."""
    IMPORT = "import"
    """The engine's interpreter runs and imports; nothing is written yet."""
    CONFIG = "config"
    """Arguments and the model's configuration are read, the engine's processes start."""
    WEIGHTS = "weights"
    PROFILE = "profile"
    """A trial run finds out how much memory the model needs at its peak."""
    COMPILE = "compile"
    KV_CACHE = "kv_cache"
    CAPTURE = "capture"
    """CUDA graphs are recorded."""
    WARMUP = "warmup"
    SERVER = "server"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class StageMark:
    """One stage of one start.

    Attributes:
        started_s: by `core.base.clock.now`.
        ended_s: likewise; None while it lasts.
    """

    stage: Stage
    started_s: float
    ended_s: float | None = None


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What one kind of line tells.

    Attributes:
        stage: the stage that the line belongs to.
        pattern: searched in the line; groups `done` and `total` give progress, `detail` a text of the engine's own.
        detail: words for the person; `{name}` stands for a group.
    """

    stage: Stage
    pattern: re.Pattern[str]
    detail: str = ""


_BAR = r".*?(?:\|\s*)(?P<done>\d+)/(?P<total>\d+) \["

_PATTERNS = tuple(
    _Pattern(stage, re.compile(pattern), detail)
    for stage, pattern, detail in (
        (Stage.CONFIG, r"non-default args:|vLLM API server version|Resolved architecture|[█▀▄].*version ", ""),
        (Stage.CONFIG, r"Using max model len (?P<tokens>[\d,]+)", "context of {tokens} tokens"),
        (Stage.CONFIG, r"Initializing an?(?: V\d)?(?: LLM)? engine", "engine process"),
        (Stage.WEIGHTS, r"Starting to load model|Loading model from scratch", ""),
        (Stage.WEIGHTS, r"Loading (?:\w+ )+checkpoint shards:" + _BAR, "shard {done} of {total}"),
        (Stage.WEIGHTS, r"Time spent downloading weights", ""),
        (Stage.WEIGHTS, r"Loading weights took (?P<seconds>[\d.]+)", "read in {seconds} s"),
        (
            Stage.PROFILE,
            r"(?:Model loading took|Loading model weights took) (?P<size>[\d.]+) (?P<unit>Gi?B)",
            "{size} {unit} of weights",
        ),
        (Stage.PROFILE, r"Memory profiling (?:takes|results)|Initial profiling/warmup run took", ""),
        (Stage.COMPILE, r"Using cache directory: .* for vLLM's torch\.compile|Start compiling|Dynamo bytecode", ""),
        (Stage.COMPILE, r"Warming up model for the compilation", "this can take minutes"),
        (Stage.COMPILE, r"Compiling a graph for (?P<what>[^,]*?)(?: takes .*)?$", "graph for {what}"),
        (Stage.COMPILE, r"Cache the graph (?:of|for) (?P<what>.+?) for later use", "graph for {what}"),
        (Stage.COMPILE, r"Directly load(?:ing)? (?:the compiled graph|AOT compilation)", "from the cache"),
        (Stage.COMPILE, r"torch\.compile (?:takes|took) (?P<seconds>[\d.]+) s in total", "{seconds} s"),
        (Stage.KV_CACHE, r"Profiling CUDA graph memory", "measuring graph memory"),
        (Stage.KV_CACHE, r"Available KV cache memory: (?P<size>-?[\d.]+) (?P<unit>Gi?B)", "{size} {unit}"),
        (Stage.KV_CACHE, r"Explicitly set \((?P<size>[\d.]+)/[\d.]+\) (?P<unit>Gi?B) for KV cache", "{size} {unit}"),
        (Stage.KV_CACHE, r"KV cache size: (?P<tokens>[\d,]+) tokens", "{tokens} tokens"),
        (Stage.KV_CACHE, r"# (?:GPU|cuda|CPU|cpu) blocks: (?P<blocks>\d+)", "{blocks} blocks"),
        (Stage.CAPTURE, r"Capturing (?:the model|cudagraphs) for CUDA graphs", ""),
        (
            Stage.CAPTURE,
            r"Capturing CUDA graphs? (?:shapes|\((?:[^)]*, )?(?P<kind>\w+)\))?:?" + _BAR,
            "graph {done} of {total} {kind}",
        ),
        (Stage.WARMUP, r"Graph capturing finished in (?P<seconds>[\d.]+) secs", "graphs took {seconds} s"),
        (Stage.WARMUP, r"Kernel JIT monitor activated", ""),
        (Stage.SERVER, r"init engine \(profile, create kv cache, warmup model\) took", ""),
        (Stage.SERVER, r"Supported[_ ]tasks|Starting vLLM (?:API )?server|Available routes are", ""),
        (Stage.SERVER, r"Started server process|Waiting for application startup|Application startup complete", ""),
    )
)
# Cheap first look: one search over all the words instead of thirty over every line of a chatty log.
_ANY = re.compile("|".join(re.sub(r"\?P<\w+>", "?:", entry.pattern.pattern) for entry in _PATTERNS))
_TITLES = {
    Stage.LAUNCH: "Launching the process",
    Stage.IMPORT: "Importing vLLM",
    Stage.CONFIG: "Reading the model's configuration",
    Stage.WEIGHTS: "Loading weights",
    Stage.PROFILE: "Measuring memory",
    Stage.COMPILE: "Compiling",
    Stage.KV_CACHE: "Reserving the KV cache",
    Stage.CAPTURE: "Capturing CUDA graphs",
    Stage.WARMUP: "Warming up",
    Stage.SERVER: "Opening the server",
    Stage.READY: "Answering",
}
_ORDER = {stage: index for index, stage in enumerate(Stage)}


def stage_text(stage: Stage, detail: str = "") -> str:
    """The stage in words for a terminal, with its detail: `Loading weights, shard 1 of 4`."""
    return ", ".join(part for part in (_TITLES[stage], detail) if part)


class StageTracker:
    """Follows one start.

    Args:
        clock: gives the time of a mark.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.stage = Stage.LAUNCH
        self.detail = ""
        self.fraction: float | None = None
        self._marks = [StageMark(Stage.LAUNCH, clock())]

    @property
    def marks(self) -> tuple[StageMark, ...]:
        """The stages so far, in their order; the last one may still last."""
        return tuple(self._marks)

    def enter(self, stage: Stage) -> None:
        """Go on to a stage for another reason than a line of the log; going back is ignored."""
        if _ORDER[stage] <= _ORDER[self.stage]:
            return
        moment = self._clock()
        self._marks[-1] = replace(self._marks[-1], ended_s=moment)
        self._marks.append(StageMark(stage, moment))
        self.stage, self.detail, self.fraction = stage, "", None

    def finish(self) -> None:
        """The last stage is over, whatever came of it."""
        if self._marks[-1].ended_s is None:
            self._marks[-1] = replace(self._marks[-1], ended_s=self._clock())

    def feed(self, line: str) -> bool:
        """Read one line.

        Returns:
            Whether anything changed.
        """
        if not _ANY.search(line):
            return False
        before = (self.stage, self.detail, self.fraction)
        for entry in _PATTERNS:
            match = entry.pattern.search(line)
            if match:
                self._apply(entry, match.groupdict(""))
                break
        return (self.stage, self.detail, self.fraction) != before

    def _apply(self, entry: _Pattern, groups: dict[str, str]) -> None:
        if _ORDER[entry.stage] < _ORDER[self.stage]:
            return
        self.enter(entry.stage)
        if entry.detail:
            self.detail = entry.detail.format(**groups).strip()
            self.fraction = _fraction(groups)


def _fraction(groups: dict[str, str]) -> float | None:
    done, total = groups.get("done"), groups.get("total")
    return min(1.0, int(done) / int(total)) if done and total and int(total) else None
