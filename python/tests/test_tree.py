"""Tree algorithms: identities among them, closed forms, finite differences, and Pinocchio where it is installed."""
import numpy as np
import pytest
import sinew
from conftest import find_robot, random_state


def near(a, b, tolerance=1e-11):
    a, b = np.asarray(a), np.asarray(b)
    scale = max(1.0, np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    assert np.abs(a - b).max(initial=0) <= tolerance * scale


def test_forward_and_inverse_dynamics_agree(model, rng):
    q, v, a, _ = random_state(model, rng)
    external = rng.uniform(-3, 3, (len(model.bodies), 6))
    external[0] = 0
    rnea, aba = sinew.RneaWorkspace(model), sinew.AbaWorkspace(model)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    h = sinew.calc_bias(model, rnea, q, v)
    tau = sinew.rnea(model, rnea, q, v, a)
    near(M @ a + h, tau)
    near(sinew.multiply_by_mass(model, rnea, q, a), M @ a)
    near(M, M.T, 0)
    slack = 1e-15 * np.linalg.cond(M)
    near(sinew.aba(model, aba, q, v, tau), a, slack)
    near(sinew.dca(model, sinew.DcaWorkspace(model), q, v, tau), a, 1e3 * slack)
    near(sinew.calc_mass_inverse(model, sinew.MassInverseWorkspace(model), q) @ M, np.eye(model.nv), slack)
    near(sinew.multiply_by_mass_inverse(model, aba, q, M @ a), a, slack)
    loaded = sinew.rnea(model, rnea, q, v, a, None, external)
    near(sinew.aba(model, aba, q, v, loaded, external=external), a, slack)
    near(sinew.calc_bias(model, rnea, q, v, external=external), loaded - M @ a)
    # h = C v + g, and dM/dt - 2 C is skew.
    coriolis = sinew.CoriolisWorkspace(model)
    C, dM = sinew.calc_coriolis_matrix(model, coriolis, q, v), sinew.calc_mass_matrix_rate(model, coriolis, q, v)
    near(C @ v + sinew.calc_gravity(model, rnea, q), h)
    near(dM, C + C.T)
    Y = sinew.calc_regressor(model, sinew.RegressorWorkspace(model), q, v, a)
    if not model.armature.any():
        near(Y @ sinew.get_inertial_parameters(model), tau)
    assert Y.shape[1] == sinew.inertial_parameter_count(model)


def test_external_forces_are_jacobians_transposed(model, rng):
    q, v, a, _ = random_state(model, rng)
    body = int(rng.integers(1, len(model.bodies)))
    f = rng.uniform(-3, 3, 6)
    external = np.zeros((len(model.bodies), 6))
    external[body] = f
    rnea, ws = sinew.RneaWorkspace(model), sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, ws, q)
    J = sinew.get_jacobian(model, ws, body, sinew.ReferenceFrame.body)
    near(sinew.rnea(model, rnea, q, v, a) - sinew.rnea(model, rnea, q, v, a, external=external), J.T @ f)
    near(sinew.multiply_by_jacobian_transpose(model, ws, body, sinew.ReferenceFrame.body, f), J.T @ f)


def test_jacobians_are_derivatives(model, rng):
    q, v, a, _ = random_state(model, rng)
    name = model.body_names[-1]
    jacobian, velocity = sinew.JacobianWorkspace(model), sinew.VelocityWorkspace(model)
    sinew.calc_jacobian_rates(model, jacobian, q, v)
    sinew.calc_accelerations(model, velocity, q, v, a)
    for frame in (sinew.ReferenceFrame.world, sinew.ReferenceFrame.body, sinew.ReferenceFrame.mixed):
        J = sinew.get_jacobian(model, jacobian, name, frame)
        dJ = sinew.get_jacobian_rate(model, jacobian, name, frame)
        near(sinew.get_velocity(model, velocity, name, frame), J @ v)
        near(sinew.get_bias_acceleration(model, jacobian, name, frame), dJ @ v)
        expected = sinew.get_classical_acceleration if frame == sinew.ReferenceFrame.mixed else sinew.get_acceleration
        near(expected(model, velocity, name, frame), J @ a + dJ @ v)
    # Of positions, by central differences.
    kinematics, h = sinew.KinematicsWorkspace(model), 1e-6
    ends = []
    for sign in (1, -1):
        sinew.calc_kinematics(model, kinematics, sinew.integrate(model, q, v, sign * h))
        ends.append(sinew.get_frame_pose(model, kinematics, name).r)
    speed = sinew.get_point_velocity(model, velocity, name)
    near((ends[0] - ends[1]) / (2 * h), speed, 1e-7)


def test_poses(model, rng):
    q, *_ = random_state(model, rng)
    ws = sinew.KinematicsWorkspace(model)
    sinew.calc_kinematics(model, ws, q)
    poses = sinew.get_body_poses(model, ws)
    assert poses.shape == (len(model.bodies), 4, 4) and (poses[0] == np.eye(4)).all()
    for b in model.bodies:
        assert (poses[b.index] == sinew.get_body_pose(model, ws, b).matrix).all()
        assert sinew.get_body_pose(model, ws, b.name) == sinew.get_frame_pose(model, ws, b.index)


def test_energy_and_momentum(model, rng):
    q, v, a, _ = random_state(model, rng)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    energy = sinew.EnergyWorkspace(model)
    near(sinew.calc_kinetic_energy(model, energy, q, v), v @ M @ v / 2)
    h = 1e-6  # the power of gravity
    V = [sinew.calc_potential_energy(model, energy, sinew.integrate(model, q, v, s * h)) for s in (1, -1)]
    near((V[0] - V[1]) / (2 * h), sinew.calc_gravity(model, sinew.RneaWorkspace(model), q) @ v, 1e-6)
    centroidal, momentum = sinew.CentroidalWorkspace(model), sinew.MomentumWorkspace(model)
    A, dA = sinew.calc_centroidal_map_rate(model, centroidal, q, v)
    near(A, sinew.calc_centroidal_map(model, centroidal, q))
    near(sinew.calc_centroidal_momentum(model, momentum, q, v), A @ v)
    near(sinew.calc_centroidal_bias(model, momentum, q, v), dA @ v)
    near(sinew.calc_centroidal_momentum_rate(model, momentum, q, v, a), A @ a + dA @ v)
    centre = sinew.CentreOfMassWorkspace(model)
    J = sinew.calc_centre_of_mass_jacobian(model, centre, q)
    near(sinew.calc_centre_of_mass_velocity(model, centre, q, v), J @ v)
    near(model.mass * (J @ v), (A @ v)[3:])
    c = sinew.calc_centre_of_mass(model, centre, q)
    about_world, about_centre = sinew.calc_momentum(model, momentum, q, v), A @ v
    near(about_world[:3], about_centre[:3] + np.cross(c, about_centre[3:]))


def test_hybrid_dynamics(model, rng):
    q, v, a, _ = random_state(model, rng)
    tau = sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a)
    given = np.flatnonzero(rng.uniform(size=model.nv) < 0.4)
    known_a, known_tau = np.full(model.nv, np.nan), tau.copy()
    known_a[given], known_tau[given] = a[given], np.nan
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    for call, workspace in ((sinew.hybrid_crba, sinew.HybridCrbaWorkspace), (sinew.hybrid_aba, sinew.HybridAbaWorkspace)):
        whole_a, whole_tau = call(model, workspace(model, given), q, v, known_a, known_tau)
        near(whole_a, a, 1e-15 * np.linalg.cond(M))
        near(whole_tau, tau, 1e-15 * np.linalg.cond(M))
    with pytest.raises(ValueError, match="integers"):
        sinew.HybridAbaWorkspace(model, [0.5])


def test_floating_base(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, v, a, tau = random_state(model, rng)
    ws, aba = sinew.FloatingBaseWorkspace(model), sinew.AbaWorkspace(model)
    near(sinew.floating_aba(model, ws, q, v, tau), sinew.aba(model, aba, q, v, tau), 1e-10)
    whole, forces = sinew.floating_rnea(model, ws, q, v, a)
    base = model.joints[0]
    assert base.kind == sinew.JointKind.free and not forces[base.v:base.v + 6].any()
    near(sinew.rnea(model, sinew.RneaWorkspace(model), q, v, whole), forces, 1e-10)
    with pytest.raises(ValueError):
        sinew.FloatingBaseWorkspace(sinew.compile(sinew.mechanisms.chain(3)))


def test_joint_loads(rng):
    model = sinew.compile(sinew.mechanisms.chain(5))
    q, v, a, _ = random_state(model, rng)
    ws = sinew.JointLoadsWorkspace(model)
    sinew.calc_joint_forces(model, ws, q, v, a)
    tau = sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a)
    jacobian = sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, jacobian, q)
    for j in model.joints:  # tau = S^T f
        S = sinew.get_jacobian(model, jacobian, j.child, sinew.ReferenceFrame.body)[:, j.v]
        near(S @ sinew.get_joint_force(model, ws, j), tau[j.v])


def test_base_parameters(rng):
    model = sinew.compile(sinew.mechanisms.chain(3))
    base = sinew.find_base_parameters(model)
    q, v, a, _ = random_state(model, rng)
    Y = sinew.calc_regressor(model, sinew.RegressorWorkspace(model), q, v, a)
    pi = sinew.get_inertial_parameters(model)
    near(Y[:, base.independent] @ sinew.calc_base_parameters(base, pi), Y @ pi, 1e-10)


@pytest.mark.parametrize("parts", [("ur_description", "urdf", "ur5_robot.urdf"), ("panda_description", "urdf", "panda.urdf"),
                                   ("anymal_b_simple_description", "robots", "anymal.urdf"),
                                   ("talos_data", "robots", "talos_full_v2.urdf")], ids=lambda p: p[0])
def test_beside_pinocchio(parts, rng):
    pin = pytest.importorskip("pinocchio")
    file = find_robot(*parts)
    floating = parts[0] in ("anymal_b_simple_description", "talos_data")
    theirs = pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if floating else []))
    data = theirs.createData()
    model = sinew.compile(sinew.load(file, floating_base=floating))
    c = sinew.ConventionMap(model, sinew.Convention.pinocchio)
    order = [c.other_v_index(i) for i in range(model.nv)]
    for _ in range(5):
        q, v, a, tau = random_state(model, rng)
        Q, V, A, T = c.to_other_q(q), c.to_other_v(q, v), c.to_other_a(q, v, a), c.to_other_tau(q, tau)
        near(c.to_other_tau(q, sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a)), pin.rnea(theirs, data, Q, V, A), 1e-10)
        M = pin.crba(theirs, data, Q)
        M = np.triu(M) + np.triu(M, 1).T
        near(c.to_other_a(q, v, sinew.aba(model, sinew.AbaWorkspace(model), q, v, tau)), pin.aba(theirs, data, Q, V, T),
             max(1e-10, 4e-16 * np.linalg.cond(M)))
        near(sinew.crba(model, sinew.CrbaWorkspace(model), q), M[np.ix_(order, order)], 1e-10)
