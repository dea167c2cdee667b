"""Derivatives of dynamics: identities, differences, checked arrays, and Pinocchio where it is installed."""
import numpy as np
import pytest
import sinew
from conftest import random_state


def near(a, b, tolerance):
    a, b = np.asarray(a), np.asarray(b)
    scale = max(1.0, np.abs(b).max(initial=0))
    assert np.abs(a - b).max(initial=0) <= tolerance * scale


def test_inverse_and_forward_dynamics_are_one_equation(model, rng):
    q, v, a, _ = random_state(model, rng)
    external = rng.uniform(-3, 3, (len(model.bodies), 6))
    tau, dq, dv, M = sinew.calc_rnea_derivatives(model, sinew.RneaDerivativesWorkspace(model), q, v, a,
                                                 external=external)
    near(tau, sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a, external=external), 1e-13)
    near(M, sinew.crba(model, sinew.CrbaWorkspace(model), q), 1e-13)
    got, da_dq, da_dv, Minv = sinew.calc_aba_derivatives(model, sinew.AbaDerivativesWorkspace(model), q, v, tau,
                                                         external=external)
    slack = 1e-14 * np.linalg.cond(M)
    near(got, a, slack)
    near(Minv @ M, np.eye(model.nv), slack)
    near(M @ da_dq, -dq, slack)
    near(M @ da_dv, -dv, slack)


def test_along_a_direction_they_are_differences(model, rng):
    q, v, a, d = random_state(model, rng)
    ws, rnea, h = sinew.RneaDerivativesWorkspace(model), sinew.RneaWorkspace(model), 1e-6
    _, dq, dv, _ = sinew.calc_rnea_derivatives(model, ws, q, v, a)
    ends = [sinew.rnea(model, rnea, sinew.integrate(model, q, d, s * h), v, a) for s in (1, -1)]
    near(dq @ d, (ends[0] - ends[1]) / (2 * h), 1e-7)
    ends = [sinew.rnea(model, rnea, q, v + s * h * d, a) for s in (1, -1)]
    near(dv @ d, (ends[0] - ends[1]) / (2 * h), 1e-7)


def test_arrays_are_filled_and_checked(model, rng):
    q, v, a, _ = random_state(model, rng)
    ws, nv = sinew.RneaDerivativesWorkspace(model), model.nv
    big = np.full((3 * nv, nv), np.nan)
    parts = [big[k * nv:(k + 1) * nv] for k in range(3)]
    out = np.empty(nv)
    filled = sinew.calc_rnea_derivatives(model, ws, q, v, a, out, *parts)
    fresh = sinew.calc_rnea_derivatives(model, ws, q, v, a)
    assert filled[0] is out and all(x is y for x, y in zip(filled[1:], parts))
    assert all((x == y).all() for x, y in zip(filled, fresh))
    with pytest.raises(ValueError, match=rf"out_dv has shape \({nv}, {nv + 1}\)"):
        sinew.calc_rnea_derivatives(model, ws, q, v, a, out_dv=np.empty((nv, nv + 1)))
    with pytest.raises(ValueError, match="same array"):
        sinew.calc_rnea_derivatives(model, ws, q, v, a, out_dq=parts[0], out_M=parts[0])
    with pytest.raises(ValueError, match="calc_aba_derivatives: tau has shape"):
        sinew.calc_aba_derivatives(model, sinew.AbaDerivativesWorkspace(model), q, v, np.zeros(nv + 1))


def test_second_derivatives_are_differences_of_the_first(model, rng):
    q, v, x, weights = random_state(model, rng)
    h = 1e-6
    for second, first, call, hessian in (
            (sinew.calc_rnea_hessian, sinew.calc_rnea_derivatives, sinew.RneaDerivativesWorkspace(model),
             sinew.RneaHessianWorkspace(model)),
            (sinew.calc_aba_hessian, sinew.calc_aba_derivatives, sinew.AbaDerivativesWorkspace(model),
             sinew.AbaHessianWorkspace(model))):
        dqdq, dqdv, dvdv, dqdx = second(model, hessian, q, v, x, weights)
        d = rng.uniform(-1, 1, model.nv)

        def slope(move, k, first=first, call=call):
            ends = [weights @ first(model, call, *move(s * h))[k] for s in (1, -1)]
            return (ends[0] - ends[1]) / (2 * h)

        near(dqdq @ d, slope(lambda t: (sinew.integrate(model, q, d, t), v, x), 1), 1e-5)
        near(dqdv @ d, slope(lambda t: (q, v + t * d, x), 1), 1e-5)
        near(dqdv.T @ d, slope(lambda t: (sinew.integrate(model, q, d, t), v, x), 2), 1e-5)
        near(dvdv @ d, slope(lambda t: (q, v + t * d, x), 2), 1e-5)
        near(dqdx @ d, slope(lambda t: (q, v, x + t * d), 1), 1e-5)


def test_tensors_contracted_are_the_hessians(model, rng):
    if model.nv > 40:
        pytest.skip("n^4 numbers")
    q, v, x, weights = random_state(model, rng)
    for all_of_it, contracted, ws in (
            (sinew.calc_rnea_tensors, sinew.calc_rnea_hessian, sinew.RneaHessianWorkspace(model)),
            (sinew.calc_aba_tensors, sinew.calc_aba_hessian, sinew.AbaHessianWorkspace(model))):
        tensors, hessians = all_of_it(model, ws, q, v, x), contracted(model, ws, q, v, x, weights)
        for tensor, hessian in zip(tensors, hessians):
            assert tensor.shape == (model.nv,) * 3
            assert np.abs(np.tensordot(weights, tensor, 1) - hessian).max() <= 1e-12 * max(1, np.abs(tensor).max())


def test_pinocchio(rng):
    """All joints that both have. Its changes dq of a free joint are shift above turn."""
    pin = pytest.importorskip("pinocchio")
    for build in (pin.buildSampleModelHumanoidRandom, pin.buildSampleModelManipulator):
        theirs = build()
        model = sinew.compile(sinew.from_pinocchio(theirs))
        states, data = sinew.PinocchioMap(model, theirs), theirs.createData()
        Q = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq))
        V, A = rng.uniform(-1, 1, (2, theirs.nv))
        q, v, a = states.to_sinew_q(Q), states.to_sinew_v(V), states.to_sinew_a(A)
        P = np.array([states.to_sinew_v(e) for e in np.eye(theirs.nv)]).T  # v = P V
        pin.computeRNEADerivatives(theirs, data, Q, V, A)
        M = np.triu(data.M) + np.triu(data.M, 1).T
        tau, dq, dv, mass = sinew.calc_rnea_derivatives(model, sinew.RneaDerivativesWorkspace(model), q, v, a)
        for ours, other in ((dq, data.dtau_dq), (dv, data.dtau_dv), (mass, M)):
            near(P.T @ ours @ P, other, 1e-12)
        pin.computeABADerivatives(theirs, data, Q, V, data.tau.copy())
        _, dq, dv, inverse = sinew.calc_aba_derivatives(model, sinew.AbaDerivativesWorkspace(model), q, v, tau)
        Minv = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        for ours, other in ((dq, data.ddq_dq), (dv, data.ddq_dv), (inverse, Minv)):
            near(P.T @ ours @ P, other, 1e-14 * np.linalg.cond(M))


def test_kinematics_momentum_and_energy_are_differences(model, rng):
    q, v, a, d = random_state(model, rng)
    h, body = 1e-6, model.bodies[-1].name
    ws = sinew.KinematicsDerivativesWorkspace(model)
    sinew.calc_kinematics_derivatives(model, ws, q, v, a)
    motion = sinew.VelocityWorkspace(model)

    def differ(f):
        """Along d, of q and of v."""
        by_q = [f(sinew.integrate(model, q, d, s * h), v) for s in (1, -1)]
        by_v = [f(q, v + s * h * d) for s in (1, -1)]
        return (by_q[0] - by_q[1]) / (2 * h), (by_v[0] - by_v[1]) / (2 * h)

    def acceleration(q, v):
        sinew.calc_accelerations(model, motion, q, v, a)
        return sinew.get_acceleration(model, motion, body)

    def velocity(q, v):
        sinew.calc_velocities(model, motion, q, v)
        return sinew.get_velocity(model, motion, body)

    for get, f in ((sinew.get_velocity_derivatives, velocity), (sinew.get_acceleration_derivatives, acceleration)):
        for matrix, want in zip(get(model, ws, body), differ(f)):
            near(matrix @ d, want, 1e-7)
    momentum = sinew.MomentumWorkspace(model)
    derivatives = sinew.MomentumDerivativesWorkspace(model)
    for matrix, want in zip(sinew.calc_centroidal_momentum_derivatives(model, derivatives, q, v),
                            differ(lambda q, v: sinew.calc_centroidal_momentum(model, momentum, q, v))):
        near(matrix @ d, want, 1e-7)
    *by_state, by_a = sinew.calc_centroidal_momentum_rate_derivatives(model, derivatives, q, v, a)
    for matrix, want in zip(by_state, differ(lambda q, v: sinew.calc_centroidal_momentum_rate(model, momentum, q, v, a))):
        near(matrix @ d, want, 1e-7)
    near(by_a, sinew.calc_centroidal_map(model, sinew.CentroidalWorkspace(model), q), 1e-13)
    energy = sinew.EnergyWorkspace(model)
    T_dq, T_dv, V_dq = sinew.calc_energy_derivatives(model, derivatives, q, v)
    by_q, by_v = differ(lambda q, v: sinew.calc_kinetic_energy(model, energy, q, v))
    near(T_dq @ d, by_q, 1e-7)
    near(T_dv @ d, by_v, 1e-7)
    near(V_dq @ d, differ(lambda q, v: sinew.calc_potential_energy(model, energy, q))[0], 1e-7)
    with pytest.raises(ValueError, match="same array"):
        same = np.empty((6, model.nv))
        sinew.get_velocity_derivatives(model, ws, body, out_dq=same, out_dv=same)


def test_delassus_slopes_are_differences(model, rng):
    q, _, _, d = random_state(model, rng)
    ws, h = sinew.DelassusSlopesWorkspace(model), 1e-6
    F, G = rng.uniform(-1, 1, (2, len(model.bodies), 6))
    _, slopes = sinew.calc_delassus_slopes(model, ws, q, F, G)
    ends = [sinew.calc_delassus_slopes(model, ws, sinew.integrate(model, q, d, s * h), F, G)[0] for s in (1, -1)]
    want = (ends[0] - ends[1]) / (2 * h)
    near(slopes @ d, want, 1e-6 * max(1.0, abs(ends[0])))


def test_delassus_rates_are_differences(model, rng):
    q, v, _, _ = random_state(model, rng)
    body = len(model.bodies) - 1
    rows = [sinew.RowForce(k, body, force) for k, force in enumerate(rng.uniform(-1, 1, (3, 6)))]
    ws, h = sinew.DelassusRateWorkspace(model, 3), 1e-6
    W, rate = sinew.calc_delassus_rate(model, ws, q, v, rows)
    ends = [sinew.calc_delassus_rate(model, ws, sinew.integrate(model, q, v, s * h), v, rows)[0] for s in (1, -1)]
    assert np.abs(rate - (ends[0] - ends[1]) / (2 * h)).max() <= 1e-6 * max(1, np.abs(W).max(), np.abs(rate).max())
    assert np.abs(rate - rate.T).max() <= 1e-10 * max(1, np.abs(rate).max())
    with pytest.raises(ValueError, match="row"):
        sinew.calc_delassus_rate(model, ws, q, v, [sinew.RowForce(3, body, np.zeros(6))])


def test_by_placements_of_joints_forward_and_inverse_are_one_equation(model, rng):
    q, v, a, _ = random_state(model, rng)
    ws = sinew.PlacementDerivativesWorkspace(model)
    external = rng.uniform(-3, 3, (len(model.bodies), 6))
    dtau = sinew.calc_rnea_placement_derivatives(model, ws, q, v, a, external=external)
    assert dtau.shape == (model.nv, 6 * len(model.joints))
    tau = sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a, external=external)
    got, da = sinew.calc_aba_placement_derivatives(model, ws, q, v, tau, external=external)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    slack = 1e-14 * np.linalg.cond(M)
    near(got, a, slack)
    near(M @ da, -dtau, slack)
    with pytest.raises(ValueError, match="out has shape"):
        sinew.calc_rnea_placement_derivatives(model, ws, q, v, a, out=np.zeros((model.nv, 5)))


def test_a_hinge_farther_out_takes_its_load_there():
    b = sinew.ModelBuilder("links")
    b.body("one").mass(sinew.solid_sphere(2, 0.1))
    b.body("two").mass(sinew.solid_sphere(3, 0.1))
    b.revolute("a", "world", "one").axis([0, 1, 0])
    b.revolute("b", "one", "two").axis([0, 1, 0]).at([0.7, 0, 0])
    m = b.build()
    zero = np.zeros(2)
    d = sinew.calc_rnea_placement_derivatives(m, sinew.PlacementDerivativesWorkspace(m), zero, zero, zero)
    assert d[0, 9] == pytest.approx(-3 * 9.81, rel=1e-13)


def test_by_gravity_forces_and_inertia_forward_and_inverse_are_one_equation(model, rng):
    q, v, a, _ = random_state(model, rng)
    ws, nb = sinew.ForceDerivativesWorkspace(model), len(model.bodies)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    slack = 1e-14 * np.linalg.cond(M)
    dtau = sinew.calc_rnea_gravity_derivatives(model, ws, q)
    still = np.zeros(model.nv)
    near(dtau @ np.asarray(model.gravity), sinew.calc_gravity(model, sinew.RneaWorkspace(model), q), 1e-13)
    near(M @ sinew.calc_aba_gravity_derivatives(model, ws, q), -dtau, slack)

    dtau = sinew.calc_rnea_force_derivatives(model, ws, q)
    external = rng.uniform(-1, 1, (nb, 6))
    rnea = sinew.RneaWorkspace(model)
    near(dtau @ external.ravel(),
         sinew.rnea(model, rnea, q, still, still, external=external) - sinew.rnea(model, rnea, q, still, still), 1e-12)
    near(M @ sinew.calc_aba_force_derivatives(model, ws, q), -dtau, slack)

    by_inertia = sinew.InertiaDerivativesWorkspace(model)
    tau = sinew.rnea(model, rnea, q, v, a)
    got, da = sinew.calc_aba_inertia_derivatives(model, by_inertia, q, v, tau)
    Y = sinew.calc_regressor(model, sinew.RegressorWorkspace(model), q, v, got)
    near(got, a, slack)
    near(M @ da, -Y, slack)
    dh = sinew.calc_centroidal_momentum_inertia_derivatives(model, by_inertia, q, v)
    near(dh @ np.asarray(sinew.get_inertial_parameters(model)),
         sinew.calc_centroidal_momentum(model, sinew.MomentumWorkspace(model), q, v), 1e-12)


def test_coriolis_products_are_differences(model, rng):
    q, v, w, d = random_state(model, rng)
    ws, matrix, h = sinew.CoriolisDerivativesWorkspace(model), sinew.CoriolisWorkspace(model), 1e-6
    Cw, dq, dv = sinew.calc_coriolis_derivatives(model, ws, q, v, w)
    near(Cw, sinew.calc_coriolis_matrix(model, matrix, q, v) @ w, 1e-12)
    ends = [sinew.calc_coriolis_matrix(model, matrix, sinew.integrate(model, q, d, s * h), v) @ w for s in (1, -1)]
    near(dq @ d, (ends[0] - ends[1]) / (2 * h), 1e-7)
    near(dv @ d, sinew.calc_coriolis_matrix(model, matrix, q, d) @ w, 1e-12)
    with pytest.raises(ValueError, match="same array"):
        sinew.calc_coriolis_derivatives(model, ws, q, v, w, out_dq=dq, out_dv=dq)


def test_a_mimic_joint_counts_for_the_one_it_follows():
    b = sinew.ModelBuilder("gripper").gravity([0, 0, 0])
    for name, y in (("left", 1), ("right", -1)):
        b.body(name).mass(sinew.solid_sphere(2, 0.1))
        b.prismatic(name + "_slide", "world", name).axis([0, y, 0])
    b.gear("mimic", "right_slide", "left_slide", 0.5, 0.1)
    m = b.build()
    ws = sinew.CoupledDerivativesWorkspace(m)
    assert list(ws.independent) == [0]
    np.testing.assert_allclose(sinew.set_dependent_positions(m, ws, [0.4, 9]), [0.4, 0.3])
    T, dy, dw, M = sinew.calc_coupled_rnea_derivatives(m, ws, [0.4, 9], [1], [3])
    assert T[0] == pytest.approx(7.5) and M[0, 0] == pytest.approx(2.5) and dy[0, 0] == dw[0, 0] == 0
    got = sinew.calc_coupled_aba_derivatives(m, ws, [0.4, 9], [1], T)
    assert got[0][0] == pytest.approx(3) and got[3][0, 0] == pytest.approx(0.4)
    with pytest.raises(ValueError, match="calc_coupled_aba_derivatives: T has shape"):
        sinew.calc_coupled_aba_derivatives(m, ws, [0.4, 9], [1], [1, 2])
