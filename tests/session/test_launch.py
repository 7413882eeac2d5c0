"""Command and environment of the engine, and the words on a command line that become a plan."""

from pathlib import Path

import pytest

from core.base.errors import DynoError
from core.base.paths import Paths
from core.engine.launch import Endpoint, choose_endpoint, drain_time_s, key_file, launch_command, stored_key
from core.engine.raw_plan import raw_plan
from tests.session.helpers import make_plan, private

PYTHON = Path("/engines/one/bin/python")


def endpoint(**fields: object) -> Endpoint:
    return Endpoint(**{"host": "127.0.0.1", "port": 8001, "api_key": None, "tls": False, **fields})


def launch(*flags: str, model: str = "org/name", base: dict[str, str] | None = None, **fields: object):
    variables = fields.pop("variables", None)
    return launch_command(
        PYTHON,
        make_plan(model, *flags, variables=variables),
        endpoint(**fields),
        python_version="3.12.1",
        base=base if base is not None else {},
    )


def test_the_address_is_always_on_the_command_line() -> None:
    argv, _ = launch("--seed", "1")
    assert argv[:2] == [str(PYTHON), "-P"] and Path(argv[2]).name == "serve_vllm.py" and Path(argv[2]).is_file()
    assert argv[3:] == ["org/name", "--seed", "1", "--host", "127.0.0.1", "--port", "8001"]


@pytest.mark.parametrize(
    ("version", "flag"), [("3.9.18", "-I"), ("3.10", "-I"), ("3.11.7", "-P"), ("3.14", "-P"), ("", "-P")]
)
def test_our_folders_stay_off_the_path_of_every_interpreter(version: str, flag: str) -> None:
    argv, _ = launch_command(PYTHON, make_plan("org/name"), endpoint(), python_version=version, base={})
    assert argv[1] == flag


def test_nothing_of_our_own_interpreter_gets_through() -> None:
    ours = {
        "PYTHONPATH": "/ours", "PYTHONHOME": "/ours", "VIRTUAL_ENV": "/ours/.venv", "VLLM_DYNO_HOME": "/ours",
        "QT_QPA_PLATFORM": "offscreen", "UV_PYTHON": "x", "CONDA_PREFIX": "/c", "COVERAGE_PROCESS_CONFIG": "x",
        "DYNO_ENGINE_ID": "other", "PATH": "/ours/.venv/bin:/usr/bin",
    }  # fmt: skip
    theirs = {"CUDA_VISIBLE_DEVICES": "1", "LD_LIBRARY_PATH": "/cuda", "VLLM_LOGGING_LEVEL": "DEBUG", "HOME": "/h"}
    _, environment = launch(base={**ours, **theirs})
    assert environment.keys() & ours.keys() == {"PATH"}
    assert theirs.items() <= environment.items()
    assert environment["PATH"] == "/engines/one/bin:/usr/bin"


def test_usage_reports_are_off_unless_the_person_says_otherwise() -> None:
    _, environment = launch()
    assert environment["VLLM_NO_USAGE_STATS"] == environment["DO_NOT_TRACK"] == "1"
    _, environment = launch(base={"DO_NOT_TRACK": "0"}, variables={"VLLM_NO_USAGE_STATS": "0"})
    assert environment["VLLM_NO_USAGE_STATS"] == environment["DO_NOT_TRACK"] == "0"


@pytest.mark.parametrize(
    ("flags", "offline"),
    [
        ((), True),
        (("--served-model-name", "mine"), True),
        (("--tokenizer", "org/tokenizer"), False),
        (("--speculative-config", '{"model":"org/draft","num_speculative_tokens":3}'), False),
        (("--lora-modules", "name=org/adapter"), False),
        (("--chat-template", "/etc/hostname"), True),
    ],
)
def test_a_local_model_is_started_without_asking_the_hub(tmp_path: Path, flags: tuple[str, ...], offline: bool) -> None:
    _, environment = launch(*flags, model=str(tmp_path))
    assert ("HF_HUB_OFFLINE" in environment) is offline


def test_a_model_of_the_hub_may_ask_it_and_the_person_decides(tmp_path: Path) -> None:
    assert "HF_HUB_OFFLINE" not in launch()[1]
    assert launch(model=str(tmp_path), base={"HF_HUB_OFFLINE": "0"})[1]["HF_HUB_OFFLINE"] == "0"


def test_the_key_travels_in_the_environment_alone() -> None:
    argv, environment = launch(api_key="very-secret")
    assert environment["VLLM_API_KEY"] == "very-secret" and "very-secret" not in " ".join(argv)
    assert "very-secret" not in repr(endpoint(api_key="very-secret"))


def endpoint_for(paths: Paths, *flags: str, host: str | None = None) -> Endpoint:
    chosen, claim = choose_endpoint(paths, make_plan("org/name", *flags, host=host))
    claim.release()
    return chosen


@pytest.mark.parametrize("host", [None, "127.0.0.1", "localhost", "::1", "[::1]", "127.9.9.9"])
def test_loopback_needs_no_key(paths: Paths, host: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VLLM_API_KEY", raising=False)
    chosen = endpoint_for(paths, host=host)
    assert chosen.api_key is None and chosen.port >= 8000 and not key_file(paths).exists()


def test_a_key_in_our_own_environment_counts(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "from-outside")
    assert endpoint_for(paths, host="0.0.0.0").api_key == "from-outside"


def test_a_socket_file_cannot_be_watched(paths: Paths) -> None:
    with pytest.raises(DynoError, match="--uds"):
        choose_endpoint(paths, make_plan("org/name", "--uds", "/tmp/x.sock"))


def test_a_certificate_means_tls(paths: Paths) -> None:
    assert endpoint_for(paths, "--ssl-certfile=/c.pem").tls
    assert not endpoint_for(paths).tls


@pytest.mark.parametrize(
    ("flags", "drain_s"),
    [
        ((), 0),
        (("--shutdown-timeout", "30"), 30),
        (("--seed", "1", "--shutdown_timeout=7"), 7),
        (("--shutdown-timeout",), 0),
        (("--shutdown-timeout", "soon"), 0),
    ],
)
def test_how_long_requests_may_finish(flags: tuple[str, ...], drain_s: float) -> None:
    assert drain_time_s(make_plan("org/name", *flags)) == drain_s


def test_a_damaged_key_is_made_anew(paths: Paths) -> None:
    key = stored_key(paths)
    assert stored_key(paths) == key and private(key_file(paths))
    key_file(paths).write_bytes(b"\xff\x00 short")
    again = stored_key(paths)
    assert again != key and len(again) > 30 and stored_key(paths) == again


def test_a_key_that_cannot_be_kept(paths: Paths) -> None:
    paths.config.parent.mkdir(parents=True)
    paths.config.write_text("a file where the folder should be")
    with pytest.raises(DynoError, match="could not be stored"):
        stored_key(paths)


def test_a_raw_plan_sorts_out_what_the_launch_must_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    plan = raw_plan(
        ["model", "--host=0.0.0.0", "--port", "9000", "--api-key", "s3cret", "--hf_token=tok", "--max-model-len", "-1",
         "--served-model-name", "a", "b", "-O3", "--override-generation-config", '{"x": 1}',
         "--chat-template", "./t.jinja", "--enable-prefix-caching", "--x=-1"]
    )  # fmt: skip
    assert plan.model == str(tmp_path / "model") and plan.served_name == "a"
    assert (plan.host, plan.port) == ("0.0.0.0", 9000)
    assert plan.environment == {"VLLM_API_KEY": "s3cret", "HF_TOKEN": "tok"}
    assert plan.argv == (
        str(tmp_path / "model"), "--max-model-len", "-1", "--served-model-name", "a", "b", "-O3",
        "--override-generation-config", '{"x": 1}', "--chat-template", str(tmp_path / "t.jinja"),
        "--enable-prefix-caching", "--x=-1",
    )  # fmt: skip
    assert "s3cret" not in repr(plan) and "s3cret" not in " ".join(plan.argv)


def test_the_model_may_come_as_a_flag_or_in_a_file() -> None:
    plan = raw_plan(["--model", "org/name", "--seed", "1"])
    assert plan.model == plan.served_name == "org/name" and plan.argv == ("--model", "org/name", "--seed", "1")
    assert raw_plan(["--config", "/x.yaml"]).model == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "No model"),
        (["--seed", "1"], "No model"),
        (["m", "--port", "abc"], "abc is not a port"),
        (["/does/not/exist"], "There is no /does/not/exist"),
        (["--model", "/does/not/exist"], "There is no /does/not/exist"),
        (["m", "--api-key"], "--api-key takes exactly one"),
        (["m", "--api-ke", "a", "b"], "--api-key takes exactly one"),
        (["m", "--host="], "The value of --host is empty"),
        (["m", "--port", "9" * 5000], "is not a port"),
    ],
)
def test_words_that_make_no_plan(words: list[str], message: str) -> None:
    with pytest.raises(DynoError, match=message):
        raw_plan(words)


def test_a_token_flag_that_stands_alone_passes_through() -> None:
    assert raw_plan(["m", "--hf-token"]).argv == ("m", "--hf-token")
