"""Run by the engine's interpreter: reads command lines, lets vLLM's own parser parse each, and tells what it read.

`python -P read_back.py SCRIPTS_FOLDER < requests.json`; requests are `[{"name", "argv"}, ...]`. The answer stands
between the two markers, since vLLM may print to standard output too: `{"names": [...], "answers": [{"value"} or
{"exit", "message"}, ...]}` with the parser's own list of destinations.
"""

import contextlib
import dataclasses
import enum
import io
import json
import os
import sys

BEGIN, END = "-----BEGIN ANSWERS-----", "-----END ANSWERS-----"


def plain(value):
    """JSON for a parsed value, with classes and enums marked, so that nothing looks equal that is not."""
    if isinstance(value, enum.Enum):
        return {"__enum__": [value.name, plain(value.value)]}
    if dataclasses.is_dataclass(value):
        fields = {field.name: plain(getattr(value, field.name, None)) for field in dataclasses.fields(value)}
        return {"__class__": type(value).__name__, "fields": fields}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"__set__": sorted((plain(item) for item in value), key=str)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return {"__object__": repr(value)}


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests = json.load(sys.stdin)
    sys.path.append(sys.argv[1])
    import probe_vllm

    sys.argv = ["vllm", "serve"]
    probe_vllm.answer_for_vllm(*probe_vllm.find_distribution())
    probe_vllm.settle_platform()
    from vllm.entrypoints.cli import serve

    parser = probe_vllm.flexible_parser()(prog="vllm")
    serving = serve.cmd_init()[0].subparser_init(parser.add_subparsers(dest="subparser"))
    answers = []
    for request in requests:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
                parsed = parser.parse_args(["serve", *request["argv"]])
            answers.append({"value": plain(getattr(parsed, request["name"], None))})
        except SystemExit as error:
            answers.append({"exit": error.code, "message": printed.getvalue()[-600:]})
        except Exception as error:  # noqa: BLE001 - whatever vLLM raises is the answer
            answers.append({"exit": -1, "message": f"{type(error).__name__}: {error}"[:600]})
    document = {"names": [action.dest for action in serving._actions], "answers": answers}
    out.write(f"\n{BEGIN}\n{json.dumps(document)}\n{END}\n")
    out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
