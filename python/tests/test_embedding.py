"""Embedded loops, and projection onto constraints, beside multipliers and dense matrices."""
import numpy as np
import pytest
import sinew
from conftest import random_state
from test_tree import near

LOOPS = ["four_bar", "stewart_platform", "crank_slider"]


def closed_state(name, rng):
    """A state near the neutral one that obeys the loops."""
    model = sinew.compile(getattr(sinew.mechanisms, name)())
    constraints = sinew.ConstraintSet(model)
    ws = sinew.EmbeddedWorkspace(model, constraints)
    q = sinew.integrate(model, model.neutral, rng.uniform(-1, 1, model.nv), 0.05)
    q, v, report = sinew.close_loops(model, constraints, ws, q, rng.uniform(-1, 1, model.nv))
    assert report.status == sinew.EmbeddingStatus.ready and report.position_error < 1e-11, report
    assert report.describe(model, constraints) == ""
    return model, constraints, ws, q, v


@pytest.mark.parametrize("name", LOOPS)
def test_embedded_dynamics(name, rng):
    model, constraints, ws, q, v = closed_state(name, rng)
    rows = sinew.ConstraintRows(model, constraints)
    sinew.calc_constraint_rows(model, constraints, rows, q, v)
    assert abs(rows.position).max() < 1e-11 and abs(rows.velocity).max() < 1e-10
    tau = rng.uniform(-1, 1, model.nv)
    a, report = sinew.embedded_forward_dynamics(model, constraints, ws, q, v, tau)
    by_multipliers, _, certificate = sinew.constrained_forward_dynamics(
        model, constraints, sinew.ConstrainedWorkspace(model, constraints), q, v, tau)
    assert report.status == sinew.EmbeddingStatus.ready and certificate.status == sinew.SolveStatus.solved
    near(a, by_multipliers, 1e-8)
    # H a + C = tau + K^T lambda.
    K = sinew.get_constraint_jacobian(model, constraints, rows)
    inverse = sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a)
    multipliers = sinew.calc_embedded_forces(model, constraints, ws, q, v, tau, a)
    near(inverse, tau + K.T @ multipliers, 1e-9)
    # X by its columns; the mass matrix and inverse dynamics of y.
    free = ws.independent
    assert len(free) == report.freedoms == model.nv - report.rank
    X = np.column_stack([sinew.expand_velocities(model, ws, e) for e in np.eye(len(free))])
    near(K @ X, 0 * K @ X, 1e-10)
    near(X[free], np.eye(len(free)), 0)
    near(X @ v[free], v, 1e-10)
    near(sinew.reduce_forces(model, ws, tau), X.T @ tau)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    f = rng.uniform(-1, 1, model.nv)
    near(sinew.solve_embedded_mass(model, ws, f), X @ np.linalg.solve(X.T @ M @ X, X.T @ f), 1e-9)
    mass, _ = sinew.calc_embedded_mass_matrix(model, constraints, ws, q)
    near(mass, X.T @ M @ X, 1e-10)
    T, _ = sinew.embedded_inverse_dynamics(model, constraints, ws, q, v, a[free])
    near(T, X.T @ tau, 1e-8)


def test_closed_loops_as_operators(rng):
    model, constraints, ws, q, v = closed_state("four_bar", rng)
    tau = rng.uniform(-1, 1, model.nv)
    a, _ = sinew.embedded_forward_dynamics(model, constraints, ws, q, v, tau)
    embedded = sinew.EmbeddedSko(model, ws)
    embedded.update(ws, q, v)
    dynamics = sinew.operators.SkoDynamics(embedded.sko)
    y = sinew.operators.forward_dynamics(embedded.sko, dynamics, embedded.stack(ws, sinew.reduce_forces(model, ws, tau)))
    near(embedded.unstack(ws, y), a[ws.independent], 1e-9)
    o = sinew.operators.OperatorAlgebra(embedded.sko)
    o.update()
    mass, _ = sinew.calc_embedded_mass_matrix(model, constraints, ws, q)
    near(sinew.operators.materialise(o, o.mass()), mass, 1e-10)


def test_wishes_and_errors():
    model = sinew.compile(sinew.mechanisms.four_bar())
    constraints = sinew.ConstraintSet(model)
    v = np.zeros(model.nv)
    ws = sinew.EmbeddedWorkspace(model, constraints, independent=[1])
    with pytest.raises(ValueError, match="close_loops"):
        sinew.expand_velocities(model, ws, [1.0])
    with pytest.raises(ValueError, match="embedded_forward_dynamics"):
        sinew.solve_embedded_mass(model, ws, v)
    assert sinew.prepare_embedding(model, constraints, ws, model.neutral, v).freedoms == 1
    assert ws.independent.tolist() == [1] and len(ws.groups) == 1
    assert not sinew.renew_coordinates(model, constraints, ws, model.neutral, v)
    with pytest.raises(ValueError):
        sinew.EmbeddedWorkspace(model, constraints, independent=[99])
    other = sinew.ConstraintSet(model)
    with pytest.raises(ValueError, match="another constraint set"):
        sinew.prepare_embedding(model, other, ws, model.neutral, v)
    # Links of lengths that cannot meet: a sentence says so.
    q = model.neutral.copy()
    q[1] += 2.5
    q, _, report = sinew.close_loops(model, constraints, ws, q, v)
    assert report.status == sinew.EmbeddingStatus.ready or report.describe(model, constraints)


@pytest.mark.parametrize("name", LOOPS)
def test_projection(name, rng):
    model = sinew.compile(getattr(sinew.mechanisms, name)())
    constraints = sinew.ConstraintSet(model)
    ws = sinew.ManifoldWorkspace(model, constraints)
    rows = sinew.ConstraintRows(model, constraints)
    off = sinew.integrate(model, model.neutral, rng.uniform(-1, 1, model.nv), 0.02)
    q, report = sinew.project_position(model, constraints, ws, off)
    assert report.reached and report.distance > 1e-4 > 1e-11 > report.residual, report
    start = rng.uniform(-1, 1, model.nv)
    v, _ = sinew.project_velocity(model, constraints, ws, q, start)
    sinew.calc_constraint_rows(model, constraints, rows, q, v)
    assert abs(rows.position).max() < 1e-11 and abs(rows.velocity).max() < 1e-9
    # The least change of kinetic energy: v - start is orthogonal, by M, to what K leaves free.
    K = sinew.get_constraint_jacobian(model, constraints, rows)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    free = np.linalg.svd(K)[2][np.linalg.matrix_rank(K, 1e-8):].T
    near(free.T @ M @ (v - start), np.zeros(free.shape[1]), 1e-9)


def test_a_step_on_the_manifold_keeps_energy_and_loops():
    model = sinew.compile(sinew.mechanisms.four_bar())
    constraints = sinew.ConstraintSet(model)
    ws, energy = sinew.StepWorkspace(model, constraints), sinew.EnergyWorkspace(model)
    projection = sinew.ManifoldWorkspace(model, constraints)
    q = model.neutral
    v, _ = sinew.project_velocity(model, constraints, projection, q, np.ones(model.nv))
    total = lambda: sinew.calc_kinetic_energy(model, energy, q, v) + sinew.calc_potential_energy(model, energy, q)  # noqa: E731
    before = total()
    for _ in range(100):
        q, v, report = sinew.step_rk4_projected(model, constraints, ws, q, v, np.zeros(model.nv), 1e-3)
    assert report.position.reached and report.position.residual < 1e-11 and report.status == sinew.SolveStatus.solved
    assert abs(total() - before) < 1e-8 * max(1, abs(before))


def test_how_places_respond_to_forces(model, rng):
    if model.nv > 50:
        pytest.skip("dense matrices of long chains lose their digits")
    q, v, tau, _ = random_state(model, rng)
    places = [model.body_names[-1], model.body_names[1]]
    Phi, b = sinew.project(model, sinew.ProjectionWorkspace(model, places), q, v, tau)
    ws, aba = sinew.JacobianWorkspace(model), sinew.AbaWorkspace(model)
    sinew.calc_jacobian_rates(model, ws, q, v)
    frame = sinew.ReferenceFrame.body
    J = np.vstack([sinew.get_jacobian(model, ws, p, frame) for p in places])
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    slack = 1e-14 * np.linalg.cond(M)
    near(Phi, J @ np.linalg.solve(M, J.T), slack)
    velocity = sinew.VelocityWorkspace(model)
    sinew.calc_accelerations(model, velocity, q, v, sinew.aba(model, aba, q, v, tau))
    near(b, np.concatenate([sinew.get_acceleration(model, velocity, p, frame) for p in places]), slack)


def test_loops_closed_by_formulae():
    """A coupling whose formulae are given: the same motion as by Newton's method."""
    spec = sinew.mechanisms.chain(2)
    a, b = (j.name for j in spec.joints)
    term = sinew.CouplingTerm(joint=a, coefficients=[2, 3])
    spec.couplings.append(sinew.CouplingSpec(name="c", dependent=b, terms=[term]))
    model = sinew.compile(spec)
    constraints = sinew.ConstraintSet(model)
    calls = []

    def gamma(y, yd):
        calls.append(1)
        return [y[0], 2 * y[0] + 3 * y[0]**2], [[1], [2 + 6 * y[0]]], [0, 6 * yd[0]**2]
    closure = sinew.ClosureFunction(1, gamma)
    answers = []
    for options in ({}, {"closure": closure}):
        ws = sinew.EmbeddedWorkspace(model, constraints, independent=[0], **options)
        q, v, report = sinew.close_loops(model, constraints, ws, [0.3, 0.8], [0.5, 1.0])
        answers.append(np.concatenate([q, v, sinew.embedded_forward_dynamics(model, constraints, ws, q, v, [1, 0])[0]]))
        assert report.status == sinew.EmbeddingStatus.ready
    assert calls
    near(answers[0], answers[1], 1e-14)
    near(answers[1][:4], [0.3, 0.87, 0.5, 0.5 * 3.8], 1e-14)
    wrong = sinew.ClosureFunction(1, lambda y, yd: ([y[0], y[0]], [[1], [1]], [0, 0]))
    with pytest.raises(ValueError):
        sinew.EmbeddedWorkspace(model, constraints, independent=[0], closure=wrong)
    run = sinew.make_embedded_dynamics(model, constraints, independent=[0], closure=closure)
    dv, _ = sinew.Integrator(model, run.rate).evaluate(sinew.StatePoint(answers[1][:2], answers[1][2:4]))
    ws = sinew.EmbeddedWorkspace(model, constraints, independent=[0])
    near(dv, sinew.embedded_forward_dynamics(model, constraints, ws, answers[1][:2], answers[1][2:4], [0, 0])[0], 1e-14)
