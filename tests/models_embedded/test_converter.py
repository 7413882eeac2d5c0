"""A GGUF file and the folder that comes out of it say the same."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import Cancelled, DynoError
from core.base.progress import ProgressMeter
from core.models.embedded import Fetched, convert, is_complete
from tests.models_embedded import tiny_gguf


def meter() -> ProgressMeter:
    return ProgressMeter(lambda _: None, {"convert": 1.0})


def converted(source: Path, packages: Path) -> Path:
    result = source.with_suffix("")
    convert(Path(sys.executable), Fetched(source, packages), result, meter=meter(), cancel=threading.Event())
    return result


def load(folder: Path, packages: Path) -> dict[str, np.ndarray]:
    """Read the weights with the library that engines use."""
    code = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "from safetensors.numpy import load_file; import numpy\n"
        "numpy.savez(sys.argv[3], **load_file(sys.argv[2]))\n"
    )
    out = folder.parent / "weights.npz"
    subprocess.run([sys.executable, "-c", code, packages, folder / "model.safetensors", out], check=True)
    with np.load(out) as archive:
        return dict(archive)


def test_weights_come_back_as_they_were(tiny: Callable[[str], Path], packages: Path) -> None:
    loaded = load(converted(tiny("plain"), packages), packages)
    expected = tiny_gguf.weights()
    assert loaded.keys() == expected.keys()
    for name, weight in expected.items():
        assert loaded[name].dtype == np.float16
        if "mlp" in name:
            # Eight bits a value: off by half a step of the largest in its block, and by what float16 rounds away.
            largest = np.abs(weight).max()
            assert 0 < np.abs(loaded[name] - weight).max() <= largest / 127 / 2 + largest / 1024
        else:
            np.testing.assert_array_equal(loaded[name].astype(np.float32), weight, err_msg=name)


def test_the_configuration_says_what_the_file_says(tiny: Callable[[str], Path], packages: Path) -> None:
    folder = converted(tiny("plain"), packages)
    config = json.loads((folder / "config.json").read_text())
    assert config == {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 512,
        "rms_norm_eps": 1e-05,
        "rope_theta": 100000.0,
        "vocab_size": len(tiny_gguf.TOKENS),
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "torch_dtype": "float16",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
    }
    assert json.loads((folder / "generation_config.json").read_text()) == {
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
    }
    assert is_complete(folder)


def test_an_output_layer_of_its_own_is_kept(tiny: Callable[[str], Path], packages: Path) -> None:
    folder = converted(tiny("untied"), packages)
    assert json.loads((folder / "config.json").read_text())["tie_word_embeddings"] is False
    loaded = load(folder, packages)
    np.testing.assert_array_equal(
        loaded["lm_head.weight"].astype(np.float32), tiny_gguf.weights()["model.embed_tokens.weight"] * 2
    )


def test_the_tokenizer_merges_keeps_digits_apart_and_knows_special_tokens(
    tiny: Callable[[str], Path], packages: Path
) -> None:
    folder = converted(tiny("plain"), packages)
    code = (
        "import json, sys; sys.path.append(sys.argv[1]); from tokenizers import Tokenizer\n"
        "t = Tokenizer.from_file(sys.argv[2]); e = t.encode(sys.argv[3])\n"
        "print(json.dumps([e.tokens, t.decode(e.ids, skip_special_tokens=False)]))\n"
    )
    text = "a wor 12é<|im_end|>"
    said = subprocess.run(
        [sys.executable, "-c", code, packages, folder / "tokenizer.json", text],
        check=True,
        capture_output=True,
        text=True,
    )
    tokens, back = json.loads(said.stdout)
    assert tokens == ["a", "Ġwor", "Ġ", "1", "2", "Ã", "©", "<|im_end|>"]
    assert back == text
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    assert settings["chat_template"] == tiny_gguf.TEMPLATE
    assert (settings["bos_token"], settings["eos_token"], settings["pad_token"], settings["unk_token"]) == (
        "<|im_start|>",
        "<|im_end|>",
        "<|im_end|>",
        "<|endoftext|>",
    )


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("other-architecture", "the architecture is gpt2, not llama"),
        ("other-tokenizer", "only byte-level BPE tokenizers are supported"),
        ("scaled-rope", "rope_freqs.weight belongs to scaled rotary embeddings"),
        ("lacks-tensor", "tensors do not fit the configuration: ['model.layers.1.mlp.up_proj.weight']"),
        ("huge-value", "model.norm.weight holds values that float16 cannot express"),
    ],
)
def test_what_it_cannot_convert_it_names(tiny: Callable[[str], Path], packages: Path, variant: str, words: str) -> None:
    with pytest.raises(DynoError) as caught:
        converted(tiny(variant), packages)
    assert words in caught.value.message
    assert caught.value.hint


def test_a_file_that_is_no_gguf(packages: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"not a model" * 100)
    with pytest.raises(DynoError, match=r"x\.gguf could not be converted"):
        converted(file, packages)


def test_an_interpreter_without_numpy(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DynoError, match="No module named"):
        converted(tiny("plain"), tmp_path / "empty")


def test_a_converter_that_dies_shows_its_last_words(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    (broken / "gguf").mkdir(parents=True)
    (broken / "gguf" / "__init__.py").write_text("raise RuntimeError('out of its mind')\n")
    with pytest.raises(DynoError, match="the converter ended early") as caught:
        converted(tiny("plain"), broken)
    assert "RuntimeError: out of its mind" in caught.value.detail


def test_calling_it_off(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    (slow / "gguf").mkdir(parents=True)
    (slow / "gguf" / "__init__.py").write_text("import time; time.sleep(60)\n")
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    with pytest.raises(Cancelled):
        convert(Path(sys.executable), Fetched(tiny("plain"), slow), tmp_path / "out", meter=meter(), cancel=cancel)
