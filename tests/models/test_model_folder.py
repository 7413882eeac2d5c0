"""One model folder: its facts and what keeps vLLM from loading it."""

import json
import os

import pytest

from core.models import model_folder
from core.models.model_folder import GGUF_PROBLEM, describe, missing_config, read_json_object
from tests.models.folders import LLAMA, make_model, make_sharded, safetensors_bytes


def test_a_complete_model_has_size_and_detail_and_no_problem(tmp_path):
    folder = make_model(tmp_path / "m")
    facts = describe(folder)
    assert facts.problem == ""
    assert facts.detail == "LlamaForCausalLM, bfloat16"
    assert facts.size_bytes == sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.parametrize(
    ("config", "detail"),
    [
        ({"model_type": "opt"}, "opt"),
        ({"architectures": [], "model_type": "opt"}, "opt"),
        ({"architectures": "OptForCausalLM", "model_type": "opt"}, "opt"),
        ({**LLAMA, "dtype": None, "torch_dtype": "float16"}, "LlamaForCausalLM, float16"),
        ({"architectures": ["Gemma3"], "text_config": {"torch_dtype": "bfloat16"}}, "Gemma3, bfloat16"),
        (
            {**LLAMA, "quantization_config": {"quant_method": "awq", "bits": 4}},
            "LlamaForCausalLM, bfloat16, awq 4-bit",
        ),
        ({**LLAMA, "quantization_config": {"quant_method": "fp8"}}, "LlamaForCausalLM, bfloat16, fp8"),
        ({**LLAMA, "quantization_config": "odd"}, "LlamaForCausalLM, bfloat16"),
        ({"architectures": ["A"], "dtype": 3, "text_config": []}, "A"),
    ],
)
def test_detail_tells_what_the_configuration_tells(tmp_path, config, detail):
    facts = describe(make_model(tmp_path / "m", config))
    assert (facts.detail, facts.problem) == (detail, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "config.json cannot be read."),
        ("[]", "config.json cannot be read."),
        ("\x00\xff", "config.json cannot be read."),
        ("[" * 100_000, "config.json cannot be read."),
        ("{}", "config.json names no kind of model."),
        ('{"architectures": [3]}', "config.json names no kind of model."),
        ('{"model_type": ""}', "config.json names no kind of model."),
    ],
)
def test_an_odd_configuration_is_a_problem(tmp_path, text, problem):
    folder = make_model(tmp_path / "m")
    (folder / "config.json").write_bytes(text.encode("latin-1"))
    assert describe(folder).problem == problem


def test_mistrals_own_format_counts(tmp_path):
    folder = make_model(tmp_path / "m")
    (folder / "config.json").rename(folder / "params.json")
    assert describe(folder).detail == "Mistral format"
    assert describe(folder).problem == ""
    (folder / "params.json").write_text("?")
    assert describe(folder).problem == "params.json cannot be read."


def test_the_size_counts_inner_folders_and_no_hidden_ones(tmp_path):
    folder = make_model(tmp_path / "m")
    before = describe(folder).size_bytes
    (folder / "extra" / "deep").mkdir(parents=True)
    (folder / "extra" / "x.bin").write_bytes(bytes(1000))
    (folder / "extra" / "deep" / "y.bin").write_bytes(bytes(500))
    (folder / ".cache").mkdir()
    (folder / ".cache" / "z.bin").write_bytes(bytes(70_000))
    (folder / "extra" / "gone").symlink_to(folder / "nowhere")
    assert describe(folder).size_bytes == before + 1500


def test_a_loop_of_links_is_followed_a_bounded_number_of_times(tmp_path):
    folder = make_model(tmp_path / "m")
    before = describe(folder).size_bytes
    (folder / "loop").symlink_to(folder)
    assert before <= describe(folder).size_bytes <= 4 * before


def test_no_more_than_so_many_files_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(model_folder, "_FILE_LIMIT", 10)
    folder = make_model(tmp_path / "m", weights=False)
    for number in range(6):
        inner = folder / f"inner{number}"
        inner.mkdir()
        for file in range(6):
            (inner / f"{file}.bin").write_bytes(bytes(1000))
    assert describe(folder).size_bytes < 20_000


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["model-Q4_K_M.gguf"], GGUF_PROBLEM),
        (["adapter_config.json", "adapter_model.safetensors"], "A LoRA adapter, not a model."),
        (["model_index.json"], "A diffusion pipeline"),
        (["README.md"], "No config.json in this folder."),
        ([], "No config.json in this folder."),
        (["config.json", "model.gguf"], ""),
        (["params.json"], ""),
    ],
)
def test_a_folder_without_configuration_says_what_it_is(tmp_path, names, problem):
    for name in names:
        (tmp_path / name).write_text("{}")
    message = missing_config(tmp_path)
    assert message.startswith(problem) if problem else message == ""


def test_no_folder_and_a_file_are_told_apart(tmp_path):
    file = tmp_path / "weights.safetensors"
    file.write_bytes(b"x")
    assert missing_config(tmp_path / "gone") == "No such folder."
    assert missing_config(file) == "A file, not a folder. Choose the folder that it is in."
    facts = describe(tmp_path / "gone")
    assert (facts.size_bytes, facts.problem) == (None, "No such folder.")


def test_a_name_that_no_file_can_have_is_no_folder(tmp_path):
    assert missing_config(tmp_path / ("x" * 5000)) in ("No such folder.", "This folder cannot be read.")


# Weights


def test_no_weights_is_a_problem(tmp_path):
    assert describe(make_model(tmp_path, weights=False)).problem == "No weight files in this folder."


def test_what_training_left_is_no_weight_file(tmp_path):
    folder = make_model(tmp_path, weights=False)
    (folder / "training_args.bin").write_bytes(b"x")
    assert describe(folder).problem == "No weight files in this folder."


def test_only_gguf_beside_a_configuration_is_a_problem(tmp_path):
    folder = make_model(tmp_path, weights=False)
    (folder / "model.gguf").write_bytes(b"GGUF")
    assert describe(folder).problem == GGUF_PROBLEM


def test_older_weight_formats_count(tmp_path):
    folder = make_model(tmp_path, weights=False)
    (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04")
    assert describe(folder).problem == ""


def test_a_sharded_model_is_complete_with_all_its_files(tmp_path):
    assert describe(make_sharded(tmp_path)).problem == ""


@pytest.mark.parametrize("gone", [1, 2, 3])
def test_missing_shards_are_counted(tmp_path, gone):
    make_sharded(tmp_path, shards=3)
    for path in sorted(tmp_path.glob("model-*.safetensors"))[:gone]:
        path.unlink()
    assert describe(tmp_path).problem == f"{gone} of 3 weight files are missing."


def test_short_shards_are_noticed(tmp_path):
    make_sharded(tmp_path, shards=2)
    for path in tmp_path.glob("model-*.safetensors"):
        os.truncate(path, 20)
    assert "shorter than their index says" in describe(tmp_path).problem


def test_a_leftover_index_of_the_other_format_is_ignored(tmp_path):
    folder = make_model(tmp_path)
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {"w": "pytorch_model-1.bin"}}))
    assert describe(folder).problem == ""


@pytest.mark.parametrize("text", ["{", "[]", '{"weight_map": 3}', '{"weight_map": {"w": 1}}'])
def test_an_odd_index_is_a_problem(tmp_path, text):
    folder = make_sharded(tmp_path)
    (folder / "model.safetensors.index.json").write_text(text)
    assert describe(folder).problem == "model.safetensors.index.json cannot be read."


def test_an_index_without_a_total_is_enough(tmp_path):
    folder = make_sharded(tmp_path)
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": json.loads(path.read_text())["weight_map"], "metadata": None}))
    assert describe(folder).problem == ""


def test_a_git_lfs_pointer_is_recognised(tmp_path):
    folder = make_model(tmp_path)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    (folder / "model.safetensors").write_text(pointer)
    assert describe(folder).problem == "model.safetensors is a Git LFS pointer, not the weights; run git lfs pull."


@pytest.mark.parametrize("length", [0, 4, 30])
def test_a_file_cut_off_in_its_header_is_recognised(tmp_path, length):
    folder = make_model(tmp_path)
    (folder / "model.safetensors").write_bytes(safetensors_bytes()[:length])
    assert describe(folder).problem == "model.safetensors is cut off; download it again."


def test_a_link_to_nothing_is_recognised(tmp_path):
    folder = make_model(tmp_path, weights=False)
    (folder / "model.safetensors").symlink_to(folder / "nowhere")
    assert describe(folder).problem == "model.safetensors is a link to nothing; download it again."


def test_a_json_file_beyond_the_limit_is_not_read(tmp_path):
    path = tmp_path / "big.json"
    path.write_bytes(b"{}")
    os.truncate(path, 65 * 1024 * 1024)
    assert read_json_object(path) is None
    assert read_json_object(tmp_path / "gone.json") is None
