import statistics
import time

import pytest

from core.schema.model import Argument, ArgumentSchema, Kind
from core.schema.overlay import load_overlay
from core.schema.recorded import load_recorded
from core.schema.search import SearchIndex, SearchResult


@pytest.fixture(scope="module")
def schema() -> ArgumentSchema:
    return load_recorded("0.33.0", "cuda")


@pytest.fixture(scope="module")
def index(schema: ArgumentSchema) -> SearchIndex:
    return SearchIndex(schema, load_overlay())


def ask(index: SearchIndex, text: str, modified: tuple[str, ...] = (), warned: tuple[str, ...] = ()) -> SearchResult:
    return index.query(text, is_set=modified.__contains__, has_warning=warned.__contains__)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("max_model_len", "max_model_len"),
        ("--max-model-len", "max_model_len"),
        ("maxmodellen", "max_model_len"),
        ("MAX MODEL", "max_model_len"),
        ("context length", "max_model_len"),
        ("vram", "gpu_memory_utilization max_model_len quantization"),
        ("kv cache quantization", "kv_cache_dtype"),
        ("quant", "quantization"),
        ("awq", "quantization"),
        ("parallel", "tensor_parallel_size"),
        ("tp", "tensor_parallel_size"),
        ("-pp", "pipeline_parallel_size"),
        ("threads", "renderer_num_workers api_server_count"),
        ("draft model", "spec_model"),
        ("batch size", "max_num_batched_tokens max_num_seqs ubatch_size"),
        ("seed", "seed"),
        ("device memory utilization", "gpu_memory_utilization"),
        ("function calling", "enable_auto_tool_choice tool_call_parser"),
        ("num_speculative_tokens", "speculative_config spec_tokens"),
        ("password", "api_key"),
        ("zzz-nothing", ""),
        ("...", ""),
    ],
)
def test_words_lead_to_the_argument(index: SearchIndex, text: str, first: str) -> None:
    names = ask(index, text).names
    if first:
        assert names[0] in first.split()
    else:
        assert names == []


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("speculative_steps", {"spec_tokens", "spec_method", "speculative_config"}),
        ("prefill_workers", {"enable_chunked_prefill", "kv_transfer_config", "max_num_batched_tokens"}),
        ("max_tokens", {"override_generation_config", "max_num_batched_tokens", "max_num_seqs"}),
        ("async_engine_threads", {"api_server_count", "renderer_num_workers"}),
        ("max_async_batch_size", {"max_num_seqs"}),
        ("async_engine_args", {"enable_log_requests", "async_scheduling"}),
        ("pipeline-parallel-size", {"pipeline_parallel_size"}),
    ],
)
def test_the_articles_names_lead_to_what_vllm_has(index: SearchIndex, text: str, best: set[str]) -> None:
    found = ask(index, text)
    assert set(found.names[: len(best)]) == best
    assert found.terms[0].text


def test_tools_of_the_article_are_explained_though_no_argument_fits(index: SearchIndex) -> None:
    assert [term.name for term in ask(index, "nvidia-smi").terms] == ["nvidia-smi"]
    assert ask(index, "ma").terms == []


def test_nothing_typed_shows_everything_in_the_schemas_order(index: SearchIndex, schema: ArgumentSchema) -> None:
    assert ask(index, "  ").names == [argument.name for argument in schema.arguments]


def test_filters(index: SearchIndex) -> None:
    assert ask(index, "@modified", modified=("seed", "port")).names == ["port", "seed"]
    assert ask(index, "@warning", warned=("dtype",)).names == ["dtype"]
    assert ask(index, "@modified @warning", modified=("seed", "dtype"), warned=("dtype",)).names == ["dtype"]
    assert ask(index, "fp8 @modified", modified=("seed", "kv_cache_dtype")).names == ["kv_cache_dtype"]
    lora = ask(index, "@group:LoRA").names
    assert "max_loras" in lora
    assert ask(index, "@GROUP:loraconfig").names == lora
    assert "block_size" in ask(index, '@group:"Memory and KV"').names
    assert ask(index, "@group:nothing").names == []
    essential = ask(index, "@level:essential").names
    assert 18 <= len(essential) <= 25
    tuning = ask(index, "@level:tuning").names
    assert set(essential) < set(tuning)
    assert len(ask(index, "@level:").names) == len(ask(index, "@level:everything").names) == 322


def test_letters_of_a_long_name_alone_do_not_drown_the_short_one() -> None:
    arguments = (
        Argument("http_output", flags=("--http-output",), kind=Kind.TEXT, help="Not about tp."),
        Argument("tensor", flags=("--tensor", "-tp"), kind=Kind.INT, help="Split."),
    )
    index = SearchIndex(ArgumentSchema(arguments=arguments), load_overlay())
    assert ask(index, "tp").names == ["tensor", "http_output"]


def test_a_keystroke_is_fast(index: SearchIndex) -> None:
    queries = ["m", "ma", "max", "max ", "max n", "max nu", "gpu memory", "e", "a", "the of", "@level:tuning gpu", "tp"]
    spent = []
    for _ in range(5):
        for query in queries:
            # The thread's own time: the machine may be busy with other tests.
            started = time.thread_time()
            ask(index, query)
            spent.append(time.thread_time() - started)
    assert statistics.quantiles(spent, n=20)[-1] < 0.005
