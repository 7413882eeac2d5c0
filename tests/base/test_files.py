"""Files are whole or absent, and their owner's alone."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.base.files import write_atomic

ROOT = Path(__file__).resolve().parent.parent.parent


def test_folders_are_made_and_the_content_is_there(tmp_path):
    path = tmp_path / "a" / "b" / "file.json"
    write_atomic(path, b"content")
    assert path.read_bytes() == b"content"
    assert _names(path.parent) == ["file.json"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_the_mode_is_as_asked_whatever_the_umask(tmp_path, mode):
    before = os.umask(0o077)
    try:
        write_atomic(tmp_path / "file", b"x", mode)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode


def test_by_default_nobody_else_can_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o666)
    write_atomic(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_reader_that_has_the_old_file_keeps_it(tmp_path):
    path = tmp_path / "file"
    write_atomic(path, b"old")
    with path.open("rb") as reader:
        write_atomic(path, b"new")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new"


def test_a_failure_leaves_the_old_file_and_no_litter(tmp_path):
    path = tmp_path / "target"
    path.mkdir()
    (path / "inside").write_text("x")
    with pytest.raises(OSError) as failure:
        write_atomic(path, b"new")
    assert failure.value.errno in (errno.EISDIR, errno.ENOTEMPTY, errno.EEXIST)
    assert _names(tmp_path) == ["target"]
    assert (path / "inside").read_text() == "x"


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    write_atomic(path, b"old")
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from core.base.files import write_atomic\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    write_atomic(Path(sys.argv[1]), bytes(100_000))\n"
        "except OSError:\n"
        "    sys.exit(7)\n"
    )
    answer = subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, check=False)
    assert answer.returncode == 7
    assert path.read_bytes() == b"old"
    assert _names(tmp_path) == ["file"]


def test_readers_never_see_half_a_file(tmp_path):
    path = tmp_path / "file"
    contents = [bytes([number]) * 50_000 for number in range(4)]
    write_atomic(path, contents[0])
    done = threading.Event()

    def write():
        for _ in range(20):
            for content in contents:
                write_atomic(path, content)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(path.read_bytes())
    writer.join()
    assert seen <= set(contents)


def test_a_writer_killed_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "file"
    contents = [bytes([number]) * 200_000 for number in range(2)]
    write_atomic(path, contents[0])
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from core.base.files import write_atomic\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for number in range(2):\n"
        "        write_atomic(Path(sys.argv[1]), bytes([number]) * 200_000)\n"
    )
    for delay_s in (0.01, 0.05, 0.08):
        with subprocess.Popen([sys.executable, "-c", program, str(path)], cwd=ROOT, stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            time.sleep(delay_s)
            writer.send_signal(signal.SIGKILL)
        assert path.read_bytes() in contents


def _names(folder):
    return [entry.name for entry in folder.iterdir()]
