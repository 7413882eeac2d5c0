import json
import math
import time
from pathlib import Path

import pytest

from core.base.clock import now
from core.telemetry.replay import ReplaySource
from core.telemetry.sampler import Sampler
from core.telemetry.source import SourceUnavailable
from core.telemetry.store import ChannelKey, SampleStore

DATA = Path(__file__).parent.parent / "data" / "telemetry"
LOAD = DATA / "h200_load.jsonl"
ENGINE_LIFE = DATA / "h200_vllm0.26.jsonl"


def played(path: Path, speed: float = math.inf) -> tuple[SampleStore, ReplaySource]:
    store, source = SampleStore(), ReplaySource(path, speed)
    source.open()
    for row in source.read_fast():
        store.append(source.name, row.device, row.t, row.values, row.period_s)
    return store, source


def test_a_whole_recording_at_once_ends_now() -> None:
    store, source = played(ENGINE_LIFE)
    used = ChannelKey("gpu", 0, "memory_used_mib")
    times, values = store.window(used, -math.inf, math.inf)

    assert len(times) == 422
    assert times[-1] == pytest.approx(now(), abs=1)
    assert times[-1] - times[0] == pytest.approx(114.4, abs=0.1)
    assert not any(math.isnan(value) for value in values)
    assert max(values) == pytest.approx(28049276928 / 2**20)
    assert store.stats(ChannelKey("gpu", 0, "fan_pct")).count == 0
    assert store.stats(ChannelKey("gpu", 0, "power_w")).maximum > 480
    assert source.notice() == "Recorded data; the recording has ended."


def test_the_engines_part_and_that_of_others() -> None:
    store, _ = played(LOAD)

    def most(quantity: str) -> float | None:
        return store.stats(ChannelKey("gpu", 0, quantity)).maximum

    # One process took 16 GiB, the other 4 GiB; each driver context adds about 1 GiB.
    assert 16 * 1024 < most("memory_engine_mib") < 17.5 * 1024
    assert 4 * 1024 < most("memory_others_mib") < 5.5 * 1024
    assert most("throttled") == 1
    assert most("pcie_rx_mib_s") > 1


def test_phases_become_marks() -> None:
    _, source = played(ENGINE_LIFE)

    marks = source.marks()

    assert [(mark.label, mark.kind) for mark in marks] == [
        ("idle", "other"),
        ("llama8b_24g start", "start"),
        ("llama8b_24g bench", "ready"),
        ("llama8b_24g stop", "stop"),
    ]
    assert marks[2].t - marks[1].t == pytest.approx(84.5, abs=0.2)


def test_the_recorded_card_and_what_it_lacks() -> None:
    source = ReplaySource(LOAD, math.inf)
    assert source.devices() == []
    source.open()

    (device,) = source.devices()

    assert (device.index, device.name, device.memory_total_mib) == (0, "Recorded GPU", 143771)
    assert device.problems == {"fan_pct": "not recorded"}


def test_it_plays_at_its_speed_through_the_sampler(tmp_path: Path) -> None:
    recording = tmp_path / "short.jsonl"
    recording.write_text("".join(json.dumps({"t": 100 + step * 0.5, "temp": step}) + "\n" for step in range(21)))
    store = SampleStore()
    source = ReplaySource(recording, speed=10)
    sampler = Sampler(store, [source], hz=10)
    key = ChannelKey("gpu", 0, "temperature_c")
    sampler.start()
    time.sleep(0.5)
    assert 1 < store.stats(key).count < 20
    assert [(status.running, status.message) for status in sampler.status()[:1]] == [(True, "Recorded data.")]
    time.sleep(1.0)
    sampler.stop()

    times, values = store.window(key, -math.inf, math.inf)
    assert list(values[:21]) == list(range(21))
    assert times[20] - times[0] == pytest.approx(1.0, abs=1e-6)


def test_words_in_place_of_numbers_are_missing(tmp_path: Path) -> None:
    recording = tmp_path / "odd.jsonl"
    recording.write_text('{"t": 1, "temp": "Not Supported", "gpu": true, "procs": [[1, null]], "mem_used": 1048576}\n')
    store, _ = played(recording)

    latest = {key.quantity: store.latest(key)[1] for key in list(store.keys())}

    assert latest.pop("memory_used_mib") == 1
    assert all(math.isnan(value) for value in latest.values())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("not json\n", "is not a recording"),
        ('{"temp": 3}\n', "is not a recording"),
        ('{"t": 1, "procs": 7}\n', "is not a recording"),
        (None, "cannot be opened"),
    ],
)
def test_files_that_are_no_recording(tmp_path: Path, content: str | None, words: str) -> None:
    path = tmp_path / "some.jsonl"
    if content is not None:
        path.write_text(content)

    with pytest.raises(SourceUnavailable, match=words):
        ReplaySource(path).open()


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.truncate(2**31)

    with pytest.raises(SourceUnavailable, match="larger than 64 MiB"):
        ReplaySource(path).open()


@pytest.mark.parametrize("speed", [0, -1])
def test_a_speed_that_is_none(speed: float) -> None:
    with pytest.raises(ValueError, match="speed"):
        ReplaySource(LOAD, speed)
