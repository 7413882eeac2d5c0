"""The script that runs in the engine's interpreter, by itself."""

import subprocess
from pathlib import Path

import pytest

import core.engine
from core.engine.environments import EngineEnvironment
from core.engine.kin import ID_VARIABLE
from core.engine.supervisor import LIFELINE_VARIABLE

SCRIPT = Path(core.engine.__file__).parent / "scripts" / "serve_vllm.py"


def run_in(environment: EngineEnvironment, code: str) -> subprocess.CompletedProcess[str]:
    """Run a few lines in the fake engine's interpreter, with the script at hand as `script`."""
    lines = f"import importlib.util\nspec = importlib.util.spec_from_file_location('serve_vllm', {str(SCRIPT)!r})\n"
    lines += "script = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(script)\n"
    return subprocess.run(
        [str(environment.python), "-P", "-c", lines + code], capture_output=True, text=True, timeout=30, check=False
    )


def test_both_sides_use_the_same_names() -> None:
    text = SCRIPT.read_text()
    assert f'LIFELINE_VARIABLE = "{LIFELINE_VARIABLE}"' in text and f'ID_VARIABLE = "{ID_VARIABLE}"' in text


def test_a_distribution_of_another_name_answers_for_vllm(fake_environment: EngineEnvironment) -> None:
    code = (
        "import importlib.metadata as m\n"
        "try:\n    m.version('vllm')\nexcept m.PackageNotFoundError:\n    print('missing')\n"
        "script.answer_for_other_names()\n"
        "print(m.version('vllm'), m.version('vllm-fake'), m.metadata('vllm')['Name'], len(m.files('vllm')))\n"
        "print(m.distribution('vllm').locate_file('vllm').name)\n"
        "try:\n    m.version('vllm-other')\nexcept m.PackageNotFoundError:\n    print('still missing')\n"
    )
    done = run_in(fake_environment, code)
    assert done.stdout.splitlines() == ["missing", "0.99.0+fake 0.99.0 vllm-fake 1", "vllm", "still missing"], (
        done.stderr
    )


@pytest.mark.parametrize(
    ("version", "told"),
    [("0.1", "0.1+cpu"), ("0.1+cpu", "0.1+cpu"), ("0.1+git.7", "0.1+git.7.cpu"), ("0.1.cpu", "0.1.cpu")],
)
def test_the_version_says_which_build_it_is(fake_environment: EngineEnvironment, version: str, told: str) -> None:
    code = f"class Real:\n    version = {version!r}\nprint(script.RenamedDistribution(Real(), 'cpu').version)"
    assert run_in(fake_environment, code).stdout.strip() == told


def test_by_hand_nobody_is_related(fake_environment: EngineEnvironment) -> None:
    """Without a supervisor's mark the group may be the person's shell: nothing of it is ever signalled."""
    done = run_in(fake_environment, "import os; os.environ.pop(script.ID_VARIABLE, None); print(script.relatives())")
    assert done.stdout.strip() == "[]", done.stderr


def test_the_script_can_be_started_by_hand(fake_environment: EngineEnvironment) -> None:
    """Without a lifeline it runs as the bare command does."""
    done = subprocess.run(
        [str(fake_environment.python), "-P", str(SCRIPT), "model", "--nothing"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2 and "vllm serve: error: unrecognized arguments: --nothing" in done.stderr


def test_a_forked_child_watches_its_parent(fake_environment: EngineEnvironment) -> None:
    """Engines can be told to fork instead of spawning; then nothing is imported again."""
    code = (
        "import os, sys, time\n"
        "script.POLITE_S = 0.2\n"
        "script.prepare_process()\n"
        "pid = os.fork()\n"
        "if pid == 0:\n    print('up', flush=True)\n    time.sleep(60)\n    print('still here', flush=True)\n"
        "time.sleep(0.5)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = run_in(fake_environment, code)
    assert done.returncode == -9 and done.stdout == "up\n"


def test_a_child_whose_parent_went_before_it_looked(fake_environment: EngineEnvironment) -> None:
    """Its group differs from that of whoever adopted it, so it ends at once."""
    code = (
        "import os\n"
        "os.environ[script.ID_VARIABLE] = 'early'\n"
        "print(script._adopted(os.getppid()), script._adopted(os.getpid()), script._adopted(4194304))\n"
        "os.environ.pop(script.ID_VARIABLE)\n"
        "print(script._adopted(os.getppid()))\n"
    )
    lines = f"import os, subprocess, sys\nos.setsid()\n{code}"
    assert run_in(fake_environment, lines).stdout.split() == ["True", "False", "True", "False"]
