"""`sinew sweep PLAN`."""
from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from . import api
from .errors import FolderError, PlanError
from .plan import Plan, load_plan
from .runner import Runner
from .shard import Folder, find_plan_folder

# As of the other commands; 5: some samples failed.
REFUSED, USAGE, FAILED, NOT_SAVED = 2, 3, 5, 7

EXAMPLES = """\
Exit codes: 0 fine, 2 the plan or the folder is refused, 3 wrong usage, 5 samples failed, 7 not saved, 128 + signal.
Examples:
  sinew sweep ball.toml                                 all samples, one thread per processor
  sinew sweep ball.toml --only 17                       sample 17 alone, with the whole error
  sinew sweep ball.toml --engine ray --address auto     on a running Ray cluster
  sbatch --array=0-9 --wrap 'sinew sweep ball.toml --shard slurm'; later: sinew sweep ball.toml --collect
"""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"sinew sweep: {message}; see sinew sweep --help", file=sys.stderr)
        raise SystemExit(USAGE)


def make_parser() -> Parser:
    p = Parser(prog="sinew sweep", description="Run a plan: one scene, many parameters. What is done is never done again.",
               epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("plan", metavar="PLAN", help="a TOML file, see docs/sweep.md")
    p.add_argument("--out", metavar="DIR", help="folder of the results; default: PLAN with the ending .sweep")
    p.add_argument("--engine", choices=api.ENGINES, default="threads",
                   help="threads (default); processes: for functions in Python, and samples that may crash; ray; serial")
    p.add_argument("--jobs", metavar="N", type=int, default=0, help="workers; default: one per processor")
    p.add_argument("--address", metavar="A", help="of a running Ray cluster; default: a Ray of this machine alone")
    p.add_argument("--shard", metavar="K/N", help="only part K of N, counted from 0; slurm: from SLURM's array variables; "
                   "mpi: from the rank of this process")
    p.add_argument("--shard-size", metavar="N", type=int, default=0, help="most samples per file")
    p.add_argument("--flush", metavar="S", type=float, default=5.0, help="longest time between writes; default 5")
    p.add_argument("--only", metavar="K", type=int, help="run sample K alone, here; nothing is written")
    p.add_argument("--retry", action="store_true", help="run failed samples again")
    p.add_argument("--collect", action="store_true", help="run nothing: write the union of what is there")
    p.add_argument("--dry-run", action="store_true", help="check the plan and print the first samples")
    p.add_argument("--json", action="store_true", help="write JSON")
    p.add_argument("--quiet", action="store_true", help="no progress")
    return p


def find_part(text: str | None, environment: Mapping[str, str]) -> tuple[int, int]:
    """(k, n) of --shard."""
    if text is None:
        return 0, 1
    e = environment
    if text == "slurm":
        if "SLURM_ARRAY_TASK_ID" not in e:
            raise PlanError("--shard slurm: SLURM_ARRAY_TASK_ID is not set; submit with sbatch --array=0-9")
        first, step = int(e.get("SLURM_ARRAY_TASK_MIN", "0")), int(e.get("SLURM_ARRAY_TASK_STEP", "1"))
        if "SLURM_ARRAY_TASK_COUNT" not in e:
            raise PlanError("--shard slurm: SLURM_ARRAY_TASK_COUNT is not set")
        part = (int(e["SLURM_ARRAY_TASK_ID"]) - first) // step, int(e["SLURM_ARRAY_TASK_COUNT"])
        if part[0] >= part[1]:
            raise PlanError(f"--shard slurm: task {e['SLURM_ARRAY_TASK_ID']} of an array of {part[1]} that begins at {first}; "
                            "arrays must not have gaps")
        return part
    if text == "mpi":
        for rank, size in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
                           ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS")):
            if rank in e and size in e:
                return int(e[rank]), int(e[size])
        raise PlanError("--shard mpi: this process has no rank (OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID); "
                        "start it with mpirun or srun")
    k, slash, n = text.partition("/")
    if not slash or not k.isdecimal() or not n.isdecimal() or not int(k) < int(n):
        raise PlanError(f"--shard {text}: write K/N with K from 0 to N - 1, as in 0/3; or slurm, or mpi")
    return int(k), int(n)


def main(words: Sequence[str] | None = None) -> int:
    o = make_parser().parse_args(words)
    try:
        return _run(o)
    except PlanError as e:
        return _say(e, USAGE if str(e).startswith("--") else REFUSED)
    except ImportError as e:
        return _say(e, USAGE)
    except FolderError as e:
        return _say(e, REFUSED)
    except ValueError as e:  # of the scene
        return _say(f"{o.plan}: {e}", REFUSED)
    except OSError as e:
        return _say(e, NOT_SAVED)
    except KeyboardInterrupt as e:
        number = e.args[0] if e.args and isinstance(e.args[0], int) else int(signal.SIGINT)
        print("\nsinew sweep: stopped; what is finished is saved, and the same command goes on", file=sys.stderr)
        return 128 + number


def _say(error: object, code: int) -> int:
    print(f"sinew sweep: {error}", file=sys.stderr)
    return code


def _run(o: argparse.Namespace) -> int:
    if o.address and o.engine != "ray":
        raise PlanError("--address is for --engine ray")
    if o.jobs < 0 or o.shard_size < 0 or not o.flush >= 0:
        raise PlanError("--jobs, --shard-size and --flush must not be negative")
    part = find_part(o.shard, os.environ)
    plan = load_plan(o.plan)
    if o.only is not None:
        return _run_one(plan, o)
    if o.dry_run:
        return _show(plan, o)
    out = o.out or find_plan_folder(plan)
    if o.collect:
        folder = Folder(out)
        folder.open(Runner(plan)) if folder.root.exists() else folder.manifest()
        result = api.collect(out)
    else:
        result = api.run(plan, out, engine=o.engine, jobs=o.jobs, address=o.address, part=part, shard_size=o.shard_size,
                         flush_seconds=o.flush, retry=o.retry, quiet=o.quiet)
    return _report(plan, result, part, o)


def _run_one(plan: Plan, o: argparse.Namespace) -> int:
    if not 0 <= o.only < len(plan):
        raise PlanError(f"--only {o.only}: the plan has samples 0 to {len(plan) - 1}")
    runner = Runner(plan)
    try:
        row = runner.run(o.only, raising=True)
    except Exception:
        print("".join(f"{k} = {v!r}\n" for k, v in plan.space.values(o.only).items()), end="")
        traceback.print_exc()
        return FAILED
    print(json.dumps(row) if o.json else "\n".join(f"{k} = {_text(v)}" for k, v in row.items() if v is not None))
    return 0


def _text(v: Any) -> str:
    return " ".join(f"{x:.9g}" for x in v) if isinstance(v, tuple) else f"{v:.9g}" if isinstance(v, float) else str(v)


def _show(plan: Plan, o: argparse.Namespace) -> int:
    runner = Runner(plan)
    first = [{"sample": k, **plan.space.values(k)} for k in range(min(len(plan), 10))]
    if o.json:
        print(json.dumps({"samples": len(plan), "hash": runner.hash, "first": first}))
        return 0
    print(f"{len(plan)} samples; plan {runner.hash[:16]}")
    for row in first:
        print("  " + ", ".join(f"{k} = {_text(v)}" for k, v in row.items()))
    if len(plan) > len(first):
        print(f"  and {len(plan) - len(first)} more")
    return 0


def _report(plan: Plan, result: api.Result, part: tuple[int, int], o: argparse.Namespace) -> int:
    failures = result.failures
    if o.json:
        print(json.dumps({"folder": str(result.folder), "rows": result.rows, "samples": result.samples,
                          "hash": result.hash, "failures": [{"sample": k, "type": t, "error": e} for k, t, e in failures]}))
    else:
        of = "" if part == (0, 1) else f", after part {part[0]} of {part[1]}"
        print(f"{result.folder}: {result.rows} of {result.samples} samples{of}; {len(failures)} failed")
        print(f"  hash    {result.hash}" + ("" if result.complete else " (of what is there)"))
        print(f"  table   {result.folder / 'result.parquet'}")
        for k, kind, text in failures[:10]:
            print(f"  failed  sample {k}: {kind}: {text.splitlines()[0]}\n          {api.repeat_command(plan, k)}")
        if len(failures) > 10:
            print(f"  failed  and {len(failures) - 10} more: column error of the table")
    return FAILED if failures else 0
