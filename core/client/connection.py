"""One streaming request that can be broken off from another thread at any moment."""

import contextlib
import socket
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.base.clock import now
from core.client.sse import StreamGarbled

_CONNECT_S = 5.0
# A long prompt on a slow machine may take minutes before the first token.
_SILENCE_S = 900.0
_WATCH_S = 0.05


class ConnectionFailed(Exception):
    """The server could not be reached, or was lost on the way; the message says it in plain words."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply whose body has just begun to come.

    Attributes:
        status: HTTP status.
        sent_s: when the request was sent, by `core.base.clock.now()`.
        pieces: the body, as it comes.
    """

    status: int
    sent_s: float
    pieces: Iterable[bytes]

    def first_bytes(self, limit: int) -> bytes:
        """The body up to about `limit` bytes."""
        body = b""
        for piece in self.pieces:
            body += piece
            if len(body) >= limit:
                break
        return body


@contextlib.contextmanager
def streaming_post(
    base_url: str, path: str, body: Mapping[str, Any], api_key: str | None, cancel: threading.Event
) -> Iterator[Reply]:
    """Send JSON and hand over the reply while it comes; leaving the block closes the connection.

    Args:
        base_url: such as "http://127.0.0.1:8000", with or without "/v1" at its end.
        cancel: once set, whatever waits on the connection fails within a tenth of a second.

    Raises:
        ConnectionFailed: from the block or from entering it; also when `cancel` was set.
    """
    import httpx

    breaker = _Breaker(cancel)
    try:
        with (
            httpx.Client(
                base_url=base_url.rstrip("/").removesuffix("/v1"),
                # Proxies from the environment are for the internet, not for the engine on this machine.
                trust_env=False,
                timeout=httpx.Timeout(_SILENCE_S, connect=_CONNECT_S),
                headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
                # Reading the certificates costs 20 ms and is for nothing without TLS.
                verify=base_url.startswith("https:"),
            ) as client,
            breaker.watching(),
        ):
            sent_s = now()
            with client.stream("POST", path, json=body, extensions={"trace": breaker.trace}) as response:
                yield Reply(response.status_code, sent_s, response.iter_bytes())
    except httpx.ConnectError as error:
        raise ConnectionFailed(f"Nothing answers at {base_url}: the engine is not ready yet, or gone.") from error
    except httpx.TimeoutException as error:
        raise ConnectionFailed("The server went silent.") from error
    except (httpx.HTTPError, httpx.InvalidURL, StreamGarbled) as error:
        words = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConnectionFailed(f"The connection broke before the answer was complete ({words[:120]}).") from error


class _Breaker:
    """Shuts the request's socket down as soon as `cancel` is set, so that a reader blocked on it wakes up.

    Closing a response from another thread does not wake its reader, and before the headers there is no response to
    close; the socket is there from the connect on.
    """

    def __init__(self, cancel: threading.Event) -> None:
        self._cancel = cancel
        self._over = threading.Event()
        self._socket: socket.socket | None = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """httpx's trace hook: keeps the socket of the new connection."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = info["return_value"].get_extra_info("socket")

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch while the body runs."""
        thread = threading.Thread(target=self._watch, name="chat-cancel", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_WATCH_S):
            if self._cancel.is_set() and self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)
