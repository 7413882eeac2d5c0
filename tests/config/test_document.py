"""The document of what is set: edits, messages to listeners, undo."""

import gc
import weakref

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from core.config.document import Change, ConfigDocument
from core.config.json_values import same_value


class Clock:
    """A clock that the test moves."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def document(clock):
    return ConfigDocument(clock)


@pytest.fixture
def heard(document):
    changes = []
    document.changed.connect(changes.append)
    return changes


def test_a_new_document_sets_nothing(document):
    assert dict(document.values) == {}
    assert dict(document.environment) == {}
    assert not document.can_undo
    assert not document.can_redo


def test_unset_false_and_none_are_told_apart(document):
    document.set("enable_prefix_caching", False)
    document.set("seed", None)
    assert document.is_set("enable_prefix_caching")
    assert document.value("enable_prefix_caching") is False
    assert document.is_set("seed")
    assert document.value("seed") is None
    assert not document.is_set("max_model_len")
    assert document.value("max_model_len") is None


def test_reset_deletes_the_key(document, heard):
    document.set("max_model_len", 4096)
    document.reset("max_model_len")
    assert dict(document.values) == {}
    assert heard == [Change(frozenset({"max_model_len"}))] * 2


def test_environment_is_set_and_reset(document, heard):
    document.set_environment("OMP_NUM_THREADS", "4")
    assert dict(document.environment) == {"OMP_NUM_THREADS": "4"}
    document.reset_environment("OMP_NUM_THREADS")
    assert dict(document.environment) == {}
    assert heard == [Change(environment=frozenset({"OMP_NUM_THREADS"}))] * 2
    document.undo()
    assert dict(document.environment) == {"OMP_NUM_THREADS": "4"}


@pytest.mark.parametrize(
    "idle_edit",
    [
        lambda d: d.set("seed", 7),
        lambda d: d.set("hosts", ("a", "b")),
        lambda d: d.set_environment("A", "1"),
        lambda d: d.reset("max_model_len"),
        lambda d: d.reset_environment("B"),
        lambda d: d.replace({"seed": 7, "hosts": ["a", "b"]}, {"A": "1"}),
    ],
)
def test_an_edit_that_changes_nothing_is_no_step_and_tells_nobody(document, heard, idle_edit):
    document.replace({"seed": 7, "hosts": ["a", "b"]}, {"A": "1"})
    document.undo()
    document.redo()
    heard.clear()
    idle_edit(document)
    assert heard == []
    document.undo()
    assert dict(document.values) == {}
    assert not document.can_undo


def test_an_idle_edit_keeps_what_can_be_made_again(document):
    document.set("seed", 7)
    document.reset("seed")
    document.undo()
    document.set("seed", 7)
    assert document.can_redo


def test_true_in_place_of_one_is_a_change(document, heard):
    document.set("overrides", {"a": [1]})
    document.set("overrides", {"a": [True]})
    assert len(heard) == 2
    assert document.value("overrides")["a"][0] is True


def test_readers_and_writers_share_no_list(document):
    mine = ["a"]
    document.set("hosts", mine)
    mine.append("b")
    assert document.value("hosts") == ["a"]
    document.value("hosts").append("c")
    document.set("seed", 1)
    assert document.value("hosts") == ["a"]
    document.undo()
    assert document.value("hosts") == ["a"]


def test_values_are_a_picture_of_the_moment(document):
    document.set("seed", 1)
    picture = document.values
    environment = document.environment
    document.set("seed", 2)
    document.set_environment("A", "1")
    assert dict(picture) == {"seed": 1}
    assert dict(environment) == {}
    with pytest.raises(TypeError):
        picture["seed"] = 3


def test_asking_again_costs_no_copy(document):
    document.set("seed", 1)
    assert document.values is document.values


def test_what_is_no_json_value_changes_nothing(document, heard):
    document.set("seed", 1)
    heard.clear()
    for edit in (
        lambda: document.set("seed", {1, 2}),
        lambda: document.replace({"seed": 2, "x": object()}, {}),
        lambda: document.restore({"x": object()}, {}),
    ):
        with pytest.raises(TypeError):
            edit()
    assert dict(document.values) == {"seed": 1}
    assert heard == []


# Undo


def test_undo_and_redo_walk_the_steps(document, heard):
    document.set("seed", 1)
    document.set("block_size", 16)
    document.undo()
    assert dict(document.values) == {"seed": 1}
    document.undo()
    assert dict(document.values) == {}
    document.redo()
    document.redo()
    assert dict(document.values) == {"seed": 1, "block_size": 16}
    assert [set(change.arguments) for change in heard] == [
        {"seed"},
        {"block_size"},
        {"block_size"},
        {"seed"},
        {"seed"},
        {"block_size"},
    ]


def test_undo_and_redo_without_a_step_do_nothing(document, heard):
    document.undo()
    document.redo()
    assert heard == []


def test_a_new_edit_ends_redo(document):
    document.set("seed", 1)
    document.undo()
    document.set("block_size", 16)
    assert not document.can_redo


def test_typing_is_one_step(document, clock):
    for value in (3, 32, 327, 3276):
        document.set("max_model_len", value)
        clock.now_s += 0.9
    document.undo()
    assert not document.is_set("max_model_len")
    document.redo()
    assert document.value("max_model_len") == 3276


def test_a_pause_begins_a_new_step(document, clock):
    document.set("max_model_len", 1)
    clock.now_s += 1.0
    document.set("max_model_len", 2)
    document.undo()
    assert document.value("max_model_len") == 1


def test_two_arguments_are_two_steps_even_with_the_same_name_as_a_variable(document):
    document.set("A", 1)
    document.set_environment("A", "1")
    document.undo()
    assert dict(document.values) == {"A": 1}
    assert dict(document.environment) == {}


@pytest.mark.parametrize(
    "between",
    [
        lambda d: (d.undo(), d.redo()),
        lambda d: (d.set("other", 1), d.reset("other")),
        lambda d: d.replace({"seed": 5}, {}),
    ],
)
def test_nothing_merges_across_another_action(document, between):
    document.set("seed", 1)
    between(document)
    before = dict(document.values)
    document.set("seed", 2)
    document.undo()
    assert dict(document.values) == before


def test_typing_back_to_the_start_leaves_no_dead_step(document, clock):
    document.set("seed", 1)
    clock.now_s += 5
    document.set("seed", 12)
    document.set("seed", 1)
    document.undo()
    assert not document.is_set("seed")
    assert not document.can_undo


def test_typing_on_after_a_dead_step_does_not_reach_into_the_step_before(document, clock):
    document.set("seed", 1)
    clock.now_s += 5
    document.set("seed", 12)
    document.set("seed", 1)
    document.set("seed", 5)
    document.undo()
    assert document.value("seed") == 1


def test_two_resets_at_once_are_two_steps(document):
    document.replace({"seed": 1, "block_size": 16}, {})
    document.reset("seed")
    document.reset("block_size")
    document.undo()
    assert dict(document.values) == {"block_size": 16}


def test_reset_is_a_step_of_its_own(document):
    document.set("seed", 1)
    document.reset("seed")
    document.set("seed", 2)
    document.undo()
    assert not document.is_set("seed")
    document.undo()
    assert document.value("seed") == 1


def test_replace_is_one_step(document, heard):
    document.replace({"seed": 1, "block_size": 16}, {"A": "1"})
    assert heard == [Change(frozenset({"seed", "block_size"}), frozenset({"A"}))]
    document.undo()
    assert dict(document.values) == {}
    assert dict(document.environment) == {}


def test_restore_begins_without_history(document, heard):
    document.set("seed", 1)
    document.set("max_model_len", 2)
    document.undo()
    heard.clear()
    document.restore({"block_size": 16}, {"A": "1"})
    assert dict(document.values) == {"block_size": 16}
    assert heard == [Change(frozenset({"block_size", "seed"}), frozenset({"A"}))]
    assert not document.can_undo
    assert not document.can_redo


def test_an_edit_after_restoring_merges_into_nothing(document):
    document.set("seed", 1)
    document.restore({"seed": 2}, {})
    document.set("seed", 3)
    document.undo()
    assert document.value("seed") == 2
    assert not document.can_undo


def test_history_keeps_the_last_five_hundred_steps(document, clock):
    for value in range(600):
        document.set("seed", value)
        clock.now_s += 2
    steps = 0
    while document.can_undo:
        document.undo()
        steps += 1
    assert steps == 500
    assert document.value("seed") == 99


# Batches


def test_a_batch_is_one_step_and_one_message(document, heard):
    with document.batch():
        document.set("seed", 1)
        document.set_environment("A", "1")
        with document.batch():
            document.set("block_size", 16)
        assert heard == []
        assert document.value("block_size") == 16
    assert heard == [Change(frozenset({"seed", "block_size"}), frozenset({"A"}))]
    document.undo()
    assert dict(document.values) == {}
    assert not document.can_undo


def test_a_batch_that_ends_where_it_began_is_no_step(document, heard):
    with document.batch():
        document.set("seed", 1)
        document.reset("seed")
    assert heard == []
    assert not document.can_undo


def test_a_failed_batch_leaves_nothing(document, heard):
    document.set("seed", 1)
    heard.clear()
    with pytest.raises(ValueError, match="broken"), document.batch():
        document.set("seed", 2)
        document.set("block_size", 16)
        raise ValueError("broken")
    assert dict(document.values) == {"seed": 1}
    assert heard == []
    document.set("block_size", 32)
    assert len(heard) == 1


@pytest.mark.parametrize("move", [ConfigDocument.undo, ConfigDocument.redo, lambda d: d.restore({}, {})])
def test_history_cannot_be_moved_inside_a_batch(document, move):
    document.set("seed", 1)
    with document.batch(), pytest.raises(RuntimeError):
        move(document)
    assert document.value("seed") == 1


# Listeners


def test_listeners_see_the_new_state(document):
    seen = []
    document.changed.connect(lambda change: seen.append((change.arguments, document.value("seed"))))
    document.set("seed", 1)
    document.undo()
    assert seen == [(frozenset({"seed"}), 1), (frozenset({"seed"}), None)]


def test_a_listener_may_edit(document):
    def follow(change):
        if "seed" in change.arguments:
            document.set("block_size", 16)

    document.changed.connect(follow)
    document.set("seed", 1)
    assert dict(document.values) == {"seed": 1, "block_size": 16}
    document.undo()
    assert dict(document.values) == {"seed": 1}


def test_documents_do_not_hear_each_other(document, heard, clock):
    ConfigDocument(clock).set("seed", 1)
    assert heard == []


def test_a_document_without_readers_goes_away(clock):
    document = ConfigDocument(clock)
    document.changed.connect(lambda change: None)
    document.set("seed", 1)
    trace = weakref.ref(document)
    del document
    gc.collect()
    assert trace() is None


NAMES = st.sampled_from(["seed", "block_size", "max_model_len"])
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 2), st.sampled_from([1.0, "1", "", [1], [True], {"a": 1}, {"a": [1.0]}])
)
CONTENTS = st.dictionaries(NAMES, VALUES)
VARIABLES = st.dictionaries(st.sampled_from(["A", "B"]), st.sampled_from(["", "1"]))


class DocumentMachine(RuleBasedStateMachine):
    """Any order of edits: undo takes every step back exactly, redo makes it again, listeners miss nothing."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.document = ConfigDocument(self.clock)
        self.document.changed.connect(self._hear)
        # The history that a person would expect: contents before each step, oldest first.
        self.past = []
        self.future = []
        self.mirror = self._contents()

    def _contents(self):
        return (dict(self.document.values), dict(self.document.environment))

    def _hear(self, change):
        assert change
        values, environment = self.mirror
        for names, mine, theirs in (
            (change.arguments, values, self.document.values),
            (change.environment, environment, self.document.environment),
        ):
            for name in names:
                mine.pop(name, None)
                if name in theirs:
                    mine[name] = theirs[name]

    def _edit(self, edit):
        before = self._contents()
        edit()
        # Far apart in time, so that every edit is its own step.
        self.clock.now_s += 10
        if not _same_contents(before, self._contents()):
            self.past.append(before)
            self.future.clear()

    @rule(name=NAMES, value=VALUES)
    def set(self, name, value):
        self._edit(lambda: self.document.set(name, value))

    @rule(name=NAMES)
    def reset(self, name):
        self._edit(lambda: self.document.reset(name))

    @rule(name=st.sampled_from(["A", "B"]), value=st.sampled_from(["", "1"]))
    def set_environment(self, name, value):
        self._edit(lambda: self.document.set_environment(name, value))

    @rule(values=CONTENTS, environment=VARIABLES)
    def replace(self, values, environment):
        self._edit(lambda: self.document.replace(values, environment))

    @rule(edits=st.lists(st.tuples(NAMES, VALUES), max_size=4), fails=st.booleans())
    def batch(self, edits, fails):
        def several():
            with self.document.batch():
                for name, value in edits:
                    self.document.set(name, value)
                if fails:
                    raise KeyError("called off")

        def run():
            try:
                several()
            except KeyError:
                assert fails

        before = self._contents()
        self._edit(run)
        if fails:
            assert _same_contents(before, self._contents())

    @precondition(lambda self: self.document.can_undo)
    @rule()
    def undo(self):
        self.future.append(self._contents())
        self.document.undo()
        assert _same_contents(self._contents(), self.past.pop())

    @precondition(lambda self: self.document.can_redo)
    @rule()
    def redo(self):
        self.past.append(self._contents())
        self.document.redo()
        assert _same_contents(self._contents(), self.future.pop())

    @invariant()
    def history_is_as_long_as_expected(self):
        assert self.document.can_undo == bool(self.past)
        assert self.document.can_redo == bool(self.future)

    @invariant()
    def listeners_know_everything(self):
        assert _same_contents(self.mirror, self._contents())


class TypingMachine(DocumentMachine):
    """The same at typing speed, where edits merge: undo may leap, but all the way back is always the beginning."""

    def _edit(self, edit):
        edit()
        self.clock.now_s += 0.2

    @precondition(lambda self: True)
    @rule(steps=st.integers(1, 4))
    def undo(self, steps):
        for _ in range(steps):
            before = self._contents()
            could = self.document.can_undo
            self.document.undo()
            assert could == (not _same_contents(before, self._contents()))
            if could:
                after = self._contents()
                self.document.redo()
                assert _same_contents(before, self._contents())
                self.document.undo()
                assert _same_contents(after, self._contents())

    @precondition(lambda self: True)
    @rule()
    def redo(self):
        self.document.redo()

    @invariant()
    def history_is_as_long_as_expected(self):
        """Merging decides how long it is."""

    def teardown(self):
        while self.document.can_undo:
            self.document.undo()
        assert self._contents() == ({}, {})


def _same_contents(left, right):
    return same_value(left[0], right[0]) and left[1] == right[1]


TestDocumentMachine = DocumentMachine.TestCase
TestDocumentMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestTypingMachine = TypingMachine.TestCase
TestTypingMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
