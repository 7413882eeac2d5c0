"""A whole life, on the fake engine and on a real one: the same test for both."""

import socket
from pathlib import Path

import pytest

from core.base.errors import DynoError
from core.base.paths import Paths
from core.engine.ports import listeners
from core.engine.session import EngineSession, SessionSnapshot, Stage, State
from tests.session.helpers import EngineCase, ask, get, living, log_text, private, until_ready, until_rest

_ORDER = list(Stage)


def test_a_whole_life(engine: EngineCase, session: EngineSession) -> None:
    seen: list[SessionSnapshot] = []
    session.changed.connect(seen.append)
    plan = engine.plan(START_S="1.5")
    session.start(engine.environment, plan)
    assert session.snapshot.state is State.STARTING
    with pytest.raises(DynoError, match="running already"):
        session.start(engine.environment, plan)
    ready = until_ready(session, engine.limit_s)

    assert ready.host == "127.0.0.1" and ready.base_url == f"http://127.0.0.1:{ready.port}"
    assert ready.api_key is None and ready.model == engine.model
    assert ready.ready_after_s is not None and ready.started_s is not None
    reached = [mark.stage for mark in ready.stages]
    assert reached == sorted(reached, key=_ORDER.index)
    assert {Stage.LAUNCH, Stage.IMPORT, Stage.CONFIG, Stage.WEIGHTS, Stage.KV_CACHE, Stage.READY} <= set(reached)
    assert all(mark.ended_s is not None for mark in ready.stages[:-1]) and ready.stages[-1].ended_s is None
    assert any(snapshot.stage_fraction is not None for snapshot in seen if snapshot.stage is Stage.WEIGHTS)

    assert get(f"{ready.base_url}/health")[0] == 200
    answer = ask(ready.base_url, ready.model, max_tokens=8)
    assert len(answer) > 3
    pids = session.engine_pids()
    assert ready.engine_pid in pids
    holders = {listener.pid for listener in listeners("127.0.0.1", ready.port)}
    assert holders <= set(pids) | {ready.engine_pid}
    assert private(ready.log_path)

    session.stop()
    stopped = until_rest(session)
    print(f"\n{engine.name}: ready {ready.ready_after_s:.2f} s, stopped {stopped.stop_took_s:.2f} s, {answer=}")
    assert stopped.state is State.STOPPED and stopped.problem == ""
    assert stopped.stop_rung == "SIGINT" and stopped.exit_code == 0 and stopped.leftover_pids == ()
    assert stopped.stop_took_s is not None and stopped.stop_took_s < 5
    assert stopped.stages[-1].ended_s is not None
    assert living(pids) == [] and session.engine_pids() == []
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind(("127.0.0.1", ready.port))
    taken = "\n".join(session.log.take(10_000))
    assert "Application startup complete" in taken and taken.splitlines()[0] in log_text(stopped)
    states = [snapshot.state for snapshot in seen]
    assert states[0] is State.STARTING and states[-1] is State.STOPPED
    assert [state for state in State if state in states] == [
        State.STARTING,
        State.READY,
        State.STOPPING,
        State.STOPPED,
    ]


def test_the_same_session_serves_another_life(fake: EngineCase, session: EngineSession) -> None:
    logs = set()
    for _ in range(2):
        session.start(fake.environment, fake.plan())
        assert until_ready(session).problem == ""
        session.stop()
        last = until_rest(session)
        assert last.state is State.STOPPED
        logs.add(last.log_path)
        assert session.log.path == last.log_path
    assert len(logs) == 2


def test_two_sessions_start_side_by_side(fake: EngineCase, session: EngineSession, tmp_path: Path) -> None:
    """The second one finds the port of the first taken, long before that engine has bound it."""
    other = EngineSession(Paths.below(tmp_path / "other"))
    session.start(fake.environment, fake.plan(START_S="1"))
    other.start(fake.environment, fake.plan(START_S="1"))
    assert until_ready(session).port != until_ready(other).port
    other.close()


def test_a_failed_start_can_be_followed_by_another(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, fake.plan(CRASH="config", EXIT_CODE="3"))
    assert until_rest(session).exit_code == 3
    session.start(fake.environment, fake.plan())
    fresh = until_ready(session)
    assert fresh.exit_code is None and fresh.problem == "" and fresh.stop_rung is None


def test_closing_stops_and_may_be_done_twice(fake: EngineCase, session: EngineSession) -> None:
    session.start(fake.environment, fake.plan())
    pids = [until_ready(session).engine_pid]
    session.close()
    assert session.snapshot.state is State.STOPPED and living(pids) == []
    session.close()


def test_a_session_that_never_started_has_nothing(session: EngineSession) -> None:
    session.stop()
    session.close()
    assert session.snapshot.state is State.IDLE
    assert session.engine_pids() == [] and session.log.take() == [] and session.log.path is None


def test_waiting_gives_the_newest_snapshot_when_time_is_over(session: EngineSession) -> None:
    assert session.wait(lambda _: False, 0.05) is session.snapshot


def test_waiting_looks_at_other_things_too(session: EngineSession) -> None:
    asked = []
    session.wait(lambda _: len(asked) > 1 or asked.append(1) is not None, 5.0)
    assert len(asked) == 2


def test_a_listener_that_fails_does_not_end_the_life(fake: EngineCase, session: EngineSession, caplog) -> None:
    def broken(_: SessionSnapshot) -> None:
        raise RuntimeError("listener")

    session.changed.connect(broken)
    session.start(fake.environment, fake.plan())
    until_ready(session)
    session.stop()
    assert until_rest(session).state is State.STOPPED
    session.close()
    assert "A listener of the session failed" in caplog.text


def test_a_new_life_can_be_started_from_within_a_listener(fake: EngineCase, session: EngineSession) -> None:
    """As an automatic restart would."""
    starts = []

    def again(snapshot: SessionSnapshot) -> None:
        if snapshot.state is State.FAILED and not starts:
            starts.append(1)
            session.start(fake.environment, fake.plan())

    session.changed.connect(again)
    session.start(fake.environment, fake.plan(CRASH="import"))
    snapshot = session.wait(lambda now: now.state is State.READY, 30)
    assert snapshot.state is State.READY and starts == [1]
