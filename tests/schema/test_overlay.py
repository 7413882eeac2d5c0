from collections import Counter

import pytest

from core.schema.model import Argument, ArgumentSchema, Kind
from core.schema.overlay import Level, Overlay, load_overlay
from core.schema.recorded import load_recorded

# In the table for older engines only; every other name must exist in a recorded schema, or it is a mistake.
OLDER = {"swap_space", "num_scheduler_steps", "disable_log_requests", "guided_decoding_backend", "task"}

ARTICLE = {
    "max_model_len",
    "speculative_steps",
    "prefill_workers",
    "max_tokens",
    "async_engine_threads",
    "max_async_batch_size",
    "async_engine_args",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "vllm.bench",
    "llm-bench",
    "nvidia-smi",
    "htop",
    "tmux",
}


@pytest.fixture(scope="module")
def overlay() -> Overlay:
    return load_overlay()


@pytest.fixture(scope="module", params=[("0.33.0", "cuda"), ("0.32.0", "cpu")])
def schema(request: pytest.FixtureRequest) -> ArgumentSchema:
    return load_recorded(*request.param)


def test_names_in_the_table_are_names_of_arguments(overlay: Overlay) -> None:
    real = {argument.name for argument in load_recorded("0.33.0", "cuda").arguments}
    real |= {argument.name for argument in load_recorded("0.32.0", "cpu").arguments}
    assert set(overlay.known_names()) - real == OLDER


def test_three_levels_of_a_useful_size(overlay: Overlay, schema: ArgumentSchema) -> None:
    sizes = Counter(overlay.level(argument) for argument in schema.arguments)
    assert 18 <= sizes[Level.ESSENTIAL] <= 25
    assert 55 <= sizes[Level.TUNING] <= 80
    assert [level.rank for level in Level] == [0, 1, 2]
    assert overlay.level(Argument("spec_of_the_future")) is Level.TUNING
    assert overlay.level(Argument("of_the_future")) is Level.EVERYTHING


def test_what_a_person_touches_first_is_explained(overlay: Overlay, schema: ArgumentSchema) -> None:
    for argument in schema.arguments:
        if overlay.level(argument) is Level.ESSENTIAL:
            assert overlay.note(argument.name).endswith("."), argument.name
            assert len(overlay.aliases(argument.name)) >= 3, argument.name
    assert overlay.note("of_the_future") == ""


def test_labels_are_for_people_and_tell_arguments_apart(overlay: Overlay, schema: ArgumentSchema) -> None:
    labels = [overlay.label(argument) for argument in schema.arguments]
    assert [label for label, count in Counter(labels).items() if count > 1] == []
    assert [label for label in labels if "_" in label or not label.strip() or len(label) > 62] == []
    assert overlay.label(Argument("max_num_gpu_ids")) == "Max number of GPU IDs"
    assert overlay.label(Argument("grpc_thing")) == "gRPC thing"
    assert overlay.label(Argument("_")) == "_"


def test_every_group_has_a_plain_title_and_a_place(overlay: Overlay, schema: ArgumentSchema) -> None:
    names = [group.name for group in schema.groups]
    ordered = overlay.group_order(names)
    assert sorted(ordered) == sorted(names)
    assert overlay.group_title(ordered[0]) == "Model"
    assert ordered[-1] == "options"
    assert all(not overlay.group_title(name).endswith("Config") for name in names)
    assert overlay.group_order(["FutureConfig", "options", "CacheConfig"]) == ["CacheConfig", "options", "FutureConfig"]
    assert overlay.group_title("FutureConfig") == "Future"


def test_secrets_are_found_and_nothing_else(overlay: Overlay, schema: ArgumentSchema) -> None:
    assert [argument.name for argument in schema.arguments if overlay.is_secret(argument)] == ["api_key", "hf_token"]
    assert overlay.is_secret(Argument("store_password", kind=Kind.TEXT))
    assert overlay.is_secret(Argument("some_access_key"))
    assert not overlay.is_secret(Argument("require_api_key", kind=Kind.SWITCH))
    assert overlay.secret_environment("api_key") == "VLLM_API_KEY"
    assert overlay.secret_environment("hf_token") == "HF_TOKEN"
    assert overlay.secret_environment("store_password") is None


def test_the_articles_words_lead_to_arguments_that_exist(overlay: Overlay, schema: ArgumentSchema) -> None:
    assert {term.name for term in overlay.article_terms} == ARTICLE
    names = {argument.name for argument in schema.arguments}
    for term in overlay.article_terms:
        assert set(term.arguments) <= names, term.name
        assert len(term.text) > 40, term.name
    lacking = {term.name for term in overlay.article_terms} - names
    assert {"prefill_workers", "speculative_steps", "async_engine_threads", "max_async_batch_size"} <= lacking


def test_paths_are_told_by_name(overlay: Overlay) -> None:
    assert all(overlay.is_path(name) for name in ("download_dir", "ssl_keyfile", "some_cache_dir"))
    assert not any(overlay.is_path(name) for name in ("root_path", "direction", "host"))


def test_aliases_come_from_patterns_too(overlay: Overlay) -> None:
    assert "adapter" in overlay.aliases("lora_of_the_future")
    assert overlay.aliases("of_the_future") == ()


def test_no_text_speaks_of_something_the_reader_has_not_seen(overlay: Overlay, schema: ArgumentSchema) -> None:
    texts = [overlay.note(argument.name) for argument in schema.arguments]
    texts += [term.text for term in overlay.article_terms]
    assert not [text for text in texts if "article" in text.lower()]
