"""The one source of truth for what is set. Absent means: the engine's default."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from core.base.listeners import Listeners
from core.config.json_values import copy_value, same_value
from core.schema.model import Value

_HISTORY_LIMIT = 500
_MERGE_WINDOW_S = 1.0
_NO_EDIT = ("", float("-inf"))

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Change:
    """What moved, for listeners.

    Attributes:
        arguments: names of arguments that were set, changed or reset.
        environment: names of environment variables likewise.
    """

    arguments: frozenset[str] = frozenset()
    environment: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether anything moved."""
        return bool(self.arguments or self.environment)


@dataclass(frozen=True, slots=True)
class _State:
    """One state of the document. Never changed once made, so history and readers can share it."""

    values: Mapping[str, Value] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


class ConfigDocument:
    """Arguments and environment variables that the person has set, with undo.

    Values are JSON values, keyed by the argument's name in the schema; the model is the argument `model_tag`.
    Not thread-safe: edit it on one thread. Listeners are called on that thread, after the edit; a listener may edit.

    Attributes:
        changed: tells a `Change` after each edit that made a difference.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.changed = Listeners[Change]()
        self._state = _State()
        self._shown: tuple[_State, Mapping[str, Value]] | None = None
        self._undo: list[_State] = []
        self._redo: list[_State] = []
        self._clock = clock
        self._last_edit: tuple[str, float] = _NO_EDIT
        self._in_batch = False

    @property
    def values(self) -> Mapping[str, Value]:
        """What is set now, by argument name: a read-only picture that later edits do not touch. Cheap to ask for."""
        if self._shown is None or self._shown[0] is not self._state:
            # A copy, made once a state: lists in it that a reader changes are not the document's own.
            shown = {name: copy_value(value) for name, value in self._state.values.items()}
            self._shown = (self._state, MappingProxyType(shown))
        return self._shown[1]

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables that are set now, by name: a read-only picture like `values`."""
        return MappingProxyType(self._state.environment)

    def is_set(self, name: str) -> bool:
        """Whether the argument has a value of its own."""
        return name in self._state.values

    def value(self, name: str) -> Value:
        """The argument's own value; None when it is unset (`is_set` tells an unset one from one set to None)."""
        return self.values.get(name)

    def set(self, name: str, value: Value) -> None:
        """Set one argument. Edits of the same argument within a second of each other are one step of undo.

        Raises:
            TypeError: it is not a JSON value; nothing changes.
        """
        # Copied before the comparison: a tuple counts as the list it becomes.
        copied = copy_value(value)
        if name in self._state.values and same_value(self._state.values[name], copied):
            return
        values = {**self._state.values, name: copied}
        self._put(_State(values, self._state.environment), f"argument:{name}")

    def reset(self, name: str) -> None:
        """Go back to the engine's default: the key goes away."""
        if name in self._state.values:
            self._put(_State(_without(self._state.values, name), self._state.environment))

    def set_environment(self, name: str, value: str) -> None:
        """Set one environment variable for the engine; merged into one step of undo as in `set`."""
        if self._state.environment.get(name) != value:
            environment = {**self._state.environment, name: value}
            self._put(_State(self._state.values, environment), f"environment:{name}")

    def reset_environment(self, name: str) -> None:
        """Leave the variable to what the engine finds."""
        if name in self._state.environment:
            self._put(_State(self._state.values, _without(self._state.environment, name)))

    def replace(self, values: Mapping[str, Value], environment: Mapping[str, str]) -> None:
        """Put other contents in place of everything, as one step of undo.

        Raises:
            TypeError: one of the values is not a JSON value; nothing changes.
        """
        self._put(_State({name: copy_value(value) for name, value in values.items()}, dict(environment)))

    def restore(self, values: Mapping[str, Value], environment: Mapping[str, str]) -> None:
        """Begin anew with these contents and no history: what a program does once, with what it saved last time.

        Raises:
            TypeError: one of the values is not a JSON value; nothing changes.
            RuntimeError: called inside a batch.
        """
        self._outside_batch()
        before = self._state
        self._state = _State({name: copy_value(value) for name, value in values.items()}, dict(environment))
        self._undo.clear()
        self._redo.clear()
        self._last_edit = _NO_EDIT
        self._emit(before)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Several edits as one step of undo and one message to listeners. When the block fails, none of them stays."""
        if self._in_batch:
            yield
            return
        before = self._state
        self._in_batch = True
        try:
            yield
        except BaseException:
            self._state = before
            raise
        finally:
            self._in_batch = False
        self._commit(before, "")

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back that can be made again."""
        return bool(self._redo)

    def undo(self) -> None:
        """Take back the last step; nothing happens when there is none.

        Raises:
            RuntimeError: called inside a batch.
        """
        self._step(self._undo, self._redo)

    def redo(self) -> None:
        """Make the step again that was taken back last.

        Raises:
            RuntimeError: called inside a batch.
        """
        self._step(self._redo, self._undo)

    def _step(self, source: list[_State], target: list[_State]) -> None:
        self._outside_batch()
        if not source:
            return
        before = self._state
        target.append(before)
        self._state = source.pop()
        self._last_edit = _NO_EDIT
        self._emit(before)

    def _outside_batch(self) -> None:
        if self._in_batch:
            raise RuntimeError("history cannot be moved inside a batch of edits")

    def _put(self, state: _State, merge_key: str = "") -> None:
        before, self._state = self._state, state
        if not self._in_batch:
            self._commit(before, merge_key)

    def _commit(self, before: _State, merge_key: str) -> None:
        if not _difference(before, self._state):
            return
        moment = self._clock()
        last_key, last_moment = self._last_edit
        merges = merge_key != "" and merge_key == last_key and moment - last_moment < _MERGE_WINDOW_S
        if not merges:
            self._undo.append(before)
            del self._undo[:-_HISTORY_LIMIT]
        self._last_edit = (merge_key, moment)
        self._redo.clear()
        if merges and not _difference(self._undo[-1], self._state):
            # Typed back to where the step began: undoing it would visibly do nothing.
            self._undo.pop()
            self._last_edit = _NO_EDIT
        self._emit(before)

    def _emit(self, before: _State) -> None:
        change = _difference(before, self._state)
        if change:
            self.changed.emit(change)


def _without(mapping: Mapping[str, _Item], name: str) -> dict[str, _Item]:
    return {key: value for key, value in mapping.items() if key != name}


def _difference(before: _State, after: _State) -> Change:
    return Change(moved(before.values, after.values), moved(before.environment, after.environment))


def moved(before: Mapping[str, Value], after: Mapping[str, Value]) -> frozenset[str]:
    """Names that only one of the two has, or that have another value in the other."""
    names = before.keys() | after.keys()
    return frozenset(
        name
        for name in names
        if (name in before) != (name in after) or not same_value(before.get(name), after.get(name))
    )
