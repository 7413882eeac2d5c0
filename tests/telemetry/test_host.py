import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from core.telemetry.cpu_temperature import CpuTemperature
from core.telemetry.host import HostSource

MIB = 2**20
# Two processes that share 64 MiB and have 32 MiB each for themselves, and one of which keeps a core busy.
ENGINE = """
import mmap, os, sys, time
shared = mmap.mmap(-1, 64 * 2**20)
shared.write(b"x" * (64 * 2**20))
child = os.fork()
if child == 0:
    total = sum(shared[i] for i in range(0, 64 * 2**20, 4096))
own = bytearray(os.urandom(2**20) * 32)
print(os.getpid(), flush=True)
end = time.monotonic() + 20
while time.monotonic() < end:
    if child == 0:
        time.sleep(0.1)
"""


@pytest.fixture
def engine() -> Iterator[list[int]]:
    with subprocess.Popen([sys.executable, "-c", ENGINE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pids = [int(process.stdout.readline()) for _ in range(2)]
        yield pids
        for pid in pids:
            os.kill(pid, 9)


def read(source: HostSource) -> dict[str, float | None]:
    (row,) = source.read_fast()
    assert row.device is None
    return dict(row.values)


@pytest.fixture
def source() -> Iterator[HostSource]:
    source = HostSource()
    source.open()
    yield source
    source.close()


def test_the_machines_own_figures(source: HostSource) -> None:
    time.sleep(0.1)
    values = read(source)

    assert 0 <= values["cpu_pct"] <= 100
    assert values["ram_total_mib"] == pytest.approx(psutil.virtual_memory().total / MIB)
    assert 0 < values["ram_used_mib"] < values["ram_total_mib"]
    assert (values["cpu_engine_pct"], values["ram_engine_mib"]) == (0, 0)


def test_the_engines_share_counts_shared_memory_once(source: HostSource, engine: list[int]) -> None:
    source.watch(lambda: engine)
    first = read(source)
    time.sleep(0.5)
    second = read(source)

    exact_mib = sum(psutil.Process(pid).memory_full_info().pss for pid in engine) / MIB
    resident_mib = sum(psutil.Process(pid).memory_info().rss for pid in engine) / MIB
    assert first["cpu_engine_pct"] == 0
    # One busy process: at most one of the machine's cores, and a good part of one even on a loaded machine.
    assert 100 * 0.15 / psutil.cpu_count() < second["cpu_engine_pct"] <= 110 / psutil.cpu_count()
    assert second["ram_engine_mib"] == pytest.approx(exact_mib, rel=0.15)
    assert second["ram_engine_mib"] < resident_mib - 50


def test_processes_that_ended_are_left_out(source: HostSource) -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"]) as gone:
        gone.wait()
    source.watch(lambda: [gone.pid, os.getpid()])
    assert read(source)["ram_engine_mib"] > 5
    source.watch(lambda: [gone.pid])

    values = read(source)

    assert (values["cpu_engine_pct"], values["ram_engine_mib"]) == (None, None)


def chip(root: Path, number: int, name: str, **files: str) -> None:
    folder = root / f"hwmon{number}"
    folder.mkdir()
    (folder / "name").write_text(f"{name}\n")
    for file, text in files.items():
        (folder / file).write_text(f"{text}\n")


@pytest.mark.parametrize(
    ("name", "files", "celsius"),
    [
        ("coretemp", {"temp1_label": "Package id 0", "temp1_input": "71000", "temp2_label": "Core 0"}, 71),
        ("k10temp", {"temp1_label": "Tctl", "temp1_input": "82500", "temp3_label": "Tccd1"}, 82.5),
        ("zenpower", {"temp1_label": "Tctl", "temp1_input": "9", "temp2_label": "Tdie", "temp2_input": "61000"}, 61),
        ("cpu_thermal", {"temp1_input": "48312"}, 48.312),
    ],
)
def test_the_package_sensor_of_each_driver(tmp_path: Path, name: str, files: dict[str, str], celsius: float) -> None:
    chip(tmp_path, 0, "nvme", temp1_input="99000", temp1_label="Composite")
    chip(tmp_path, 1, name, temp9_input="90000", temp9_label="Core 9", **files)
    source = HostSource(CpuTemperature(tmp_path))
    source.open()

    assert read(source)["cpu_temperature_c"] == celsius
    assert source.notice() == ""


def test_the_hotter_of_two_sockets(tmp_path: Path) -> None:
    for number, text in enumerate(("55000", "64000")):
        chip(tmp_path, number, "coretemp", temp1_label=f"Package id {number}", temp1_input=text)
    temperature = CpuTemperature(tmp_path)
    temperature.find()

    assert temperature.read_c() == 64
    (tmp_path / "hwmon1" / "temp1_input").write_text("broken\n")
    assert temperature.read_c() == 55
    (tmp_path / "hwmon0" / "temp1_input").unlink()
    assert temperature.read_c() is None


@pytest.mark.parametrize("folder", ["empty", "absent"])
def test_a_machine_without_sensors_says_so(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    chip(tmp_path / "empty", 0, "nvme", temp1_input="40000")
    source = HostSource(CpuTemperature(tmp_path / folder))
    source.open()

    assert read(source)["cpu_temperature_c"] is None
    assert source.notice() == "No CPU temperature: this machine shows no sensor for it."
