"""The error that is told: the first of the engine, not the last of the server."""

from pathlib import Path

import pytest

from core.engine.first_error import FirstError
from core.engine.logfile import LineSplitter

LOGS = Path(__file__).parents[1] / "data" / "logs"


def first(text: str | bytes) -> str:
    error, splitter = FirstError(), LineSplitter()
    data = text.encode() if isinstance(text, str) else text
    for line in [*splitter.feed(data), *splitter.rest()]:
        error.feed(line)
    return error.text


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("gguf_without_config.log", "Unrecognized model in"),
        ("llama8b_24g_kv_too_small.log", "ValueError: To serve at least one request with the model's max seq len"),
        ("llama8b_too_big.log", "ValueError: No available memory for the cache blocks."),
    ],
)
def test_recorded_failures(name: str, beginning: str) -> None:
    assert first((LOGS / name).read_bytes()).startswith(beginning)


@pytest.mark.parametrize(
    "name",
    [
        path.name
        for path in sorted(LOGS.glob("*.log"))
        if path.name
        not in {
            "gguf_without_config.log",
            "llama8b_24g_kv_too_small.log",
            "llama8b_too_big.log",
        }
    ],
)
def test_healthy_starts_have_none(name: str) -> None:
    assert first((LOGS / name).read_bytes()) == ""


def test_the_engine_goes_before_the_server_whoever_wrote_first() -> None:
    text = "(APIServer pid=1) KeyError: 'early'\n(Worker_TP0 pid=3) ERROR 12-01 02:43:53 [x.py:1] ValueError: cause\n"
    assert first(text) == "ValueError: cause"


def test_echoes_and_interrupts_are_no_cause() -> None:
    text = (
        "(EngineCore pid=2) KeyboardInterrupt\n"
        "(EngineCore pid=2) RuntimeError: WorkerProc initialization failed due to an exception\n"
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.\n"
        "asyncio.exceptions.CancelledError\n"
    )
    assert first(text) == ""


def test_a_settings_error_is_told_by_its_reason() -> None:
    text = (
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
        "  Value error, max_model_len is too large. [type=value_error, input_value=ArgsKwargs((), {}), input_type=X]\n"
    )
    assert first(text) == "max_model_len is too large."


def test_a_settings_error_without_a_reason_does_not_take_the_next_one() -> None:
    text = "1 validation error for X\n  field\nsomething else\n  Value error, of another. [type=x]\nOSError: disk\n"
    assert first(text) == "OSError: disk"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("vllm serve: error: unrecognized arguments: --x", "unrecognized arguments: --x"),
        ("api_server.py: error: argument --port: invalid int value: 'a'", "argument --port: invalid int value: 'a'"),
        ("torch.OutOfMemoryError: CUDA out of memory.", "torch.OutOfMemoryError: CUDA out of memory."),
        ("[rank0]: huggingface_hub.errors.GatedRepoError: 401", "huggingface_hub.errors.GatedRepoError: 401"),
        ("ERROR 02-26 09:54:02 engine.py:366] AssertionError", "AssertionError"),
        ("\x1b[31m(EngineCore_DP0 pid=9)\x1b[0m ValueError: red", "ValueError: red"),
        ("(VllmWorker rank=0 pid=9) RuntimeError: old", "RuntimeError: old"),
        ("vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.", "Its core process died."),
        ("ERROR [multiproc_executor.py:316] Worker proc VllmWorker-0 died unexpectedly", "Its core process died."),
        ("    raise ValueError(", ""),
        ("Failed to create oneDNN linear. Exception: could not create a primitive", ""),
        ("OSError: " + "x" * 2000, "OSError: " + "x" * 591),
    ],
)
def test_one_line(line: str, told: str) -> None:
    assert first(line + "\n") == told


def test_a_process_that_wrote_its_own_exception_says_more_than_its_death() -> None:
    assert first("EngineDeadError\n(EngineCore pid=3) ValueError: cause\n") == "ValueError: cause"
