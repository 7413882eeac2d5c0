import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from core.base.clock import now
from core.telemetry import runner
from core.telemetry.sampler import Sampler, SourceStatus
from core.telemetry.source import MissedReading, Row, Source, SourceUnavailable
from core.telemetry.store import ChannelKey, SampleStore
from tests.client.loopback import serving
from tests.telemetry.sources import Hang, ScriptedSource

POWER = ChannelKey("gpu", 0, "power_w")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_FIRST_PAUSE_S", 0.02)


@pytest.fixture
def store() -> SampleStore:
    return SampleStore(hz=50)


@pytest.fixture
def sampling(store: SampleStore) -> Iterator[Callable[..., Sampler]]:
    made: list[Sampler] = []

    def start(*sources: Source, hz: float = 50) -> Sampler:
        made.append(Sampler(store, sources, hz))
        made[-1].start()
        return made[-1]

    yield start
    for sampler in made:
        sampler.stop()


def until(true: Callable[[], bool], within_s: float = 5.0) -> None:
    deadline = now() + within_s
    while not true():
        assert now() < deadline, "did not happen in time"
        time.sleep(0.005)


def test_readings_come_at_their_rate_and_do_not_drift(store: SampleStore, sampling: Callable[..., Sampler]) -> None:
    source = ScriptedSource(fast=lambda: time.sleep(0.015) or [Row(0, {"power_w": 1.0})])
    sampler = sampling(source, hz=20)
    until(lambda: len(source.read_at) >= 41)
    sampler.stop()

    # Forty periods of 50 ms, although each reading took 15 ms.
    assert source.read_at[40] - source.read_at[0] == pytest.approx(2.0, abs=0.2)
    assert store.counts()["gpu"] >= 40


def test_slow_quantities_keep_their_own_pace(sampling: Callable[..., Sampler]) -> None:
    source = ScriptedSource(slow=lambda: [Row(0, {"power_limit_w": 450.0})], slow_period_s=0.2)
    sampling(source, hz=50)
    until(lambda: len(source.slow_at) >= 4)

    assert len(source.read_at) > 20
    assert source.slow_at[3] - source.slow_at[0] >= 0.6


def test_a_slow_answer_leaves_readings_out_instead_of_making_up_for_them(sampling: Callable[..., Sampler]) -> None:
    source = ScriptedSource(fast=lambda: time.sleep(0.13) or [])
    sampling(source, hz=10)
    until(lambda: len(source.read_at) >= 5)

    # Back to back they would come every 0.13 s; on the grid it is every second place.
    assert (source.read_at[4] - source.read_at[0]) / 4 > 0.17


def test_a_failure_makes_a_message_and_a_gap_and_is_tried_again(
    store: SampleStore, sampling: Callable[..., Sampler]
) -> None:
    failing = threading.Event()

    def fast() -> list[Row]:
        if failing.is_set():
            raise SourceUnavailable("The driver went away.")
        return [Row(0, {"power_w": 1.0})]

    source = ScriptedSource(fast=fast)
    sampler = sampling(source)
    until(lambda: sampler.status()[0].running)
    failing.set()
    until(lambda: sampler.status()[0] == SourceStatus("gpu", False, "The driver went away."))
    assert math.isnan(store.latest(POWER)[1])
    failing.clear()
    until(lambda: sampler.status()[0] == SourceStatus("gpu", True, ""))

    assert source.opened >= 2
    assert source.closed >= 1
    assert any(math.isnan(value) for value in store.window(POWER, 0, math.inf)[1])


def test_pauses_grow_while_a_source_cannot_be_opened(sampling: Callable[..., Sampler]) -> None:
    tries: list[float] = []

    def opening() -> None:
        tries.append(now())
        raise SourceUnavailable("No NVIDIA driver found.")

    source = ScriptedSource(opening=opening)
    source.longest_pause_s = 0.2
    sampler = sampling(source)
    until(lambda: len(tries) >= 7)

    pauses = [after - before for before, after in itertools.pairwise(tries)]
    assert all(pause >= least for pause, least in zip(pauses, (0.02, 0.04, 0.08, 0.16, 0.2, 0.2), strict=True))
    # Not longer than the source's own bound, however often it failed.
    assert pauses[-1] < 0.32
    assert sampler.status()[0] == SourceStatus("gpu", False, "No NVIDIA driver found.")
    assert source.read_at == []


def test_a_missed_reading_keeps_the_source_open(store: SampleStore, sampling: Callable[..., Sampler]) -> None:
    count = 0

    def fast() -> list[Row]:
        nonlocal count
        count += 1
        if count % 3 == 0:
            raise MissedReading("The engine was too busy.")
        return [Row(0, {"power_w": 1.0})]

    source = ScriptedSource(fast=fast)
    sampling(source)
    until(lambda: count > 10)

    assert source.opened == 1
    assert [math.isnan(value) for value in store.window(POWER, 0, math.inf)[1]][:6] == [False, False, True] * 2


@pytest.mark.parametrize("fault", [ZeroDivisionError("division by zero"), OSError(5, "Input/output error")])
def test_whatever_a_driver_raises_the_thread_goes_on(fault: Exception, sampling: Callable[..., Sampler]) -> None:
    def fast() -> list[Row]:
        raise fault

    def closing() -> None:
        raise fault

    source = ScriptedSource(fast=fast)
    source.close = closing  # type: ignore[method-assign]
    sampler = sampling(source)
    until(lambda: source.opened >= 3)

    assert type(fault).__name__ in sampler.status()[0].message


def test_a_hung_driver_call_blinds_its_own_curve_alone_and_says_since_when(
    store: SampleStore, sampling: Callable[..., Sampler]
) -> None:
    hang = Hang()
    host = ScriptedSource("host", fast=lambda: [Row(None, {"cpu_pct": 1.0})])
    sampler = sampling(ScriptedSource(fast=hang), host)
    assert hang.entered.wait(5)
    asked_at = now()
    before = len(host.read_at)
    until(lambda: sampler.status()[0].message.startswith("Not answering since"))
    passed_s = now() - asked_at

    assert sampler.status()[0].message in ("Not answering since 2 s.", "Not answering since 3 s.")
    assert passed_s == pytest.approx(2.0, abs=0.5)
    assert sampler.status()[1] == SourceStatus("host", True, "")
    assert len(host.read_at) - before > 60

    started = now()
    sampler.stop()
    assert now() - started < 2.5
    hang.let_go.set()
    time.sleep(0.05)
    # What the abandoned call brings in the end is nobody's sample any more.
    assert store.latest(POWER) is None


def test_the_rate_can_be_raised_while_it_waits(sampling: Callable[..., Sampler]) -> None:
    source = ScriptedSource()
    sampler = sampling(source, hz=0.1)
    until(lambda: len(source.read_at) == 1)
    sampler.set_rate(10)
    until(lambda: len(source.read_at) >= 6, within_s=2.0)

    assert source.read_at[5] - source.read_at[1] == pytest.approx(0.4, abs=0.15)


@pytest.mark.parametrize("hz", [0, -1, 11, math.nan])
def test_rates_out_of_range_are_refused(hz: float, store: SampleStore) -> None:
    with pytest.raises(ValueError, match="rate"):
        Sampler(store, []).set_rate(hz)


def test_stop_ends_the_curves_and_it_can_start_again(store: SampleStore, sampling: Callable[..., Sampler]) -> None:
    source = ScriptedSource()
    sampler = sampling(source)
    sampler.start()
    until(lambda: len(source.read_at) > 3)
    sampler.stop()
    sampler.stop()

    assert source.opened == 1
    assert store.stats(POWER).current is None
    assert sampler.status()[0] == SourceStatus("gpu", False, "Not started.")
    sampler.start()
    until(lambda: sampler.status()[0].running)
    assert store.stats(POWER).current == 1.0


def test_nothing_runs_before_it_is_started() -> None:
    sampler = Sampler.with_default_sources(SampleStore())

    assert [status.name for status in sampler.status()] == ["gpu", "host", "engine"]
    assert not any(status.running for status in sampler.status())
    assert sampler.devices() == []


PAGE = 'vllm:num_requests_running{{engine="0"}} 1.0\nvllm:generation_tokens_total{{engine="0"}} {}\n'
RATE = ChannelKey("engine", None, "generation_tokens_s")


def test_an_engine_comes_and_goes(store: SampleStore, sampling: Callable[..., Sampler]) -> None:
    started = now()
    with serving(lambda request, reply: reply.answer(200, PAGE.format(100 * (now() - started)))) as server:
        sampler = sampling(ScriptedSource())
        assert sampler.status()[-1] == SourceStatus("engine", False, "No engine is ready.")
        sampler.attach_engine(server.base_url, None, list)
        until(lambda: store.stats(RATE).count > 5)
        sampler.attach_engine(server.base_url, None, list)
        assert sampler.status()[-1] == SourceStatus("engine", True, "")
        assert store.stats(RATE).average == pytest.approx(100, rel=0.3)
        sampler.detach_engine()
        sampler.detach_engine()

        assert store.stats(RATE).current is None
        assert sampler.status()[-1].message == "No engine is ready."


def test_another_address_replaces_the_engine_and_a_late_start_begins_with_it(store: SampleStore) -> None:
    with (
        serving(lambda request, reply: reply.answer(200, PAGE.format(1))) as first,
        serving(lambda request, reply: reply.answer(200, PAGE.format(2))) as second,
    ):
        sampler = Sampler(store, [], hz=50)
        sampler.attach_engine(first.base_url, None, list)
        sampler.attach_engine(second.base_url, "key", list)
        assert sampler.status() == [SourceStatus("engine", False, "Not started.")]
        sampler.start()
        until(lambda: len(second.requests) >= 2)
        sampler.stop()

    assert first.requests == []
    assert second.requests[0].headers["authorization"] == "Bearer key"


def test_the_engines_processes_are_asked_for_once_a_second_and_reach_every_source(store: SampleStore) -> None:
    asked: list[float] = []
    seen: list[list[int]] = []

    class Watching(ScriptedSource):
        def watch(self, pids: Callable[[], list[int]] | None) -> None:
            if pids is not None:
                seen.extend([pids(), pids()])

    def pids() -> list[int]:
        asked.append(now())
        return [os.getpid()]

    sampler = Sampler(store, [Watching(), Watching("host")])
    sampler.watch_processes(pids)
    sampler.watch_processes(None)

    assert seen == [[os.getpid()]] * 4
    assert len(asked) == 1
