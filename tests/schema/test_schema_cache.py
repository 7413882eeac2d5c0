import os
import threading
from pathlib import Path

import pytest

from core.base.errors import Cancelled
from core.base.paths import Paths
from core.schema.probe import SchemaCache
from tests.schema.stub_engine import make_stub, metadata_folder


@pytest.fixture
def python(tmp_path: Path) -> Path:
    return make_stub(tmp_path / "engine")


@pytest.fixture
def cache(tmp_path: Path) -> SchemaCache:
    return SchemaCache(Paths.below(tmp_path / "home"))


def stored(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "home" / "cache" / "schemas").glob("*.json"))


def test_asked_once_then_known(cache: SchemaCache, python: Path, tmp_path: Path) -> None:
    assert cache.cached(python) is None
    first = cache.get(python)
    assert cache.cached(python) == first
    (python.parent / "python").unlink()
    assert cache.get(python) == first
    assert SchemaCache(Paths.below(tmp_path / "home")).cached(python) == first
    assert [path.stat().st_mode & 0o777 for path in stored(tmp_path)] == [0o600]


def test_an_updated_engine_is_asked_again(cache: SchemaCache, python: Path, tmp_path: Path) -> None:
    cache.get(python)
    os.utime(metadata_folder(python), ns=(1, 1))
    assert cache.cached(python) is None
    cache.get(python)
    assert len(stored(tmp_path)) == 1


def test_another_version_is_asked_again(cache: SchemaCache, python: Path) -> None:
    cache.get(python)
    folder = metadata_folder(python)
    folder.rename(folder.with_name("vllm-1.2.4.dist-info"))
    assert cache.cached(python) is None


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b'{"format": 99}', b'{"format": 1}', b'{"arguments": 5}'])
def test_a_damaged_answer_is_asked_for_again(cache: SchemaCache, python: Path, tmp_path: Path, damage: bytes) -> None:
    schema = cache.get(python)
    stored(tmp_path)[0].write_bytes(damage)
    assert cache.cached(python) is None
    assert cache.get(python) == schema


def test_refresh_asks_in_any_case(cache: SchemaCache, python: Path) -> None:
    cache.get(python)
    arguments = next(python.parent.parent.glob("lib/python3*/site-packages/vllm/stub_arguments.py"))
    arguments.write_text(arguments.read_text().replace("--future", "--past"))
    assert "past" not in cache.get(python).by_name()
    assert "past" in cache.get(python, refresh=True).by_name()


def test_two_that_ask_at_once_start_one_probe(cache: SchemaCache, tmp_path: Path, python: Path) -> None:
    counting = tmp_path / "counting" / "bin" / "python"
    counting.parent.mkdir(parents=True)
    counting.write_text(f'#!/bin/sh\necho x >> {tmp_path}/starts\nexec {python} "$@"\n')
    counting.chmod(0o755)
    threads = [threading.Thread(target=cache.get, args=(counting,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "starts").read_text() == "x\n"


def test_waiting_for_another_probe_can_be_called_off(cache: SchemaCache, tmp_path: Path) -> None:
    slow = tmp_path / "python"
    slow.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nsleep 60\n")
    slow.chmod(0o755)
    cancel = threading.Event()
    outcome: list[BaseException] = []

    def ask() -> None:
        try:
            cache.get(slow, cancel=cancel)
        except Cancelled as error:
            outcome.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    while not (tmp_path / "started").exists():
        threads[0].join(0.01)
    cancel.set()
    for thread in threads:
        thread.join()
    assert len(outcome) == 2
