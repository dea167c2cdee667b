"""Tendons, joint loads with drives, floating bases, equivalent and planar models, two trees: beside other paths."""
import numpy as np
import pytest
import sinew
from conftest import random_state
from test_tree import near


def make_arm():
    """Two links, a tendon that adds up both joints and a string from one link to the other."""
    b = sinew.ModelBuilder("arm")
    b.gravity([0, 0, -9.81])
    upper, lower = b.body("upper"), b.body("lower")
    upper.mass(sinew.solid_sphere(1.0, 0.1), sinew.Transform([0.3, 0, 0])).frame("from", sinew.Transform([0.1, 0, 0.2]))
    lower.mass(sinew.solid_sphere(0.7, 0.1), sinew.Transform([0.2, 0, 0.05]))
    lower.frame("to", sinew.Transform([0.4, 0.05, 0.1]))
    b.revolute("shoulder", "world", "upper").axis([0, 1, 0])
    b.revolute("elbow", "upper", "lower").at([0.6, 0, 0]).axis([0, 1, 0])
    b.tendon("sum").joint("shoulder", 2.0).joint("elbow", -0.5)
    b.tendon("string").through("from").through("to")
    return b.build()


def tendon_lengths(model, ws, q):
    kinematics = sinew.KinematicsWorkspace(model)
    sinew.calc_kinematics(model, kinematics, q)
    sinew.calc_tendons(model, ws, kinematics, q)
    return kinematics, ws.length


def test_tendons(rng):
    model = make_arm()
    q, v, _, _ = random_state(model, rng)
    ws = sinew.TendonWorkspace(model)
    kinematics, length = tendon_lengths(model, ws, q)
    points = [sinew.get_frame_pose(model, kinematics, name).r for name in ("from", "to")]
    near(length, [2 * q[0] - 0.5 * q[1], np.linalg.norm(points[1] - points[0])])
    near(ws.neutral, tendon_lengths(model, sinew.TendonWorkspace(model), model.neutral)[1])
    h = 1e-6
    differences = np.column_stack([
        (tendon_lengths(model, ws, q + h * e)[1] - tendon_lengths(model, ws, q - h * e)[1]) / (2 * h) for e in np.eye(2)])
    kinematics, _ = tendon_lengths(model, ws, q)
    J = np.array([sinew.get_tendon_jacobian(model, ws, kinematics, q, i) for i in range(2)])
    near(J, differences, 1e-8)
    velocity = sinew.VelocityWorkspace(model)
    sinew.calc_accelerations(model, velocity, q, v, np.zeros(2))
    sinew.calc_tendon_rates(model, ws, velocity, q)
    near(ws.velocity, J @ v)
    L = [tendon_lengths(model, sinew.TendonWorkspace(model), q + t * v)[1] for t in (-1e-4, 0, 1e-4)]
    near(ws.acceleration, (L[0] - 2 * L[1] + L[2]) / 1e-8, 1e-5)
    with pytest.raises(ValueError, match="tendon"):
        sinew.get_tendon_jacobian(model, ws, kinematics, q, 2)


def test_joint_loads(rng):
    """A gear's tooth pushes at its rim: the bearing gets the difference [F08 Example 3.2]."""
    model = make_arm()
    q, v, a, _ = random_state(model, rng)
    ws = sinew.JointLoadsWorkspace(model)
    sinew.calc_joint_forces(model, ws, q, v, a)
    tau = sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a)
    for i, joint in enumerate(("shoulder", "elbow")):
        f = sinew.get_joint_force(model, ws, joint)
        plain = sinew.get_joint_load(model, ws, joint)
        near(plain.tau[0], tau[i])
        near(plain.active + plain.constraint, f)
        near(plain.constraint[1], 0)  # bearings do no work about y
        near(plain.active, [0, tau[i], 0, 0, 0, 0])
        r = 0.05  # a force along z at (-r, 0, 0) of the child: couple r about y
        tooth = sinew.get_joint_load(model, ws, joint, [[0, r, 0, 0, 0, 1]], on_parent=False)
        near(tooth.tau[0], tau[i])
        near(tooth.active, tau[i] / r * np.array([0, r, 0, 0, 0, 1]))
        near(tooth.active + tooth.constraint, f)
    with pytest.raises(ValueError, match="directions"):
        sinew.get_joint_load(model, ws, "elbow", [[1.0, 2.0]])
    with pytest.raises(ValueError):
        sinew.get_joint_load(model, ws, "elbow", [[1.0, 0, 0, 0, 0, 0]])  # cannot drive it


def test_floating_base(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, v, _, tau = random_state(model, rng)
    ws = sinew.FloatingBaseWorkspace(model)
    c = sinew.calc_floating_coefficients(model, ws, q, v)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    h = sinew.calc_bias(model, sinew.RneaWorkspace(model), q, v)
    joints, base = c.joints, slice(c.base, c.base + 6)
    near(c.H, M[np.ix_(joints, joints)])
    near(c.C, h[joints])
    # The base's six coordinates are its spatial velocity, in one order or the other.
    order = [3, 4, 5, 0, 1, 2] if not np.allclose(M[base, base], c.Ic0) else range(6)
    P = np.eye(6)[list(order)]
    near(P @ M[base, base] @ P.T, c.Ic0)
    near(P @ M[base][:, joints], c.F)
    near(sinew.floating_crba(model, ws, c, tau), sinew.floating_aba(model, ws, q, v, tau), 1e-9)
    H, C = sinew.calc_floating_equation(c)
    near(H, c.H - c.F.T @ np.linalg.solve(c.Ic0, c.F), 1e-10)
    near(C, c.C - c.F.T @ np.linalg.solve(c.Ic0, c.pc0), 1e-10)
    near(sinew.calc_floating_momentum(model, c, v), c.Ic0 @ (P @ v[base]) + c.F @ v[joints])
    with pytest.raises(ValueError, match="another model"):
        sinew.floating_crba(sinew.compile(sinew.mechanisms.humanoid()), ws, c, tau)


def test_equivalent_models(model, rng):
    q, v, a, _ = random_state(model, rng)
    same = sinew.EquivalentModel(model)
    rnea, crba, aba = sinew.RneaWorkspace(model), sinew.CrbaWorkspace(model), sinew.AbaWorkspace(model)
    external = rng.uniform(-1, 1, (len(model.bodies), 6))
    external[0] = 0
    tau = sinew.rnea(model, rnea, q, v, a, None, external)
    near(same.rnea(rnea, q, v, a, external=external), tau, 1e-10)
    near(same.calc_bias(rnea, q, v), sinew.calc_bias(model, rnea, q, v), 1e-10)
    M = sinew.crba(model, crba, q)
    near(same.crba(crba, q), M, 1e-10)
    near(same.aba(aba, q, v, tau, external=external), a, 1e-12 * np.linalg.cond(M))
    found = sinew.find_equivalent_inertias(model)
    assert found.zeros_after >= found.zeros_before and sum(found.cost_after) <= sum(found.cost_before)
    assert found.inertias.shape[1] == 10


def test_principal_axes(rng):
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = R @ np.diag([1.0, 2.0, 2.5]) @ R.T
    turn = sinew.Transform.from_quaternion([0, 0, 0], sinew.find_principal_axes(inertia)).E
    near(turn @ inertia @ turn.T, np.diag([2.5, 2.0, 1.0]))
    body = sinew.BodySpec(name="a", mass=1.0)
    assert body.principal_axes is None
    body.principal_axes = [0.5, 0.5, 0.5, 0.5]
    assert body.principal_axes.tolist() == [0.5, 0.5, 0.5, 0.5]


def make_rods(n):
    """planar_rods as a spatial model, in the x-y plane."""
    b = sinew.ModelBuilder("rods")
    b.gravity([0, -9.81, 0])
    parent = "world"
    for i in range(n):
        b.body(f"rod{i}")
        b.revolute(f"joint{i}", parent, f"rod{i}").at([0.5 if i else 0, 0, 0]).axis([0, 0, 1])
        parent = f"rod{i}"
    spec = b.spec
    for body in spec.bodies:
        if body.name.startswith("rod"):
            body.mass, body.com, body.inertia = 2.0, [0.25, 0, 0], np.diag([1e-3, 2 * 0.25 / 12, 2 * 0.25 / 12])
    return sinew.compile(spec)


def test_planar_dynamics(rng):
    planar, model = sinew.planar_rods(4, 0.5, 2.0, [0, -9.81]), make_rods(4)
    ws = sinew.PlanarWorkspace(planar)
    q, v, a = rng.uniform(-1, 1, (3, 4))
    M = sinew.planar_crba(planar, ws, q)
    near(M, sinew.crba(model, sinew.CrbaWorkspace(model), q))
    tau = sinew.planar_rnea(planar, ws, q, v, a)
    near(tau, sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a))
    near(sinew.planar_aba(planar, ws, q, v, tau), a, 1e-9)
    # A bob on a slide that turns with an arm: M = [I + m (r + x)^2 ..] at rest.
    slide = sinew.PlanarModel([
        sinew.PlanarLink(mass=0.0, inertia=0.3),
        sinew.PlanarLink(0, sinew.PlanarJointKind.prismatic, origin=[0.7, 0], mass=1.5)])
    near(sinew.planar_crba(slide, sinew.PlanarWorkspace(slide), [0.4, 0.2]), [[0.3 + 1.5 * 0.81, 0], [0, 1.5]])
    with pytest.raises(ValueError, match="link"):
        sinew.PlanarModel([sinew.PlanarLink(0)])
    with pytest.raises(ValueError, match="another"):
        sinew.planar_crba(slide, ws, q)


def test_two_trees(rng):
    """An arm and a free box, coupled at a point of each; beside one dense system."""
    arm = sinew.compile(sinew.mechanisms.chain(7))
    b = sinew.ModelBuilder("box")
    b.gravity(arm.gravity)
    b.body("box").mass(sinew.solid_box(2.0, [0.2, 0.3, 0.4]), sinew.Transform([0.1, 0, 0]))
    b.free("free", "world", "box")
    box = b.build()
    (q, v, tau, _), (qs, vs, taus, _) = random_state(arm, rng), random_state(box, rng)
    place = arm.body_names[-1]
    primary, secondary = sinew.CoupledTree(arm, [place]), sinew.CoupledTree(box, ["box"])
    assert secondary.is_free_body and primary.points == 1
    with pytest.raises(ValueError, match="prepare"):
        sinew.get_admittance(primary)
    sinew.prepare(arm, primary, q, v, tau)
    sinew.prepare(box, secondary, qs, vs, taus)

    def dense(model, place, q, v, tau):
        ws = sinew.JacobianWorkspace(model)
        sinew.calc_jacobian_rates(model, ws, q, v)
        J = sinew.get_jacobian(model, ws, place, sinew.ReferenceFrame.mixed)
        bias = sinew.get_jacobian_rate(model, ws, place, sinew.ReferenceFrame.mixed) @ v
        return (sinew.crba(model, sinew.CrbaWorkspace(model), q), J, bias,
                tau - sinew.calc_bias(model, sinew.RneaWorkspace(model), q, v))

    MP, JP, bP, tP = dense(arm, place, q, v, tau)
    MS, JS, bS, tS = dense(box, "box", qs, vs, taus)
    near(sinew.get_admittance(primary), JP @ np.linalg.solve(MP, JP.T), 1e-10)
    near(primary.velocity, JP @ v), near(secondary.bias, bS), near(primary.bias, bP)
    near(primary.free, np.linalg.solve(MP, tP), 1e-9)
    AP = np.eye(6)[[3, 4, 5]]  # the points are held together, turns are free
    AS, U = -AP, -(AP @ bP - AP @ bS)
    ws = sinew.CouplingWorkspace(primary, secondary, 6)
    aP, aS, f, certificate = sinew.couple(arm, primary, box, secondary, ws, AP, AS, U)
    assert certificate.status == sinew.SolveStatus.solved and certificate.rank == 3
    n, m = arm.nv, box.nv
    K = np.hstack([AP @ JP, AS @ JS])
    system = np.block([[MP, np.zeros((n, m))], [np.zeros((m, n)), MS]])
    system = np.block([[system, K.T], [K, np.zeros((3, 3))]])
    expected = np.linalg.solve(system, np.concatenate([tP, tS, U]))
    near(np.concatenate([aP, aS, f]), expected, 1e-8)
    near(np.concatenate(sinew.couple_primary_first(arm, primary, box, secondary, ws, AP, AS, U)[:3]), expected, 1e-8)
    # The instant of the coupling.
    change = sinew.ChangeWorkspace(arm, primary, box, secondary, 6)
    vP, vS, impulse, _ = sinew.change_coupling(arm, primary, box, secondary, change, AP, AS, np.zeros(3))
    near(AP @ JP @ vP, AP @ JS @ vS, 1e-9)
    near(MP @ (vP - v), -JP.T @ AP.T @ impulse, 1e-9)
    audit = change.audit
    assert audit.gap_after < 1e-9 < audit.gap_before and audit.energy_error < 1e-10 and audit.describe()
    assert audit.energy_after < audit.energy_before
    with pytest.raises(ValueError, match="at most"):
        sinew.couple(arm, primary, box, secondary, ws, np.zeros((7, 6)), np.zeros((7, 6)), np.zeros(7))
    with pytest.raises(ValueError, match="shape"):
        sinew.couple(arm, primary, box, secondary, ws, AP[:2], AS, U)
