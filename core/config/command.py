"""From what is set to what is run: the plan of a start, and the same as text to read and to copy."""

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from core.base.errors import DynoError
from core.config.local_paths import absolute, written_out
from core.config.masking import MASK, hide_secrets, is_secret_variable
from core.schema.kinds import check_value, to_argv
from core.schema.model import Argument, ArgumentSchema, Kind, Value
from core.schema.overlay import Overlay

_MODEL_TAG = "model_tag"
_MODEL = "model"
_HOST = "host"
_PORT = "port"
_SERVED_NAME = "served_model_name"
_Set: TypeAlias = tuple[Argument, Value]
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What a start runs, as the person set it; the launch adds where to listen.

    Attributes:
        argv: what follows `vllm serve`: the model, then the flags in the schema's order, without `--host` and `--port`.
        environment: variables to add, secrets among them; kept out of the repr.
        host: as set, None when unset.
        port: as set, None when unset.
        model: the model as the engine gets it, a local one as an absolute path.
        served_name: what requests call it.
    """

    argv: tuple[str, ...]
    environment: dict[str, str] = field(repr=False)
    host: str | None
    port: int | None
    model: str
    served_name: str


def unknown_arguments(schema: ArgumentSchema, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Names that are set but that this engine version does not have (they came from another version's settings)."""
    known = {argument.name for argument in schema.arguments}
    return tuple(name for name in values if name not in known)


def plan(
    schema: ArgumentSchema, overlay: Overlay, values: Mapping[str, Value], environment: Mapping[str, str]
) -> LaunchPlan:
    """What to run for these settings. Nothing is added that was not set.

    Secrets go into the environment, never onto the command line. A model or a path that begins with `~`, or that names
    something in the current folder, becomes absolute, since the engine runs in another folder and without a shell.

    Raises:
        DynoError: no model; an argument that this engine does not have (never dropped silently: the engine would run
            with other settings than the person sees); a value that cannot be; a secret that has no way but the
            command line; an impossible environment variable.
    """
    _refuse_unknown(schema, values)
    _refuse_wrong(schema, values)
    model = _model(values)
    if not model:
        raise DynoError("No model is chosen.", "Choose a model folder, or type a Hub id such as org/name.")
    if model.startswith("-"):
        raise DynoError(
            f"The model {model} begins with a dash.", "The engine would take it for a flag; write ./ before it."
        )
    secrets, plain = _sorted_out(schema, overlay, values)
    argv = [model]
    for argument, value in plain:
        if argument.name not in (_HOST, _PORT):
            argv += _words(argument, value)
    variables = {**_checked_environment(environment), **_secret_environment(overlay, secrets)}
    if any("\0" in token for token in (*argv, *variables.values())):
        raise DynoError("A value contains a NUL character, which no program can be given.", "Type the value anew.")
    host, port = values.get(_HOST), values.get(_PORT)
    return LaunchPlan(
        argv=tuple(argv),
        environment=variables,
        host=host if isinstance(host, str) else None,
        port=port if isinstance(port, int) else None,
        model=model,
        served_name=_served_name(values) or model,
    )


def command_text(
    schema: ArgumentSchema,
    overlay: Overlay,
    values: Mapping[str, Value],
    environment: Mapping[str, str],
    *,
    mask: bool = True,
    multiline: bool = False,
) -> str:
    """The settings as a shell command, to be shown while they are edited: it never fails, whatever is set.

    Args:
        mask: show secrets as `***`; without it the text can be pasted and run.
        multiline: one argument a line, joined by backslashes.
    """
    secrets, plain = _sorted_out(schema, overlay, values)
    variables = {**environment, **_shown_secrets(overlay, secrets)}
    hidden = {_variable(overlay, argument) for argument, _ in secrets}
    parts = [
        _assignment(name, value, mask and bool(value) and (name in hidden or is_secret_variable(name, value)))
        for name, value in variables.items()
    ]
    model = _model(values)
    parts.append(_joined(["vllm", "serve", *([_shown(model, mask)] if model else [])]))
    for argument, value in plain:
        parts.append(_joined(_written(argument, _shown(_resolved(argument, value), mask))))
    # Arguments that this engine does not have are shown the way vLLM spells flags; plan() refuses them.
    for name in unknown_arguments(schema, values):
        stranger = Argument(name=name, flags=("--" + name.replace("_", "-"),))
        value = MASK if mask and overlay.is_secret(stranger) else _shown(values[name], mask)
        parts.append(_joined(_written(stranger, value)))
    return (" \\\n  " if multiline else " ").join(part for part in parts if part)


def _refuse_unknown(schema: ArgumentSchema, values: Mapping[str, Value]) -> None:
    unknown = unknown_arguments(schema, values)
    if unknown:
        version = f"vLLM {schema.engine_version}" if schema.engine_version else "This engine"
        raise DynoError(
            f"{version} has no argument {_enumerated(unknown)}.",
            f"Reset {'it' if len(unknown) == 1 else 'them'}, or choose an engine of the version that has "
            f"{'it' if len(unknown) == 1 else 'them'}.",
            detail="\n".join(unknown),
        )


def _refuse_wrong(schema: ArgumentSchema, values: Mapping[str, Value]) -> None:
    problems = {}
    for argument in schema.arguments:
        if argument.name in values:
            message = check_value(argument, values[argument.name])
            if message:
                problems[argument.flag] = message
    if problems:
        detail = "\n".join(f"{flag}: {message}" for flag, message in problems.items())
        flag, message = next(iter(problems.items()))
        others = f" The same goes for {_enumerated(list(problems)[1:])}." if len(problems) > 1 else ""
        raise DynoError(f"The value of {flag} cannot be used: {message}", f"Change or reset it.{others}", detail)


def _sorted_out(schema: ArgumentSchema, overlay: Overlay, values: Mapping[str, Value]) -> tuple[list[_Set], list[_Set]]:
    """What is set, secrets apart from the rest, both in the schema's order; the model is left out."""
    secrets: list[_Set] = []
    plain: list[_Set] = []
    for argument in schema.arguments:
        if argument.name in values and argument.name not in (_MODEL_TAG, _MODEL):
            value = values[argument.name]
            # `--hf-token` may stand alone (true): "use the stored one" is no secret.
            secret = overlay.is_secret(argument) and not isinstance(value, bool)
            (secrets if secret else plain).append((argument, value))
    return secrets, plain


def _secret_environment(overlay: Overlay, secrets: Iterable[_Set]) -> dict[str, str]:
    found = {}
    for argument, value in secrets:
        texts = _texts(value)
        if not texts:
            continue
        name = overlay.secret_environment(argument.name)
        if name is None:
            raise DynoError(
                f"{argument.flag} is a secret that vLLM reads from the command line only.",
                "Everybody on this machine can read command lines, so it is not passed on; reset it.",
            )
        if len(texts) > 1:
            raise DynoError(
                f"{argument.flag} has {len(texts)} values, but {name} carries one.",
                "Secrets travel in the environment only; keep one of them.",
            )
        found[name] = texts[0]
    return found


def _shown_secrets(overlay: Overlay, secrets: Iterable[_Set]) -> dict[str, str]:
    return {_variable(overlay, argument): ",".join(texts) for argument, value in secrets if (texts := _texts(value))}


def _variable(overlay: Overlay, argument: Argument) -> str:
    return overlay.secret_environment(argument.name) or argument.name.upper()


def _texts(value: Value) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value]) if item not in (None, "")]


def _checked_environment(environment: Mapping[str, str]) -> dict[str, str]:
    for name in environment:
        if not _VARIABLE_NAME.fullmatch(name):
            raise DynoError(
                f"{name or 'An empty text'} cannot name an environment variable.",
                "Use letters, digits and underscores, beginning with a letter.",
            )
    return dict(environment)


def _model(values: Mapping[str, Value]) -> str:
    for name in (_MODEL_TAG, _MODEL):
        value = values.get(name)
        if isinstance(value, str) and value.strip():
            return absolute(value.strip())
    return ""


def _served_name(values: Mapping[str, Value]) -> str:
    # The first of several names is the one that answers carry.
    texts = _texts(values.get(_SERVED_NAME))
    return texts[0] if texts else ""


def _resolved(argument: Argument, value: Value) -> Value:
    if argument.kind is Kind.PATH and isinstance(value, str):
        return absolute(value)
    if argument.kind is Kind.TEXT and isinstance(value, str):
        return written_out(value)
    if argument.kind is Kind.LIST and isinstance(value, list):
        make = absolute if argument.item is Kind.PATH else written_out
        return [make(item) if isinstance(item, str) else item for item in value]
    return value


def _words(argument: Argument, value: Value) -> list[str]:
    words = to_argv(argument, _resolved(argument, value))
    if not words:
        # What is set must not vanish: the engine would run with its default instead.
        message = f"{argument.flag} set to {json.dumps(value)} cannot be written on a command line."
        raise DynoError(message, "Change or reset it.")
    return words


def _written(argument: Argument, value: Value) -> list[str]:
    """Words for display; a value that has no words (a switch that cannot be told to be off) is shown as JSON."""
    return to_argv(argument, value) or [argument.flag, json.dumps(value)]


def _shown(value: Value, mask: bool) -> Value:
    return hide_secrets(value) if mask else value


def _assignment(name: str, value: str, hidden: bool) -> str:
    if not _VARIABLE_NAME.fullmatch(name):
        return shlex.quote(f"{name}={MASK if hidden else value}")
    return f"{name}={MASK if hidden else shlex.quote(value)}"


def _joined(tokens: Iterable[object]) -> str:
    return " ".join(shlex.quote(str(token)) for token in tokens)


def _enumerated(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
