"""The built wheel has everything: unpacked elsewhere, the program finds its data beside its code."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.base.uv_tool import Uv

ROOT = Path(__file__).resolve().parent.parent
_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import core, gui
from core.base.paths import assets_dir
from core.schema.overlay import load_overlay
from core.schema.recorded import load_recorded
from gui.app import main
assert core.__file__.startswith(sys.argv[1]) and gui.__file__.startswith(sys.argv[1])
assert str(assets_dir()).startswith(sys.argv[1])
load_overlay()
print(len(load_recorded(backend="cuda").arguments), len(list(assets_dir().glob("icons/*.svg"))))
main(["engines", "list"])
"""


@pytest.mark.network
def test_the_wheel_works_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = str(Uv().executable())
    monkeypatch.setenv("VLLM_DYNO_HOME", str(tmp_path / "home"))
    subprocess.run([uv, "build", "--quiet", "--out-dir", str(tmp_path / "dist"), str(ROOT)], check=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    target = tmp_path / "site"
    subprocess.run([uv, "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel)], check=True)
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM, str(target)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    arguments, icons = done.stdout.splitlines()[0].split()
    assert int(arguments) > 300
    assert int(icons) == len(list((ROOT / "assets" / "icons").glob("*.svg")))
