"""Pinocchio and MuJoCo as peers: random states in their conventions, and what they say of them.

Shared by test_eval_peers.py (`sinew eval`) and python/tests/test_peers.py (the package). Both hand over a function
evaluate(file, states, algorithms, convention, floating) -> results, with the words of `sinew eval`.
Random states from SINEW_SEED (1). Differences are relative, in the norm of each vector or matrix, at most 1e-10.
Accelerations and the inverse of M lose as many digits as M is ill-conditioned: their tolerance is 4 eps cond(M), where
that is more. (On icub, floating, cond 2e8, Pinocchio's own computeMinverse is 8e-9 from the inverse of its M.)
"""
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[2] / "tools")]
import robots as public  # noqa: E402
from command import ROOT  # noqa: E402
from eval_support import EPSILON, SEED, TOLERANCE, Comparison  # noqa: E402

OWN_URDF, OWN_MJCF = (sorted((ROOT / "models").glob(f"*.{kind}")) for kind in ("urdf", "xml"))
REFERENCES = ["world", "body", "mixed"]
POSITIONS = ["crba", "gravity", "kinematics"]
MOTIONS = [*POSITIONS, "rnea", "bias", "velocity", "jacobian", "momentum", "centroidal", "energy", "coriolis",
           "regressor"]
INVERSES = ["aba", "mass_inverse", "log_det"]


def short_name(file):
    return str(file.relative_to(ROOT)) if file.parent == ROOT / "models" else public.short_name(file)


def params(files, package):
    if files:
        return [pytest.param(f, id=short_name(f)) for f in files]
    return [pytest.param(None, marks=pytest.mark.skip(reason=f"{package} is not installed; `make test` installs it"))]


def condition(M):
    values = np.linalg.eigvalsh(M) if M.size else np.ones(1)
    return values[-1] / values[0] if values[0] > 0 else np.inf


def inverse_tolerance(M):
    return max(TOLERANCE, 4 * EPSILON * condition(M))


def six(motion):
    return [*motion["linear"], *motion["angular"]]


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


# --- Pinocchio ------------------------------------------------------------------------------------------------------


class PinocchioRobot:
    def __init__(self, file, floating):
        self.pin = pytest.importorskip("pinocchio")
        try:
            base = [self.pin.JointModelFreeFlyer()] if floating else []
            self.model = self.pin.buildModelFromUrdf(str(file), *base)
        except Exception as e:
            pytest.skip(f"Pinocchio refuses it: {e}")
        self.data = self.model.createData()
        self.rng = np.random.default_rng(SEED)
        self.pin.seed(SEED)
        self.places = [f.name for f in self.model.frames
                       if f.type == self.pin.FrameType.BODY and f.name != "universe"]

    def state(self, reference):
        pin, model, rng = self.pin, self.model, self.rng
        reach = np.full(model.nq, np.pi)
        q = pin.randomConfiguration(model, -reach, reach)
        state = {"q": q.tolist(), **{k: rng.uniform(-2, 2, model.nv).tolist() for k in ("v", "a", "tau")}}
        state["reference"] = reference
        state["frame"] = [str(n) for n in rng.choice(self.places, min(4, len(self.places)), replace=False)]
        if reference != "mixed":  # with and without
            state["external"] = {str(rng.choice(self.places)): {"force": rng.uniform(-5, 5, 3).tolist(),
                                                                "torque": rng.uniform(-5, 5, 3).tolist(),
                                                                "frame": reference}}
        return state

    def frame(self, name):
        return next(k for k, f in enumerate(self.model.frames) if f.name == name and f.type == self.pin.FrameType.BODY)

    def external(self, state):
        """At the joints, as Pinocchio wants them. After framesForwardKinematics."""
        forces = self.pin.StdVec_Force()
        for _ in range(self.model.njoints):
            forces.append(self.pin.Force.Zero())
        for name, f in state.get("external", {}).items():
            k = self.frame(name)
            frame = self.model.frames[k]
            turn = self.data.oMf[k].rotation.T if f["frame"] == "world" else np.eye(3)
            force = self.pin.Force(turn @ np.array(f["force"]), turn @ np.array(f["torque"]))
            forces[frame.parentJoint] = frame.placement.act(force)
        return forces

    def compare(self, see, state, ours, invertible):
        pin, model, data = self.pin, self.model, self.data
        q, v, a, tau = (np.array(state[k]) for k in ("q", "v", "a", "tau"))
        pin.forwardKinematics(model, data, q, v, a)
        pin.updateFramePlacements(model, data)
        forces = self.external(state)
        M = symmetric(pin.crba(model, data, q).copy())
        free_tau = pin.rnea(model, data, q, v, a).copy()
        h = pin.rnea(model, data, q, v, 0 * a, forces).copy()
        free_h = pin.nonLinearEffects(model, data, q, v).copy()
        g = pin.computeGeneralizedGravity(model, data, q).copy()
        big = np.linalg.norm(free_tau) + np.linalg.norm(free_h)  # forces may cancel
        see("tau", ours["tau"], pin.rnea(model, data, q, v, a, forces))
        see("M", np.array(ours["M"]).reshape(M.shape), M)
        see("h", ours["h"], h)
        see("g", ours["g"], g, scale=big)
        see("C v + g - h", np.array(ours["C"]).reshape(M.shape) @ v + g, free_h, scale=big)
        see("C", np.array(ours["C"]).reshape(M.shape), pin.computeCoriolisMatrix(model, data, q, v), scale=big)
        see("Y pi - tau", np.array(ours["Y"]).reshape(model.nv, len(ours["pi"])) @ ours["pi"], free_tau, scale=big)
        if invertible:
            near = inverse_tolerance(M)
            see("qdd", ours["qdd"], pin.aba(model, data, q, v, tau, forces), near)
            Minv = np.array(ours["Minv"]).reshape(M.shape)
            see("Minv", Minv, symmetric(pin.computeMinverse(model, data, q).copy()), near)
            see("Minv, LAPACK's", Minv, np.linalg.inv(M), near)
            see("log det M", ours["log_det_M"], np.linalg.slogdet(M)[1] if M.size else 0.0, near, scale=1)
        self.compare_whole(see, ours, q, v, a)
        self.compare_motion(see, state, ours, q, v, a)

    def compare_whole(self, see, ours, q, v, a):
        pin, model, data = self.pin, self.model, self.data
        see("kinetic energy", ours["energy"]["kinetic"], pin.computeKineticEnergy(model, data, q, v))
        mass = sum(model.inertias[k].mass for k in range(1, model.njoints))
        see("potential energy", ours["energy"]["potential"], pin.computePotentialEnergy(model, data, q),
            scale=mass * 9.81)
        pin.jacobianCenterOfMass(model, data, q)
        see("J_com", ours["J_com"], data.Jcom)
        pin.centerOfMass(model, data, q, v, a)
        see("com", ours["com"], data.com[0], scale=1)
        see("com velocity", ours["com_velocity"], data.vcom[0])
        see("com acceleration", ours["com_acceleration"], data.acom[0])
        pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a)
        see("momentum", six(ours["momentum"]), data.hg.vector)
        see("momentum rate", six(ours["momentum_rate"]), data.dhg.vector)
        pin.computeCentroidalMapTimeVariation(model, data, q, v)
        see("A", ours["A"], data.Ag)
        see("dA/dt v", ours["Adot_v"], data.dAg @ v, scale=np.linalg.norm(data.dhg.vector))

    def compare_motion(self, see, state, ours, q, v, a):
        pin, model, data = self.pin, self.model, self.data
        way = {"world": pin.WORLD, "body": pin.LOCAL, "mixed": pin.LOCAL_WORLD_ALIGNED}[state["reference"]]

        def acceleration(k):
            mixed = state["reference"] == "mixed"
            call = pin.getFrameClassicalAcceleration if mixed else pin.getFrameAcceleration
            return call(model, data, k, way).vector

        pin.forwardKinematics(model, data, q, v, a)
        pin.updateFramePlacements(model, data)
        kinds = ["position", "rotation", "velocity", "acceleration"]
        seen = {kind: ([], []) for kind in kinds}
        for name in self.places:
            k = self.frame(name)
            pairs = [(ours["bodies"][name]["position"], data.oMf[k].translation),
                     (ours["bodies"][name]["rotation"], data.oMf[k].rotation),
                     (six(ours["velocities"][name]), pin.getFrameVelocity(model, data, k, way).vector),
                     (six(ours["accelerations"][name]), acceleration(k))]
            for kind, (mine, theirs) in zip(kinds, pairs):
                seen[kind][0].append(mine)
                seen[kind][1].append(np.array(theirs))
        for kind, (mine, theirs) in seen.items():
            see(kind, np.array(mine), np.array(theirs), scale=1)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        jacobians = ours["jacobians"] if len(state["frame"]) > 1 else {state["frame"][0]: ours}
        for name in state["frame"]:
            see(f"J {state['reference']}", np.array(jacobians[name]["J"]).reshape(6, -1),
                pin.getFrameJacobian(model, data, self.frame(name), way), scale=1)
        pin.forwardKinematics(model, data, q, v, 0 * a)
        for name in state["frame"]:
            see(f"dJ/dt v {state['reference']}", jacobians[name]["Jdot_v"], acceleration(self.frame(name)), scale=1)


def compare_with_pinocchio(file, floating, name, evaluate):
    robot = PinocchioRobot(file, floating)
    if robot.model.nv == 0:
        pytest.skip("nothing moves; Pinocchio's Jacobian of that is a segmentation fault")
    states = [robot.state(reference) for reference in REFERENCES]
    M = symmetric(robot.pin.crba(robot.model, robot.data, np.array(states[0]["q"])).copy())
    invertible = condition(M) < 1e14  # romeo.urdf has fingers without mass
    algorithms = [*MOTIONS, "com", *(INVERSES if invertible else [])]
    results = evaluate(file, states, algorithms, "pinocchio", floating)
    assert len(results) == len(states)
    comparison = Comparison("Pinocchio", name + (" floating" if floating else ""))
    for state, ours in zip(states, results):
        robot.compare(comparison.see, state, ours, invertible)
    comparison.finish()


def nearly_aligned(tilt):
    """A tree whose axes and places are off the easy ones by `tilt`: what rounded angles in files look like."""
    inertia = '<inertial><origin xyz="0.1 0.02 0.03"/><mass value="1.5"/>' \
              '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.025"/></inertial>'
    half = np.pi / 2
    turns = [(0, 0, 0), (tilt, 0, 0.7), (0.3 * tilt, tilt, -1.1), (half + tilt, 0, 0), (0.4, tilt, 0),
             (np.pi, tilt, tilt), (0.9, 0, half - tilt), (-tilt, half, 0), (0.9, -0.4, 1.2), (-1.3, 0.2, 0.5)]
    links, joints = f'<link name="l0">{inertia}</link>', ""
    for k, (r, p, y) in enumerate(turns + turns):
        cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
        R = np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                      [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]])
        # The last ones turn a lot and come back: their axis is nearly that of the parent, with rounding in it.
        axis = R.T @ [0.6 * tilt, 0.8 * tilt, 1] if k % len(turns) > 7 else [0, 0, 1]
        parent = 0 if k < len(turns) else k - len(turns) + 1
        links += f'<link name="l{k + 1}">{inertia}</link>'
        joints += f'<joint name="j{k}" type="revolute"><parent link="l{parent}"/><child link="l{k + 1}"/>' \
                  f'<origin xyz="{0.3 + tilt!r} {tilt!r} 0.1" rpy="{r!r} {p!r} {y!r}"/>' \
                  f'<axis xyz="{" ".join(map(repr, map(float, axis)))}"/>' \
                  '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
    return f'<robot name="nearly">{links}{joints}</robot>'


# --- MuJoCo ---------------------------------------------------------------------------------------------------------


class MujocoRobot:
    def __init__(self, file, info):
        self.mj = mujoco = pytest.importorskip("mujoco")
        try:
            self.model = model = mujoco.MjModel.from_xml_path(str(file))
        except Exception as e:
            pytest.skip(f"MuJoCo refuses it: {e}")
        off = mujoco.mjtDisableBit
        model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_SPRING | off.mjDSBL_DAMPER | off.mjDSBL_ACTUATION
        model.opt.disableflags |= off.mjDSBL_SENSOR | off.mjDSBL_CONTACT
        model.opt.density = model.opt.viscosity = 0
        model.body_gravcomp[:] = 0
        model.tendon_armature[:] = 0  # of tendons, which are no part of the tree
        self.take_inertias(info)
        self.data = mujoco.MjData(model)
        self.rng = np.random.default_rng(SEED)
        self.names = [b["name"] for b in info["bodies"]]  # in MuJoCo's order

    def take_inertias(self, info):
        """Ours, on bodies with meshes: MuJoCo finds their axes to 1e-6 only, see tools/robots.py."""
        model = self.model
        for k, body in enumerate(info["bodies"], start=1):
            first = model.body_geomadr[k]
            geoms = model.geom_type[first:first + model.body_geomnum[k]]
            if self.mj.mjtGeom.mjGEOM_MESH not in geoms:
                continue
            i = body["inertia"]
            values, axes = np.linalg.eigh([[i["xx"], i["xy"], i["xz"]], [i["xy"], i["yy"], i["yz"]],
                                           [i["xz"], i["yz"], i["zz"]]])
            axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
            self.mj.mju_mat2Quat(model.body_iquat[k], axes.ravel())
            model.body_inertia[k], model.body_ipos[k], model.body_mass[k] = values, body["com"], body["mass"]
            model.body_sameframe[k] = model.body_simple[k] = 0

    def state(self):
        model, rng = self.model, self.rng
        q = np.zeros(model.nq)
        for kind, at in zip(model.jnt_type.tolist(), model.jnt_qposadr.tolist()):
            joint = self.mj.mjtJoint
            if kind == joint.mjJNT_FREE:
                q[at:at + 3] = rng.uniform(-1, 1, 3)
            if kind in (joint.mjJNT_FREE, joint.mjJNT_BALL):
                at += 3 * (kind == joint.mjJNT_FREE)
                turn = rng.normal(size=4)
                q[at:at + 4] = turn / np.linalg.norm(turn)
            else:
                q[at] = rng.uniform(-np.pi, np.pi) if kind == joint.mjJNT_HINGE else rng.uniform(-1, 1)
        state = {"q": q.tolist(), **{k: rng.uniform(-2, 2, model.nv).tolist() for k in ("v", "a", "tau")}}
        state["frame"] = ["body:" + str(n) for n in rng.choice(self.names, min(3, len(self.names)), replace=False)]
        state["external"] = {str(rng.choice(self.names)): {
            "force": rng.uniform(-5, 5, 3).tolist(), "torque": rng.uniform(-5, 5, 3).tolist(), "frame": "world"}}
        return state

    def compare(self, see, state, ours):
        mujoco, model, data = self.mj, self.model, self.data
        v, a, tau = (np.array(state[k]) for k in ("v", "a", "tau"))
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = state["q"], v, tau
        data.xfrc_applied[:] = 0
        mujoco.mj_kinematics(model, data)
        ((name, f),) = state["external"].items()
        k = self.names.index(name) + 1
        arm = data.xpos[k] - data.xipos[k]  # MuJoCo's acts at the centre of mass
        data.xfrc_applied[k] = [*f["force"], *(np.array(f["torque"]) + np.cross(arm, f["force"]))]
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        bias, smooth = data.qfrc_bias.copy(), data.qacc_smooth.copy()
        pushed = np.zeros(model.nv)
        mujoco.mj_applyFT(model, data, np.array(f["force"]), np.array(f["torque"]), data.xpos[k], k, pushed)
        big = np.linalg.norm(bias) + np.linalg.norm(M @ a) + np.linalg.norm(pushed)
        see("M", np.array(ours["M"]).reshape(M.shape), M)
        see("h", ours["h"], bias - pushed)
        see("C v + g", np.array(ours["C"]).reshape(M.shape) @ v + ours["g"], bias, scale=big)
        if condition(M) < 1e14:
            see("qdd", ours["qdd"], smooth, inverse_tolerance(M))
            see("Minv", np.array(ours["Minv"]).reshape(M.shape), np.linalg.inv(M), inverse_tolerance(M))
        data.qacc[:] = a
        mujoco.mj_inverse(model, data)
        see("tau", ours["tau"], data.qfrc_inverse - pushed)
        mujoco.mj_energyVel(model, data)
        see("kinetic energy", ours["energy"]["kinetic"], data.energy[1])
        self.compare_motion(see, state, ours, v)

    def compare_motion(self, see, state, ours, v):
        mujoco, model, data = self.mj, self.model, self.data
        bodies = [ours["bodies"][n] for n in self.names]
        see("position", [b["position"] for b in bodies], data.xpos[1:], scale=1)
        see("rotation", [b["rotation"] for b in bodies], data.xmat[1:].reshape(-1, 3, 3), scale=1)
        jacobians = ours["jacobians"] if len(state["frame"]) > 1 else {state["frame"][0]: ours}
        for name in state["frame"]:
            J, rate = np.zeros((6, model.nv)), np.zeros((6, model.nv))
            body = name.removeprefix("body:")  # sites may have the same name
            k = self.names.index(body) + 1
            mujoco.mj_jacBody(model, data, J[3:], J[:3], k)
            mujoco.mj_jacDot(model, data, rate[3:], rate[:3], data.xpos[k], k)
            see("J mixed", np.array(jacobians[name]["J"]).reshape(6, -1), J, scale=1)
            see("dJ/dt v mixed", jacobians[name]["Jdot_v"], rate @ v, scale=np.linalg.norm(rate) + 1)
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, k, velocity, 0)
            mine = ours["velocities"][body]
            see("velocity", [*mine["angular"], *mine["linear"]], velocity, scale=1)


def compare_with_mujoco(file, info, evaluate):
    """info: as `sinew info --json` has it, bodies and nv."""
    if not info["bodies"] or not info["nv"]:
        pytest.skip("no body moves: there is nothing to compare")
    robot = MujocoRobot(file, info)
    states = [robot.state() for _ in range(2)]
    results = evaluate(file, states, [*MOTIONS, "aba", "mass_inverse"], "mujoco", False)
    comparison = Comparison("MuJoCo", short_name(file))
    for state, ours in zip(states, results):
        robot.compare(comparison.see, state, ours)
    comparison.finish()


# The models and states of every test, in the order of their names.
floatings = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
tilts = pytest.mark.parametrize("power", [3, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16])
urdf_files = pytest.mark.parametrize("file", params(public.find_urdf() + OWN_URDF, "example-robot-data"))
mjcf_files = pytest.mark.parametrize("file", params(public.find_mjcf() + OWN_MJCF, "mujoco, dm_control or gymnasium"))
