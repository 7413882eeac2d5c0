"""The README's promise: nothing but Python and uv, an empty home, and the demo does the main job on a real engine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.uv_tool import Uv

PNG = b"\x89PNG\r\n\x1a\n"
_LIMIT_S = 540


@pytest.mark.engine
def test_the_demo_in_an_empty_home(tmp_path: Path) -> None:
    picture = tmp_path / "demo.png"
    hidden = ("VIRTUAL_ENV", "CONDA_PREFIX", "VLLM_DYNO_HOME", "DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    # Downloads are kept between runs; everything else is a newcomer's.
    cache = Uv().cache_folder()
    environment |= {"HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    environment |= {name: str(tmp_path / name) for name in environment if name.startswith("XDG_")}
    if cache is not None:
        environment["UV_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-m", "gui.app", "demo", "--json", "--screenshot", str(picture)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout.splitlines()[-1])
    print(report)
    assert report["backend"] == "cpu"
    assert report["arguments"] > 250
    assert "Paris" in report["completion"]
    assert report["leftover_processes"] == 0
    assert report["ready_s"] > 0
    assert report["ttft_s"] > 0
    assert report["tokens_per_s"] > 0
    assert report["samples"]["host"] > 20
    assert report["samples"]["engine"] > 5
    assert report["stop_s"] < 30
    assert report["stop_rung"] in ("SIGINT", "SIGTERM")
    assert report["screenshot"] == str(picture)
    assert picture.read_bytes().startswith(PNG)
    assert picture.stat().st_size > 50_000
