"""A process that owns a session, as the window does; tests kill it. Prints one JSON object when the engine is ready."""

import json
import sys
from pathlib import Path

from core.base.paths import Paths
from core.engine.environments import EngineRegistry
from core.engine.session import EngineSession, State
from tests.session.helpers import make_plan


def main(root: str, prefix: str, model: str, flags: str, variables: str) -> None:
    paths = Paths.below(Path(root))
    environment = EngineRegistry(paths).add(Path(prefix))
    session = EngineSession(paths)
    session.start(environment, make_plan(model, *json.loads(flags), variables=json.loads(variables)))
    ready = session.wait(lambda now: now.state is not State.STARTING, 300)
    session.wait(lambda _: len(session.engine_pids()) > 2, 5)
    told = {"state": ready.state, "base_url": ready.base_url, "pids": session.engine_pids(), "problem": ready.problem}
    print(json.dumps(told), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
