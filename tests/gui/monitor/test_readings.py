"""What the crosshair reads, and from when to when there is data."""

import pytest

from core.telemetry.store import ChannelKey, SampleStore
from gui.monitor.readings import Extent, value_at

KEY = ChannelKey("host", None, "cpu_pct")


@pytest.fixture
def store() -> SampleStore:
    """Samples at 100.0 to 104.5 (values 0 to 9), silence, then one at 200; one missing at 102.0."""
    made = SampleStore()
    for index in range(10):
        made.append("host", None, 100 + index / 2, {"cpu_pct": None if index == 4 else float(index)}, 0.5)
    made.append("host", None, 200.0, {"cpu_pct": 50.0}, 0.5)
    made.append("host", None, 200.5, {"cpu_pct": 51.0}, 0.5)
    return made


@pytest.mark.parametrize(
    ("t", "value"),
    [
        (100.0, 0.0),
        (100.8, 2.0),
        (101.5, 3.0),
        (102.0, None),
        (102.1, None),
        (104.6, 9.0),
        (110.0, None),
        (150.0, None),
        (190.0, None),
        (200.4, 51.0),
        (201.0, 51.0),
        (203.0, None),
        (90.0, None),
    ],
)
def test_the_nearest_sample_is_read_where_a_curve_is_drawn(store: SampleStore, t: float, value: float | None) -> None:
    assert value_at(store, KEY, t) == value


def test_a_limit_may_hold_longer(store: SampleStore) -> None:
    assert value_at(store, KEY, 208.0, beyond_s=12) == 51.0


def test_slow_samples_are_read_between_each_other() -> None:
    store = SampleStore()
    store.append("gpu", 0, 100, {"power_limit_w": 450.0}, 5)
    store.append("gpu", 0, 105, {"power_limit_w": 300.0}, 5)
    assert value_at(store, ChannelKey("gpu", 0, "power_limit_w"), 102) == 450


def test_an_unknown_curve_reads_nothing() -> None:
    assert value_at(SampleStore(), KEY, 1.0) is None


def test_the_extent_spans_all_curves(store: SampleStore) -> None:
    extent = Extent(store)
    assert extent.read() == (100.0, 200.5)
    store.append("gpu", 0, 300.0, {"power_w": 1.0})
    assert extent.read() == (100.0, 300.0)


def test_an_empty_store_has_no_extent(store: SampleStore) -> None:
    extent = Extent(store)
    extent.read()
    store.clear()
    assert extent.read() is None
    store.append("host", None, 400.0, {"cpu_pct": 1.0})
    assert extent.read() == (400.0, 400.0)


def test_the_extent_follows_a_store_that_drops_its_oldest_samples() -> None:
    store = SampleStore(capacity_s=100, hz=1)
    extent = Extent(store)
    for index in range(400):
        store.append("host", None, float(index), {"cpu_pct": 1.0})
        extent.read()
    first, newest = extent.read()
    assert newest == 399
    assert first > 250
