"""The environment variables that vLLM reads; part of the probe (see `probe_vllm.py`)."""

import ast
import inspect
import json
import os
import tempfile

from probe_annotations import as_json, filled


def environment_facts():
    """The variables of `vllm.envs`: name, annotation, default, choices, and the comment above each as its text."""
    from vllm import envs

    table = getattr(envs, "environment_variables", {})
    for name in table:
        os.environ.pop(name, None)
    comments, annotations = environment_source(envs)
    found = []
    for name, getter in table.items():
        try:
            good, value = as_json(getter())
        except Exception:
            good, value = False, None
        found.append(
            {
                "name": name,
                "help": comments.get(name, ""),
                "type": annotations.get(name, ""),
                "default": anonymous(value) if good and value is not None else "",
                "choices": environment_choices(getter),
            }
        )
    return found


def anonymous(value):
    """A default as text, without this machine's folders in it."""
    text = value if isinstance(value, str) else json.dumps(value)
    home = os.environ.get("HOME", "")
    if home not in ("", "/"):
        text = text.replace(home, "~")
    return text.replace(tempfile.gettempdir(), "/tmp")


def environment_choices(getter):
    names = getattr(getattr(getter, "__code__", None), "co_freevars", ())
    cells = getattr(getter, "__closure__", None) or ()
    held = {name: cell.cell_contents for name, cell in zip(names, cells, strict=False) if filled(cell)}
    choices = held.get("choices")
    try:
        return [str(choice) for choice in (choices() if callable(choices) else choices or ())]
    except Exception:
        return []


def environment_source(envs):
    """Comments above the table's keys, and the annotations at the top of the module."""
    try:
        source = inspect.getsource(envs)
    except OSError:
        return {}, {}
    lines = source.splitlines()
    comments, annotations = {}, {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            annotations.setdefault(node.target.id, ast.unparse(node.annotation))
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    text = comment_above(lines, key.lineno - 1)
                    if text:
                        comments.setdefault(key.value, text)
    return comments, annotations


def comment_above(lines, index):
    words = []
    while index > 0 and lines[index - 1].strip().startswith("#"):
        index -= 1
        line = lines[index].strip().lstrip("#").strip()
        if line.startswith(("===", "--8<--", "begin-", "end-")):
            break
        words.append(line)
    return "\n".join(reversed(words)).strip()
