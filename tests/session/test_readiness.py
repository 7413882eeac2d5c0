"""Ready means: our own process answers, and nobody else does."""

import http.server
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.engine.launch import Endpoint
from core.engine.readiness import Answer, ReadyWatch, ask, group_member
from tests.session.helpers import seconds_until


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    status = 200
    models = b'{"data": [{"id": "little"}]}'


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(self.server.models if self.path == "/v1/models" else b"")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[_Server]:
    """A healthy server in this process."""
    made = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=made.serve_forever, args=(0.02,))
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def endpoint(server: _Server, **fields: object) -> Endpoint:
    return Endpoint(**{"host": "127.0.0.1", "port": server.server_port, "api_key": None, "tls": False, **fields})


def ours(pid: int) -> bool:
    return pid == os.getpid()


def nobodys(_: int) -> bool:
    return False


def test_our_own_server_is_ready(server: _Server) -> None:
    assert ask(endpoint(server), ours) == Answer(ready=True)
    assert ask(endpoint(server), ours, ask_model=True).model == "little"


def test_a_healthy_answer_of_somebody_else_is_none(server: _Server) -> None:
    assert ask(endpoint(server), nobodys) == Answer(ready=False)


def test_an_ill_server_is_not_ready(server: _Server) -> None:
    server.status = 503
    assert not ask(endpoint(server), ours).ready


@pytest.mark.parametrize("models", [b"", b"[]", b'{"data": []}', b"\xff", b'{"data": 3}'])
def test_an_odd_list_of_models_names_none(server: _Server, models: bytes) -> None:
    server.models = models
    assert ask(endpoint(server), ours, ask_model=True) == Answer(ready=True)


@pytest.mark.parametrize("words", [b"", b"not http\r\n\r\n", b"HTTP/1.1 500 No\r\n\r\n"])
def test_something_that_speaks_otherwise(words: bytes) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def speak() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(words)

        thread = threading.Thread(target=speak)
        thread.start()
        found = ask(Endpoint("127.0.0.1", listener.getsockname()[1], None, tls=False), ours)
        thread.join()
    assert found == Answer(ready=False)


def test_nobody_there() -> None:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        assert not ask(Endpoint("127.0.0.1", trial.getsockname()[1], None, tls=False), ours).ready


def test_the_certificate_may_be_for_another_name(server: _Server, certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    assert ask(endpoint(server, tls=True), ours) == Answer(ready=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate with its key."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=elsewhere"]
    subprocess.run([*command, "-keyout", path, "-out", path.with_suffix(".crt")], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + path.with_suffix(".crt").read_bytes())
    return path


def watch(endpoint: Endpoint, is_ours: Callable[[int], bool], found: list[Answer]) -> ReadyWatch:
    made = ReadyWatch(endpoint, is_ours, found.append, ask_model=False)
    made.start()
    return made


def test_a_watch_tells_once(server: _Server) -> None:
    found: list[Answer] = []
    watching = watch(endpoint(server), ours, found)
    seconds_until(lambda: bool(found), 10)
    watching.stop()
    assert found == [Answer(ready=True)]


def test_a_watch_can_be_stopped(server: _Server) -> None:
    found: list[Answer] = []
    watching = watch(endpoint(server), nobodys, found)
    time.sleep(0.5)
    began = time.monotonic()
    watching.stop()
    watching.stop()
    assert found == [] and time.monotonic() - began < 2


def test_a_watch_that_was_never_started_can_be_stopped(server: _Server) -> None:
    ReadyWatch(endpoint(server), ours, lambda _: None, ask_model=False).stop()


def test_membership_of_a_group() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as child:
        assert group_member(child.pid)(child.pid) and not group_member(child.pid)(os.getpid())
        pid = child.pid
        child.communicate(b"\n")
    assert not group_member(pid)(pid)
