"""A package index on the loopback interface, with the habits that real ones have on bad days."""

import hashlib
import json
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote

from core.engine.dist_info import normalised

_CHUNK = 65536


class LoopbackIndex:
    """Serves the wheels of a folder.

    Attributes:
        bytes_per_s: speed of each download; None for as fast as it goes.
        status: answer everything with this error instead.
        break_after: close the connection after so many bytes of a wheel.
        downloading: set as soon as a wheel is being sent.
        claimed_size: tell this size of every wheel; None for the true one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bytes_per_s: int | None = None
        self.status: int | None = None
        self.break_after: int | None = None
        self.claimed_size: int | None = None
        self.downloading = threading.Event()
        self._closing = threading.Event()
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index._answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="loopback-index")

    @property
    def url(self) -> str:
        """For UV_DEFAULT_INDEX."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/simple"

    def __enter__(self) -> "LoopbackIndex":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        if self.status is not None:
            request.send_error(self.status)
            return
        parts = [unquote(part) for part in request.path.split("/") if part]
        if len(parts) == 2 and parts[0] == "simple":
            self._page(request, parts[1])
        elif len(parts) == 2 and parts[0] == "files" and parts[1].endswith(".metadata"):
            self._send(request, "text/plain", _metadata(self.folder / parts[1].removesuffix(".metadata")))
        elif len(parts) == 2 and parts[0] == "files" and (self.folder / parts[1]).is_file():
            self._send_wheel(request, (self.folder / parts[1]).read_bytes())
        else:
            request.send_error(404)

    def _page(self, request: BaseHTTPRequestHandler, project: str) -> None:
        wheels = [path for path in sorted(self.folder.glob("*.whl")) if normalised(path.name.split("-")[0]) == project]
        if not wheels:
            request.send_error(404)
            return
        files = [
            {
                "filename": path.name,
                "url": f"/files/{path.name}",
                "hashes": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
                "core-metadata": True,
                "size": self.claimed_size or path.stat().st_size,
            }
            for path in wheels
        ]
        page = {"meta": {"api-version": "1.1"}, "name": project, "files": files}
        self._send(request, "application/vnd.pypi.simple.v1+json", json.dumps(page).encode())

    def _send(self, request: BaseHTTPRequestHandler, kind: str, data: bytes) -> None:
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Cache-Control", "no-cache")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    def _send_wheel(self, request: BaseHTTPRequestHandler, data: bytes) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "application/octet-stream")
        request.send_header("Cache-Control", "max-age=365000000, immutable, public")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        began = time.monotonic()
        try:
            for start in range(0, len(data), _CHUNK):
                if self._closing.is_set() or (self.break_after is not None and start >= self.break_after):
                    return
                request.wfile.write(data[start : start + _CHUNK])
                self.downloading.set()
                if self.bytes_per_s:
                    ahead_s = (start + _CHUNK) / self.bytes_per_s - (time.monotonic() - began)
                    self._closing.wait(max(ahead_s, 0.0))
        except (BrokenPipeError, ConnectionResetError):
            return


def _metadata(wheel: Path) -> bytes:
    """What the index tells about a wheel, so that a resolver need not download it."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA")))
