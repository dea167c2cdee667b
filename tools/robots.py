"""Public robots from registry packages, read by `sinew` and by the peer they were made for.

URDF from example-robot-data against Pinocchio, MJCF from mujoco, dm_control, gymnasium and gymnasium-robotics against
MuJoCo. Used by make_robots.py (docs/robots.md), by bench_loading.py and by tests/io/test_public_robots.py.
"""
import dataclasses
import json
import os
import pathlib
import site
import subprocess

import numpy as np


def packages():
    """The folder where the packages with the robots are installed."""
    return pathlib.Path(os.environ.get("SINEW_ROBOTS") or site.getsitepackages()[0])


def find_urdf():
    return sorted((packages() / "cmeel.prefix/share/example-robot-data/robots").rglob("*.urdf"))


def find_mjcf():
    names = ["mujoco", "dm_control", "gymnasium", "gymnasium_robotics"]
    return sorted(f for n in names for f in (packages() / n).rglob("*.xml"))


def short_name(file):
    for top in (packages() / "cmeel.prefix/share/example-robot-data/robots", packages()):
        if file.is_relative_to(top):
            return str(file.relative_to(top))
    return str(file)


@dataclasses.dataclass
class Outcome:
    file: pathlib.Path
    loads: bool
    nv: int = 0
    bodies: int = 0
    mass: float = 0.0
    warnings: int = 0
    error: str = ""              # why we refuse it
    peer_error: str = ""         # why the peer refuses it
    # Largest differences from the peer: relative for mass, metres, or entries of the rotation matrix, for poses.
    mass_difference: float = 0.0
    pose_difference: float = 0.0
    inertia_difference: float = 0.0       # centre of mass too
    mesh_inertia_difference: float = 0.0  # of bodies with mesh geoms
    nv_difference: int = 0
    body_difference: int = 0

    @property
    def agrees(self):
        return self.loads and not self.peer_error and self.nv_difference == 0 and \
            self.body_difference == 0 and self.mass_difference <= 1e-10 and self.pose_difference <= 1e-10 and \
            self.inertia_difference <= 1e-10 and self.mesh_inertia_difference <= 1e-6


def sinew_info(app, file):
    run = subprocess.run([app, "info", str(file), "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 1, 2):
        raise RuntimeError(f"{app} info {file}: exit code {run.returncode}\n{run.stderr[-2000:]}")
    return json.loads(run.stdout)


def rotation(quaternion):
    w, x, y, z = quaternion
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def pose_difference(ours, position, matrix):
    return max(np.abs(np.array(ours["position"]) - position).max(),
               np.abs(rotation(ours["quaternion"]) - matrix).max())


def relative(a, b):
    return abs(a - b) / max(abs(a), abs(b), 1e-300) if a != b else 0.0


def outcome(app, file, compare):
    info = sinew_info(app, file)
    errors = [d for d in info["diagnostics"] if d["severity"] == "error"]
    if errors:
        first = errors[0]
        where = f"line {first['line']}: " if first["line"] else ""
        text = f"S{first['code']} {where}{first['element']}: {first['message']}"
        out = Outcome(file, False, error=text.replace(f"{packages()}/", ""))
    else:
        out = Outcome(file, True, info["nv"], len(info["bodies"]), info["mass"],
                      sum(d["severity"] == "warning" for d in info["diagnostics"]))
    compare(out, info)
    return out


def compare_with_pinocchio(out, info):
    import pinocchio
    try:
        model = pinocchio.buildModelFromUrdf(str(out.file))
    except Exception as e:
        out.peer_error = " ".join(str(e).split())
        return
    if not out.loads:
        return
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, pinocchio.neutral(model))
    out.nv_difference = info["nv"] - model.nv
    out.mass_difference = relative(info["mass"], sum(i.mass for i in model.inertias))
    ours = {b["name"]: b for b in info["bodies"]}
    for k, frame in enumerate(model.frames):
        if frame.type == pinocchio.FrameType.BODY and frame.name != "universe":
            pose = data.oMf[k]
            out.pose_difference = max(out.pose_difference,
                                      pose_difference(ours[frame.name], pose.translation, pose.rotation))


def compare_inertia(out, ours, model, k):
    """Mass, centre of mass and inertia of body k.

    MuJoCo stops looking for a mesh's principal axes when the next turn has 1 - cos < 1e-12, that is with the axes up to
    1.4e-6 rad off: bodies with mesh geoms are kept apart.
    """
    import mujoco
    mass = model.body_mass[k]
    out.mass_difference = max(out.mass_difference, relative(ours["mass"], float(mass)))
    if not mass or not model.body_inertia[k].any():
        return
    turn = rotation(model.body_iquat[k])
    theirs = turn @ np.diag(model.body_inertia[k]) @ turn.T
    i = ours["inertia"]
    mine = np.array([[i["xx"], i["xy"], i["xz"]], [i["xy"], i["yy"], i["yz"]], [i["xz"], i["yz"], i["zz"]]])
    error = max(np.abs(mine - theirs).max() / np.abs(theirs).max(),
                np.abs(np.array(ours["com"]) - model.body_ipos[k]).max())
    first = model.body_geomadr[k]
    geoms = model.geom_type[first:first + model.body_geomnum[k]]
    if mujoco.mjtGeom.mjGEOM_MESH in geoms:
        out.mesh_inertia_difference = max(out.mesh_inertia_difference, error)
    else:
        out.inertia_difference = max(out.inertia_difference, error)


def compare_with_mujoco(out, info):
    import mujoco
    try:
        model = mujoco.MjModel.from_xml_path(str(out.file))
    except Exception as e:
        out.peer_error = " ".join(str(e).split())
        return
    if not out.loads:
        return
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    out.nv_difference = info["nv"] - model.nv
    out.mass_difference = relative(info["mass"], float(model.body_mass[1:].sum()))
    # Both list bodies in the order of the file, so bodies without a name are compared too.
    out.body_difference = len(info["bodies"]) - (model.nbody - 1)
    for k, ours in enumerate(info["bodies"], start=1):
        if k < model.nbody:
            out.pose_difference = max(out.pose_difference,
                                      pose_difference(ours, data.xpos[k], data.xmat[k].reshape(3, 3)))
            compare_inertia(out, ours, model, k)
    frames = {f["name"]: f for f in info["frames"]}
    for k in range(model.nsite):
        name = model.site(k).name
        if name:
            out.pose_difference = max(out.pose_difference,
                                      pose_difference(frames[name], data.site_xpos[k], data.site_xmat[k].reshape(3, 3)))


def urdf_outcome(app, file):
    return outcome(app, file, compare_with_pinocchio)


def mjcf_outcome(app, file):
    return outcome(app, file, compare_with_mujoco)
