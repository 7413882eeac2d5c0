"""Where the engine listens: a free port, the address that reaches it, and who else holds a port."""

import errno
import ipaddress
import socket
from dataclasses import dataclass

import psutil

from core.base.errors import DynoError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_LAST_PORT = 65535
_TRIES = 200
_NOT_OURS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that waits for connections.

    Attributes:
        pid: one process that holds it; None where the system does not tell (another user's).
        name: that process's program.
    """

    pid: int | None
    name: str | None

    def __str__(self) -> str:
        if self.pid is None:
            return "a program of another user"
        return f"{self.name or 'a program'} (process {self.pid})"


class PortClaim:
    """A port kept for one start. vLLM imports for ten seconds and more before it binds, and another start of this
    program must not choose the same port meanwhile. (Other programs do not know of claims.)

    Raises:
        OSError: another start holds it.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        # An abstract name: gone with its holder, and known exactly where the port is (in this network namespace).
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._socket.bind(f"\0vllm-dyno-port-{port}")
        except OSError:
            self._socket.close()
            raise

    def release(self) -> None:
        """Let others have it; may be called twice."""
        self._socket.close()


def claim_port(host: str, wanted: int | None) -> PortClaim:
    """Find a port on which the engine can listen, and keep it from other starts of this program.

    Args:
        host: the address to bind.
        wanted: the port that was asked for; None takes 8000 or the next free one.

    Raises:
        DynoError: the wanted port is busy (the message names the holder), not a port, or the address is not ours.
    """
    if wanted is not None:
        if not 0 < wanted <= _LAST_PORT:
            raise DynoError(f"{wanted} is not a port.", f"Choose a number from 1 to {_LAST_PORT}.")
        claim = _claimed(host, wanted)
        if claim is None:
            raise DynoError(
                f"Port {wanted} is in use by {holder(host, wanted)}.",
                "End that program, choose another port, or leave the port open to get the next free one.",
            )
        return claim
    for port in range(DEFAULT_PORT, DEFAULT_PORT + _TRIES):
        claim = _claimed(host, port)
        if claim is not None:
            return claim
    raise DynoError(
        f"No port from {DEFAULT_PORT} to {DEFAULT_PORT + _TRIES - 1} is free on {host}.", "Set a port that is free."
    )


def holder(host: str, port: int) -> str:
    """Words for whoever holds the port."""
    found = listeners(host, port)
    return str(found[0]) if found else "another program, or by another start of this one"


def listeners(host: str, port: int) -> list[Listener]:
    """Every socket that takes connections to this host and port.

    vLLM binds with SO_REUSEPORT, so two engines of one user can share a port and get each other's requests; a single
    answer proves nothing.
    """
    own = _address(host)
    found = []
    for connection in psutil.net_connections("tcp"):
        if connection.status != psutil.CONN_LISTEN or not connection.laddr or connection.laddr.port != port:
            continue
        bound = _plain(connection.laddr.ip)
        # A wildcard takes connections to every address; a v6 one commonly takes v4 too.
        if own.is_unspecified or bound.is_unspecified or bound == own:
            found.append(Listener(connection.pid, _name(connection.pid)))
    return found


def client_host(host: str) -> str:
    """The address to talk to for a server bound to `host`: a wildcard is reached by loopback. Without brackets."""
    name = bare(host)
    return {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "localhost": "127.0.0.1", "::": "::1"}.get(name, name)


def base_url(host: str, port: int, *, tls: bool = False) -> str:
    """Where the API is reached, without a trailing slash."""
    reached = client_host(host)
    return f"{'https' if tls else 'http'}://{f'[{reached}]' if ':' in reached else reached}:{port}"


def bare(host: str) -> str:
    """The host without the brackets of a v6 address and without blanks."""
    return host.strip().removeprefix("[").removesuffix("]")


def _claimed(host: str, port: int) -> PortClaim | None:
    try:
        claim = PortClaim(port)
    except OSError:
        return None
    try:
        free = _is_free(host, port)
    except DynoError:
        claim.release()
        raise
    if free:
        return claim
    claim.release()
    return None


def _is_free(host: str, port: int) -> bool:
    address = _address(host)
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        # As the engine does, so that a port in TIME_WAIT counts as free; a listening socket still refuses the bind.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((str(address), port))
        except PermissionError as error:
            raise DynoError(f"Port {port} needs an administrator's rights.", "Choose a port above 1023.") from error
        except OSError as error:
            if error.errno in _NOT_OURS:
                raise _not_ours(host) from error
            return False
    return True


def _address(host: str) -> _Address:
    """The address that the engine binds for this host; a name stands for its first IPv4 address, as in vLLM."""
    name = bare(host) or "0.0.0.0"
    try:
        return _plain(name)
    except ValueError:
        pass
    try:
        return _plain(socket.gethostbyname(name))
    except (OSError, UnicodeError) as error:
        raise _not_ours(host) from error


def _not_ours(host: str) -> DynoError:
    return DynoError(f"{host} is not an address of this machine.", f"{DEFAULT_HOST} keeps the engine private.")


def _plain(text: str) -> _Address:
    address = ipaddress.ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


def _name(pid: int | None) -> str | None:
    if pid is None:
        return None
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return None
