"""The demo's order of steps, its report, and what happens when a step fails, on the fake engine."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import core.demo
from core.base.errors import Cancelled, DynoError
from core.base.paths import Paths
from core.cli.demo import report_json
from core.client.chat import ChatResult
from core.demo import Demo, DemoObserver, demo_settings
from core.engine.environments import Backend, EngineEnvironment
from core.engine.installer import InstallProgress
from core.engine.session import State
from core.schema.model import ArgumentSchema, Value
from core.schema.recorded import load_recorded
from core.services import Services


class Recorder(DemoObserver):
    """Keeps what it is told, and can call the demo off when a step begins."""

    def __init__(self, cancel: threading.Event, cancel_at: str = "never") -> None:
        self.steps: list[str] = []
        self.calls: list[str] = []
        self.text = ""
        self.values: dict[str, Value] = {}
        self._cancel = cancel
        self._cancel_at = cancel_at

    def step(self, text: str, fraction: float | None = None) -> None:
        self.steps.append(text)
        if text.startswith(self._cancel_at):
            self._cancel.set()

    def engine(self, environment: EngineEnvironment, schema: ArgumentSchema) -> None:
        self.calls.append("engine")

    def settings(self, values: dict[str, Value], environment: dict[str, str]) -> None:
        self.calls.append("settings")
        self.values = values

    def question(self, text: str) -> None:
        self.calls.append("question")

    def answer(self, text: str) -> None:
        self.text += text

    def answered(self, result: ChatResult) -> None:
        self.calls.append("answered")

    def under_load(self) -> None:
        self.calls.append("under_load")


class RecordedSchemas:
    """The fake engine has no parser of its own; the schema of a recorded engine stands in."""

    def get(self, python: Path, refresh: bool = False, cancel: threading.Event | None = None) -> ArgumentSchema:
        return load_recorded(backend="cpu")


@pytest.fixture
def services(paths: Paths, fake_environment: EngineEnvironment, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setattr(core.demo, "_LOAD_S", 1.0)
    monkeypatch.setattr(core.demo, "_PICTURE_AFTER_S", 0.5)
    monkeypatch.setattr(core.demo, "_QUIET_BEFORE_STOP_S", 0.0)
    built = Services.build(paths)
    built.schemas = RecordedSchemas()  # type: ignore[assignment]
    built.registry.set_default(built.registry.add(fake_environment.prefix).name)
    model = paths.models / "SmolLM2-135M-Instruct"
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    monkeypatch.setattr(core.demo, "embedded_model", lambda _paths: model)
    yield built
    built.close()


def test_the_whole_job_headless(services: Services) -> None:
    cancel = threading.Event()
    seen = Recorder(cancel)
    report = Demo(services, seen, cancel).run()
    assert seen.calls == ["engine", "settings", "question", "answered", "under_load"]
    assert "Starting: importing vLLM" in seen.steps
    assert not any("kv_cache" in step for step in seen.steps)
    assert seen.text.strip() == report.completion
    assert "Paris" in report.completion
    assert report.backend == "cpu"
    assert report.arguments == len(load_recorded(backend="cpu").arguments)
    assert report.ready_s is not None and report.ready_s > 0
    assert report.ttft_s is not None and report.ttft_s > 0
    assert report.tokens_per_s is not None and report.tokens_per_s > 0
    assert report.samples["host"] > 0
    assert report.samples["engine"] > 0
    assert report.stop_rung == "SIGINT"
    assert report.leftover_processes == 0
    assert services.session.snapshot.state is State.STOPPED
    told = json.loads(report_json(report, Path("a.png")))
    assert told["screenshot"] == "a.png"
    assert told["arguments"] == report.arguments


def test_a_step_of_an_installation_is_joined_with_its_detail(services: Services) -> None:
    seen = Recorder(threading.Event())
    demo = Demo(services, seen, threading.Event())
    for detail in ("starting it once", ""):
        demo._installing(InstallProgress("Checking", detail))
    assert seen.steps == ["Checking: starting it once", "Checking"]


def test_the_window_keeps_the_engine_running(services: Services) -> None:
    cancel = threading.Event()
    report = Demo(services, Recorder(cancel), cancel, stop_engine=False).run()
    assert services.session.snapshot.state is State.READY
    assert report.stop_s is None
    assert report.leftover_processes is None


@pytest.mark.parametrize("step", ["Starting", "Asking", "4 requests"])
def test_called_off_in_any_step(services: Services, step: str) -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        Demo(services, Recorder(cancel, cancel_at=step), cancel).run()
    stopped = services.session.wait(lambda snapshot: snapshot.state.at_rest, timeout_s=20)
    assert stopped.state is State.STOPPED
    assert stopped.leftover_pids == ()


def test_an_engine_that_fails_is_told_with_its_cause(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_CRASH", "weights")
    monkeypatch.setenv("FAKE_ERROR", "ValueError: no weights to be found")
    cancel = threading.Event()
    with pytest.raises(DynoError) as caught:
        Demo(services, Recorder(cancel), cancel).run()
    assert "no weights to be found" in str(caught.value)
    assert services.session.snapshot.state is State.FAILED


def test_settings_for_a_card_take_only_a_part_of_it(fake_environment: EngineEnvironment) -> None:
    values, variables = demo_settings(fake_environment, "/models/small")
    assert values["served_model_name"] == ["small"]
    assert variables == {"VLLM_CPU_KVCACHE_SPACE": "1"}
    on_card = {name: getattr(fake_environment, name) for name in fake_environment.__slots__} | {"backend": Backend.CUDA}
    values, variables = demo_settings(EngineEnvironment(**on_card), "/models/small")
    assert values["gpu_memory_utilization"] == 0.3
    assert variables == {}
