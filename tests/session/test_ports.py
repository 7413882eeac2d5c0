"""Free ports, busy ports, and who holds them."""

import os
import socket
from collections.abc import Iterator

import pytest

from core.base.errors import DynoError
from core.engine import ports
from core.engine.ports import base_url, claim_port, client_host, holder, listeners


def choose_port(host: str, wanted: int | None) -> int:
    """Claim a port and let it go at once."""
    claim = claim_port(host, wanted)
    claim.release()
    return claim.port


@pytest.fixture
def busy() -> Iterator[int]:
    """A port on which this process listens."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_free_port_is_taken_as_wanted() -> None:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    assert choose_port("127.0.0.1", port) == port
    assert choose_port("localhost", port) == port


def test_a_busy_port_names_its_holder(busy: int) -> None:
    with pytest.raises(DynoError, match=rf"Port {busy} is in use by .+ \(process {os.getpid()}\)"):
        choose_port("127.0.0.1", busy)
    with pytest.raises(DynoError, match="in use"):
        choose_port("0.0.0.0", busy)
    assert choose_port("127.0.0.2", busy) == busy, "another address of this machine"


def test_without_a_wish_the_next_free_port_is_taken(busy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "DEFAULT_PORT", busy)
    assert busy < choose_port("127.0.0.1", None) < busy + 50
    monkeypatch.setattr(ports, "_TRIES", 1)
    with pytest.raises(DynoError, match="No port"):
        choose_port("127.0.0.1", None)


def test_a_claimed_port_is_not_chosen_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two starts at the same time; neither engine has bound its port yet."""
    first = claim_port("127.0.0.1", None)
    second = claim_port("127.0.0.1", None)
    assert second.port > first.port
    with pytest.raises(DynoError, match="another start"):
        claim_port("127.0.0.1", first.port)
    first.release()
    first.release()
    assert choose_port("127.0.0.1", first.port) == first.port
    second.release()


@pytest.mark.parametrize("wanted", [0, -1, 65536])
def test_numbers_that_are_no_port(wanted: int) -> None:
    with pytest.raises(DynoError, match="is not a port"):
        choose_port("127.0.0.1", wanted)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a..b", "2001:db8::1"])
def test_addresses_of_others(host: str) -> None:
    with pytest.raises(DynoError, match="not an address of this machine"):
        choose_port(host, 8000)


def test_a_port_for_administrators(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(socket.socket):
        def bind(self, address: object) -> None:
            if self.family is socket.AF_INET:
                raise PermissionError
            super().bind(address)

    monkeypatch.setattr(socket, "socket", Refusing)
    with pytest.raises(DynoError, match="administrator"):
        choose_port("127.0.0.1", 80)


def test_listeners_of_an_address(busy: int) -> None:
    for host in ("127.0.0.1", "localhost", "0.0.0.0", ""):
        assert [listener.pid for listener in listeners(host, busy)] == [os.getpid()]
    assert listeners("127.0.0.2", busy) == []
    assert holder("127.0.0.2", busy).startswith("another program")


def test_a_wildcard_listener_takes_every_address() -> None:
    with socket.socket(socket.AF_INET6) as server:
        server.bind(("::", 0))
        server.listen()
        port = server.getsockname()[1]
        assert [listener.pid for listener in listeners("127.0.0.1", port)] == [os.getpid()]


def test_a_listener_of_another_user_has_words_too() -> None:
    assert str(ports.Listener(None, None)) == "a program of another user"
    assert ports._name(2**22 + 1) is None and ports._name(None) is None


@pytest.mark.parametrize(
    ("host", "reached", "url"),
    [
        ("0.0.0.0", "127.0.0.1", "http://127.0.0.1:8000"),
        ("", "127.0.0.1", "http://127.0.0.1:8000"),
        ("localhost", "127.0.0.1", "http://127.0.0.1:8000"),
        ("::", "::1", "http://[::1]:8000"),
        ("[fe80::1]", "fe80::1", "http://[fe80::1]:8000"),
        ("10.0.0.7", "10.0.0.7", "http://10.0.0.7:8000"),
    ],
)
def test_how_a_server_is_reached(host: str, reached: str, url: str) -> None:
    assert client_host(host) == reached
    assert base_url(host, 8000) == url
    assert base_url(host, 8000, tls=True) == url.replace("http:", "https:")
