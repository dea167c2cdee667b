"""The scene of a plan: the table [scene], by the words of `sinew sim`, made into simulations."""
from __future__ import annotations

import csv
import importlib
import json
import math
import pathlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import sinew

from .errors import PlanError, did_you_mean

SOURCES = ("file", "mechanism", "model")
WORDS = {"arguments", "floating", "strict", "package_paths", "floor", "place", "q", "v", "state", "keyframe", "time",
         "hold", "pd", "control", "gravity", "timestep", "friction", "restitution", "self_collision", "fit_start",
         "meshes", *SOURCES}
AXES = {"x": 0, "y": 1, "z": 2}

# Options of the steppers: how each is read, and which steppers have it.
_STEP, _SMOOTH, _EVENTS = "step", "smooth", "events"
OPTIONS: dict[str, tuple[Callable[[Any], Any], set[str]]] = {
    "formulation": (lambda x: _member(sinew.Formulation, x), {_STEP}),
    "loops": (lambda x: _member(sinew.LoopMethod, x), {_STEP, _SMOOTH}),
    "restitution_friction": (lambda x: _member(sinew.RestitutionFriction, x), {_STEP}),
    "look_ahead": (lambda x: _truth(x), {_STEP}),
    "middle_forces": (lambda x: _truth(x), {_STEP}),
    "rest_speed": (lambda x: _real(x), {_STEP}),
    "recovery": (lambda x: _real(x), {_STEP}),
    "recovery_speed": (lambda x: _real(x), {_STEP}),
    "refinements": (lambda x: _whole(x), {_STEP}),
    "overlap": (lambda x: _real(x), {_STEP}),
    "most_seconds": (lambda x: _real(x), {_STEP}),
    "sleep": (lambda x: _truth(x), {_STEP}),
    "solver.method": (lambda x: _member(sinew.lcp.Method, x), {_STEP}),
    "solver.directions": (lambda x: _whole(x), {_STEP}),
    "solver.tolerance": (lambda x: _real(x), {_STEP}),
    "solver.acceptable": (lambda x: _real(x), {_STEP}),
    "solver.iterations": (lambda x: _whole(x), {_STEP}),
    "solver.warm": (lambda x: _truth(x), {_STEP}),
    "relative": (lambda x: _real(x), {_SMOOTH}),
    "absolute": (lambda x: _real(x), {_SMOOTH}),
    "soft": (lambda x: _truth(x), {_SMOOTH}),
    "integrator": (lambda x: str(x), {_STEP, _SMOOTH, _EVENTS}),
}


def _member(kind: Any, x: Any) -> Any:
    names = [n for n in dir(kind) if not n.startswith("_") and isinstance(getattr(kind, n), kind)]
    if x not in names:
        raise ValueError(f"there is no {kind.__name__} {x!r}{did_you_mean(str(x), names)}")
    return getattr(kind, x)


def _real(x: Any) -> float:
    if isinstance(x, (bool, str)) or not isinstance(x, (int, float)):
        raise ValueError(f"{x!r} is not a number")
    return float(x)


def _whole(x: Any) -> int:
    if _real(x) != int(x):
        raise ValueError(f"{x!r} is not a whole number")
    return int(x)


def _truth(x: Any) -> bool:
    if not isinstance(x, bool):
        raise ValueError(f"{x!r} is neither true nor false")
    return x


def find_function(name: str) -> Callable[..., Any]:
    """module:function, as in "my_robot:measure"."""
    module, _, function = name.partition(":")
    if not module or not function:
        raise PlanError(f"'{name}' names no function; write module:function")
    try:
        found: Any = importlib.import_module(module)
        for part in function.split("."):
            found = getattr(found, part)
    except ImportError as e:
        raise PlanError(f"'{name}': {e}. Modules are looked for beside the plan and where Python finds them") from e
    except AttributeError as e:
        known = [n for n in dir(importlib.import_module(module)) if not n.startswith("_")]
        raise PlanError(f"module '{module}' has no '{function}'{did_you_mean(function, known)}") from e
    if not callable(found):
        raise PlanError(f"'{name}' is no function, it is {found!r}")
    return found  # type: ignore[no-any-return]


@dataclass
class Draft:
    """All that makes one simulation, before it is made. Parameters of a sample change a copy of it."""

    spec: sinew.ModelSpec
    scene: dict[str, Any]  # words of [scene]
    options: dict[str, Any]
    duration: float
    set: dict[str, list[float]] = field(default_factory=dict)
    set_velocity: dict[str, list[float]] = field(default_factory=dict)
    control: dict[str, float] = field(default_factory=dict)
    user: dict[str, Any] = field(default_factory=dict)
    base: sinew.Scene | None = None  # the scene of the plan, without parameters

    def copy(self) -> Draft:
        nested = {k: dict(v) if isinstance(v, dict) else list(v) if isinstance(v, list) else v
                  for k, v in self.scene.items()}
        return Draft(self.spec.copy(), nested, dict(self.options), self.duration, dict(self.set),
                     dict(self.set_velocity), dict(self.control), dict(self.user), self.base)


def load_spec(scene: Mapping[str, Any], folder: pathlib.Path, arguments: Mapping[str, Any]) -> sinew.ModelSpec:
    """From a file, one of our mechanisms, or a function that returns a ModelSpec."""
    given = {**scene.get("arguments", {}), **arguments}
    if "file" in scene:
        if given:
            raise PlanError(f"scene.file takes no arguments; '{next(iter(given))}' is for a mechanism or a model")
        return sinew.load(folder / scene["file"], floating_base=bool(scene.get("floating", False)),
                          strict=bool(scene.get("strict", False)), load_meshes=True,
                          package_paths=[folder / p for p in scene.get("package_paths", [])])
    if scene.get("floating"):
        raise PlanError("scene.floating is for URDF files")
    if "model" in scene:
        spec = find_function(scene["model"])(**given)
        if not isinstance(spec, sinew.ModelSpec):
            raise PlanError(f"scene.model: {scene['model']} returned {type(spec).__name__}, it must be a ModelSpec")
        return spec
    name, _, number = scene["mechanism"].partition(":")
    known = [n for n in dir(sinew.mechanisms) if not n.startswith("_")]
    if name not in known:
        raise PlanError(f"scene.mechanism: there is no '{name}'{did_you_mean(name, known)}")
    if number:
        given["n"] = number
    whole = {k: int(v) if k in ("n", "seed", "levels", "stages", "hands", "branches", "stem_length", "branch_length")
             else v for k, v in given.items()}
    try:
        made: sinew.ModelSpec = getattr(sinew.mechanisms, name)(**whole)
    except TypeError as e:
        raise PlanError(f"scene.mechanism: {name} does not take {whole}: {str(e).splitlines()[0]}") from e
    return made


def make_draft(scene: Mapping[str, Any], options: Mapping[str, Any], duration: float, folder: pathlib.Path,
               arguments: Mapping[str, Any]) -> Draft:
    """The draft of the plan itself."""
    spec = load_spec(scene, folder, arguments)
    meshes = scene.get("meshes")
    if meshes not in (None, "hull", "exact"):
        raise PlanError(f"scene.meshes is \"hull\" or \"exact\", not {meshes!r}")
    if meshes:
        for shape in spec.shapes:
            if shape.kind == sinew.ShapeKind.mesh:
                shape.hull = meshes == "hull"
    words = {k: v for k, v in scene.items() if k not in (*SOURCES, "arguments", "strict", "package_paths", "meshes")}
    if words.get("floor") is True:
        words["floor"] = {}
    elif words.get("floor") is False:
        del words["floor"]
    elif isinstance(words.get("floor"), (int, float)):
        words["floor"] = {"height": float(words["floor"])}
    if words.get("hold") is True:
        words["hold"] = {}
    elif words.get("hold") is False:
        del words["hold"]
    if "pd" in words:
        kp, kd = numbers("scene.pd", words.pop("pd"), (2,))
        words["hold"] = {**words.get("hold", {}), "kp": kp, "kd": kd}
    if isinstance(words.get("gravity"), (int, float)):
        words["gravity"] = [0.0, 0.0, -float(words["gravity"])]
    draft = Draft(spec, words, dict(options), duration)
    if isinstance(words.get("q"), Mapping):
        draft.set = {k: to_list(v) for k, v in words.pop("q").items()}
    if isinstance(words.get("v"), Mapping):
        draft.set_velocity = {k: to_list(v) for k, v in words.pop("v").items()}
    if "state" in words:
        _read_state(draft, words.pop("state"), folder)
    control = words.get("control")
    if isinstance(control, Mapping):
        draft.control = {k: float(v) for k, v in words.pop("control").items()}
    elif isinstance(control, str):
        words["control"] = ControlTable.read(folder / control)
    return draft


def to_list(x: Any) -> list[float]:
    return [float(y) for y in x] if isinstance(x, (list, tuple, np.ndarray)) else [float(x)]


def numbers(where: str, x: Any, counts: tuple[int, ...]) -> list[float]:
    if not isinstance(x, (list, tuple)) or len(x) not in counts or not all(
            isinstance(y, (int, float)) and not isinstance(y, bool) and math.isfinite(y) for y in x):
        raise PlanError(f"{where} must be a list of {' or '.join(map(str, counts))} numbers, it is {x!r}")
    return [float(y) for y in x]


def _read_state(draft: Draft, state: Any, folder: pathlib.Path) -> None:
    """A keyframe, a JSON file with q, v, time, or the last state of a record."""
    path = folder / str(state)
    if state in [k.name for k in draft.spec.keyframes]:
        draft.scene["keyframe"] = state
    elif path.suffix == ".json" and path.is_file():
        read = json.loads(path.read_text())
        for name, named in (("q", draft.set), ("v", draft.set_velocity)):
            if isinstance(read.get(name), dict):
                named.update({k: to_list(x) for k, x in read[name].items()})
            elif name in read:
                draft.scene[name] = read[name]
        if "time" in read:
            draft.scene["time"] = read["time"]
    elif path.is_file():
        record = sinew.RecordReader(path)
        for name in ("q", "v"):
            draft.scene[name] = record.read(f"frames/{name}", record.rows - 1, 1)[0].tolist()
        draft.scene["time"] = float(record.read("frames/time", record.rows - 1, 1)[0])
    else:
        raise PlanError(f"scene.state: '{state}' is neither a keyframe of the model nor a file"
                        f"{did_you_mean(str(state), [k.name for k in draft.spec.keyframes])}")


def build_scene(d: Draft) -> sinew.Scene:
    """The draft as a scene; ValueError where it cannot be one."""
    s = d.scene
    urdf = d.spec.timestep == 0  # such a file says nothing of the start and of overlaps
    keywords: dict[str, Any] = {k: s[k] for k in ("gravity", "friction", "restitution", "keyframe", "q", "v", "time")
                                if k in s}
    keywords["timestep"] = float(s.get("timestep", 0.0))
    keywords["fit_start"] = bool(s.get("fit_start", urdf))
    keywords["self_collision"] = _member(sinew.SelfCollision, s.get("self_collision", "start" if urdf else "on"))
    place = s.get("place", "floor" if s.get("floating") and "floor" in s else "file")
    if "floor" in s:
        keywords["floor"] = sinew.FloorOptions(**s["floor"])
    if place == "floor":
        if "floor" not in s:
            raise PlanError("scene.place = \"floor\" needs a floor; add floor = true")
        keywords["on_floor"] = True
    elif place != "file":
        pose = numbers("scene.place", place, (3, 6))
        keywords["place"] = sinew.Transform(pose[:3], rpy(pose[3:]))
    if "hold" in s:
        hold = dict(s["hold"])
        gains = (hold.pop("kp", None), hold.pop("kd", None))
        if (gains[0] is None) != (gains[1] is None):
            raise PlanError("hold.kp and hold.kd go together; give both")
        keywords["hold"] = sinew.HoldOptions(**hold, gains=gains if gains[0] is not None else None)
    return sinew.make_scene(d.spec, set={**d.set}, set_velocity={**d.set_velocity}, **keywords)


def rpy(angles: list[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Axes of the placed frame as columns: roll, pitch, yaw as in URDF."""
    r, p, y = angles if angles else (0.0, 0.0, 0.0)
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]])


def make_simulation(d: Draft, scene: sinew.Scene) -> sinew.Stepper:
    """A stepper at the start of the scene, with the controls of the draft."""
    integrator = d.options.get("integrator", "step")
    smooth = {n: getattr(sinew.IntegrationMethod, n) for n in dir(sinew.IntegrationMethod)
              if isinstance(getattr(sinew.IntegrationMethod, n), sinew.IntegrationMethod)}
    if integrator not in ("step", "events", *smooth):
        raise ValueError(f"there is no integrator {integrator!r}{did_you_mean(integrator, ['step', 'events', *smooth])}")
    stepper = integrator if integrator in ("step", "events") else _SMOOTH
    keywords: dict[str, Any] = {}
    solver: dict[str, Any] = {}
    for name, value in d.options.items():
        read, has = OPTIONS[name]
        if stepper not in has:
            raise ValueError(f"option {name} does not go with integrator {integrator}")
        if name.startswith("solver."):
            solver[name.removeprefix("solver.")] = read(value)
        elif name != "integrator":
            keywords[name] = read(value)
    if solver:
        keywords["solver"] = sinew.lcp.SolverOptions(**{"acceptable": 1e-8, "warm": True, **solver})
    sim: sinew.Stepper
    if stepper == "step":
        sim = sinew.Simulation(scene, **keywords)
    elif stepper == "events":
        sim = sinew.EventSimulation(scene)
    else:
        if keywords.pop("soft", False):
            keywords["soft"] = sinew.make_soft_surface(scene.model)
        sim = sinew.SmoothSimulation(scene, method=smooth[integrator], **keywords)
    if isinstance(d.scene.get("control"), list):
        sim.control = d.scene["control"]
    actuators = scene.model.actuator_names
    for name, value in d.control.items():
        if name not in actuators:
            raise ValueError(f"control: there is no actuator '{name}'{did_you_mean(name, actuators)}")
        sim.control[actuators.index(name)] = value
    return sim


@dataclass(frozen=True)
class ControlTable:
    """Controls over time: a row holds until the next, the first also before its time."""

    time: list[float]
    columns: list[str]
    values: list[list[float]]

    @staticmethod
    def read(path: pathlib.Path) -> ControlTable:
        if path.suffix != ".csv" or not path.is_file():
            raise PlanError(f"scene.control: '{path}' is no CSV file that is there; sweeps read no other tables")
        rows = [r for r in csv.reader(path.read_text().splitlines()) if r and not r[0].lstrip().startswith("#")]
        names = [c.strip() for c in rows[0]] if rows else []
        if len(rows) < 2 or "time" not in names:
            raise PlanError(f"scene.control: {path} needs a header with a column 'time', and a row")
        try:
            read = [[float(x) for x in r] for r in rows[1:]]
        except ValueError as e:
            raise PlanError(f"scene.control: {path}: {e}") from e
        if any(len(r) != len(names) for r in read):
            raise PlanError(f"scene.control: {path}: every row needs {len(names)} numbers")
        at = names.index("time")
        time = [r.pop(at) for r in read]
        if any(not b > a for a, b in zip(time, time[1:])):
            raise PlanError(f"scene.control: {path}: times must ascend")
        names.remove("time")
        return ControlTable(time, names, read)

    def targets(self, model: sinew.Model) -> list[tuple[str, int]]:
        """("control", actuator) or ("applied", velocity coordinate) of each column."""
        found: list[tuple[str, int]] = []
        joints = {j.name: j for j in model.joints}
        for column in self.columns:
            name, _, k = column.partition("[")
            if column in model.actuator_names:
                found.append(("control", model.actuator_names.index(column)))
            elif name in joints and 0 <= int(k.rstrip("]") or 0) < joints[name].nv and (k or joints[name].nv == 1):
                found.append(("applied", joints[name].v + int(k.rstrip("]") or 0)))
            else:
                raise PlanError(f"scene.control: column '{column}' is no actuator and no joint coordinate"
                                f"{did_you_mean(column, [*model.actuator_names, *joints])}")
        return found


def run_simulation(sim: sinew.Stepper, d: Draft, record: sinew.Recorder | None) -> None:
    """Over the duration, in whole steps."""
    steps = round(d.duration / sim.dt)
    if d.duration > 0 and steps < 1:
        raise ValueError(f"a duration of {d.duration:g} s is less than half a step of {sim.dt:g} s")
    table = d.scene.get("control")
    if not isinstance(table, ControlTable):
        sim.run(steps=steps, record=record)
        return
    targets = table.targets(sim.model)
    for i, row in enumerate(table.values):
        last = i + 1 == len(table.values)
        if steps <= 0 or (not last and table.time[i + 1] <= sim.time):
            continue
        for (kind, index), value in zip(targets, row):
            getattr(sim, kind)[index] = value
        steps -= sim.run(until=None if last else table.time[i + 1], steps=steps, record=record)
