"""A process reference means one process for its whole life."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

from core.base.processes import ProcessRef


@pytest.fixture
def child():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def wait_until(condition, limit_s=10.0):
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def test_our_own_process_is_alive():
    own = ProcessRef.of(os.getpid())
    assert own.pid == os.getpid()
    assert own.alive()
    assert own.started_s <= time.time()


def test_the_same_process_gives_the_same_reference(child):
    assert ProcessRef.of(child.pid) == ProcessRef.of(child.pid)


def test_a_number_that_nobody_has_is_no_process(child):
    child.kill()
    child.wait()
    assert ProcessRef.of(child.pid) is None


def test_a_zombie_is_not_alive(child):
    reference = ProcessRef.of(child.pid)
    os.kill(child.pid, signal.SIGKILL)
    wait_until(lambda: psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE)
    assert not reference.alive()
    assert not reference.send(signal.SIGTERM)


def test_a_process_that_is_gone_is_not_alive(child):
    reference = ProcessRef.of(child.pid)
    child.kill()
    child.wait()
    assert not reference.alive()
    assert not reference.send(signal.SIGTERM)


def test_a_signal_arrives(child):
    reference = ProcessRef.of(child.pid)
    assert reference.send(signal.SIGTERM)
    assert child.wait(10) == -signal.SIGTERM


def test_a_number_given_out_again_is_a_stranger(child):
    stranger = replace(ProcessRef.of(child.pid), started_s=ProcessRef.of(child.pid).started_s - 1)
    assert not stranger.alive()
    assert not stranger.send(signal.SIGKILL)
    assert child.poll() is None


def test_signal_zero_only_asks(child):
    assert ProcessRef.of(child.pid).send(0)
    assert child.poll() is None
