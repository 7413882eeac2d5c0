"""One clock for samples, stages and marks."""

import time

from core.base import clock


def test_it_never_goes_back():
    moments = [clock.now() for _ in range(1000)]
    assert moments == sorted(moments)


def test_a_moment_has_a_time_of_day():
    assert abs(clock.to_wall(clock.now()) - time.time()) < 5


def test_differences_are_kept():
    moment_s = clock.now()
    assert abs(clock.to_wall(moment_s + 10) - clock.to_wall(moment_s) - 10) < 1e-6


def test_it_does_not_follow_a_wall_clock_that_jumps(monkeypatch):
    before = clock.to_wall(100.0)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert clock.to_wall(100.0) == before
