"""A tool run to its end: its output, its code, and that nothing of it outlives a cancellation."""

import fcntl
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from core.base.child import run_child
from core.base.errors import Cancelled
from core.base.locks import LockBusy, file_lock
from core.base.processes import ProcessRef


def run(code: str, cwd: Path, **options: object) -> tuple[int, str]:
    said = bytearray()
    result = run_child(
        [sys.executable, "-c", code],
        cwd=cwd,
        environment=os.environ,
        on_output=said.extend,
        cancel=threading.Event(),
        **options,
    )
    return result, said.decode()


def wait_for(condition: Callable[[], bool], limit_s: float = 10.0) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.02)


def test_output_of_both_streams_and_the_exit_code(tmp_path: Path) -> None:
    code, said = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)", tmp_path)
    assert code == 7
    assert sorted(said.split()) == ["err", "out"]


def test_standard_output_can_be_left_out(tmp_path: Path) -> None:
    _, said = run("import sys; print('out'); print('err', file=sys.stderr)", tmp_path, with_stdout=False)
    assert said.strip() == "err"


def test_the_tool_sees_a_terminal_of_the_given_width_and_no_input(tmp_path: Path) -> None:
    code = "import os, sys; print(os.get_terminal_size(2).columns, sys.stderr.isatty(), repr(sys.stdin.read()))"
    assert run(code, tmp_path, columns=321)[1].split() == ["321", "True", "''"]


def test_a_signal_shows_as_a_negative_code(tmp_path: Path) -> None:
    assert run("import os; os.kill(os.getpid(), 15)", tmp_path)[0] == -signal.SIGTERM


def test_large_output_is_not_lost(tmp_path: Path) -> None:
    assert len(run("print('x' * 3_000_000)", tmp_path)[1].strip()) == 3_000_000


def test_a_tool_that_is_not_there(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(FileNotFoundError):
        run_child(
            [str(tmp_path / "none")],
            cwd=tmp_path,
            environment={},
            on_output=lambda _: None,
            cancel=threading.Event(),
        )
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_silence_is_told_so_that_the_clock_goes_on(tmp_path: Path) -> None:
    pieces: list[bytes] = []
    run_child(
        [sys.executable, "-c", "import time; time.sleep(0.5)"],
        cwd=tmp_path,
        environment=os.environ,
        on_output=pieces.append,
        cancel=threading.Event(),
    )
    assert pieces.count(b"") >= 2


def test_cancelling_ends_the_tool_and_its_children_even_when_they_ignore_it(tmp_path: Path) -> None:
    code = (
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal, time;'\n"
        "    'signal.signal(signal.SIGTERM, signal.SIG_IGN); print(\"up\", flush=True); time.sleep(60)'])\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    said, cancel = bytearray(), threading.Event()
    found: list[ProcessRef] = []

    def take(data: bytes) -> None:
        said.extend(data)
        if b"up" in said and len(said.split()) == 3 and not cancel.is_set():
            numbers = [int(word) for word in said.split() if word.isdigit()]
            found.extend(reference for number in numbers if (reference := ProcessRef.of(number)))
            cancel.set()

    with pytest.raises(Cancelled):
        run_child([sys.executable, "-c", code], cwd=tmp_path, environment=os.environ, on_output=take, cancel=cancel)
    assert len(found) == 2
    wait_for(lambda: not any(reference.alive() for reference in found))


def test_a_grandchild_that_keeps_the_terminal_does_not_keep_us(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\n"
    )
    began = time.monotonic()
    _, said = run(code, tmp_path)
    assert time.monotonic() - began < 20
    wait_for(lambda: not psutil.pid_exists(int(said)))


def test_a_listener_that_fails_ends_the_tool(tmp_path: Path) -> None:
    numbers: list[int] = []

    def take(data: bytes) -> None:
        if data.strip():
            numbers.append(int(data))
            raise RuntimeError("listener")

    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with pytest.raises(RuntimeError, match="listener"):
        run_child(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            environment=os.environ,
            on_output=take,
            cancel=threading.Event(),
        )
    assert not psutil.pid_exists(numbers[0])


class TestLocks:
    """Locks that end with their holder."""

    def test_one_at_a_time_within_one_process_too(self, tmp_path: Path) -> None:
        with (
            file_lock(tmp_path / "a" / "lock"),
            pytest.raises(LockBusy),
            file_lock(tmp_path / "a" / "lock", wait=False),
        ):
            pass
        with file_lock(tmp_path / "a" / "lock", wait=False):
            pass

    def test_waiting_ends_when_the_lock_is_free(self, tmp_path: Path) -> None:
        order: list[str] = []

        def second(cancel: threading.Event | None) -> None:
            with file_lock(tmp_path / "lock", cancel=cancel):
                order.append("second")

        threads = [threading.Thread(target=second, args=(cancel,)) for cancel in (None, threading.Event())]
        with file_lock(tmp_path / "lock"):
            for thread in threads:
                thread.start()
            time.sleep(0.2)
            order.append("first")
        for thread in threads:
            thread.join(10)
        assert order == ["first", "second", "second"]

    def test_waiting_can_be_called_off(self, tmp_path: Path) -> None:
        cancel = threading.Event()
        threading.Timer(0.1, cancel.set).start()
        with file_lock(tmp_path / "lock"), pytest.raises(Cancelled), file_lock(tmp_path / "lock", cancel=cancel):
            pass

    def test_a_child_that_inherits_it_keeps_it(self, tmp_path: Path) -> None:
        seen: list[bool] = []

        def busy() -> bool:
            handle = os.open(tmp_path / "lock", os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            finally:
                os.close(handle)
            return False

        with file_lock(tmp_path / "lock") as handle:
            inherited = os.dup(handle)
        try:
            code = "import time; print('up', flush=True); time.sleep(0.6)"
            holder = threading.Thread(target=run, args=(code, tmp_path), kwargs={"keep_open": (inherited,)})
            holder.start()
            time.sleep(0.3)
        finally:
            os.close(inherited)
        seen.append(busy())
        holder.join()
        seen.append(busy())
        assert seen == [True, False]
