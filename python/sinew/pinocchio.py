"""Models and states of Pinocchio.

    spec = sinew.from_pinocchio(model)                    # of a pinocchio.Model
    ours = sinew.compile(spec)
    states = sinew.PinocchioMap(ours, model)
    q, v = states.to_sinew(q_pin, v_pin)
    tau_pin = states.to_pinocchio_tau(q, tau)

Joints keep Pinocchio's order and names. A body is what hangs on one joint: Pinocchio has merged links behind fixed
joints into it, and they are frames here.
"""
from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import (BodySpec, CouplingSpec, CouplingTerm, DofSpec, FrameSpec, JointKind, JointSpec, KeyframeSpec, Model,
                    ModelSpec, Transform)

Numbers = NDArray[np.float64]

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_KINDS = {"R": JointKind.revolute, "P": JointKind.prismatic, "H": JointKind.helical, "RUB": JointKind.revolute}
_NAMED = {"RevoluteUnaligned": JointKind.revolute, "RevoluteUnboundedUnaligned": JointKind.revolute,
          "PrismaticUnaligned": JointKind.prismatic, "HelicalUnaligned": JointKind.helical, "FreeFlyer": JointKind.free,
          "Spherical": JointKind.spherical, "SphericalZYX": JointKind.spherical_ypr, "Planar": JointKind.planar,
          "Universal": JointKind.universal, "Translation": JointKind.composite, "Composite": JointKind.composite}


def _transform(placement: Any) -> Transform:
    """Of an SE3: a pose, whose E takes coordinates of the parent to the child."""
    return Transform(np.array(placement.translation), np.array(placement.rotation).T)


def _type(joint: Any) -> str:
    return str(joint.shortname()).removeprefix("JointModel")


def _inner(joint: Any) -> Any:
    """The joint itself, out of the variant that lists hold."""
    return joint.extract() if hasattr(joint, "extract") else joint


def _make_joint(joint: Any, name: str) -> JointSpec:
    """Kind, axis and parts; ValueError where we have no such joint."""
    kind_name = _type(joint)
    if kind_name[:-1] in _KINDS and kind_name[-1] in _AXES:
        spec = JointSpec(name=name, kind=_KINDS[kind_name[:-1]], axis=_AXES[kind_name[-1]])
    elif kind_name in _NAMED:
        spec = JointSpec(name=name, kind=_NAMED[kind_name])
    else:
        raise ValueError(f"from_pinocchio: joint '{name}' is a {kind_name}, which Sinew does not have; build the model "
                         f"without it, or with other joints in its place")
    joint = _inner(joint)
    if kind_name.endswith("Unaligned"):
        spec.axis = np.array(joint.axis)
    if spec.kind == JointKind.helical:
        spec.pitch = float(joint.pitch)
    if kind_name == "Universal":
        spec.axis, spec.axis2 = np.array(joint.axis1), np.array(joint.axis2)
    if kind_name == "Translation":
        spec.parts = [JointSpec(name=f"{name} {a.lower()}", kind=JointKind.prismatic, axis=x) for a, x in _AXES.items()]
    if kind_name == "Composite":
        spec.parts = [_make_joint(part, f"{name} {k}").replace(placement=_transform(place))
                      for k, (part, place) in enumerate(zip(joint.joints, joint.jointPlacements))]
    spec.continuous = "RUB" in kind_name or "Unbounded" in kind_name
    return spec


def _make_mimic(model: Any, i: int) -> JointSpec:
    """A mimic joint as it moves: Pinocchio does not show the joint that is inside."""
    pin = importlib.import_module("pinocchio")
    name, joint = str(model.names[i]), _inner(model.joints[i])
    driver = int(model.mimicked_joints[list(model.mimicking_joints).index(i)])
    if joint.nvExtended != 1 or model.nqs[driver] != 1 or joint.scaling == 0:
        raise ValueError(f"from_pinocchio: joint '{name}' mimics '{model.names[driver]}'; Sinew couples joints of one "
                         "bounded coordinate with a ratio that is not zero")
    q, data = pin.neutral(model), model.createData()
    q[model.idx_qs[driver]] = (1 - joint.offset) / joint.scaling  # where its own coordinate is 1
    pin.forwardKinematics(model, data, q)
    screw = np.array(pin.log6(model.jointPlacements[i].actInv(data.liMi[i])).vector)
    screw = np.where(np.abs(screw - np.round(screw)) < 1e-13, np.round(screw), screw)
    linear, angular = screw[:3], screw[3:]
    if not angular.any():
        return JointSpec(name=name, kind=JointKind.prismatic, axis=linear)
    if not linear.any():
        return JointSpec(name=name, kind=JointKind.revolute, axis=angular)
    return JointSpec(name=name, kind=JointKind.helical, axis=angular, pitch=float(linear @ angular))


def _with_dofs(model: Any, made: JointSpec, joint: Any, q: int, v: int, spec: ModelSpec) -> JointSpec:
    """With limits, friction and armature; those of a composite belong to its parts."""
    if made.kind != JointKind.composite:
        return made.replace(dofs=_make_dofs(model, made, q, int(joint.nq), v, int(joint.nv), spec))
    if _type(joint) == "Translation":
        return made.replace(parts=[p.replace(dofs=_make_dofs(model, p, q + k, 1, v + k, 1, spec))
                                   for k, p in enumerate(made.parts)])
    parts: list[JointSpec] = []
    for part, inner in zip(made.parts, _inner(joint).joints):
        parts.append(_with_dofs(model, part, inner, q, v, spec))
        q, v = q + int(inner.nq), v + int(inner.nv)
    return made.replace(parts=parts)


def _make_dofs(model: Any, joint: JointSpec, q: int, nq: int, v: int, nv: int, spec: ModelSpec) -> list[DofSpec]:
    kind, dofs, element = joint.kind, list[DofSpec](), f"joint '{joint.name}'"
    for k in range(nv):
        dof = DofSpec(damping=model.damping[v + k], friction=model.upperDryFrictionLimit[v + k],
                      armature=model.armature[v + k])
        limits = (model.lowerPositionLimit, model.upperPositionLimit)
        if nq == nv and kind != JointKind.planar:  # else a coordinate has no limits of its own
            dof.lower, dof.upper = (float(x[q + k]) if abs(x[q + k]) < 1e300 else np.copysign(np.inf, x[q + k])
                                    for x in limits)
        effort, speed = model.upperEffortLimit[v + k], model.upperVelocityLimit[v + k]
        dof.max_effort = float(effort) if effort < 1e300 else np.inf
        dof.max_velocity = float(speed) if speed < 1e300 else np.inf
        dofs.append(dof)
        for what, low, high in (("effort", model.lowerEffortLimit[v + k], effort),
                                ("velocity", model.lowerVelocityLimit[v + k], speed),
                                ("dry friction", model.lowerDryFrictionLimit[v + k], dof.friction)):
            if abs(low) != abs(high):
                spec.add_remark(element, f"its {what} lies between {low} and {high}; the upper limit "
                                "counts for both directions")
    armature = {d.armature for d in dofs}
    if kind in (JointKind.free, JointKind.planar, JointKind.spherical) and armature != {0.0} and \
            (kind != JointKind.spherical or len(armature) > 1):
        spec.add_remark(element, "its armature turns with the body here and has a force of its own "
                        "(docs/conventions.md); Pinocchio adds it to the diagonal of M alone")
    return dofs


def _find_bodies(pin_frames: list[Any], names: list[str]) -> list[str]:
    """A name per joint: of the link whose frame is the joint's, or else of the joint."""
    found: dict[int, str] = {}
    for f in pin_frames:
        if str(f.type) == "BODY" and f.parentJoint > 0 and np.array_equal(np.array(f.placement.homogeneous), np.eye(4)):
            found.setdefault(int(f.parentJoint), str(f.name))
    used: set[str] = set()
    bodies: list[str] = []
    for i, joint in enumerate(names):
        name = "universe" if i == 0 else found.get(i, joint)
        while name in used:
            name += "_"
        used.add(name)
        bodies.append(name)
    return bodies


def from_pinocchio(model: Any) -> ModelSpec:
    """The ModelSpec of a pinocchio.Model.

    Its `remarks` say what is not the same here; ValueError for joints that Sinew does not have. A mimic joint becomes a
    joint with a coupling. Geometry is no part of Pinocchio's models.
    """
    spec = ModelSpec(model.name)
    spec.world = "universe"
    spec.gravity = np.array(model.gravity.linear)
    if np.any(np.array(model.gravity.angular)):
        raise ValueError("from_pinocchio: model.gravity has an angular part; Sinew's gravity is linear")
    names = [str(n) for n in model.names]
    bodies = _find_bodies(list(model.frames), names)
    for i in range(1, int(model.njoints)):
        inertia = model.inertias[i]
        spec.bodies.append(BodySpec(name=bodies[i], mass=float(inertia.mass), com=np.array(inertia.lever),
                                    inertia=np.array(inertia.inertia)))
        joint = _inner(model.joints[i])
        mimic = _type(joint) == "Mimic"
        made = _make_mimic(model, i) if mimic else _make_joint(joint, names[i])
        made.parent, made.child = bodies[int(model.parents[i])], bodies[i]
        made.placement = _transform(model.jointPlacements[i])
        if mimic:
            driver = names[int(model.mimicked_joints[list(model.mimicking_joints).index(i)])]
            spec.couplings.append(CouplingSpec(
                name=f"{names[i]} mimics {driver}", dependent=names[i], offset=float(joint.offset),
                terms=[CouplingTerm(joint=driver, coefficients=[float(joint.scaling)])]))
        else:
            made = _with_dofs(model, made, joint, int(model.idx_qs[i]), int(model.idx_vs[i]), spec)
        spec.joints.append(made)
    _add_frames(model, spec, bodies)
    if np.any(np.array(model.rotorInertia) * np.array(model.rotorGearRatio)):
        spec.add_remark("model", "rotorInertia is not used; Pinocchio's algorithms use armature alone as well")
    if model.inertias[0].mass > 0:
        spec.add_remark("body 'universe'", f"{model.inertias[0].mass} kg on the world do not move and are left out")
    _add_keyframes(model, spec)
    return spec


def _add_frames(model: Any, spec: ModelSpec, bodies: list[str]) -> None:
    kept: dict[str, tuple[int, Any]] = {name: (i, np.eye(4)) for i, name in enumerate(bodies)}
    for f in sorted(model.frames, key=lambda f: str(f.type) != "BODY"):  # links have the first right to their names
        name, place = str(f.name), (int(f.parentJoint), np.array(f.placement.homogeneous))
        if str(f.type) == "JOINT":  # is that of its body
            continue
        if name not in kept:
            kept[name] = place
            spec.frames.append(FrameSpec(name=name, body=bodies[place[0]], pose=_transform(f.placement)))
        elif kept[name][0] != place[0] or not np.array_equal(kept[name][1], place[1]):
            spec.add_remark(f"frame '{name}'", f"a {str(f.type)} frame is left out: another place has its name")


def _add_keyframes(model: Any, spec: ModelSpec) -> None:
    stored = {str(entry.key()): np.array(entry.data()) for entry in model.referenceConfigurations}
    if not stored:
        return
    from ._core import compile as compile_model
    states = PinocchioMap(compile_model(spec), model)
    for name, q in stored.items():
        spec.keyframes.append(KeyframeSpec(name=name, q=states.to_sinew_q(q)))


class PinocchioMap:
    """States of a pinocchio.Model to and from those of the Model that from_pinocchio made of it.

    Positions: quaternions w x y z here, x y z w there, and after the position of a free joint; an unbounded angle is
    its cosine and sine there. Velocities: angular before linear here. Mimic joints have coordinates of their own here.
    An angle that comes from a cosine and sine is the one in (-pi, pi].
    """

    def __init__(self, model: Model, theirs: Any) -> None:
        names = [str(n) for n in theirs.names][1:]
        if model.joint_names != names:
            raise ValueError(f"PinocchioMap: the joints are {model.joint_names}, in Pinocchio's model {names}; "
                             "use from_pinocchio")
        self.nq, self.nv = int(theirs.nq), int(theirs.nv)  # of Pinocchio
        self._our_nq, self._our_nv = model.nq, model.nv
        # Ours is factor * theirs[index] + offset.
        self._q, self._q_factor, self._q_offset = np.zeros(model.nq, int), np.ones(model.nq), np.zeros(model.nq)
        self._v, self._v_factor = np.zeros(model.nv, int), np.ones(model.nv)
        self._angles: list[tuple[int, int]] = []  # ours; cosine of theirs
        self._own_q, self._own_v = np.ones(model.nq, bool), np.ones(model.nv, bool)  # not those of mimic joints
        mimicking = [int(x) for x in theirs.mimicking_joints]
        for entry in model.joints:
            i = entry.index + 1
            joint = _inner(theirs.joints[i])
            if i in mimicking:
                driver = model.joints[int(theirs.mimicked_joints[mimicking.index(i)]) - 1]
                a, b = slice(entry.q, entry.q + entry.nq), slice(driver.q, driver.q + driver.nq)
                self._q[a], self._q_factor[a], self._q_offset[a] = self._q[b], joint.scaling, joint.offset
                c, d = slice(entry.v, entry.v + entry.nv), slice(driver.v, driver.v + driver.nv)
                self._v[c], self._v_factor[c] = self._v[d], joint.scaling
                self._own_q[a], self._own_v[c] = False, False
            else:
                self._add(joint, entry.q, entry.v, int(theirs.idx_qs[i]), int(theirs.idx_vs[i]))

    def _add(self, joint: Any, q: int, v: int, their_q: int, their_v: int) -> tuple[int, int, int, int]:
        """A joint, or a part of one; returns how many coordinates it has: ours, theirs."""
        kind = _type(joint)
        nq, nv = int(joint.nq), int(joint.nv)
        if kind == "Composite":
            at = (q, v, their_q, their_v)
            for part in _inner(joint).joints:
                size = self._add(part, *at)
                at = (at[0] + size[0], at[1] + size[1], at[2] + size[2], at[3] + size[3])
            return at[0] - q, at[1] - v, at[2] - their_q, at[3] - their_v
        order_q, order_v = list(range(nq)), list(range(nv))
        if kind == "FreeFlyer":
            order_q, order_v = [6, 3, 4, 5, 0, 1, 2], [3, 4, 5, 0, 1, 2]
        elif kind == "Spherical":
            order_q = [3, 0, 1, 2]
        elif kind == "Planar":
            order_q, order_v = [2, 0, 1], [2, 0, 1]
            self._angles.append((q, their_q + 2))
        elif nq == nv + 1:
            order_q = [0]
            self._angles.append((q, their_q))
        n = len(order_q)
        self._q[q:q + n] = np.array(order_q, int) + their_q
        self._v[v:v + nv] = np.array(order_v, int) + their_v
        return n, nv, nq, nv

    def _check(self, what: str, x: ArrayLike, size: int) -> Numbers:
        out = np.asarray(x, np.float64)
        if out.shape != (size,):
            raise ValueError(f"PinocchioMap: {what} has shape {out.shape}, it must be ({size},)")
        return out

    def to_sinew_q(self, q: ArrayLike) -> Numbers:
        other = self._check("q", q, self.nq)
        out = other[self._q] * self._q_factor + self._q_offset
        for i, c in self._angles:
            out[i] = np.arctan2(other[c + 1], other[c])
        return out

    def to_sinew_v(self, v: ArrayLike) -> Numbers:
        return self._check("v", v, self.nv)[self._v] * self._v_factor

    def to_sinew(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        return self.to_sinew_q(q), self.to_sinew_v(v)

    def to_sinew_a(self, a: ArrayLike) -> Numbers:
        """dv/dt: as velocities, because none of these maps turns with the body."""
        return self.to_sinew_v(a)

    def to_sinew_tau(self, tau: ArrayLike) -> Numbers:
        """A generalised force with the same power; mimic joints get none."""
        out = self._check("tau", tau, self.nv)[self._v]
        out[~self._own_v] = 0
        return out

    def to_pinocchio_q(self, q: ArrayLike) -> Numbers:
        ours, out = self._check("q", q, self._our_nq), np.zeros(self.nq)
        out[self._q[self._own_q]] = ours[self._own_q]
        for i, c in self._angles:
            out[c:c + 2] = np.cos(ours[i]), np.sin(ours[i])
        return out

    def to_pinocchio_v(self, v: ArrayLike) -> Numbers:
        ours, out = self._check("v", v, self._our_nv), np.zeros(self.nv)
        out[self._v[self._own_v]] = ours[self._own_v]
        return out

    def to_pinocchio(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        return self.to_pinocchio_q(q), self.to_pinocchio_v(v)

    def to_pinocchio_a(self, a: ArrayLike) -> Numbers:
        return self.to_pinocchio_v(a)

    def to_pinocchio_tau(self, tau: ArrayLike) -> Numbers:
        """With the same power; forces of mimic joints go to the joints that they mimic."""
        out = np.zeros(self.nv)
        np.add.at(out, self._v, self._check("tau", tau, self._our_nv) * self._v_factor)
        return out

    @property
    def matrix(self) -> Numbers:
        """G of v = G v_pinocchio: M_pinocchio = G^T M G, J_pinocchio = J G."""
        G = np.zeros((self._our_nv, self.nv))
        G[np.arange(self._our_nv), self._v] = self._v_factor
        return G
