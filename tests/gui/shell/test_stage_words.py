import pytest

from core.engine.stages import Stage, stage_text
from gui import words


@pytest.mark.parametrize("stage", list(Stage))
def test_window_and_terminal_say_the_same(stage: Stage) -> None:
    assert words.stage_word(stage) == stage_text(stage)
    assert stage_text(stage, "a detail") == f"{stage_text(stage)}, a detail"
