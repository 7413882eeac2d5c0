"""Makes model folders and Hub caches on disk, as the real tools leave them."""

import json
import os
import struct

LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "dtype": "bfloat16"}


def safetensors_bytes(tensor_bytes=64):
    """A safetensors file with one tensor."""
    header = json.dumps({"w": {"dtype": "U8", "shape": [tensor_bytes], "data_offsets": [0, tensor_bytes]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(tensor_bytes)


def make_model(folder, config=LLAMA, weights=True):
    """A small complete model folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    if weights:
        (folder / "model.safetensors").write_bytes(safetensors_bytes())
    return folder


def make_sharded(folder, shards=3, config=LLAMA):
    """A model whose weights are split over several files with an index."""
    make_model(folder, config, weights=False)
    weight_map, total = {}, 0
    for number in range(1, shards + 1):
        name = f"model-{number:05}-of-{shards:05}.safetensors"
        (folder / name).write_bytes(safetensors_bytes())
        weight_map[f"layer.{number}"] = name
        total += 64
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def make_cached(cache, repo_id, commit="a" * 40, ref="main", files=None):
    """A repository in a Hub cache: blobs, a ref, a snapshot of links."""
    repo = cache / ("models--" + repo_id.replace("/", "--"))
    snapshot = repo / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (repo / "blobs").mkdir(exist_ok=True)
    (repo / "refs").mkdir(exist_ok=True)
    if ref:
        (repo / "refs" / ref).write_text(commit)
    contents = (
        files
        if files is not None
        else {
            "config.json": json.dumps(LLAMA).encode(),
            "tokenizer.json": b"{}",
            "model.safetensors": safetensors_bytes(),
        }
    )
    for number, (name, content) in enumerate(contents.items()):
        blob = repo / "blobs" / f"{commit[:8]}{number:032x}"
        blob.write_bytes(content)
        (snapshot / name).symlink_to(os.path.relpath(blob, snapshot))
    return repo
