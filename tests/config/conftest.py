"""The real curated table and the real recorded schemas."""

import msgspec
import pytest

from core.base.paths import assets_dir
from core.schema.model import ArgumentSchema
from core.schema.overlay import load_overlay

RECORDED = ("vllm-0.33.0-cuda", "vllm-0.32.0-cpu")


@pytest.fixture(scope="session", params=RECORDED)
def schema(request):
    data = (assets_dir() / "schemas" / f"{request.param}.json").read_bytes()
    return msgspec.json.decode(data, type=ArgumentSchema)


@pytest.fixture(scope="session")
def overlay():
    return load_overlay()
