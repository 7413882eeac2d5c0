"""Client and samples against a real vLLM, started once for this module."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.paths import Paths
from core.client.chat import CANCELLED, ChatParameters, stream_chat
from core.client.load import run_load
from core.engine.environments import EngineEnvironment
from core.engine.raw_plan import raw_plan
from core.engine.session import EngineSession, SessionSnapshot, State
from core.telemetry.sampler import Sampler
from core.telemetry.store import ChannelKey, SampleStore

pytestmark = pytest.mark.engine
KEY = "a-key-for-this-test"
FRANCE = [{"role": "user", "content": "What is the capital of France?"}]


class Running:
    """A ready engine with the sampler at work on it."""

    def __init__(self, session: EngineSession, ready: SessionSnapshot, store: SampleStore, sampler: Sampler) -> None:
        self.session = session
        self.store = store
        self.sampler = sampler
        assert ready.base_url
        assert ready.model
        self.address = (ready.base_url, ready.model)

    def highest(self, source: str, quantity: str) -> float | None:
        return self.store.stats(ChannelKey(source, None, quantity)).maximum

    def latest(self, quantity: str) -> float | None:
        return self.store.stats(ChannelKey("engine", None, quantity)).current


@pytest.fixture(scope="module")
def engine(
    engine_environment: EngineEnvironment, embedded_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
        session = EngineSession(Paths.below(tmp_path_factory.mktemp("engine")))
        store = SampleStore()
        sampler = Sampler.with_default_sources(store)
        sampler.watch_processes(session.engine_pids)
        sampler.start()
        try:
            words = [str(embedded_model), "--enforce-eager", "--max-model-len", "1024", "--api-key", KEY]
            session.start(engine_environment, raw_plan(words))
            ready = session.wait(lambda snapshot: snapshot.state is not State.STARTING, timeout_s=400)
            assert ready.state is State.READY, ready.problem
            sampler.attach_engine(str(ready.base_url), KEY, session.engine_pids)
            yield Running(session, ready, store, sampler)
        finally:
            session.close()
            sampler.stop()


def test_an_answer_with_its_figures(engine: Running) -> None:
    pieces: list[str] = []
    result = stream_chat(
        *engine.address, FRANCE, ChatParameters(max_tokens=24, temperature=0), api_key=KEY, on_text=pieces.append
    )

    assert result.error is None
    assert "Paris" in result.text
    assert "".join(pieces) == result.text
    assert (result.finish_reason, result.tokens_estimated) == ("stop", False)
    assert result.prompt_tokens > 10
    assert 0 < result.ttft_s < result.duration_s
    assert result.tokens_per_s == pytest.approx(1 / result.itl_mean_s)


def test_refusals_in_plain_words(engine: Running) -> None:
    base_url, model = engine.address
    short = ChatParameters(max_tokens=4)

    wrong_key = stream_chat(base_url, model, FRANCE, short, api_key="wrong")
    wrong_name = stream_chat(base_url, "nobody", FRANCE, short, api_key=KEY)
    too_long = stream_chat(base_url, model, [{"role": "user", "content": "word " * 3000}], short, api_key=KEY)

    assert wrong_key.error == "The server did not accept the API key."
    assert "`nobody` does not exist" in wrong_name.error
    assert "1024" in too_long.error


def test_cancel_ends_the_request_in_the_engine_too(engine: Running) -> None:
    cancel = threading.Event()
    parameters = ChatParameters(max_tokens=900, ignore_eos=True)
    timer = threading.Timer(1.5, cancel.set)
    timer.start()
    result = stream_chat(*engine.address, FRANCE, parameters, api_key=KEY, cancel=cancel)
    timer.join()

    assert (result.finish_reason, result.error) == (CANCELLED, None)
    assert 0 < result.completion_tokens < 900
    deadline = time.monotonic() + 10
    while engine.latest("requests_running") != 0:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_load_shows_in_the_samples(engine: Running) -> None:
    prompts = ["Write about autumn.", "Why is the sky blue?", "List five uses of a magnet.", "Explain steam engines."]
    parameters = ChatParameters(max_tokens=48, temperature=0, ignore_eos=True)
    result = run_load(*engine.address, prompts, parameters, parallel=4, api_key=KEY)
    time.sleep(1.5)

    assert (result.completed, result.failed, result.completion_tokens) == (4, 0, 192)
    assert engine.highest("engine", "requests_running") == 4
    # The engine's own count over half a second is near what the client saw over the whole load.
    assert 0.5 * result.tokens_per_s < engine.highest("engine", "generation_tokens_s") < 4 * result.tokens_per_s
    assert engine.highest("engine", "kv_cache_pct") > 0
    assert engine.highest("engine", "ttft_mean_s") > 0
    assert engine.highest("engine", "itl_mean_s") > 0
    assert engine.highest("host", "ram_engine_mib") > 1000
    assert engine.highest("host", "cpu_engine_pct") > 5
    assert engine.sampler.status()[-1].running
