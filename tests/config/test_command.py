"""From what is set to what is run."""

import shlex
import subprocess
import sys
from itertools import pairwise

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.base.errors import DynoError
from core.config.command import LaunchPlan, command_text, plan, unknown_arguments
from core.schema.model import Argument, ArgumentSchema, DefaultState, Kind
from tests.config.test_json_values import JSON_VALUES

MODEL = "Qwen/Qwen3-0.6B"
SECRET = "sk-very-secret-indeed"


@pytest.fixture
def make(schema, overlay):
    return lambda values, environment=None: plan(schema, overlay, values, environment or {})


@pytest.fixture
def show(schema, overlay):
    def text(values, environment=None, **options):
        return command_text(schema, overlay, values, environment or {}, **options)

    return text


# The plan


def test_a_model_alone_adds_nothing(make):
    made = make({"model_tag": MODEL})
    assert made == LaunchPlan((MODEL,), {}, None, None, MODEL, MODEL)


def test_the_model_comes_first_then_the_flags_in_the_schemas_order(make, schema):
    values = {
        "seed": 7,
        "enforce_eager": True,
        "max_model_len": 8192,
        "model_tag": MODEL,
        "fail_on_environ_validation": False,
    }
    made = make(values)
    order = [argument.flag for argument in schema.arguments]
    flags = [token for token in made.argv if token.startswith("--")]
    assert made.argv[0] == MODEL
    assert flags == sorted(flags, key=lambda flag: order.index(flag.replace("--no-", "--")))
    assert set(flags) == {"--seed", "--enforce-eager", "--max-model-len", "--no-fail-on-environ-validation"}
    # The order of setting does not matter.
    assert make(dict(reversed(values.items()))).argv == made.argv


def test_a_set_model_stands_in_for_the_positional(make):
    made = make({"model": MODEL, "seed": 1})
    assert made.argv == (MODEL, "--seed", "1")
    assert made.model == MODEL


def test_the_positional_wins_over_the_flag_as_in_the_engine(make):
    made = make({"model": "org/other", "model_tag": MODEL})
    assert made.argv == (MODEL,)


@pytest.mark.parametrize("values", [{}, {"seed": 1}, {"model_tag": " "}, {"model_tag": " ", "model": ""}])
def test_no_model_is_an_error_with_a_hint(make, values):
    with pytest.raises(DynoError, match="No model is chosen") as failure:
        make(values)
    assert "org/name" in failure.value.hint


@pytest.mark.parametrize("name", ["model_tag", "model"])
def test_a_model_that_looks_like_a_flag_is_refused(make, name):
    with pytest.raises(DynoError):
        make({name: "--enforce-eager"})


def test_host_and_port_stay_out_of_the_arguments(make):
    made = make({"model_tag": MODEL, "host": "0.0.0.0", "port": 9000})
    assert made.argv == (MODEL,)
    assert (made.host, made.port) == ("0.0.0.0", 9000)


@pytest.mark.parametrize(
    ("value", "name"),
    [(["first", "second"], "first"), ([MODEL], MODEL)],
)
def test_the_served_name_is_the_first_one(make, value, name):
    made = make({"model_tag": "/models/m", "served_model_name": value})
    assert made.served_name == name
    assert made.argv == ("/models/m", "--served-model-name", *value)


def test_variables_are_passed_on(make):
    made = make({"model_tag": MODEL}, {"VLLM_LOGGING_LEVEL": "DEBUG", "EMPTY": ""})
    assert made.environment == {"VLLM_LOGGING_LEVEL": "DEBUG", "EMPTY": ""}


# Secrets


def test_secrets_travel_in_the_environment_only(make):
    made = make({"model_tag": MODEL, "api_key": [SECRET], "hf_token": "hf_" + SECRET, "seed": 1})
    assert made.argv == (MODEL, "--seed", "1")
    assert made.environment == {"VLLM_API_KEY": SECRET, "HF_TOKEN": "hf_" + SECRET}
    assert SECRET not in repr(made)


def test_a_set_secret_wins_over_a_variable_as_in_the_engine(make):
    made = make({"model_tag": MODEL, "api_key": [SECRET]}, {"VLLM_API_KEY": "other"})
    assert made.environment == {"VLLM_API_KEY": SECRET}


def test_the_stored_token_is_no_secret(make):
    made = make({"model_tag": MODEL, "hf_token": True})
    assert made.argv == (MODEL, "--hf-token")
    assert made.environment == {}


def test_several_keys_have_no_way_but_the_command_line(make):
    with pytest.raises(DynoError, match="--api-key has 2 values, but VLLM_API_KEY carries one") as failure:
        make({"model_tag": MODEL, "api_key": [SECRET, "second"]})
    assert SECRET not in f"{failure.value} {failure.value.detail}"


def test_an_empty_key_is_none(make, show):
    assert make({"model_tag": MODEL, "hf_token": ""}).environment == {}
    assert show({"model_tag": MODEL, "hf_token": ""}) == f"vllm serve {MODEL}"


def test_a_secret_without_a_variable_is_refused_and_masked(overlay):
    schema = ArgumentSchema(arguments=(Argument("vault_password", flags=("--vault-password",), kind=Kind.TEXT),))
    values = {"model": MODEL, "vault_password": SECRET}
    with pytest.raises(DynoError, match="--vault-password is a secret"):
        plan(with_model(schema), overlay, values, {})
    text = command_text(with_model(schema), overlay, values, {})
    assert text == f"VAULT_PASSWORD=*** vllm serve {MODEL}"


# What cannot be


def test_unknown_arguments_stop_the_start_and_are_named(make, schema):
    values = {"model_tag": MODEL, "num_lookahead_slots": 4, "use_v2_block_manager": True}
    assert unknown_arguments(schema, values) == ("num_lookahead_slots", "use_v2_block_manager")
    with pytest.raises(DynoError) as failure:
        make(values)
    assert failure.value.message == (
        f"vLLM {schema.engine_version} has no argument num_lookahead_slots and use_v2_block_manager."
    )
    assert failure.value.hint.startswith("Reset them")
    assert failure.value.detail.splitlines() == ["num_lookahead_slots", "use_v2_block_manager"]


def test_one_unknown_argument_reads_well(make):
    with pytest.raises(DynoError, match=r"has no argument x\.") as failure:
        make({"model_tag": MODEL, "x": 1})
    assert failure.value.hint == "Reset it, or choose an engine of the version that has it."


def test_an_engine_of_unknown_version_reads_well(overlay):
    with pytest.raises(DynoError, match="This engine has no argument seed"):
        plan(ArgumentSchema(), overlay, {"seed": 1}, {})


@pytest.mark.parametrize(
    ("name", "value", "flag"),
    [
        ("max_model_len", "many", "--max-model-len"),
        ("port", "eight", "--port"),
        ("port", True, "--port"),
        ("enforce_eager", 1, "--enforce-eager"),
        ("dtype", "float13", "--dtype"),
        ("model_tag", 3, "model_tag"),
    ],
)
def test_values_that_cannot_be_stop_the_start(make, name, value, flag):
    with pytest.raises(DynoError) as failure:
        make({"model_tag": MODEL, name: value})
    assert failure.value.message.startswith(f"The value of {flag} cannot be used: ")
    assert failure.value.hint == "Change or reset it."


def test_all_wrong_values_are_named_at_once(make):
    with pytest.raises(DynoError) as failure:
        make({"model_tag": MODEL, "port": "x", "seed": "y", "dtype": "z"})
    assert len(failure.value.detail.splitlines()) == 3
    assert failure.value.hint.count("--") == 2


def test_a_set_value_never_vanishes(overlay):
    """A switch without a negative flag cannot be told to be off."""
    schema = with_model(ArgumentSchema(arguments=(Argument("caching", flags=("--caching",), kind=Kind.SWITCH),)))
    with pytest.raises(DynoError, match="--caching set to false cannot be written"):
        plan(schema, overlay, {"model": MODEL, "caching": False}, {})
    assert command_text(schema, overlay, {"caching": False}, {}) == "vllm serve --caching false"


@pytest.mark.parametrize("name", ["", "A B", "A=B", "1A", "Ä", "A\0"])
def test_impossible_variables_are_refused(make, name):
    with pytest.raises(DynoError) as failure:
        make({"model_tag": MODEL}, {name: "1"})
    assert failure.value.message == f"{name or 'An empty text'} cannot name an environment variable."


@pytest.mark.parametrize(
    ("values", "environment"),
    [
        ({"model_tag": MODEL}, {"A": "x\0y"}),
        ({"model": "org/a\0b"}, {}),
        ({"model_tag": MODEL, "api_key": ["a\0"]}, {}),
    ],
)
def test_nul_characters_are_refused(make, values, environment):
    with pytest.raises(DynoError, match="NUL"):
        make(values, environment)


# Paths


def test_local_models_become_absolute(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "org" / "name").mkdir(parents=True)
    for typed, absolute in (
        ("org/name", f"{tmp_path}/org/name"),
        ("./gone", f"{tmp_path}/gone"),
        ("~/m", f"{tmp_path}/home/m"),
        (f"{tmp_path}/x", f"{tmp_path}/x"),
        ("org/other", "org/other"),
    ):
        made = make({"model_tag": typed})
        assert (made.model, made.argv, made.served_name) == (absolute, (absolute,), absolute)


def test_paths_become_absolute_and_other_texts_do_not(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "main").mkdir()
    values = {
        "model_tag": MODEL,
        "download_dir": "cache",
        "ssl_keyfile": "~/key.pem",
        "tokenizer": "../tok",
        "revision": "main",
        "chat_template": "{{ messages }}",
        "served_model_name": ["main", "./x"],
        "speculative_config": {"model": "./draft"},
    }
    argv = make(values).argv
    after = dict(pairwise(argv))
    assert after["--download-dir"] == f"{tmp_path}/cache"
    assert after["--ssl-keyfile"] == f"{tmp_path}/home/key.pem"
    assert after["--tokenizer"] == f"{tmp_path.parent}/tok"
    assert after["--revision"] == "main"
    assert after["--chat-template"] == "{{ messages }}"
    assert argv[argv.index("--served-model-name") + 1 :][:2] == ("main", f"{tmp_path}/x")
    assert after["--speculative-config"] == '{"model":"./draft"}'


# The text


def test_the_text_can_be_pasted(show):
    values = {
        "model_tag": MODEL,
        "max_model_len": 8192,
        "speculative_config": {"method": "ngram", "num": 3},
        "port": 9000,
    }
    text = show(values, {"VLLM_LOGGING_LEVEL": "DEBUG"})
    assert text.startswith(f"VLLM_LOGGING_LEVEL=DEBUG vllm serve {MODEL} ")
    assert "--port 9000" in text
    assert """--speculative-config '{"method":"ngram","num":3}'""" in text


def test_nothing_set_is_the_bare_command(show):
    assert show({}) == "vllm serve"


def test_secrets_are_masked_unless_asked_for(show):
    values = {"model_tag": MODEL, "api_key": [SECRET], "hf_token": SECRET}
    variables = {"AWS_SECRET_ACCESS_KEY": SECRET, "HTTPS_PROXY": f"http://me:{SECRET}@proxy:3128", "A": "1"}
    text = show(values, variables)
    assert SECRET not in text
    assert text.startswith("AWS_SECRET_ACCESS_KEY=*** HTTPS_PROXY=*** A=1 ")
    assert "VLLM_API_KEY=***" in text
    assert "HF_TOKEN=***" in text
    assert text.endswith(f"vllm serve {MODEL}")
    assert show(values, variables, mask=False).count(SECRET) == 4


def test_an_empty_secret_variable_shows_that_it_is_empty(show):
    assert show({}, {"VLLM_API_KEY": ""}).startswith("VLLM_API_KEY='' vllm")


def test_secrets_inside_values_are_masked(show):
    values = {
        "otlp_traces_endpoint": f"http://me:{SECRET}@host:4317",
        "hf_overrides": {"eos_token": "</s>", "auth": {"password": SECRET}},
    }
    text = show(values)
    assert SECRET not in text
    assert "http://me:***@host:4317" in text
    assert '"eos_token":"</s>"' in text
    assert show(values, mask=False).count(SECRET) == 2


def test_unknown_and_wrong_values_are_shown(show):
    text = show({"model_tag": MODEL, "old_name": {"a": 1}, "gone_token": SECRET, "max_model_len": "many", "port": None})
    assert """--old-name '{"a":1}'""" in text or """--old-name '{"a": 1}'""" in text
    assert "--gone-token '***'" in text
    assert "--max-model-len many" in text
    assert SECRET not in text


def test_one_line_for_each_argument(show):
    text = show({"model_tag": MODEL, "seed": 1, "enforce_eager": True}, {"A": "1", "B": "2"}, multiline=True)
    lines = text.splitlines()
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert [line.removesuffix(" \\").strip() for line in lines][:3] == ["A=1", "B=2", f"vllm serve {MODEL}"]
    assert {line.removesuffix(" \\").strip() for line in lines[3:]} == {"--seed 1", "--enforce-eager"}


def test_an_impossible_variable_is_shown_as_it_is(show):
    assert show({}, {"A B": "x y"}) == "'A B=x y' vllm serve"


@pytest.mark.parametrize("multiline", [False, True])
def test_a_shell_reads_back_what_the_plan_runs(make, show, multiline, tmp_path):
    values = {
        "model_tag": MODEL,
        "api_key": ["it's a $ecret `key`"],
        "chat_template": "{% if x %}'a' \"b\" $HOME\n{% endif %}",
        "hf_overrides": {"note": "*?[]~ !"},
        "served_model_name": ["a b", "c"],
        "seed": -1,
    }
    variables = {"A": "", "B": "x 'y' \"z\" $HOME \\ *", "C": "line\nbreak"}
    tool = tmp_path / "vllm"
    tool.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        "names = ['A', 'B', 'C', 'VLLM_API_KEY']\n"
        "print(json.dumps([sys.argv[1:], {name: os.environ.get(name) for name in names}]))\n"
    )
    tool.chmod(0o700)
    text = show(values, variables, mask=False, multiline=multiline)
    answer = subprocess.run(
        ["/bin/sh", "-c", text], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    argv, environment = msgspec.json.decode(answer.stdout)
    made = make(values, variables)
    assert argv == ["serve", *made.argv]
    assert environment == made.environment


# Every argument


def test_every_default_can_be_set_and_is_neither_lost_nor_doubled(make, show, schema, overlay):
    for argument in schema.arguments:
        value = argument.default.value
        if argument.default.state is not DefaultState.VALUE or argument.name in ("model", "model_tag"):
            continue
        if argument.kind is Kind.FLAG or overlay.is_secret(argument):
            continue
        try:
            made = make({"model_tag": MODEL, argument.name: value})
        except DynoError as error:
            # Some defaults cannot be written (an empty list); the engine's own parser refuses them too.
            assert argument.flag in error.message
            continue
        flags = {*argument.flags, *argument.negative_flags}
        given = [token for token in made.argv[1:] if token.partition("=")[0] in flags]
        if argument.name == "port":
            assert made.port == value
        else:
            assert given, argument.name
        shown = shlex.split(show({"model_tag": MODEL, argument.name: value}))
        assert [token for token in shown if token.partition("=")[0] in flags], argument.name


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_is_shown_or_refused_and_never_crashes(schema, overlay, data):
    names = st.sampled_from([argument.name for argument in schema.arguments] + ["stranger", "odd name", ""])
    values = data.draw(st.sampled_from([{}, {"model_tag": MODEL}, {"model": "./m", "port": 1}]))
    values = values | dict(data.draw(st.lists(st.tuples(names, JSON_VALUES), max_size=3)))
    environment = dict(data.draw(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=2)))
    text = command_text(schema, overlay, values, environment)
    assert "vllm serve" in text
    try:
        made = plan(schema, overlay, values, environment)
    except DynoError as error:
        assert error.message
        assert error.hint
    else:
        assert all(isinstance(token, str) for token in made.argv)
        assert made.argv[0] == made.model
        assert not any(
            token.partition("=")[0] in ("--host", "--port", "--api-key", "--model") for token in made.argv[1:]
        )


def with_model(schema):
    model = Argument("model", flags=("--model",), kind=Kind.TEXT)
    return msgspec.structs.replace(schema, arguments=(*schema.arguments, model))
