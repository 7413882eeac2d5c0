"""One start of the engine, from the choice of a port to the last process."""

import queue
import re
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.base.clock import now
from core.base.errors import DynoError
from core.base.paths import Paths
from core.base.processes import ProcessRef
from core.config.command import LaunchPlan
from core.engine.environment_model import EngineEnvironment
from core.engine.kin import ID_VARIABLE
from core.engine.launch import Endpoint, choose_endpoint, drain_time_s, launch_command
from core.engine.link import WorkerLink
from core.engine.logfile import LogFollower
from core.engine.outcome import SEE_LOG, failure, leftovers
from core.engine.ports import PortClaim, base_url, holder
from core.engine.readiness import Answer, ReadyWatch, group_member
from core.engine.rescue import end_without_worker
from core.engine.snapshot import Board, State
from core.engine.stages import Stage
from core.engine.start_log import StartLog

_TICK_S = 0.1
_WORKER_PATIENCE_S = 20.0
_OUR_MISTAKE = "The program made a mistake; the engine was ended."
_CHECK_ENGINE = "Perhaps the engine's environment was moved or removed; look at the engines page."
_OTHER_PORT = "End that program, or choose another port."
_END_BY_HAND = "They do not answer to any signal; a restart of the machine frees what they hold."
_ADDRESS_TAKEN = re.compile(r"address already in use", re.IGNORECASE)


class EngineLife:
    """Runs one engine on a thread of its own; the board tells how it goes.

    Args:
        board: where every change is hung up.
        announce: called on the life's thread after each change.
    """

    def __init__(
        self,
        paths: Paths,
        environment: EngineEnvironment,
        plan: LaunchPlan,
        board: Board,
        announce: Callable[[], None],
    ) -> None:
        self._paths = paths
        self._environment = environment
        self._plan = plan
        self._board = board
        self._announce = announce
        self._id = uuid.uuid4().hex
        self._inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._processes: tuple[ProcessRef, ...] = ()
        self._link: WorkerLink | None = None
        self._watch: ReadyWatch | None = None
        self._endpoint: Endpoint | None = None
        self._claim: PortClaim | None = None
        self._stop_wished_s: float | None = None
        self._drain_s = 0.0  # nobody waits for an answer before it is ready
        self._intruder = ""
        log_path = paths.logs / log_name(plan.model, time.localtime(), self._id)
        self._start_log = StartLog(log_path)
        self.log = LogFollower(log_path)
        self._thread = threading.Thread(target=self._run, name="engine-life", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def request_stop(self) -> None:
        """Ask for the end; returns at once."""
        self._inbox.put({"event": "stop_wished"})

    def join(self) -> None:
        """Wait for the end of the engine and of the thread; nothing happens on the life's own thread."""
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def pids(self) -> list[int]:
        """The engine's processes, as the worker saw them within the last second."""
        return [process.pid for process in self._processes]

    def _run(self) -> None:
        final: dict[str, Any] = {"state": State.FAILED, "problem": _OUR_MISTAKE, "hint": SEE_LOG}
        try:
            self._announce()
            self._begin()
            while (settled := self._turn()) is None:
                continue
            final = settled
        except DynoError as error:
            final = self._at_rest(problem=error.message, hint=error.hint)
        except OSError as error:
            final = self._at_rest(problem=f"The engine could not be started: {error}.", hint=SEE_LOG)
        finally:
            self._clean_up()
            self._start_log.stages.finish()
            self._change(stages=self._start_log.stages.marks, **final)

    def _begin(self) -> None:
        endpoint, self._claim = choose_endpoint(self._paths, self._plan)
        argv, variables = launch_command(
            self._environment.python, self._plan, endpoint, python_version=self._environment.python_version
        )
        self._endpoint = endpoint
        self._change(
            host=endpoint.host,
            port=endpoint.port,
            base_url=base_url(endpoint.host, endpoint.port, tls=endpoint.tls),
            api_key=endpoint.api_key,
            log_path=self.log.path,
        )
        self._link = WorkerLink(self._inbox.put, self._paths.logs)
        self._link.send(
            do="start",
            argv=argv,
            environment={**variables, ID_VARIABLE: self._id},
            folder=str(self._paths.logs) if self._paths.logs.is_dir() else "/",
            log=str(self.log.path),
        )

    def _turn(self) -> dict[str, Any] | None:
        """Handle what comes next; gives the last fields of the snapshot once everything is over."""
        try:
            final = self._handle(self._inbox.get(timeout=_TICK_S))
        except queue.Empty:
            final = None
        if self._board.snapshot.ready_after_s is None and self._start_log.turn():
            self._change(**self._stage())
        wished = self._stop_wished_s
        if wished is not None and now() - wished > _WORKER_PATIENCE_S + self._drain_s and self._link is not None:
            self._link.kill()
        return final

    def _handle(self, event: dict[str, Any]) -> dict[str, Any] | None:
        match event:
            case {"event": "stop_wished"} if self._stop_wished_s is None:
                self._stop_wished_s = now()
                self._change(state=State.STOPPING)
                self._tell("stop", drain_s=self._drain_s)
            case {"event": "started", "pid": pid, "since": since}:
                self._on_started(ProcessRef(pid, since))
            case {"event": "processes", "processes": found}:
                self._processes = tuple(ProcessRef(pid, since) for pid, since in found)
            case {"event": "rung", "signal": name}:
                self._change(stop_rung=name)
            case {"event": "log_trouble", "reason": reason}:
                self._change(notice=f"The log cannot be written: {reason}.")
            case {"event": "answer", "answer": answer}:
                self._on_answer(answer)
            case {"event": "refused", "reason": reason}:
                return self._at_rest(problem=f"The engine could not be started: {reason}.", hint=_CHECK_ENGINE)
            case {"event": "ended"}:
                return self._on_ended(event)
            case {"event": "gone"}:
                return self._on_worker_gone()
        return None

    def _on_started(self, first: ProcessRef) -> None:
        self._processes = (first,)
        self._start_log.stages.enter(Stage.IMPORT)
        self._change(engine_pid=first.pid, **self._stage())
        if self._endpoint is not None:
            self._watch = ReadyWatch(
                self._endpoint,
                group_member(first.pid),
                lambda answer: self._inbox.put({"event": "answer", "answer": answer}),
                ask_model=not self._plan.served_name,
            )
            self._watch.start()

    def _on_answer(self, answer: Answer) -> None:
        if self._stop_wished_s is not None:
            return
        if answer.intruder:
            self._intruder = answer.intruder
            self._tell("stop", drain_s=0.0)
            return
        self._tell("ready")
        self._drain_s = drain_time_s(self._plan)
        self._start_log.turn()
        self._start_log.serving()
        self._start_log.stages.enter(Stage.READY)
        fields: dict[str, Any] = {"model": answer.model} if answer.model else {}
        began = self._board.snapshot.started_s
        elapsed = None if began is None else now() - began
        self._change(state=State.READY, ready_after_s=elapsed, **fields, **self._stage())

    def _on_ended(self, event: dict[str, Any]) -> dict[str, Any]:
        remaining = tuple(event["leftovers"])
        error = self._start_log.first_error()
        problem, hint = failure(self._start_log.stages.stage, event["exit_code"], error)
        if self._intruder:
            problem = (
                f"Port {self._board.snapshot.port} is shared with {self._intruder}, which takes part of the requests."
            )
            hint = _OTHER_PORT
        elif _ADDRESS_TAKEN.search(error) and self._endpoint is not None:
            taker = holder(self._endpoint.host, self._endpoint.port)
            problem = f"Port {self._endpoint.port} was taken by {taker} before the engine could use it."
            hint = "Start again." if self._plan.port is None else _OTHER_PORT
        lost = event["lost_bytes"]
        return self._at_rest(
            problem=problem,
            hint=hint,
            exit_code=event["exit_code"],
            stop_rung=event["rung"],
            stop_took_s=event["took_s"],
            leftover_pids=remaining,
            **({"notice": f"{lost:,} bytes of the log were lost."} if lost else {}),
        )

    def _on_worker_gone(self) -> dict[str, Any]:
        began = now()
        rescue = end_without_worker(self._id, self._processes)
        return self._at_rest(
            problem="The process that supervises the engine was ended from outside; the engine was ended, too.",
            hint="Start again.",
            stop_rung=rescue.rung,
            stop_took_s=now() - began,
            leftover_pids=rescue.leftovers,
        )

    def _at_rest(self, **fields: Any) -> dict[str, Any]:
        """The last fields of the snapshot: a failure, unless the person wanted the end."""
        left = leftovers(fields.get("leftover_pids", ()))
        if self._stop_wished_s is None:
            problem = f"{fields['problem']} {left}".rstrip()
            return {**fields, "state": State.FAILED, "problem": problem}
        wished = {"problem": left, "hint": _END_BY_HAND if left else "", "stop_took_s": now() - self._stop_wished_s}
        return {**fields, "state": State.STOPPED, **wished}

    def _tell(self, command: str, **fields: object) -> None:
        if self._link is not None:
            self._link.send(do=command, **fields)

    def _stage(self) -> dict[str, Any]:
        stages = self._start_log.stages
        return {
            "stage": stages.stage,
            "stage_detail": stages.detail,
            "stage_fraction": stages.fraction,
            "stages": stages.marks,
        }

    def _change(self, **fields: Any) -> None:
        self._board.change(**fields)
        self._announce()

    def _clean_up(self) -> None:
        if self._watch is not None:
            self._watch.stop()
        if self._link is not None:
            self._link.close()
        if self._claim is not None:
            self._claim.release()
        self._processes = ()
        self.log.finish()


def log_name(model: str, moment: time.struct_time, unique: str) -> str:
    """A file name that sorts by time and says which model it was."""
    slug = re.sub(r"[^A-Za-z0-9.-]+", "-", Path(model).name).strip("-.")[:60] or "engine"
    return f"{time.strftime('%Y%m%d-%H%M%S', moment)}-{slug}-{unique[:6]}.log"
