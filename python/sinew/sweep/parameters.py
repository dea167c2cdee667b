"""Parameters by path: what a path stands for in a scene, how it is read and how it is set."""
from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sinew

from .errors import PlanError, did_you_mean
from .sampling import Value
from .scene import AXES, OPTIONS, Draft, _real

Getter = Callable[[Draft], Value | None]
Setter = Callable[[Draft, Any], None]


@dataclass(frozen=True)
class Target:
    """One number of a scene. `where`: "arguments" go to the model's function, "scene" changes the scene, "run" not."""

    where: str
    get: Getter
    set: Setter


BODY = {"mass": 0, "com": 3, "gravity_compensation": 0}
DOF = {"lower", "upper", "max_velocity", "max_effort", "damping", "friction", "armature", "stiffness", "rest"}
SHAPE = {"friction": 0, "torsional_friction": 0, "rolling_friction": 0, "restitution": 0, "margin": 0, "size": 3}
ACTUATOR = {"kp": 0, "kv": 0, "gear": 6, "gain": 3, "bias": 3, "time_constants": 3, "control_lower": 0,
            "control_upper": 0, "force_lower": 0, "force_upper": 0, "crank_length": 0, "damping_ratio": 0,
            "activation_lower": 0, "activation_upper": 0}
TENDON = {"lower": 0, "upper": 0, "stiffness": 0, "damping": 0, "friction": 0, "armature": 0, "effort_lower": 0,
          "effort_upper": 0}
ENTRIES = {"body": ("bodies", BODY), "joint": ("joints", {n: 0 for n in [*DOF, "pitch", "radius"]}),
           "shape": ("shapes", SHAPE), "actuator": ("actuators", ACTUATOR), "tendon": ("tendons", TENDON)}
PREFIXES = (*ENTRIES, "q", "v", "control", "option", "argument", "user")
TABLES = {"floor": {"height": None, "friction": 1.0, "restitution": 0.0},
          "hold": {"frequency": 10.0, "damping_ratio": 1.0, "kp": None, "kd": None}}
FREEDOMS = {"fixed": 0, "cylindrical": 2, "planar": 3, "spherical": 3, "spherical_ypr": 3, "universal": 2, "free": 6}
PLACE = ("x", "y", "z", "roll", "pitch", "yaw")


def find_targets(path: str, draft: Draft) -> list[Target]:
    """What the path stands for; several where its name has a * in it. PlanError where there is nothing."""
    prefix, slash, rest = path.partition("/")
    if not slash:
        return [_find_global(path)]
    if prefix not in PREFIXES:
        raise PlanError(f"parameter '{path}': there is no '{prefix}/'{did_you_mean(prefix, PREFIXES)}")
    if prefix == "user":
        return [Target("run", lambda d: d.user.get(rest), lambda d, x: d.user.update({rest: x}))]
    if prefix == "argument":
        return [Target("arguments", lambda d: None, lambda d, x: None)]
    if prefix == "option":
        return [_find_option(path, rest)]
    if prefix == "control":
        return _find_control(path, rest, draft)
    if prefix in ("q", "v"):
        return _find_coordinates(path, prefix, rest, draft)
    return _find_entries(path, prefix, rest, draft)


def _choose(path: str, what: str, name: str, known: Sequence[str]) -> list[int]:
    exact = [i for i, n in enumerate(known) if n == name]
    found = exact or [i for i, n in enumerate(known) if fnmatch.fnmatchcase(n, name)]
    if not found:
        raise PlanError(f"parameter '{path}': there is no {what} '{name}'{did_you_mean(name, known)}")
    return found


# --- of the whole scene -----------------------------------------------------------------------------------------------
def _gravity(d: Draft) -> list[float]:
    given = d.scene.get("gravity")
    return list(given) if given is not None else [float(x) for x in d.spec.gravity]


def _set_axis(get: Callable[[Draft], list[float]], key: str, i: int) -> Setter:
    def set_axis(d: Draft, x: Any) -> None:
        v = get(d)
        v[i] = _real(x)
        d.scene[key] = v

    return set_axis


def _set_gravity(d: Draft, x: Any) -> None:
    d.scene["gravity"] = [float(y) for y in x] if isinstance(x, tuple) else [0.0, 0.0, -_real(x)]


def _place(d: Draft) -> list[float]:
    given = d.scene.get("place")
    if not isinstance(given, (list, tuple)):
        raise PlanError("a parameter place.x and the like needs a place = [x, y, z] in the scene")
    return [*map(float, given), *[0.0] * (6 - len(given))]


def _medium_target(name: str) -> Target | None:
    parts = {"medium.density": (0, None), "medium.viscosity": (1, None), "medium.wind.x": (2, 0),
             "medium.wind.y": (2, 1), "medium.wind.z": (2, 2)}
    if name not in parts:
        return None
    i, axis = parts[name]

    def set_medium(d: Draft, x: Any) -> None:
        medium: list[Any] = list(d.spec.medium)
        if axis is None:
            medium[i] = _real(x)
        else:
            wind = [float(y) for y in medium[2]]
            wind[axis] = _real(x)
            medium[2] = wind
        d.spec.medium = (medium[0], medium[1], medium[2])

    def get_medium(d: Draft) -> float:
        part: Any = d.spec.medium[i]
        return float(part if axis is None else part[axis])

    return Target("scene", get_medium, set_medium)


def _find_global(path: str) -> Target:
    head, _, tail = path.partition(".")
    if path == "duration":
        def set_duration(d: Draft, x: Any) -> None:
            d.duration = _real(x)
        return Target("run", lambda d: d.duration, set_duration)
    if path == "timestep":
        return Target("scene", lambda d: float(d.scene.get("timestep", 0) or d.spec.timestep or 1e-3),
                      lambda d, x: d.scene.update(timestep=_real(x)))
    if path in ("friction", "restitution"):
        return Target("scene", lambda d: d.scene.get(path), lambda d, x: d.scene.update({path: _real(x)}))
    if path == "gravity":
        return Target("scene", lambda d: -_gravity(d)[2], _set_gravity)
    if head == "gravity" and tail in AXES:
        i = AXES[tail]
        return Target("scene", lambda d: _gravity(d)[i], _set_axis(_gravity, "gravity", i))
    if head == "place" and tail in PLACE:
        i = PLACE.index(tail)
        return Target("scene", lambda d: _place(d)[i], _set_axis(_place, "place", i))
    if medium := _medium_target(path):
        return medium
    if head in TABLES and tail in TABLES[head]:
        default = TABLES[head][tail]

        def set_entry(d: Draft, x: Any) -> None:
            if head not in d.scene:
                raise PlanError(f"parameter '{path}': the scene has no {head}; add {head} = true")
            d.scene[head] = {**d.scene[head], tail: _real(x)}

        return Target("scene", lambda d: d.scene.get(head, {}).get(tail, default), set_entry)
    known = ["timestep", "duration", "friction", "restitution", "gravity", "gravity.x", "gravity.y", "gravity.z",
             "medium.density", "medium.viscosity", *[f"place.{n}" for n in PLACE],
             *[f"{t}.{n}" for t, names in TABLES.items() for n in names], *[f"{p}/..." for p in PREFIXES]]
    raise PlanError(f"there is no parameter '{path}'{did_you_mean(path, known)}")


def _find_option(path: str, name: str) -> Target:
    if name not in OPTIONS:
        raise PlanError(f"parameter '{path}': there is no option '{name}'{did_you_mean(name, OPTIONS)}")

    def set_option(d: Draft, x: Any) -> None:
        OPTIONS[name][0](x)  # says what is wrong with it
        d.options[name] = x

    return Target("run", lambda d: d.options.get(name), set_option)


# --- of entries of the model ------------------------------------------------------------------------------------------
def _find_entries(path: str, prefix: str, rest: str, draft: Draft) -> list[Target]:
    name, _, field = rest.rpartition("/")
    collection, fields = ENTRIES[prefix]
    if not name:
        raise PlanError(f"parameter '{path}': write {prefix}/NAME/FIELD, with one of the fields {', '.join(fields)}")
    field, _, part = field.partition(".")
    if field not in fields:
        raise PlanError(f"parameter '{path}': a {prefix} has no '{field}' that can be set{did_you_mean(field, fields)}")
    size = fields[field]
    at: int | None = None
    if part:
        at = AXES[part] if part in AXES else int(part) if part.isdecimal() else -1
        if not 0 <= at < size:
            raise PlanError(f"parameter '{path}': '{field}' has " + (f"the parts .0 to .{size - 1}" if size else
                                                                     "no parts"))
    elif size and field != "gear":
        raise PlanError(f"parameter '{path}': '{field}' has {size} numbers; say which, as in {field}.0")
    known = [e.name for e in getattr(draft.spec, collection)]
    return [_entry_target(path, prefix, collection, i, field, at) for i in _choose(path, prefix, name, known)]


def _entry_target(path: str, prefix: str, collection: str, i: int, field: str, at: int | None) -> Target:
    def entry(d: Draft) -> Any:
        return getattr(d.spec, collection)[i]

    if prefix == "body" and field == "mass":
        return Target("scene", lambda d: float(entry(d).mass), lambda d, x: _set_mass(entry(d), _real(x)))
    if prefix == "joint" and field in DOF:
        return Target("scene", lambda d: _get_dof(entry(d), field), lambda d, x: _set_dof(path, entry(d), field, _real(x)))
    if field in ("kp", "kv"):
        return Target("scene", lambda d: _get_gain(path, entry(d), field),
                      lambda d, x: _set_gain(path, entry(d), field, _real(x)))
    index = 0 if field == "gear" and at is None else at
    if index is None:
        return Target("scene", lambda d: float(getattr(entry(d), field)), lambda d, x: setattr(entry(d), field, _real(x)))

    def set_part(d: Draft, x: Any) -> None:
        values = [float(y) for y in getattr(entry(d), field)]
        values[index] = _real(x)
        setattr(entry(d), field, values)

    return Target("scene", lambda d: float(getattr(entry(d), field)[index]), set_part)


def _set_mass(body: sinew.BodySpec, mass: float) -> None:
    """The body keeps its shape: its inertia grows with its mass."""
    if body.mass > 0:
        body.inertia = body.inertia * (mass / body.mass)
    body.mass = mass


def _get_dof(joint: sinew.JointSpec, field: str) -> float:
    dofs = list(joint.dofs) or [d for p in joint.parts for d in p.dofs]
    return float(getattr(dofs[0] if dofs else sinew.DofSpec(), field))


def _with_dof(joint: sinew.JointSpec, field: str, x: float) -> list[sinew.DofSpec]:
    n = FREEDOMS.get(joint.kind.name, 1)
    return [d.replace(**{field: x}) for d in list(joint.dofs) or [sinew.DofSpec() for _ in range(n)]]


def _set_dof(path: str, joint: sinew.JointSpec, field: str, x: float) -> None:
    """Of all coordinates of the joint."""
    if joint.kind in (sinew.JointKind.fixed, sinew.JointKind.prescribed):
        raise PlanError(f"parameter '{path}': joint '{joint.name}' is {joint.kind.name}, it has no coordinate")
    if joint.kind == sinew.JointKind.composite:
        joint.parts = [p.replace(dofs=_with_dof(p, field, x)) for p in joint.parts]
        if joint.dofs:
            joint.dofs = [d.replace(**{field: x}) for d in joint.dofs]
    else:
        joint.dofs = _with_dof(joint, field, x)


def _is_servo(path: str, actuator: sinew.ActuatorSpec, field: str) -> str:
    gain, bias = actuator.gain, actuator.bias
    if gain[0] != 0 and bias[1] == -gain[0]:
        return "position"
    if field == "kv" and gain[0] != 0 and bias[2] == -gain[0]:
        return "velocity"
    raise PlanError(f"parameter '{path}': actuator '{actuator.name}' is no servo with {field}; its gain.0 can be set")


def _get_gain(path: str, actuator: sinew.ActuatorSpec, field: str) -> float:
    _is_servo(path, actuator, field)
    return float(actuator.gain[0]) if field == "kp" else -float(actuator.bias[2])


def _set_gain(path: str, actuator: sinew.ActuatorSpec, field: str, x: float) -> None:
    servo = _is_servo(path, actuator, field)
    gain, bias = [float(y) for y in actuator.gain], [float(y) for y in actuator.bias]
    if field == "kp":
        gain[0], bias[1] = x, -x
    else:
        bias[2] = -x
        if servo == "velocity":
            gain[0] = x
    actuator.gain, actuator.bias = gain, bias


# --- of the start -----------------------------------------------------------------------------------------------------
def _find_control(path: str, name: str, draft: Draft) -> list[Target]:
    assert draft.base
    actuators = draft.base.model.actuator_names
    start = draft.base.control

    def make(actuator: str) -> Target:
        index = actuators.index(actuator)
        return Target("run", lambda d: d.control.get(actuator, float(start[index])),
                      lambda d, x: d.control.update({actuator: _real(x)}))

    return [make(actuators[i]) for i in _choose(path, "actuator", name, actuators)]


def _find_coordinates(path: str, prefix: str, rest: str, draft: Draft) -> list[Target]:
    """q/knee, q/base.6, v/base.0; a list of all its numbers for a joint with several."""
    assert draft.base
    model = draft.base.model
    names = model.joint_names
    name, part = rest, ""
    if rest not in names and rest.rpartition(".")[2].isdecimal():
        name, _, part = rest.rpartition(".")
    return [_coordinate_target(path, prefix, draft.base, i, part) for i in _choose(path, "joint", name, names)]


def _coordinate_target(path: str, prefix: str, base: sinew.Scene, i: int, part: str) -> Target:
    joint = base.model.joints[i]
    first, n = (joint.q, joint.nq) if prefix == "q" else (joint.v, joint.nv)
    start = [float(x) for x in (base.q if prefix == "q" else base.v)[first:first + n]]
    at = int(part) if part else 0
    if n == 0 or at >= n:
        raise PlanError(f"parameter '{path}': joint '{joint.name}' has {n} coordinates in {prefix}")

    def given(d: Draft) -> dict[str, list[float]]:
        return d.set if prefix == "q" else d.set_velocity

    def set_numbers(d: Draft, x: Any) -> None:
        if isinstance(x, tuple) and not part:
            if len(x) != n:
                raise PlanError(f"parameter '{path}': joint '{joint.name}' has {n} coordinates in {prefix}, not {len(x)}")
            given(d)[joint.name] = [float(y) for y in x]
        elif part or n == 1:
            values = list(given(d).get(joint.name, start))
            values[at] = _real(x)
            given(d)[joint.name] = values
        else:
            raise PlanError(f"parameter '{path}': joint '{joint.name}' has {n} coordinates; write {path}.0 or give lists")

    return Target("scene", lambda d: given(d).get(joint.name, start)[at], set_numbers)
