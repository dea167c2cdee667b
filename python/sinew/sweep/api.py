"""What programs call: run a plan, run one sample, collect a folder."""
from __future__ import annotations

import pathlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engines
from .errors import PlanError, did_you_mean
from .plan import Plan, load_plan, make_plan
from .progress import Progress
from .results import Row
from .runner import Runner
from .shard import Folder, Union, cut, find_plan_folder, mask_of_part, retry_failures

if TYPE_CHECKING:
    import pyarrow

ENGINES = ("threads", "processes", "serial", "ray")
PlanLike = Plan | str | pathlib.Path | Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """What a folder holds. `hash` is that of all rows, and does not depend on how the work was cut."""

    folder: pathlib.Path
    table: pyarrow.Table | None
    rows: int
    samples: int
    hash: str
    failures: list[tuple[int, str, str]]  # sample, type of the error, message

    @property
    def complete(self) -> bool:
        return self.rows == self.samples

    def column(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        """A column of the table as an array."""
        if self.table is None or name not in self.table.column_names:
            raise KeyError(f"there is no column '{name}'" + did_you_mean(name, self.columns))
        return np.array(self.table.column(name))

    @property
    def columns(self) -> list[str]:
        return [] if self.table is None else list(self.table.column_names)


def as_plan(plan: PlanLike) -> Plan:
    if isinstance(plan, Plan):
        return plan
    return make_plan(plan) if isinstance(plan, Mapping) else load_plan(plan)


def run(plan: PlanLike, out: str | pathlib.Path | None = None, *, engine: str = "threads", jobs: int = 0,
        address: str | None = None, part: tuple[int, int] = (0, 1), shard_size: int = 0, flush_seconds: float = 5.0,
        retry: bool = False, quiet: bool = True) -> Result:
    """Runs what is not done yet, and returns all that is.

    plan: a file, a dict or a Plan. out: the folder of results; usually beside the plan. engine: threads, processes,
    serial, ray (address: of a running cluster). jobs: workers; 0: one per processor. part: (k, n), the k-th of n parts.
    retry: failed samples run again. What is done is never done again, whatever ended the run before.
    """
    p = as_plan(plan)
    if engine not in ENGINES:
        raise PlanError(f"there is no engine '{engine}'{did_you_mean(engine, ENGINES)}")
    if not 0 <= part[0] < part[1]:
        raise PlanError(f"part {part[0]} of {part[1]}: parts are counted from 0 to n - 1")
    runner = Runner(p)
    folder = Folder(out if out is not None else find_plan_folder(p))
    folder.open(runner)
    jobs = jobs or engines.usual_jobs()
    mine = mask_of_part(len(p), *part)
    todo = mine & ~folder.is_done(len(p))
    progress = Progress(int(mine.sum()), int((mine & ~todo).sum()), quiet)
    for line in folder.clean():
        progress.say(line)
    todo = mine & ~folder.is_done(len(p))
    if retry:
        retry_failures(runner, folder, np.flatnonzero(mine).tolist())
    if todo.any():
        size = shard_size or engines.usual_size(int(todo.sum()), 1 if engine == "serial" else jobs)
        ledger = engines.Ledger(runner, folder, cut(todo, size), progress)
        with engines.ended_by_signals(ledger):
            if engine == "serial":
                engines.run_serial(runner, folder, ledger, flush_seconds)
            elif engine == "threads":
                engines.run_threads(runner, folder, ledger, flush_seconds, jobs)
            elif engine == "processes":
                engines.run_processes(runner, folder, ledger, flush_seconds, jobs)
            else:
                from .ray_engine import run_ray

                run_ray(runner, folder, ledger, flush_seconds, jobs, address)
        progress.show(last=True)
    return collect(folder.root)


def collect(folder: str | pathlib.Path, verify: bool = True) -> Result:
    """The union of all shards, also written to result.parquet; every hash is checked, unless verify is False."""
    f = Folder(folder)
    union = f.collect(verify)
    f.write_union(union)
    return to_result(f, union)


def to_result(f: Folder, union: Union) -> Result:
    return Result(f.root, union.table, union.rows, union.samples, union.hash, union.failures())


def run_sample(plan: PlanLike, k: int) -> Row:
    """Sample k alone, in this thread; what goes wrong is raised. Nothing is written."""
    return Runner(as_plan(plan)).run(k, raising=True)


def repeat_command(plan: Plan, k: int) -> str:
    return f"sinew sweep {shlex.quote(plan.source or 'PLAN')} --only {k}"
