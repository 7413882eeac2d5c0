"""A launch plan from the words that follow `vllm serve`, without a schema."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.base.errors import DynoError
from core.config.command import LaunchPlan
from core.config.local_paths import absolute
from core.engine.launch import KEY_VARIABLE

_WHOLE = re.compile(r"[0-9]{1,9}")
_FLAG = re.compile(r"-+[A-Za-z]")
_KEY_FLAG = "--api-key"
_KEY_SHORTEST = "--api-k"  # argparse takes unique beginnings of a flag
_SECRET_VARIABLES = {_KEY_FLAG: KEY_VARIABLE, "--hf-token": "HF_TOKEN"}


@dataclass(slots=True)
class _Group:
    """A flag with the values that follow it, and the words as they were written."""

    flag: str = ""
    values: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The flag as vLLM's help spells it."""
        name = self.flag.replace("_", "-")
        return _KEY_FLAG if name.startswith(_KEY_SHORTEST) and _KEY_FLAG.startswith(name) else name

    @property
    def value(self) -> str:
        """The only value.

        Raises:
            DynoError: there is none, or there are several.
        """
        if len(self.values) != 1:
            raise DynoError(f"{self.name} takes exactly one value here, not {len(self.values)}.")
        if not self.values[0]:
            raise DynoError(f"The value of {self.name} is empty.")
        return self.values[0]


def raw_plan(words: Sequence[str]) -> LaunchPlan:
    """Sort out what the launch itself must know: model, address, secrets. Everything else passes through as it is.

    Raises:
        DynoError: no model, a local one that is not there, a port that is no number, a key without a value or
            more than one.
    """
    groups = list(_grouped(words))
    model = _model(groups)
    if not model and not any(group.name == "--config" for group in groups):
        raise DynoError("No model is given.", "Write the model first: vllm-dyno serve -- MODEL [vllm arguments]")
    if model.startswith("/") and not os.path.lexists(model):
        # The engine would take it for a name on the Hub, ten seconds later and in other words.
        raise DynoError(f"There is no {model[:200]}.", "Check the path of the model.")
    host: str | None = None
    port: int | None = None
    served = ""
    environment: dict[str, str] = {}
    argv: list[str] = []
    for group in groups:
        if group.name == "--host":
            host = group.value
        elif group.name == "--port":
            port = _number(group.value)
        elif group.name in _SECRET_VARIABLES and (group.values or group.name == _KEY_FLAG):
            environment[_SECRET_VARIABLES[group.name]] = group.value
        elif group.name == "--model":
            argv += [group.flag, model]
        else:
            if group.name == "--served-model-name" and group.values:
                served = group.values[0]
            argv += [_resolved(word) for word in group.words]
    if groups and not groups[0].flag:
        argv[0] = model
    return LaunchPlan(tuple(argv), environment, host, port, model, served or model)


def _grouped(words: Sequence[str]) -> Iterator[_Group]:
    """Each flag with its values; words before the first flag come with an empty one."""
    group = _Group()
    for word in words:
        if _FLAG.match(word):
            if group.words:
                yield group
            flag, equals, value = word.partition("=")
            group = _Group(flag, [value] if equals else [], [word])
        else:
            group.values.append(word)
            group.words.append(word)
    if group.words:
        yield group


def _model(groups: list[_Group]) -> str:
    if groups and not groups[0].flag:
        return absolute(groups[0].values[0])
    return next((absolute(group.value) for group in groups if group.name == "--model"), "")


def _number(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise DynoError(f"{text[:40]} is not a port.", "A port is a whole number.")
    return int(text)


def _resolved(word: str) -> str:
    # The engine runs in another folder; only what is certainly a path is touched.
    return absolute(word) if word.startswith(("./", "../", "~/")) else word
