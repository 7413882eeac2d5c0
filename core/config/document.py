"""The one source of truth for what is set. Absent means: the engine's default."""

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from psygnal import Signal

from core.schema.model import Value

_HISTORY_LIMIT = 500
_MERGE_WINDOW_S = 1.0


@dataclass(frozen=True, slots=True)
class Change:
    """What moved, for listeners.

    Attributes:
        arguments: names of arguments that were set, changed or reset.
        environment: names of environment variables likewise.
    """

    arguments: frozenset[str] = frozenset()
    environment: frozenset[str] = frozenset()


@dataclass(slots=True)
class _State:
    values: dict[str, Value] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def clone(self) -> "_State":
        return _State(copy.deepcopy(self.values), dict(self.environment))


class ConfigDocument:
    """Arguments and environment variables that the person has set, with undo.

    Values are JSON values, keyed by the argument's name in the schema; the model is the argument `model_tag`.
    Not thread-safe: edit it on one thread. Listeners are called on that thread, after the edit.
    """

    changed = Signal(Change)

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._state = _State()
        self._undo: list[_State] = []
        self._redo: list[_State] = []
        self._clock = clock
        self._last_edit: tuple[str, float] = ("", float("-inf"))
        self._depth = 0

    @property
    def values(self) -> Mapping[str, Value]:
        """What is set, by argument name; read-only."""
        return MappingProxyType(self._state.values)

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables that are set, by name; read-only."""
        return MappingProxyType(self._state.environment)

    def is_set(self, name: str) -> bool:
        """Whether the argument has a value of its own."""
        return name in self._state.values

    def set(self, name: str, value: Value) -> None:
        """Set one argument. Edits of the same argument within a second are one step of undo."""
        if name in self._state.values and _same(self._state.values[name], value):
            return
        with self._edit(f"argument:{name}"):
            self._state.values[name] = copy.deepcopy(value)

    def reset(self, name: str) -> None:
        """Go back to the engine's default: the key goes away."""
        if name in self._state.values:
            with self._edit(""):
                del self._state.values[name]

    def set_environment(self, name: str, value: str) -> None:
        """Set one environment variable for the engine."""
        if self._state.environment.get(name) != value:
            with self._edit(f"environment:{name}"):
                self._state.environment[name] = value

    def reset_environment(self, name: str) -> None:
        """Leave the variable to what the engine finds."""
        if name in self._state.environment:
            with self._edit(""):
                del self._state.environment[name]

    def replace(self, values: Mapping[str, Value], environment: Mapping[str, str]) -> None:
        """Put other contents in place of everything, as one step of undo."""
        with self._edit(""):
            self._state = _State(copy.deepcopy(dict(values)), dict(environment))

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Several edits as one step of undo and one message to listeners."""
        with self._edit(""):
            yield

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back that can be made again."""
        return bool(self._redo)

    def undo(self) -> None:
        """Take back the last step; nothing happens when there is none."""
        self._swap(self._undo, self._redo)

    def redo(self) -> None:
        """Make the step again that was taken back last."""
        self._swap(self._redo, self._undo)

    def _swap(self, source: list[_State], target: list[_State]) -> None:
        if not source:
            return
        before = self._state
        target.append(before)
        self._state = source.pop()
        self._last_edit = ("", float("-inf"))
        self._emit(before)

    @contextmanager
    def _edit(self, merge_key: str) -> Iterator[None]:
        if self._depth:
            yield
            return
        before = self._state.clone()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self._remember(before, merge_key)
            self._emit(before)

    def _remember(self, before: _State, merge_key: str) -> None:
        if _difference(before, self._state) == Change():
            return
        moment = self._clock()
        last_key, last_moment = self._last_edit
        if not (merge_key and merge_key == last_key and moment - last_moment < _MERGE_WINDOW_S and self._undo):
            self._undo.append(before)
            del self._undo[:-_HISTORY_LIMIT]
        self._last_edit = (merge_key, moment)
        self._redo.clear()

    def _emit(self, before: _State) -> None:
        change = _difference(before, self._state)
        if change != Change():
            self.changed.emit(change)


def _difference(before: _State, after: _State) -> Change:
    return Change(_moved(before.values, after.values), _moved(before.environment, after.environment))


def _moved(before: Mapping[str, Value], after: Mapping[str, Value]) -> frozenset[str]:
    names = before.keys() | after.keys()
    return frozenset(
        name for name in names if (name in before) != (name in after) or not _same(before.get(name), after.get(name))
    )


def _same(left: Value, right: Value) -> bool:
    # True == 1 in Python, but not on a command line.
    return type(left) is type(right) and left == right
