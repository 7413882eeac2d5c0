import re
import time
from pathlib import Path

import msgspec
import pytest

from core.base.errors import DynoError
from core.schema import recorded
from core.schema.model import ArgumentSchema, Kind
from core.schema.recorded import load_recorded, recorded_schemas


def test_both_builds_come_with_the_program() -> None:
    infos = recorded_schemas()
    assert [(info.version, info.backend) for info in infos] == [("0.33.0", "cuda"), ("0.32.0", "cpu")]
    assert infos[0].title == "vLLM 0.33.0 (CUDA build)"


@pytest.mark.parametrize(
    ("version", "backend", "expected"),
    [
        (None, None, "0.33.0"),
        (None, "cpu", "0.32.0"),
        ("0.33.0", "cuda", "0.33.0"),
        ("0.32.0+cpu", "cpu", "0.32.0"),
        ("0.10.2", None, "0.32.0"),
        ("0.10.2", "cuda", "0.33.0"),
        ("0.40.0rc1", None, "0.33.0"),
        ("1.0", "rocm", "0.33.0"),
        ("dev", None, "0.32.0"),
        ("9" * 5000, None, "0.33.0"),
    ],
)
def test_the_nearest_is_taken(version: str | None, backend: str | None, expected: str) -> None:
    schema = load_recorded(version, backend)
    assert schema.engine_version == expected
    assert schema.recorded


def test_the_note_says_what_is_shown() -> None:
    assert load_recorded().note.endswith("as recorded; no engine has been asked yet.")
    assert load_recorded("0.33.0", "cuda").note.endswith("the engine itself has not been asked.")
    assert load_recorded("0.26.0", "cuda").note.endswith("the engine is 0.26.0 and may differ.")


@pytest.fixture(params=recorded_schemas(), ids=lambda info: info.path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param.path
    return found


def test_decoding_is_quick(path: Path) -> None:
    data = path.read_bytes()
    spent = []
    for _ in range(5):
        started = time.thread_time()
        msgspec.json.decode(data, type=ArgumentSchema)
        spent.append(time.thread_time() - started)
    assert min(spent) < 0.03


def test_nothing_of_the_machine_that_recorded_it_is_left(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"/root\b|/home/|site-packages|/tmp/(?!Llama)|0x[0-9a-f]{8,}", text)


def test_every_argument_is_complete(path: Path) -> None:
    schema = msgspec.json.decode(path.read_bytes(), type=ArgumentSchema)
    groups = {group.name for group in schema.groups}
    assert len(schema.by_name()) == len(schema.arguments)
    assert len(schema.environment) > 300
    flags: list[str] = []
    for argument in schema.arguments:
        assert argument.kind is not Kind.RAW, argument.name
        assert argument.group in groups, argument.name
        assert argument.help.strip(), argument.name
        assert not argument.own_help, argument.name
        assert argument.positional or argument.flag.startswith("--"), argument.name
        assert (argument.kind is Kind.SWITCH) == bool(argument.negative_flags), argument.name
        assert "%%" not in argument.help, argument.name
        assert argument.kind is not Kind.CHOICE or argument.choices, argument.name
        flags += [*argument.flags, *argument.negative_flags]
    assert len(flags) == len(set(flags))


def test_classes_behind_json_arguments_are_known(path: Path) -> None:
    found = msgspec.json.decode(path.read_bytes(), type=ArgumentSchema).by_name()
    speculative = {field.name: field for field in found["speculative_config"].fields}
    assert speculative["num_speculative_tokens"].kind is Kind.INT
    assert "ngram" in speculative["method"].choices
    assert speculative["method"].help
    compilation = {field.name: field for field in found["compilation_config"].fields}
    assert compilation["pass_config"].fields
    assert found["compilation_config"].json_class.endswith("CompilationConfig")
    with_class = [argument for argument in found.values() if argument.fields]
    assert len(with_class) >= 23
    documented = [field for argument in with_class for field in argument.fields if field.help]
    assert len(documented) > 0.9 * sum(len(argument.fields) for argument in with_class)


def test_words_for_free_texts_are_known(path: Path) -> None:
    found = msgspec.json.decode(path.read_bytes(), type=ArgumentSchema).by_name()
    assert "awq" in found["quantization"].suggestions
    assert "safetensors" in found["load_format"].suggestions
    assert "hermes" in found["tool_call_parser"].suggestions
    assert "FLASH_ATTN" in found["attention_backend"].suggestions


def test_a_damaged_installation_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "assets_dir", lambda: tmp_path)
    with pytest.raises(DynoError, match="missing"):
        load_recorded()
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "vllm-0.1.0-cpu.json").write_text("{")
    (tmp_path / "schemas" / "notes.json").write_text("{")
    with pytest.raises(DynoError, match="cannot be read"):
        load_recorded()
