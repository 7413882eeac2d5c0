import math
import threading
import time
from array import array

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.telemetry.store import ChannelKey, SampleStore

USED = ChannelKey("gpu", 0, "memory_used_mib")
EVER = (-math.inf, math.inf)


def put(store: SampleStore, t: float, value: float | None, **options: float) -> None:
    store.append("gpu", 0, t, {"memory_used_mib": value}, **options)


def values(store: SampleStore, key: ChannelKey = USED) -> list[float | None]:
    return [None if math.isnan(value) else value for value in store.window(key, *EVER)[1]]


def test_a_window_holds_both_its_ends() -> None:
    store = SampleStore()
    for step in range(10):
        put(store, step * 0.5, step)

    times, found = store.window(USED, 1.0, 2.0)

    assert (list(times), list(found)) == ([1.0, 1.5, 2.0], [2.0, 3.0, 4.0])
    assert isinstance(times, array)


def test_an_unknown_curve_is_empty() -> None:
    store = SampleStore()

    assert [list(part) for part in store.window(USED, *EVER)] == [[], []]
    assert store.latest(USED) is None
    assert store.stats(USED).count == 0


def test_none_is_a_missing_sample() -> None:
    store = SampleStore()
    put(store, 0.0, 1.0)
    put(store, 0.5, None)

    assert values(store) == [1.0, None]
    assert store.latest(USED)[0] == 0.5
    assert math.isnan(store.latest(USED)[1])
    assert store.stats(USED).current is None


def test_silence_becomes_a_gap_and_jitter_does_not() -> None:
    store = SampleStore(hz=2)
    for t in (0.0, 0.5, 1.7, 2.2, 5.0):
        put(store, t, 1.0)

    times, found = store.window(USED, *EVER)

    assert list(times) == [0.0, 0.5, 1.7, 2.2, 2.7, 5.0]
    assert [index for index, value in enumerate(found) if math.isnan(value)] == [4]


def test_a_slow_source_carries_its_own_period() -> None:
    store = SampleStore(hz=2)
    for t in (0.0, 5.0, 10.0, 30.0):
        put(store, t, 1.0, period_s=5.0)

    assert values(store) == [1.0, 1.0, 1.0, None, 1.0]


@pytest.mark.parametrize("periods", [(0.5, 5.0), (5.0, 0.5)])
def test_a_changed_rate_is_no_gap(periods: tuple[float, float]) -> None:
    before, after = periods
    store = SampleStore()
    put(store, 0.0, 1.0, period_s=before)
    put(store, 5.0, 1.0, period_s=after)

    assert values(store) == [1.0, 1.0]


def test_the_end_of_a_source_closes_its_curves_alone() -> None:
    store = SampleStore()
    put(store, 0.0, 1.0)
    store.append("host", None, 0.0, {"cpu_pct": 5.0})

    store.end("gpu", 0.2)
    version = store.version
    store.end("gpu", 0.3)

    assert values(store) == [1.0, None]
    assert values(store, ChannelKey("host", None, "cpu_pct")) == [5.0]
    assert store.version == version


def test_samples_older_than_the_newest_are_left_out() -> None:
    store = SampleStore()
    put(store, 1.0, 1.0)
    version = store.version
    put(store, 0.5, 2.0)

    assert values(store) == [1.0]
    assert store.version == version


def test_the_version_tells_that_something_is_new() -> None:
    store = SampleStore()
    seen = [store.version]
    put(store, 0.0, 1.0)
    seen.append(store.version)
    store.clear()
    seen.append(store.version)

    assert seen == sorted(set(seen))
    assert store.keys() == []
    assert store.counts() == {}


def test_curves_appear_in_their_order_and_rows_are_counted() -> None:
    store = SampleStore()
    store.append("host", None, 0.0, {"cpu_pct": 1.0, "ram_used_mib": 2.0})
    put(store, 0.0, 1.0)
    put(store, 0.5, 1.0)

    keys = store.keys()
    assert [key.quantity for key in keys] == ["cpu_pct", "ram_used_mib", "memory_used_mib"]
    assert store.counts() == {"host": 1, "gpu": 2}


def test_memory_is_bounded_and_the_newest_stay() -> None:
    store = SampleStore(capacity_s=100, hz=2)
    for step in range(5000):
        put(store, step * 0.5, step)

    times, found = store.window(USED, *EVER)

    assert 200 <= len(times) <= 226
    assert found[-1] == 4999
    assert list(found) == list(range(5000 - len(found), 5000))
    assert store.stats(USED).count == 5000


samples = st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), max_size=60)


@given(samples, st.integers(0, 70), st.integers(0, 70))
def test_statistics_agree_with_a_plain_count_whenever_they_were_asked_before(
    numbers: list[float | None], since: int, asked_at: int
) -> None:
    store = SampleStore(hz=1)
    for t, number in enumerate(numbers):
        if t == asked_at:
            store.stats(USED, since=float(since))
        put(store, float(t), number)
    counted = [number for t, number in enumerate(numbers) if number is not None and t >= since]

    stats = store.stats(USED, since=float(since))

    assert stats.count == len(counted)
    assert stats.minimum == (min(counted) if counted else None)
    assert stats.maximum == (max(counted) if counted else None)
    assert stats.average == (pytest.approx(sum(counted) / len(counted), abs=1e-6) if counted else None)
    assert stats.current == (numbers[-1] if numbers else None)


def test_many_writers_and_readers_at_once() -> None:
    store = SampleStore(capacity_s=100, hz=10)
    faults: list[str] = []

    def write(device: int) -> None:
        for step in range(3000):
            store.append("gpu", device, step * 0.1, {"memory_used_mib": step, "power_w": -step})

    def read() -> None:
        while any(writer.is_alive() for writer in writers):
            keys = store.keys()
            for key in keys:
                times, found = store.window(key, *EVER)
                if len(times) != len(found) or list(times) != sorted(times):
                    faults.append(f"{key} is torn")
                store.stats(key, since=10.0)

    writers = [threading.Thread(target=write, args=(device,)) for device in range(4)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in [*writers, *readers]:
        thread.start()
    for thread in [*writers, *readers]:
        thread.join()

    assert faults == []
    assert store.counts() == {"gpu": 12000}
    keys = store.keys()
    assert {store.latest(key)[1] for key in keys} == {2999.0, -2999.0}


@pytest.mark.bench
def test_two_million_samples_leave_the_memory_flat(capsys: pytest.CaptureFixture[str]) -> None:
    process = psutil.Process()
    store = SampleStore()
    quantities = {f"quantity_{number}": 1.0 for number in range(40)}
    store.append("gpu", 0, 0.0, quantities)
    resident: list[float] = []
    started = time.perf_counter()
    for step in range(1, 50_001):
        store.append("gpu", 0, step * 0.5, quantities)
        if step % 5000 == 0:
            resident.append(process.memory_info().rss / 2**20)
    append_us = (time.perf_counter() - started) / 50_000 * 1e6
    costs = []
    keys = store.keys()
    for key in keys:
        started = time.perf_counter()
        store.window(key, 0.0, 25_000.0)
        costs.append(time.perf_counter() - started)
    with capsys.disabled():
        print(
            f"\n2,000,000 samples: {append_us:.0f} us a row of 40, resident {resident[0]:.1f} MiB after 10 %, "
            f"{resident[6]:.1f} MiB when full, {resident[-1]:.1f} MiB at the end; "
            f"a window of 4 h costs {sorted(costs)[20] * 1e6:.0f} us"
        )

    # Full after 32,400 rows; from there on it must not grow.
    assert resident[-1] - resident[6] < 2.0
    assert resident[-1] - resident[0] < 40.0
