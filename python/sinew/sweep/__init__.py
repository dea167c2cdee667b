"""Sweeps: one scene, many parameters, on all the machines there are.

    import sinew.sweep
    result = sinew.sweep.run("plan.toml", engine="threads")
    result.table.to_pandas()

docs/sweep.md has the form of plans and files. `sinew sweep PLAN` is the same from a shell.
"""
from .api import Result, collect, run, run_sample
from .errors import FolderError, PlanError
from .plan import Plan, load_plan, make_plan
from .runner import Runner, Sample

__all__ = ["FolderError", "Plan", "PlanError", "Result", "Runner", "Sample", "collect", "load_plan", "make_plan", "run",
           "run_sample"]
