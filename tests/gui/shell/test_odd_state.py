"""The window comes up whatever its own part of the saved state holds."""

import json
from collections.abc import Callable

import pytest

from core.base.paths import Paths
from gui.wiring import Wiring

OpenWindow = Callable[..., Wiring]

ODD = [
    {"theme": []},
    {"theme": {}, "page": ["try"], "wrap": "yes", "chat": 5, "form": [], "monitor": "no"},
    {"geometry": "\ud800", "docks": "\ud800"},
    {"engine_python": "/a\0b", "engine_version": 5, "engine_backend": []},
    {"engine_version": ["0.33.0"], "engine_backend": {}},
    {"engine_version": "9" * 5000},
    {"chat": {"max_tokens": 10**30, "parallel": 1e99, "temperature": float("nan")}},
    {"monitor": {"rate_hz": float("nan"), "span_s": [], "sizes": [10**30, 1], "device": 10**30}},
    {"form": {"level": 5, "groups": 3, "scroll": "x", "expanded": 7}},
]


@pytest.mark.parametrize("ui", ODD, ids=" ".join)
def test_the_window_comes_up(paths: Paths, open_window: OpenWindow, ui: dict[str, object]) -> None:
    paths.config.mkdir(parents=True)
    (paths.config / "working.json").write_text(json.dumps({"format": 1, "values": {"seed": 1}, "ui": ui}))
    wiring = open_window()
    assert dict(wiring.document.values) == {"seed": 1}
    assert wiring.window.monitor.is_built
    assert [note.message for note in wiring.window.notes.notes()] == []
    assert not (paths.state / "window.log").exists()
