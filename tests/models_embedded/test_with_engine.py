"""The converted model in the libraries of a real engine."""

import json
import subprocess
from pathlib import Path

import pytest

_ASK = """
import json, sys, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
model = AutoModelForCausalLM.from_pretrained(sys.argv[1]).to(torch.float32)
messages = [{"role": "user", "content": "What is the capital of France?"}]
text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
given = tokenizer(text, return_tensors="pt")
answer = model.generate(**given, max_new_tokens=12, do_sample=False)[0][given.input_ids.shape[1]:]
pieces = tokenizer.convert_ids_to_tokens(tokenizer("in 1234").input_ids)
print(json.dumps({"answer": tokenizer.decode(answer, skip_special_tokens=True), "pieces": pieces}))
"""


@pytest.mark.engine
def test_it_knows_the_capital_of_france(engine_python: Path, embedded_model: Path) -> None:
    said = subprocess.run(
        [engine_python, "-P", "-c", _ASK, embedded_model], capture_output=True, text=True, check=True, timeout=300
    )
    told = json.loads(said.stdout.strip().splitlines()[-1])
    assert told["answer"] == "The capital of France is Paris."
    assert told["pieces"] == ["in", "Ġ", "1", "2", "3", "4"]
