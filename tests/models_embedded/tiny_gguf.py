"""Writes a tiny Llama-shaped GGUF file with the real `gguf` package, and knows what is in it.

Run as a script where that package is: tiny_gguf.py PACKAGES FILE VARIANT.
"""

import sys
from pathlib import Path

import numpy as np

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FFN, LAYERS = 64, 4, 2, 16, 96, 2
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MERGES = ["Ġ w", "o r", "Ġw or"]
TEMPLATE = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
VARIANTS = ("plain", "untied", "other-architecture", "other-tokenizer", "scaled-rope", "lacks-tensor", "huge-value")


def byte_letters() -> list[str]:
    """The letters by which byte-level tokenizers write the 256 bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) for byte in printable] + [chr(256 + number) for number in range(len(rest))]


TOKENS = [*SPECIAL, *byte_letters(), "Ġw", "or", "Ġwor"]


def weights() -> dict[str, np.ndarray]:
    """The model as a Llama checkpoint has it."""
    random = np.random.default_rng(7)
    shapes = {"model.embed_tokens.weight": (len(TOKENS), HIDDEN), "model.norm.weight": (HIDDEN,)}
    for layer in range(LAYERS):
        start = f"model.layers.{layer}"
        shapes |= {
            f"{start}.input_layernorm.weight": (HIDDEN,),
            f"{start}.self_attn.q_proj.weight": (HEADS * HEAD_DIM, HIDDEN),
            f"{start}.self_attn.k_proj.weight": (KV_HEADS * HEAD_DIM, HIDDEN),
            f"{start}.self_attn.v_proj.weight": (KV_HEADS * HEAD_DIM, HIDDEN),
            f"{start}.self_attn.o_proj.weight": (HIDDEN, HEADS * HEAD_DIM),
            f"{start}.post_attention_layernorm.weight": (HIDDEN,),
            f"{start}.mlp.gate_proj.weight": (FFN, HIDDEN),
            f"{start}.mlp.up_proj.weight": (FFN, HIDDEN),
            f"{start}.mlp.down_proj.weight": (HIDDEN, FFN),
        }
    # Values that float16 holds exactly, so that what is not quantised must come back the same.
    return {name: random.standard_normal(shape).astype(np.float16).astype(np.float32) for name, shape in shapes.items()}


def gguf_name(name: str) -> str:
    """The name of a tensor in the file."""
    words = {
        "input_layernorm": "attn_norm",
        "q_proj": "attn_q",
        "k_proj": "attn_k",
        "v_proj": "attn_v",
        "o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "gate_proj": "ffn_gate",
        "up_proj": "ffn_up",
        "down_proj": "ffn_down",
    }
    parts = name.split(".")
    if parts[1] == "layers":
        return f"blk.{parts[2]}.{words[parts[-2]]}.weight"
    return {"embed_tokens": "token_embd.weight", "norm": "output_norm.weight"}[parts[1]]


def rotary_order(weight: np.ndarray, heads: int) -> np.ndarray:
    """Rows in the file's order: within a head, row i of the first half is followed by row i of the second."""
    rows = []
    size = weight.shape[0] // heads
    for head in range(heads):
        for row in range(size // 2):
            rows += [head * size + row, head * size + size // 2 + row]
    return weight[rows]


def write(path: Path, variant: str) -> None:
    """Write one variant; only `plain` and `untied` can be converted."""
    from gguf import GGMLQuantizationType, GGUFWriter
    from gguf.quants import quantize

    writer = GGUFWriter(path, "gpt2" if variant == "other-architecture" else "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(100000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama" if variant == "other-tokenizer" else "gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3] * len(SPECIAL) + [1] * (len(TOKENS) - len(SPECIAL)))
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template(TEMPLATE)
    for name, weight in weights().items():
        stored = weight
        if name.endswith("q_proj.weight"):
            stored = rotary_order(weight, HEADS)
        elif name.endswith("k_proj.weight"):
            stored = rotary_order(weight, KV_HEADS)
        if variant == "huge-value" and name == "model.norm.weight":
            stored = stored * 1e6
        if variant == "lacks-tensor" and "layers.1.mlp.up" in name:
            continue
        if "mlp" in name:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(gguf_name(name), quantize(stored, kind), raw_dtype=kind)
        else:
            writer.add_tensor(gguf_name(name), stored)
    if variant == "untied":
        writer.add_tensor("output.weight", weights()["model.embed_tokens.weight"] * 2)
    if variant == "scaled-rope":
        writer.add_tensor("rope_freqs.weight", np.ones(HEAD_DIM // 2, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    write(Path(sys.argv[2]), sys.argv[3])
