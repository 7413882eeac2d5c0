"""A small server on the loopback whose handlers write raw bytes, so that it can have any bad habit."""

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    def __init__(self, raw: socket.socket) -> None:
        self._raw = raw

    def send(self, data: bytes) -> None:
        self._raw.sendall(data)

    def answer(self, status: int, body: bytes | str = b"", kind: str = "text/plain") -> None:
        data = body.encode() if isinstance(body, str) else body
        head = (
            f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
        )
        self.send(head.encode() + data)

    def begin_stream(self) -> None:
        self.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")

    def event(self, data: Any) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        self.send(f"data: {text}\n\n".encode())

    def closed_by_peer(self, within_s: float) -> bool:
        self._raw.settimeout(within_s)
        try:
            return self._raw.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True


Handler = Callable[[Request, Connection], None]


class LoopbackServer:
    """Answers each connection once, in a thread of its own."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.requests: list[Request] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._acceptor = threading.Thread(target=self._accept, name="loopback-accept", daemon=True)

    def __enter__(self) -> "LoopbackServer":
        self._acceptor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in [self._acceptor, *self._threads]:
            thread.join(5)
            assert not thread.is_alive()

    def _accept(self) -> None:
        while True:
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(raw,), name="loopback-serve", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, raw: socket.socket) -> None:
        with raw, contextlib.suppress(ConnectionError):
            request = _read_request(raw)
            if request is not None:
                self.requests.append(request)
                self.handler(request, Connection(raw))


def _read_request(raw: socket.socket) -> Request | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = raw.recv(65536)
        if not piece:
            return None
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += raw.recv(65536)
    method, path, _ = first.split(" ")
    return Request(method, path, headers, body)


@contextlib.contextmanager
def serving(handler: Handler) -> Iterator[LoopbackServer]:
    with LoopbackServer(handler) as server:
        yield server


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
