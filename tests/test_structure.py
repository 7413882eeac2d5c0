"""The shape of the project that no linter checks."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [path for folder in ("core", "gui", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
LONGEST_FILE = 600


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_named_after_one_of_the_standard_library(path: Path) -> None:
    assert path.stem not in sys.stdlib_module_names - {"__main__"}
