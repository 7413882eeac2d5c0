"""What counts as a secret and how it is shown."""

import pytest

from core.config.masking import MASK, hide_secrets, is_secret_variable


@pytest.mark.parametrize(
    "name",
    [
        "VLLM_API_KEY",
        "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN",
        "AWS_ACCESS_KEY_ID",
        "S3_SECRET_ACCESS_KEY",
        "OPENAI_APIKEY",
        "DB_PASSWORD",
        "PASSWORD",
        "SSL_PASSPHRASE",
        "CLIENT_SECRET",
        "WANDB_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "token",
        "KEY",
        "AUTH_TOKEN_HEADER",
    ],
)
def test_names_of_secrets(name):
    assert is_secret_variable(name)


@pytest.mark.parametrize(
    "name",
    [
        "VLLM_USE_FASTOKENS",
        "VLLM_MAX_TOKENS_PER_EXPERT_FP4_MOE",
        "VLLM_SHARED_EXPERTS_STREAM_TOKEN_THRESHOLD",
        "VLLM_ENABLE_PREGRAD_PASSES",
        "TOKENIZERS_PARALLELISM",
        "KEYBOARD",
        "MONKEY",
        "OMP_NUM_THREADS",
        "HF_HOME",
        "VLLM_KEYRING",
        "",
    ],
)
def test_names_of_other_things(name):
    assert not is_secret_variable(name, "1")


def test_only_keys_of_the_engine_are_masked_among_its_variables(schema):
    masked = {variable.name for variable in schema.environment if is_secret_variable(variable.name)}
    assert masked == {"VLLM_API_KEY", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"}


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("http://user:pass@proxy:3128", True),
        ("http://:pass@proxy", True),
        ("redis://u:p@ss@host/0", True),
        ("http://proxy:3128", False),
        ("http://user@proxy:3128", False),
        ("http://proxy:3128/a@b", False),
        ("/path:x@y", False),
    ],
)
def test_a_password_in_an_address_makes_a_secret(value, secret):
    assert is_secret_variable("HTTPS_PROXY", value) is secret


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("redis://u:p@ss@host/0", f"redis://u:{MASK}@host/0"),
        (["http://u:p@h", 1], [f"http://u:{MASK}@h", 1]),
        ({"password": "x", "n": 1}, {"password": MASK, "n": 1}),
        ({"deep": [{"api-key": "x"}]}, {"deep": [{"api-key": MASK}]}),
        ({"password": ""}, {"password": ""}),
        ({"password": {"file": "x"}}, {"password": {"file": "x"}}),
        ({"eos_token": "</s>", "num_speculative_tokens": 3}, {"eos_token": "</s>", "num_speculative_tokens": 3}),
        (None, None),
        (True, True),
    ],
)
def test_secrets_inside_values(value, shown):
    assert hide_secrets(value) == shown
