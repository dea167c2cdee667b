"""Plans: what is simulated, which values its parameters take, and what is kept.

A plan is a TOML file or a dict of the same form (docs/sweep.md). Reading it checks all that can be checked without a
simulation; `Runner` (run.py) checks it against its scene.
"""
from __future__ import annotations

import hashlib
import inspect
import json
import math
import pathlib
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import PlanError, did_you_mean
from .sampling import Space, read_space
from .scene import OPTIONS, SOURCES, WORDS

TOP = ("name", "scene", "duration", "parameters", "samples", "repeats", "seed", "options", "keep")
# Groups of values: names of columns, in their order.
VALUES: dict[str, tuple[str, ...]] = {
    "totals": ("time", "steps", "collisions", "contact_steps", "problems", "iterations", "most_contacts",
               "largest_size"),
    "certificate": ("unsolved", "close", "worst_residual", "penetration", "worst_violation", "worst_drift"),
    "energy": ("start_energy", "kinetic_energy", "potential_energy", "unaccounted_energy"),
    "work": tuple("work." + n for n in ("actuators", "springs", "dampers", "applied", "external", "contact_normal",
                                        "contact_friction", "collisions", "stops", "joint_friction", "loops")),
    "momentum": ("momentum",),
    "final": ("q", "v"),
}
USUAL = ("totals", "certificate", "energy", "final")


@dataclass(frozen=True)
class Keep:
    """What is kept of each sample."""

    values: tuple[str, ...]
    record_every: int  # steps per row of a record; 0: no records
    function: str | None  # called after the run with (sim, sample); its dict joins the row
    prepare: str | None  # called before the run with (sim, sample)


@dataclass(frozen=True)
class Plan:
    """A plan that has been read. `data` is its plain form; `folder`: files in it are relative to it."""

    data: Mapping[str, Any]
    folder: pathlib.Path
    space: Space
    keep: Keep
    duration: float
    source: str = ""  # the file it was read from

    def __len__(self) -> int:
        return len(self.space)

    @property
    def scene(self) -> Mapping[str, Any]:
        scene: Mapping[str, Any] = self.data["scene"]
        return scene

    @property
    def options(self) -> Mapping[str, Any]:
        options: Mapping[str, Any] = self.data.get("options", {})
        return options

    def functions(self) -> list[str]:
        names = (self.keep.function, self.keep.prepare, self.scene.get("model"))
        return sorted({n for n in names if n})

    def to_json(self) -> str:
        """For a worker."""
        return json.dumps({"data": self.data, "folder": str(self.folder), "source": self.source})

    @staticmethod
    def from_json(text: str) -> Plan:
        read = json.loads(text)
        return make_plan(read["data"], read["folder"], read["source"])


def load_plan(file: str | pathlib.Path) -> Plan:
    """From a TOML file."""
    path = pathlib.Path(file)
    try:
        data = tomllib.loads(path.read_text())
    except OSError as e:
        raise PlanError(f"{path}: {e.strerror}") from e
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise PlanError(f"{path}: this is not TOML: {e}") from e
    try:
        return make_plan(data, path.parent, str(path))
    except PlanError as e:
        raise PlanError(f"{path}: {e}") from e


def make_plan(data: Mapping[str, Any], folder: str | pathlib.Path = ".", source: str = "") -> Plan:
    """From a dict; files in it are relative to `folder`."""
    plain = _plain("plan", data)
    for name in plain:
        if name not in TOP:
            raise PlanError(f"a plan has no '{name}'{did_you_mean(name, TOP)}")
    scene = _table(plain, "scene")
    given = [s for s in SOURCES if s in scene]
    if len(given) != 1:
        raise PlanError("scene needs one of file, mechanism, model" + (f"; it has {' and '.join(given)}" if given else ""))
    for name in scene:
        if name not in WORDS:
            raise PlanError(f"scene has no '{name}'{did_you_mean(name, WORDS)}")
    if "state" in scene and "keyframe" in scene:
        raise PlanError("scene.state and scene.keyframe both say where to start; give one")
    for name in _table(plain, "options"):
        if name not in OPTIONS:
            raise PlanError(f"options has no '{name}'{did_you_mean(name, OPTIONS)}")
    if "duration" not in plain:
        raise PlanError("duration is missing: simulated time [s]")
    duration = plain["duration"]
    if isinstance(duration, bool) or not isinstance(duration, (int, float)) or not 0 <= duration < math.inf:
        raise PlanError(f"duration must be a number of seconds, it is {duration!r}")
    counts = {}
    for name, least, usual in (("samples", 1, 1), ("repeats", 1, 1), ("seed", 0, 0)):
        x = plain.get(name, usual)
        if isinstance(x, bool) or not isinstance(x, int) or x < least:
            raise PlanError(f"{name} must be a whole number from {least} on, it is {x!r}")
        counts[name] = x
    parameters = {path: entry for path, entry in _flatten(_table(plain, "parameters"))}
    space = read_space(parameters, counts["samples"], counts["repeats"], counts["seed"])
    plain["parameters"] = parameters
    return Plan(plain, pathlib.Path(folder).absolute(), space, _read_keep(_table(plain, "keep")), float(duration), source)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """[parameters.gravity] z = ... is the parameter gravity.z: TOML nests what has a dot."""
    laws = {"grid", "list", "random", "latin", "relative", "redraw", "from", "to", "mean", "deviation", "of"}
    out: list[tuple[str, Any]] = []
    for name, entry in table.items():
        if isinstance(entry, Mapping) and entry and not set(entry) & laws:
            out += _flatten(entry, f"{prefix}{name}.")
        else:
            out.append((prefix + name, entry))
    return out


def _table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    x = data.get(name, {})
    if not isinstance(x, dict):
        raise PlanError(f"{name} must be a table, it is {x!r}")
    return x


def _read_keep(keep: Mapping[str, Any]) -> Keep:
    for name in keep:
        if name not in ("values", "record", "function", "prepare"):
            raise PlanError(f"keep has no '{name}'{did_you_mean(name, ('values', 'record', 'function', 'prepare'))}")
    columns: list[str] = []
    single = [c for group in VALUES.values() for c in group]
    values = keep.get("values", list(USUAL))
    if not isinstance(values, list):
        raise PlanError(f"keep.values must be a list of names, it is {values!r}")
    for name in values:
        if name not in VALUES and name not in single:
            raise PlanError(f"keep.values: there is no '{name}'{did_you_mean(str(name), [*VALUES, *single])}")
        columns += [c for c in VALUES.get(name, (name,)) if c not in columns]
    record = keep.get("record", False)
    every = record.get("every", 1) if isinstance(record, dict) else int(record is True)
    if not isinstance(record, (bool, dict)) or isinstance(every, bool) or not isinstance(every, int) or every < 0:
        raise PlanError("keep.record is true, false or { every = N }, N steps per row")
    for name in ("function", "prepare"):
        if name in keep and (not isinstance(keep[name], str) or ":" not in keep[name]):
            raise PlanError(f"keep.{name} must be \"module:function\", it is {keep[name]!r}")
    return Keep(tuple(columns), every, keep.get("function"), keep.get("prepare"))


def _plain(where: str, x: Any) -> Any:
    """Tables, lists, numbers, texts; functions by their names."""
    if isinstance(x, Mapping):
        return {str(k): _plain(f"{where}.{k}", v) for k, v in x.items()}
    if isinstance(x, (list, tuple, np.ndarray)):
        return [_plain(f"{where}[{i}]", v) for i, v in enumerate(x)]
    if isinstance(x, (bool, str)):
        return x
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, (int, float)):
        if isinstance(x, float) and not math.isfinite(x):
            raise PlanError(f"{where}: {x} is not a finite number")
        return x
    if isinstance(x, pathlib.Path):
        return str(x)
    if callable(x):
        return name_of(x)
    raise PlanError(f"{where}: {x!r} cannot be part of a plan")


def name_of(function: Callable[..., Any]) -> str:
    """module:function of a function that a worker can import."""
    module, name = function.__module__, function.__qualname__
    if module == "__main__":
        file = getattr(sys.modules["__main__"], "__file__", None)
        if not file:
            raise PlanError(f"function {name} has no file, so workers cannot import it; write it into a module")
        folder = str(pathlib.Path(file).parent.absolute())
        if folder not in sys.path:
            sys.path.insert(0, folder)
        module = pathlib.Path(file).stem
    if "<" in name:
        raise PlanError(f"function {name} is a lambda or local, so workers cannot import it; define it in a module")
    return f"{module}:{name}"


# --- identity ---------------------------------------------------------------------------------------------------------
def source_hash(function: Callable[..., Any]) -> str:
    """Of the file that defines it."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(function))
    except TypeError:
        file = None
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest() if file else "unknown"


def canonical(x: Any) -> Any:
    """Whole numbers as reals where that loses nothing: 1 and 1.0 are the same plan."""
    if isinstance(x, Mapping):
        return {k: canonical(v) for k, v in x.items()}
    if isinstance(x, list):
        return [canonical(v) for v in x]
    if isinstance(x, int) and not isinstance(x, bool) and abs(x) <= 2**53:
        return float(x)
    return x


def identity_hash(identity: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def describe_changes(was: Any, now: Any, where: str = "") -> list[str]:
    """Each entry that is different: "plan.duration was 1.0, is 2.0"."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        out = []
        for key in [*was, *(k for k in now if k not in was)]:
            inner = f"{where}.{key}" if where else str(key)
            if key not in now:
                out.append(f"{inner} was {json.dumps(was[key])}, is gone")
            elif key not in was:
                out.append(f"{inner} is new: {json.dumps(now[key])}")
            else:
                out += describe_changes(was[key], now[key], inner)
        if not out and list(was) != list(now):
            out.append(f"{where}: the order is another")
        return out
    return [] if was == now else [f"{where} was {json.dumps(was)}, is {json.dumps(now)}"]
