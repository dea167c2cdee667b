"""A worker process: ranges of samples come in on the standard input, a line each; answers go out the same way."""
from __future__ import annotations

import json
import os
import signal
import sys
from typing import NoReturn

from .errors import FolderError
from .plan import Plan
from .results import import_arrow
from .runner import Runner
from .shard import Folder, work_on


def make_runner(plan: str, expected: str) -> Runner:
    """FolderError where the scene or a function is not what it was when the sweep began."""
    import_arrow().array([0.0])  # imports pandas, if it is there: now, and not when the first rows wait to be written
    runner = Runner(Plan.from_json(plan))
    if runner.hash != expected:
        raise FolderError("the plan, its scene or a function of it has changed since the sweep began; run it again")
    return runner


def _end(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a user's function prints goes to the error stream
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which ends its workers
    hello = json.loads(sys.stdin.readline())
    try:
        runner = make_runner(hello["plan"], hello["hash"])
    except Exception as e:
        answers.write(json.dumps({"fatal": f"{type(e).__name__}: {e}"}) + "\n")
        return
    folder = Folder(hello["folder"])
    signal.signal(signal.SIGTERM, _end)
    for line in sys.stdin:
        a, b = json.loads(line)["range"]
        try:
            failed = work_on(runner, folder, (a, b), flush_seconds=hello["flush_seconds"])
        except OSError as e:
            answers.write(json.dumps({"fatal": f"results cannot be written: {e}"}) + "\n")
            return
        answers.write(json.dumps({"failed": failed}) + "\n")
