"""Paths as typed, seen from the folder where they were typed."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.config.local_paths import absolute, written_out


@pytest.fixture
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return folder


def test_beginnings_of_paths_are_written_out(here):
    for make in (absolute, written_out):
        assert make("./a/./b") == f"{here}/a/b"
        assert make("../a") == f"{here.parent}/a"
        assert make("~/a") == f"{here.parent}/home/a"


def test_existing_names_count_for_paths_only(here):
    (here / "main").mkdir()
    assert absolute("main") == f"{here}/main"
    assert absolute(".") == str(here)
    assert absolute("..") == str(here.parent)
    assert absolute("~") == f"{here.parent}/home"
    for text in ("main", ".", "..", "~"):
        assert written_out(text) == text


@pytest.mark.parametrize("text", ["", "org/name", "/a/../b", "x" * 5000, "a\0b", "~stranger/x", "{{ x }}"])
def test_anything_else_stays(here, text):
    assert absolute(text) == text
    assert written_out(text) == text


def test_without_a_home_the_text_stays(here, monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    assert written_out("~/a") == "~/a"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_twice_is_as_good_as_once(here, text):
    assert absolute(absolute(text)) == absolute(text)
    assert written_out(written_out(text)) == written_out(text)
