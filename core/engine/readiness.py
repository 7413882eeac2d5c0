"""Ready means that our own process answers, not that something answers on the port."""

import http.client
import json
import os
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass

from core.engine.launch import Endpoint
from core.engine.ports import client_host, listeners

_ASK_EVERY_S = 0.3
_ANSWER_WITHIN_S = 2.0
_ANSWER_LIMIT_BYTES = 1024 * 1024
_OK = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What asking came to.

    Attributes:
        ready: our process answers, and nobody else does.
        intruder: words for another program that takes connections to the same port as ours; empty when there is none.
        model: the first model it serves, where that had to be asked.
    """

    ready: bool
    intruder: str = ""
    model: str = ""


class ReadyWatch:
    """Asks an engine on a thread of its own until it is ready, or until the watch is stopped.

    Args:
        is_ours: whether a process belongs to the engine.
        on_answer: called once on that thread: ready, or an intruder.
        ask_model: find out the model's name too.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        is_ours: Callable[[int], bool],
        on_answer: Callable[[Answer], None],
        *,
        ask_model: bool,
    ) -> None:
        self._endpoint = endpoint
        self._is_ours = is_ours
        self._on_answer = on_answer
        self._ask_model = ask_model
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine-ready", daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def stop(self) -> None:
        """Ask no more, and wait for the thread; a question in flight ends by its own time limit."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(2 * _ANSWER_WITHIN_S)

    def _run(self) -> None:
        while not self._stopped.wait(_ASK_EVERY_S):
            answer = ask(self._endpoint, self._is_ours, ask_model=self._ask_model)
            if answer.ready or answer.intruder:
                if not self._stopped.is_set():
                    self._on_answer(answer)
                return


def ask(endpoint: Endpoint, is_ours: Callable[[int], bool], *, ask_model: bool = False) -> Answer:
    """Ask once for health, and look whose socket it is that answers."""
    if _get(endpoint, "/health") is None:
        return Answer(ready=False)
    found = listeners(endpoint.host, endpoint.port)
    strangers = [listener for listener in found if listener.pid is None or not is_ours(listener.pid)]
    if len(strangers) == len(found):
        # Ours does not listen (yet). If it wants the same port it will say so itself when it fails to bind.
        return Answer(ready=False)
    if strangers:
        return Answer(ready=False, intruder=str(strangers[0]))
    return Answer(ready=True, model=_first_model(endpoint) if ask_model else "")


def group_member(group: int) -> Callable[[int], bool]:
    """Whether a pid is in this process group now."""

    def check(pid: int) -> bool:
        try:
            return os.getpgid(pid) == group
        except ProcessLookupError:
            return False

    return check


def _first_model(endpoint: Endpoint) -> str:
    try:
        return str(json.loads(_get(endpoint, "/v1/models") or b"")["data"][0]["id"])
    except (ValueError, LookupError, TypeError):
        return ""


def _get(endpoint: Endpoint, path: str) -> bytes | None:
    """The body of a good answer; None for any other outcome."""
    connection = _connection(endpoint)
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key and path != "/health" else {}
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read(_ANSWER_LIMIT_BYTES)
        return body if response.status == _OK else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _connection(endpoint: Endpoint) -> http.client.HTTPConnection:
    host = client_host(endpoint.host)
    if not endpoint.tls:
        return http.client.HTTPConnection(host, endpoint.port, timeout=_ANSWER_WITHIN_S)
    # Whose server it is, the process behind the socket proves; its certificate may be for another name.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, endpoint.port, timeout=_ANSWER_WITHIN_S, context=context)
