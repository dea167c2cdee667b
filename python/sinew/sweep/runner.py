"""One sample: its parameters put into the scene, the run, and the row that is kept of it."""
from __future__ import annotations

import hashlib
import os
import pathlib
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import sinew

from .errors import PlanError
from .parameters import Target, find_targets
from .plan import Plan, canonical, identity_hash, source_hash
from .results import Cell, Row, row_hash, to_cell
from .sampling import Value
from .scene import ControlTable, Draft, build_scene, find_function, make_draft, make_simulation, run_simulation

_TOTALS = {"penetration": "deepest"}  # where the total has another name
ALWAYS = ("sample", "case", "repeat", "seed", "error", "error_type", "wall_time", "hash")


@dataclass(frozen=True)
class Sample:
    """What a user's function gets beside the simulation."""

    index: int  # k
    case: int  # the same for all repeats
    repeat: int
    seed: int  # for random numbers of one's own: different for each sample, the same on every machine
    parameters: Mapping[str, Value]
    user: Mapping[str, Any]  # values of user/NAME


@dataclass(frozen=True)
class _Base:
    draft: Draft
    targets: dict[str, list[Target]]
    usual: dict[str, list[Value | None]]  # what relative values multiply


class Runner:
    """Runs samples of a plan; may be used by several threads. PlanError where the plan does not fit its scene."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        if str(plan.folder) not in sys.path:
            sys.path.insert(0, str(plan.folder))  # modules beside the plan
        self._function = find_function(plan.keep.function) if plan.keep.function else None
        self._prepare = find_function(plan.keep.prepare) if plan.keep.prepare else None
        self._local = threading.local()
        self._lock = threading.Lock()
        self._bases: dict[tuple[tuple[str, Value], ...], _Base] = {}
        first = self._find_base(plan.space.values(0))
        assert first.draft.base
        self._check_values(first)
        self.identity = self._make_identity(first)
        self.hash = identity_hash(self.identity)

    def run(self, k: int, record: pathlib.Path | None = None, raising: bool = False) -> Row:
        """The row of sample k. What goes wrong is part of the row, unless `raising`."""
        start = time.perf_counter()
        place = self.plan.space.place(k)
        row: Row = {"sample": k, "case": place.case, "repeat": place.repeat, "seed": self.plan.space.seed_of(k)}
        values = self.plan.space.values(k)
        row.update(values)
        row["error"] = row["error_type"] = None
        try:
            sample = Sample(k, place.case, place.repeat, int(row["seed"]), values,
                            {p.removeprefix("user/"): v for p, v in values.items() if p.startswith("user/")})
            row.update(self._simulate(sample, record))
        except Exception as e:
            if raising:
                raise
            row["error"], row["error_type"] = _describe(e), type(e).__name__
        row["wall_time"] = time.perf_counter() - start
        row["hash"] = row_hash(row)
        return row

    def _simulate(self, sample: Sample, record: pathlib.Path | None) -> dict[str, Cell]:
        draft, scene = self._make_scene(sample.parameters)
        sim = make_simulation(draft, scene)
        if self._prepare:
            self._prepare(sim, sample)
        if record:
            temporary = record.with_name(f".{record.stem}-{os.getpid()}-{threading.get_ident()}.h5")
            try:
                with sinew.Recorder(temporary, sim, every=self.plan.keep.record_every, overwrite=True) as recorder:
                    run_simulation(sim, draft, recorder)
                os.replace(temporary, record)
            finally:
                for leftover in (temporary, temporary.with_name(temporary.name + ".lock")):
                    leftover.unlink(missing_ok=True)
        else:
            run_simulation(sim, draft, None)
        out = summarise(sim, self.plan.keep.values)
        if self._function:
            for name, value in _check_result(self._function(sim, sample)).items():
                if name in out or name in sample.parameters or name in ALWAYS:
                    raise ValueError(f"'{name}' is the name of another column; the function must use another one")
                out[name] = to_cell(name, value)
        return out

    def _make_scene(self, values: Mapping[str, Value]) -> tuple[Draft, sinew.Scene]:
        """A scene is used again where only the run is another."""
        base = self._find_base(values)
        draft = base.draft.copy()
        key = [(p, v) for p, v in values.items() if any(t.where != "run" for t in base.targets[p])]
        for parameter in self.plan.space.parameters:
            for target, usual in zip(base.targets[parameter.path], base.usual[parameter.path]):
                value = values[parameter.path]
                if parameter.relative:
                    assert isinstance(usual, float) and isinstance(value, float)
                    value *= usual
                target.set(draft, value)
        last: tuple[object, sinew.Scene] | None = getattr(self._local, "scene", None)
        if last and last[0] == key:
            return draft, last[1]
        scene = build_scene(draft)
        self._local.scene = (key, scene)
        return draft, scene

    def _find_base(self, values: Mapping[str, Value]) -> _Base:
        arguments = tuple((p.removeprefix("argument/"), v) for p, v in values.items() if p.startswith("argument/"))
        with self._lock:
            if arguments not in self._bases:
                if len(self._bases) >= 8:
                    self._bases.clear()
                self._bases[arguments] = self._make_base(dict(arguments))
            return self._bases[arguments]

    def _make_base(self, arguments: Mapping[str, Value]) -> _Base:
        plan = self.plan
        draft = make_draft(plan.scene, plan.options, plan.duration, plan.folder, arguments)
        draft.base = build_scene(draft)
        targets = {p.path: find_targets(p.path, draft) for p in plan.space.parameters}
        usual = {path: [t.get(draft) for t in found] for path, found in targets.items()}
        for p in plan.space.parameters:
            if p.relative and not all(isinstance(u, float) for u in usual[p.path]):
                raise PlanError(f"parameter '{p.path}': the scene states no number that could be scaled; "
                                "leave out relative")
        return _Base(draft, targets, usual)

    def _check_values(self, base: _Base) -> None:
        """Values that no scene could take are found before anything runs."""
        for p in self.plan.space.parameters:
            values = p.values or (p.law.numbers["of"] if p.law and p.law.name == "choice" else (self._first(p.path),))
            for value in values:
                for target in base.targets[p.path]:
                    try:
                        target.set(base.draft.copy(), value)
                    except PlanError:
                        raise
                    except (ValueError, TypeError) as e:
                        raise PlanError(f"parameter '{p.path}' = {value!r}: {e}") from e
        try:
            assert base.draft.base
            sim = make_simulation(base.draft, base.draft.base)
            if isinstance(table := base.draft.scene.get("control"), ControlTable):
                table.targets(sim.model)
        except (ValueError, TypeError) as e:
            raise PlanError(str(e)) from e

    def _first(self, path: str) -> Value:
        return self.plan.space.values(0)[path]

    def _make_identity(self, base: _Base) -> dict[str, Any]:
        """All that results depend on."""
        assert base.draft.base
        sim = make_simulation(base.draft, base.draft.base)
        numbers = hashlib.sha256()
        for x in (sim.q, sim.v, sim.control, np.array([sim.time])):
            numbers.update(x.tobytes())
        table = base.draft.scene.get("control")
        data = {k: v for k, v in self.plan.data.items() if k != "name"}
        return {"plan": canonical(data), "version": sinew.VERSION,
                "model": str(sim.make_snapshot().model), "start": numbers.hexdigest(),
                "control": hashlib.sha256(repr(table).encode()).hexdigest() if isinstance(table, ControlTable) else "",
                "functions": {n: source_hash(find_function(n)) for n in self.plan.functions()}}


def summarise(sim: sinew.Stepper, names: tuple[str, ...]) -> dict[str, Cell]:
    """Values of a run by the names of keep.values."""
    out: dict[str, Cell] = {}
    totals = sim.totals
    for name in names:
        if name == "time":
            out[name] = float(sim.time)
        elif name.startswith("work."):
            out[name] = float(getattr(totals.work, name.removeprefix("work.")))
        elif name in ("kinetic_energy", "potential_energy", "unaccounted_energy"):
            out[name] = float(getattr(sim, name))
        elif name in ("q", "v", "momentum"):
            out[name] = tuple(float(x) for x in getattr(sim, name))
        else:
            out[name] = getattr(totals, _TOTALS.get(name, name))
    return out


def _check_result(result: object) -> Mapping[str, object]:
    if result is None:
        return {}
    if not isinstance(result, Mapping) or not all(isinstance(k, str) for k in result):
        raise TypeError(f"the function must return a dict with names, it returned {type(result).__name__}")
    return result


def _describe(e: Exception) -> str:
    """The message, and the line of the user's code that it came from."""
    text = str(e).strip() or type(e).__name__
    own = os.path.dirname(__file__)
    frames = [f for f in traceback.extract_tb(e.__traceback__) if not f.filename.startswith(own)]
    return f"{text} ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else text
