"""Turns a Llama-shaped GGUF file into a folder that vLLM loads: safetensors, config and tokenizer.

Runs in any interpreter that has numpy, started without its own folder on the path. It stands alone; the folder that
holds the `gguf` package comes as an argument and is searched last, so that it never shadows what the interpreter has.

    convert_gguf.py GGUF OUTPUT --packages FOLDER

Standard output carries one JSON object a line: `{"done": n, "total": n}` while tensors are written, and at last either
`{"files": [...]}` or `{"error": "..."}` with exit code 1.
"""

import argparse
import json
import struct
import sys
from pathlib import Path

_TOP_LEVEL = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_IN_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
# Factors of scaled rotary embeddings (Llama 3.1 and later), which this script does not convert.
_ROPE_FACTORS = "rope_freqs.weight"
_CONTROL = 3
_DIGITS_APART = ("smollm", "llama3", "llama-bpe")


class ConversionError(Exception):
    """The file is not what this script can convert."""


def main(argv=None):
    """Convert one file; returns the exit code."""
    parser = argparse.ArgumentParser(description="Convert a Llama-shaped GGUF file for vLLM.")
    parser.add_argument("gguf", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--packages", type=Path, required=True)
    arguments = parser.parse_args(argv)
    sys.path.append(str(arguments.packages))
    try:
        files = convert(arguments.gguf, arguments.output)
    except (ConversionError, ImportError, OSError, ValueError, KeyError) as error:
        _say({"error": f"{type(error).__name__}: {error}"})
        return 1
    _say({"files": files})
    return 0


def convert(source, output):
    """Write the whole folder and check it.

    Raises:
        ConversionError: another architecture, or a tensor is missing, misshapen or out of range.
    """
    from gguf import GGUFReader

    reader = GGUFReader(source)
    metadata = _Metadata(reader)
    if metadata.text("general.architecture") != "llama":
        raise ConversionError(f"the architecture is {metadata.text('general.architecture')}, not llama")
    tied = all(tensor.name != "output.weight" for tensor in reader.tensors)
    config = model_config(metadata, tied)
    output.mkdir(parents=True, exist_ok=True)
    write_weights(reader.tensors, config, output / "model.safetensors")
    _write_json(output / "config.json", config)
    _write_json(output / "generation_config.json", generation_config(metadata))
    _write_json(output / "tokenizer.json", tokenizer(metadata))
    _write_json(output / "tokenizer_config.json", tokenizer_config(metadata))
    return sorted(path.name for path in output.iterdir())


class _Metadata:
    """The key-value part of the file, with plain Python values."""

    def __init__(self, reader):
        self._fields = reader.fields
        self._lists = {}

    def get(self, key, default=None):
        field = self._fields.get(key)
        return default if field is None else field.contents()

    def text(self, key):
        return str(self._require(key))

    def integer(self, key):
        return int(self._require(key))

    def texts(self, key):
        # contents() decodes through several layers for each of some 50,000 entries; the raw parts are ten times faster.
        return self._list(key, lambda part: part.tobytes().decode("utf-8"))

    def integers(self, key):
        return self._list(key, lambda part: int(part[0]))

    def _list(self, key, read):
        if key not in self._lists:
            field = self._fields.get(key)
            if field is None:
                raise ConversionError(f"{key} is missing")
            self._lists[key] = [read(field.parts[index]) for index in field.data]
        return self._lists[key]

    def _require(self, key):
        value = self.get(key)
        if value is None:
            raise ConversionError(f"{key} is missing")
        return value


def model_config(metadata, tied):
    """config.json of a LlamaForCausalLM with these sizes."""
    hidden = metadata.integer("llama.embedding_length")
    heads = metadata.integer("llama.attention.head_count")
    if metadata.get("llama.rope.scaling.type", "none") != "none":
        raise ConversionError("scaled rotary embeddings are not supported")
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": hidden,
        "intermediate_size": metadata.integer("llama.feed_forward_length"),
        "num_hidden_layers": metadata.integer("llama.block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": int(metadata.get("llama.attention.head_count_kv", heads)),
        "head_dim": int(metadata.get("llama.attention.key_length", hidden // heads)),
        "max_position_embeddings": metadata.integer("llama.context_length"),
        "rms_norm_eps": _short_float(metadata.get("llama.attention.layer_norm_rms_epsilon", 1e-6)),
        "rope_theta": _short_float(metadata.get("llama.rope.freq_base", 10000.0)),
        "vocab_size": len(metadata.texts("tokenizer.ggml.tokens")),
        "tie_word_embeddings": tied,
        "attention_bias": False,
        "mlp_bias": False,
        "torch_dtype": "float16",
        "bos_token_id": metadata.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": metadata.get("tokenizer.ggml.eos_token_id"),
        "pad_token_id": metadata.get("tokenizer.ggml.padding_token_id"),
    }


def generation_config(metadata):
    """generation_config.json: which tokens begin, end and pad."""
    keys = {"bos_token_id": "bos", "eos_token_id": "eos", "pad_token_id": "padding"}
    values = {name: metadata.get(f"tokenizer.ggml.{key}_token_id") for name, key in keys.items()}
    return {name: value for name, value in values.items() if value is not None}


def write_weights(tensors, config, path):
    """Dequantise every tensor into one float16 safetensors file.

    float16 rather than bfloat16: its finer steps keep close calls between tokens as they are in the quantised model.

    Raises:
        ConversionError: the set of tensors or a shape does not fit the configuration, or a value is beyond float16.
    """
    import numpy as np
    from gguf.quants import dequantize

    expected = expected_shapes(config)
    named = {}
    for tensor in tensors:
        if tensor.name == _ROPE_FACTORS:
            raise ConversionError(f"{tensor.name} belongs to scaled rotary embeddings, which are not supported")
        named[target_name(tensor.name)] = tensor
    if named.keys() != expected.keys():
        raise ConversionError(f"tensors do not fit the configuration: {sorted(named.keys() ^ expected.keys())[:5]}")
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in expected.items():
        size = 2 * int(np.prod(shape))
        header[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(encoded)) + encoded)
        for done, (name, shape) in enumerate(expected.items(), start=1):
            tensor = named[name]
            with np.errstate(over="ignore"):
                values = dequantize(tensor.data, tensor.tensor_type).astype("<f2")
            if values.shape != shape:
                raise ConversionError(f"{name} has shape {values.shape}, not {shape}")
            if not np.isfinite(values).all():
                raise ConversionError(f"{name} holds values that float16 cannot express")
            if name.endswith("q_proj.weight"):
                values = unpermute(values, config["num_attention_heads"])
            elif name.endswith("k_proj.weight"):
                values = unpermute(values, config["num_key_value_heads"])
            file.write(values.tobytes())
            _say({"done": done, "total": len(expected)})


def expected_shapes(config):
    """Name and shape of every tensor that a model of this configuration has."""
    hidden, ffn, vocabulary = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    queries = config["num_attention_heads"] * config["head_dim"]
    keys = config["num_key_value_heads"] * config["head_dim"]
    in_layer = {
        "input_layernorm": (hidden,),
        "self_attn.q_proj": (queries, hidden),
        "self_attn.k_proj": (keys, hidden),
        "self_attn.v_proj": (keys, hidden),
        "self_attn.o_proj": (hidden, queries),
        "post_attention_layernorm": (hidden,),
        "mlp.gate_proj": (ffn, hidden),
        "mlp.up_proj": (ffn, hidden),
        "mlp.down_proj": (hidden, ffn),
    }
    shapes = {"model.embed_tokens.weight": (vocabulary, hidden), "model.norm.weight": (hidden,)}
    for layer in range(config["num_hidden_layers"]):
        shapes.update({f"model.layers.{layer}.{name}.weight": shape for name, shape in in_layer.items()})
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (vocabulary, hidden)
    return shapes


def target_name(name):
    """The name in a Llama checkpoint for a name in a GGUF file."""
    if name in _TOP_LEVEL:
        return _TOP_LEVEL[name]
    parts = name.split(".")
    if len(parts) == 4 and parts[0] == "blk" and parts[2] in _IN_LAYER and parts[3] == "weight":
        return f"model.layers.{parts[1]}.{_IN_LAYER[parts[2]]}.weight"
    raise ConversionError(f"unknown tensor {name}")


def unpermute(weight, heads):
    """Undo GGUF's order of rows: it keeps the two halves of a rotary pair side by side, Llama checkpoints apart."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def tokenizer(metadata):
    """tokenizer.json of a byte-level BPE tokenizer with the file's vocabulary and merges."""
    if metadata.text("tokenizer.ggml.model") != "gpt2":
        raise ConversionError("only byte-level BPE tokenizers are supported")
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    before = byte_level
    if metadata.get("tokenizer.ggml.pre", "") in _DIGITS_APART:
        before = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level]}
    tokens = metadata.texts("tokenizer.ggml.tokens")
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special(index, tokens[index]) for index in _specials(metadata)],
        "normalizer": None,
        "pre_tokenizer": before,
        "post_processor": byte_level,
        "decoder": {**byte_level, "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": {token: index for index, token in enumerate(tokens)},
            "merges": metadata.texts("tokenizer.ggml.merges"),
        },
    }


def tokenizer_config(metadata):
    """tokenizer_config.json with the chat template and the special tokens' names."""
    tokens = metadata.texts("tokenizer.ggml.tokens")
    result = {
        # A class that every transformers release knows and that takes tokenizer.json as it stands.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": metadata.integer("llama.context_length"),
        "added_tokens_decoder": {},
    }
    for index in _specials(metadata):
        entry = _special(index, tokens[index])
        result["added_tokens_decoder"][str(entry.pop("id"))] = entry
    for name, key in {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}.items():
        index = metadata.get(f"tokenizer.ggml.{key}_token_id")
        if index is not None:
            result[f"{name}_token"] = tokens[int(index)]
    template = metadata.get("tokenizer.chat_template")
    if template:
        result["chat_template"] = template
    return result


def _specials(metadata):
    kinds = metadata.integers("tokenizer.ggml.token_type")
    return [index for index, kind in enumerate(kinds) if kind == _CONTROL]


def _special(index, content):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": index, "content": content, **flags, "special": True}


def _short_float(value):
    """The shortest decimal that is the same float32: 1e-05, where the file's 32 bits read 9.999999747378752e-06."""
    import numpy as np

    return float(str(np.float32(value)))


def _write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
