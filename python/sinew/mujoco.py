"""Models and states of MuJoCo.

    spec = sinew.from_mujoco(mjmodel)                     # of a mujoco.MjModel, or an MjSpec
    model = sinew.compile(spec)
    states = sinew.MujocoMap(model, mjmodel)
    q, v = states.to_sinew(data.qpos, data.qvel)
    data.qpos[:], data.qvel[:] = states.to_mujoco(q, v)

A compiled MjModel is written as MJCF with all its digits, and our reader takes that: so the same rules hold as for
files, and `spec.remarks` says what is not kept.
"""
from __future__ import annotations

import importlib
import xml.etree.ElementTree as Xml
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Convention, ConventionMap, Model, ModelSpec, parse_mjcf

Numbers = NDArray[np.float64]

_GEOMS = {"PLANE": "plane", "HFIELD": "hfield", "SPHERE": "sphere", "CAPSULE": "capsule", "ELLIPSOID": "ellipsoid",
          "CYLINDER": "cylinder", "BOX": "box", "MESH": "mesh", "SDF": "sdf"}
_JOINTS = {"FREE": "free", "BALL": "ball", "SLIDE": "slide", "HINGE": "hinge"}
# Of sensors that are on one object; the others say its kind and name.
_ON_OBJECT = {"SITE": "site", "JOINT": "joint", "TENDON": "tendon", "ACTUATOR": "actuator", "BODY": "body"}
# What has no place in a ModelSpec, with the count of it in an MjModel.
_NOT_TAKEN = {"cameras": "ncam", "lights": "nlight", "skins": "nskin", "custom numbers": "nnumeric",
              "custom texts": "ntext", "custom tuples": "ntuple", "plugins": "nplugin", "deformable bodies": "nflex",
              "materials": "nmat", "textures": "ntex"}


def _text(x: Any) -> str:
    """Numbers with all their digits."""
    if isinstance(x, str):
        return x
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    values: list[Any] = np.asarray(x).ravel().tolist()
    return " ".join(repr(v) for v in values)


def _add(parent: Xml.Element, tag: str, **attributes: Any) -> Xml.Element:
    """An element; attributes that are None are left out, a trailing _ of their names too."""
    return Xml.SubElement(parent, tag, {k.rstrip("_"): _text(v) for k, v in attributes.items() if v is not None})


class _Writer:
    """One MjModel as MJCF."""

    def __init__(self, mujoco: Any, model: Any) -> None:
        self.mj, self.m = mujoco, model
        self.remarks: list[tuple[str, str]] = []
        self.names: dict[str, list[str]] = {}
        actuators = model.nactuator if hasattr(model, "nactuator") else model.nu
        counts = {"BODY": model.nbody, "JOINT": model.njnt, "GEOM": model.ngeom, "SITE": model.nsite,
                  "MESH": model.nmesh, "HFIELD": model.nhfield, "TENDON": model.ntendon, "ACTUATOR": actuators,
                  "SENSOR": model.nsensor, "EQUALITY": model.neq, "KEY": model.nkey, "PAIR": model.npair}
        for kind, count in counts.items():
            given = [self.mj.mj_id2name(model, getattr(self.mj.mjtObj, "mjOBJ_" + kind), i) for i in range(count)]
            used = {n for n in given if n}
            names: list[str] = []
            for i, name in enumerate(given):
                if not name:
                    name = f"{kind.lower()}{i}"
                    while name in used:
                        name += "_"
                    used.add(name)
                names.append(name)
            self.names[kind] = names
        self.actuators: list[int] = []  # numbers of the written actuators

    def enum(self, kind: str, value: int) -> str:
        """mjGEOM_BOX as BOX."""
        return str(getattr(self.mj, kind)(int(value)).name).partition("_")[2]

    def remark(self, element: str, message: str) -> None:
        self.remarks.append((element, message))

    def write(self) -> str:
        m, root = self.m, Xml.Element("mujoco", model=self.mj_name())
        _add(root, "compiler", angle="radian", autolimits=False, inertiafromgeom="false", fusestatic=False)
        opt = m.opt
        off, on = self.mj.mjtDisableBit, int(opt.disableflags)
        gravity = np.zeros(3) if on & int(off.mjDSBL_GRAVITY) else opt.gravity
        _add(root, "option", timestep=opt.timestep, gravity=gravity, density=opt.density, viscosity=opt.viscosity,
             wind=opt.wind)
        flags = [n.removeprefix("mjDSBL_").lower() for n, bit in off.__members__.items()
                 if n != "mjNDISABLE" and n != "mjDSBL_GRAVITY" and on & int(bit)]
        if flags:
            self.remark("option", f"MuJoCo has these switched off, Sinew has not: {', '.join(flags)}")
        for what, count in _NOT_TAKEN.items():
            if getattr(m, count, 0):
                self.remark("model", f"{getattr(m, count)} {what} are left out")
        self.assets(_add(root, "asset"))
        self.bodies(_add(root, "worldbody"))
        self.contact(_add(root, "contact"))
        self.equality(_add(root, "equality"))
        self.tendons(_add(root, "tendon"))
        self.write_actuators(_add(root, "actuator"))
        self.sensors(_add(root, "sensor"))
        self.keyframes(_add(root, "keyframe"))
        for child in [c for c in root if not len(c) and c.tag not in ("compiler", "option")]:
            root.remove(child)
        return Xml.tostring(root, encoding="unicode")

    def mj_name(self) -> str:
        return bytes(self.m.names).split(b"\0", 1)[0].decode() or "model"

    def assets(self, to: Xml.Element) -> None:
        m = self.m
        for i, name in enumerate(self.names["MESH"]):
            vert = m.mesh_vert[m.mesh_vertadr[i]:m.mesh_vertadr[i] + m.mesh_vertnum[i]]
            face = m.mesh_face[m.mesh_faceadr[i]:m.mesh_faceadr[i] + m.mesh_facenum[i]]
            _add(to, "mesh", name=name, vertex=vert.astype(np.float64), face=face, inertia="shell")
        for i, name in enumerate(self.names["HFIELD"]):
            rows, cols = int(m.hfield_nrow[i]), int(m.hfield_ncol[i])
            data = m.hfield_data[m.hfield_adr[i]:m.hfield_adr[i] + rows * cols].astype(np.float64).reshape(rows, cols)
            _add(to, "hfield", name=name, nrow=rows, ncol=cols, size=m.hfield_size[i],
                 elevation=data[::-1])  # MJCF lists the farthest row first

    def bodies(self, world: Xml.Element) -> None:
        m, made = self.m, {0: world}
        for b in range(1, m.nbody):
            made[b] = to = _add(made[int(m.body_parentid[b])], "body", name=self.names["BODY"][b], pos=m.body_pos[b],
                                quat=m.body_quat[b], mocap=True if m.body_mocapid[b] >= 0 else None,
                                gravcomp=m.body_gravcomp[b] or None)
            if m.body_mass[b] or m.body_inertia[b].any():
                _add(to, "inertial", pos=m.body_ipos[b], quat=m.body_iquat[b], mass=m.body_mass[b],
                     diaginertia=m.body_inertia[b])
            for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
                self.joint(to, int(j))
        for g in range(m.ngeom):
            self.geom(made[int(m.geom_bodyid[g])], g)
        for s, name in enumerate(self.names["SITE"]):
            _add(made[int(m.site_bodyid[s])], "site", name=name, pos=m.site_pos[s], quat=m.site_quat[s])

    def joint(self, to: Xml.Element, j: int) -> None:
        m, kind = self.m, _JOINTS[self.enum("mjtJoint", self.m.jnt_type[j])]
        d, q = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        one = kind in ("slide", "hinge")
        width = {"free": 6, "ball": 3}.get(kind, 1)
        for what in ("armature", "damping", "frictionloss"):
            if len(set(getattr(m, f"dof_{what}")[d:d + width].tolist())) > 1:
                raise ValueError(f"from_mujoco: {what} of joint '{self.names['JOINT'][j]}' differs between its "
                                 "coordinates, which MJCF cannot say; make them equal, or set joint.dofs of the "
                                 "specification")
        more: dict[str, Any] = {}
        if kind != "free":
            limited = bool(m.jnt_limited[j])
            more = {"pos": m.jnt_pos[j], "limited": limited, "range_": m.jnt_range[j] if limited else None,
                    "margin": m.jnt_margin[j] if limited else None, "stiffness": self.polynomial(
                        m.jnt_stiffness[j], m, "jnt_stiffnesspoly", j)}
        if one:
            more |= {"axis": m.jnt_axis[j], "ref": m.qpos0[q], "springref": m.qpos_spring[q]}
            if m.jnt_actfrclimited[j]:
                more |= {"actuatorfrclimited": True, "actuatorfrcrange": m.jnt_actfrcrange[j]}
        elif kind == "ball" and m.jnt_stiffness[j] and not np.allclose(m.qpos_spring[q:q + 4], m.qpos0[q:q + 4]):
            self.remark(f"joint '{self.names['JOINT'][j]}'", "its spring rests at another turn than qpos0")
        damping = self.polynomial(m.dof_damping[d], m, "dof_dampingpoly", d)
        _add(to, "joint", name=self.names["JOINT"][j], type=kind, damping=damping, armature=m.dof_armature[d],
             frictionloss=m.dof_frictionloss[d], **more)

    def polynomial(self, first: float, m: Any, array: str, i: int) -> list[float]:
        """A coefficient, and those of higher powers where there are any (MuJoCo 4)."""
        higher = getattr(m, array)[i] if hasattr(m, array) else np.zeros(0)
        return [float(first), *(float(x) for x in higher)] if np.any(higher) else [float(first)]

    def geom(self, to: Xml.Element, g: int) -> None:
        m, kind = self.m, _GEOMS.get(self.enum("mjtGeom", self.m.geom_type[g]))
        name = self.names["GEOM"][g]
        if kind is None or kind == "sdf":
            self.remark(f"geom '{name}'", f"shapes of type {self.enum('mjtGeom', m.geom_type[g])} are left out")
            return
        data = int(m.geom_dataid[g])
        asset: dict[str, Any] = {"size": np.maximum(m.geom_size[g], 0)}
        if kind in ("mesh", "hfield"):
            asset = {kind: self.names[kind.upper()][data]}
        fluid = {"fluidshape": "ellipsoid", "fluidcoef": m.geom_fluid[g][1:6]} if m.geom_fluid[g][0] else {}
        _add(to, "geom", name=name, type=kind, pos=m.geom_pos[g], quat=m.geom_quat[g], contype=m.geom_contype[g],
             conaffinity=m.geom_conaffinity[g], condim=m.geom_condim[g], friction=m.geom_friction[g],
             priority=m.geom_priority[g], margin=m.geom_margin[g], group=m.geom_group[g],
             rgba=m.geom_rgba[g].astype(np.float64), mass=0, **asset, **fluid)

    def contact(self, to: Xml.Element) -> None:
        m, bodies, geoms = self.m, self.names["BODY"], self.names["GEOM"]
        for signature in m.exclude_signature:
            _add(to, "exclude", body1=bodies[int(signature) >> 16], body2=bodies[int(signature) & 0xffff])
        for i, name in enumerate(self.names["PAIR"]):
            _add(to, "pair", name=name, geom1=geoms[m.pair_geom1[i]], geom2=geoms[m.pair_geom2[i]],
                 condim=m.pair_dim[i], friction=m.pair_friction[i], margin=m.pair_margin[i])

    def equality(self, to: Xml.Element) -> None:
        m = self.m
        for i, name in enumerate(self.names["EQUALITY"]):
            kind, data = self.enum("mjtEq", m.eq_type[i]), m.eq_data[i]
            a, b, common = int(m.eq_obj1id[i]), int(m.eq_obj2id[i]), {"name": name, "active": bool(m.eq_active0[i])}
            if kind in ("CONNECT", "WELD"):
                on = "SITE" if self.enum("mjtObj", m.eq_objtype[i]) == "SITE" else "BODY"
                places: dict[str, Any] = {f"{on.lower()}1": self.names[on][a], f"{on.lower()}2": self.names[on][b]}
                if on == "BODY" and kind == "CONNECT":
                    places["anchor"] = data[:3]
                elif on == "BODY":
                    places |= {"anchor": data[:3], "relpose": data[3:10]}
                _add(to, kind.lower(), **places, **common)
            elif kind in ("JOINT", "TENDON"):
                names, low = self.names[kind], kind.lower()
                other = {f"{low}2": names[b]} if b >= 0 else {}
                _add(to, low, **{f"{low}1": names[a]}, **other, polycoef=data[:5], **common)
            else:
                self.remark(f"equality '{name}'", f"constraints of type {kind} are left out")

    def tendons(self, to: Xml.Element) -> None:
        m = self.m
        for i, name in enumerate(self.names["TENDON"]):
            steps = range(m.tendon_adr[i], m.tendon_adr[i] + m.tendon_num[i])
            kinds = [self.enum("mjtWrap", m.wrap_type[k]) for k in steps]
            fixed, limited = kinds[0] == "JOINT", bool(m.tendon_limited[i])
            spring = {} if fixed else {"springlength": m.tendon_lengthspring[i]}
            if fixed and m.tendon_stiffness[i]:
                spring = {"springlength": m.tendon_lengthspring[i]}
            force = {"actuatorfrclimited": True, "actuatorfrcrange": m.tendon_actfrcrange[i]} if \
                m.tendon_actfrclimited[i] else {}
            tendon = _add(to, "fixed" if fixed else "spatial", name=name, limited=limited,
                          range=m.tendon_range[i] if limited else None, margin=m.tendon_margin[i] if limited else None,
                          stiffness=self.polynomial(m.tendon_stiffness[i], m, "tendon_stiffnesspoly", i),
                          damping=self.polynomial(m.tendon_damping[i], m, "tendon_dampingpoly", i),
                          frictionloss=m.tendon_frictionloss[i], armature=m.tendon_armature[i], **spring, **force)
            for k, kind in zip(steps, kinds):
                on, parameter = int(m.wrap_objid[k]), float(m.wrap_prm[k])
                if kind == "JOINT":
                    _add(tendon, "joint", joint=self.names["JOINT"][on], coef=parameter)
                elif kind == "PULLEY":
                    _add(tendon, "pulley", divisor=parameter)
                elif kind == "SITE":
                    _add(tendon, "site", site=self.names["SITE"][on])
                else:
                    _add(tendon, "geom", geom=self.names["GEOM"][on],
                         sidesite=self.names["SITE"][int(parameter)] if parameter >= 0 else None)

    def target(self, way: str, i: int) -> dict[str, Any]:
        """What an actuator acts on."""
        first, second = (int(x) for x in self.m.actuator_trnid[i])
        if way == "SITE":
            other = {"refsite": self.names["SITE"][second]} if second >= 0 else {}
            return {"site": self.names["SITE"][first], **other}
        if way == "SLIDERCRANK":
            sites = self.names["SITE"]
            length = self.m.actuator_cranklength[i]
            return {"cranksite": sites[first], "slidersite": sites[second], "cranklength": length}
        return {way.lower(): self.names[way.removesuffix("INPARENT")][first]}

    def write_actuators(self, to: Xml.Element) -> None:
        m = self.m
        for i, name in enumerate(self.names["ACTUATOR"]):
            kinds = {"dyntype": self.enum("mjtDyn", m.actuator_dyntype[i]),
                     "gaintype": self.enum("mjtGain", m.actuator_gaintype[i]),
                     "biastype": self.enum("mjtBias", m.actuator_biastype[i])}
            way = self.enum("mjtTrn", m.actuator_trntype[i])
            strange = [f"{k} {v.lower()}" for k, v in kinds.items()
                       if v not in ("NONE", "INTEGRATOR", "FILTER", "FILTEREXACT", "MUSCLE", "FIXED", "AFFINE")]
            if way in ("SO3", "UNDEFINED"):
                strange.append(f"transmission {way.lower()}")
            if strange:
                self.remark(f"actuator '{name}'", f"left out: it has {', '.join(strange)}")
                continue
            self.actuators.append(i)
            limits: dict[str, Any] = {}
            for what in ("ctrl", "force", "act"):
                limited = bool(getattr(m, f"actuator_{what}limited")[i])
                limits[f"{what}limited"] = limited
                if limited:
                    limits[f"{what}range"] = getattr(m, f"actuator_{what}range")[i]
            rotor: dict[str, Any] = {}
            if hasattr(m, "actuator_armature"):  # since MuJoCo 4; apart from those of the joint
                rotor = {"armature": m.actuator_armature[i] or None,
                         "damping": self.polynomial(m.actuator_damping[i], m, "actuator_dampingpoly", i)}
            if hasattr(m, "actuator_delay") and m.actuator_delay[i]:
                self.remark(f"actuator '{name}'", "its delay is left out")
            _add(to, "general", name=name, gear=m.actuator_gear[i], dynprm=m.actuator_dynprm[i],
                 gainprm=m.actuator_gainprm[i], biasprm=m.actuator_biasprm[i], lengthrange=m.actuator_lengthrange[i],
                 actearly=True if m.actuator_actearly[i] else None, **{k: v.lower() for k, v in kinds.items()},
                 **self.target(way, i), **limits, **rotor)

    def sensors(self, to: Xml.Element) -> None:
        m = self.m
        for i, name in enumerate(self.names["SENSOR"]):
            kind, on = self.enum("mjtSensor", m.sensor_type[i]), self.enum("mjtObj", m.sensor_objtype[i])
            names = self.names.get("BODY" if on == "XBODY" else on)
            common: dict[str, Any] = {"name": name, "cutoff": m.sensor_cutoff[i] or None}
            if kind.startswith("FRAME") and names:
                about: dict[str, Any] = {"objtype": on.lower(), "objname": names[m.sensor_objid[i]]}
                other = self.enum("mjtObj", m.sensor_reftype[i])
                others = self.names.get("BODY" if other == "XBODY" else other)
                if m.sensor_refid[i] >= 0 and others:
                    about |= {"reftype": other.lower(), "refname": others[m.sensor_refid[i]]}
                _add(to, kind.lower(), **about, **common)
            elif on in _ON_OBJECT and names and kind not in ("PLUGIN", "USER", "INSIDESITE", "TACTILE", "CONTACT",
                                                             "GEOMDIST", "GEOMNORMAL", "GEOMFROMTO"):
                _add(to, kind.lower(), **{_ON_OBJECT[on]: names[m.sensor_objid[i]]}, **common)
            elif kind == "CLOCK":
                _add(to, "clock", **common)
            else:
                self.remark(f"sensor '{name}'", f"sensors of type {kind.lower()} are left out")

    def keyframes(self, to: Xml.Element) -> None:
        m = self.m
        if len(self.actuators) < len(self.names["ACTUATOR"]) and m.nkey:
            self.remark("keyframes", "their controls are left out, because actuators are")
        whole = len(self.actuators) == len(self.names["ACTUATOR"])
        for i, name in enumerate(self.names["KEY"]):
            _add(to, "key", name=name, time=m.key_time[i], qpos=m.key_qpos[i], qvel=m.key_qvel[i],
                 act=m.key_act[i] if m.na and whole else None, ctrl=m.key_ctrl[i] if m.nu and whole else None,
                 mpos=m.key_mpos[i] if m.nmocap else None, mquat=m.key_mquat[i] if m.nmocap else None)


def from_mujoco(model: Any, *, strict: bool = False) -> ModelSpec:
    """The ModelSpec of a mujoco.MjModel (as it is now: changed masses count) or of an MjSpec.

    Its `remarks` say what is not kept; LoadError where it breaks a law that we check. Elements without a name get one:
    "joint3". strict: warnings of the reader are errors.
    """
    if hasattr(model, "to_xml"):
        return parse_mjcf(str(model.to_xml()), f"{model.modelname}.xml", strict=strict)
    mujoco = importlib.import_module("mujoco")
    if not isinstance(model, mujoco.MjModel):
        raise TypeError(f"from_mujoco: the model is a {type(model).__name__}, it must be a mujoco.MjModel or MjSpec")
    writer = _Writer(mujoco, model)
    spec = parse_mjcf(writer.write(), f"{writer.mj_name()} (MjModel)", strict=strict)
    for element, message in writer.remarks:
        spec.add_remark(element, message)
    return spec


class MujocoMap:
    """States of an MjModel to and from those of the Model that from_mujoco, or the reader of MJCF, made of it.

    Order of coordinates is the same. A free joint has its position before its quaternion there, and its linear velocity
    along the world's axes. Accelerations and forces need the state for that.
    """

    def __init__(self, model: Model, theirs: Any) -> None:
        self._map = ConventionMap(model, Convention.mujoco)
        if (self._map.nq, self._map.nv) != (theirs.nq, theirs.nv):
            raise ValueError(f"MujocoMap: MuJoCo's model has nq {theirs.nq}, nv {theirs.nv}; it should be "
                             f"{self._map.nq}, {self._map.nv}: this is another model")
        names = model.actuator_names
        writer = _Writer(importlib.import_module("mujoco"), theirs)
        theirs_names = writer.names["ACTUATOR"]
        #: Number of each of our actuators in MuJoCo's model.
        self.actuators: list[int] = [theirs_names.index(n) for n in names] if set(names) <= set(theirs_names) \
            else list(range(len(names)))
        self._nu = len(theirs_names)

    def to_sinew_q(self, q: ArrayLike) -> Numbers:
        return self._map.from_other_q(q)

    def to_sinew(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        ours = self._map.from_other_q(q)
        return ours, self._map.from_other_v(ours, v)

    def to_sinew_a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Numbers:
        """dv/dt of MuJoCo's qacc, at its qpos and qvel."""
        ours, speed = self.to_sinew(q, v)
        return self._map.from_other_a(ours, speed, a)

    def to_sinew_tau(self, q: ArrayLike, tau: ArrayLike) -> Numbers:
        return self._map.from_other_tau(self._map.from_other_q(q), tau)

    def to_sinew_control(self, control: ArrayLike) -> Numbers:
        return np.asarray(control, np.float64)[self.actuators]

    def to_mujoco_q(self, q: ArrayLike) -> Numbers:
        return self._map.to_other_q(q)

    def to_mujoco(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        return self._map.to_other_q(q), self._map.to_other_v(q, v)

    def to_mujoco_a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Numbers:
        """qacc of our dv/dt, at our q and v."""
        return self._map.to_other_a(q, v, a)

    def to_mujoco_tau(self, q: ArrayLike, tau: ArrayLike) -> Numbers:
        return self._map.to_other_tau(q, tau)

    def to_mujoco_control(self, control: ArrayLike) -> Numbers:
        """Zero for actuators that were left out."""
        out = np.zeros(self._nu)
        out[self.actuators] = control
        return out
