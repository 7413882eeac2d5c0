import threading
from collections.abc import Callable

import pytest

from core.base.paths import Paths
from core.config.document import Change, ConfigDocument
from core.engine.session import EngineSession
from core.engine.snapshot import SessionSnapshot, State
from gui.bridge import Bridge

Wait = Callable[..., None]


@pytest.fixture
def session(paths: Paths) -> EngineSession:
    return EngineSession(paths)


@pytest.fixture
def document() -> ConfigDocument:
    return ConfigDocument()


@pytest.fixture
def bridge(session: EngineSession, document: ConfigDocument) -> Bridge:
    made = Bridge(session, document)
    made.open()
    return made


def emit_elsewhere(session: EngineSession, *snapshots: SessionSnapshot) -> None:
    def work() -> None:
        for snapshot in snapshots:
            session.changed.emit(snapshot)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_what_a_core_thread_tells_arrives_here_in_order(session: EngineSession, bridge: Bridge, wait: Wait) -> None:
    seen: list[tuple[State, threading.Thread]] = []
    bridge.session_changed.connect(lambda snapshot: seen.append((snapshot.state, threading.current_thread())))
    states = [State.STARTING, State.READY, State.STOPPING, State.STOPPED]
    emit_elsewhere(session, *(SessionSnapshot(state=state) for state in states))
    assert seen == []
    wait(lambda: len(seen) == 4)
    assert [state for state, _ in seen] == states
    assert {thread for _, thread in seen} == {threading.main_thread()}
    bridge.close()


def test_edits_are_told_at_once(document: ConfigDocument, bridge: Bridge) -> None:
    seen: list[Change] = []
    bridge.config_changed.connect(seen.append)
    document.set("max_model_len", 1)
    assert seen == [Change(arguments=frozenset({"max_model_len"}))]
    bridge.close()


def test_after_closing_nothing_arrives(
    session: EngineSession, document: ConfigDocument, bridge: Bridge, wait: Wait
) -> None:
    seen: list[object] = []
    bridge.session_changed.connect(seen.append)
    bridge.config_changed.connect(seen.append)
    bridge.close()
    bridge.close()
    emit_elsewhere(session, SessionSnapshot(state=State.READY))
    document.set("max_model_len", 1)
    for _ in range(3):
        wait(lambda: True)
    assert seen == []
