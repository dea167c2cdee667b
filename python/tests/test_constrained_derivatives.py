"""Derivatives of constrained dynamics: differences of the solution, statuses, checked arguments."""
import numpy as np
import pytest
import sinew


@pytest.fixture
def four_bar():
    model = sinew.compile(sinew.mechanisms.four_bar())
    return model, sinew.ConstraintSet(model)


def difference(f, h=1e-4):
    """Central differences, extrapolated once."""
    d = [(f(s) - f(-s)) / (2 * s) for s in (h, h / 2)]
    return (4 * d[1] - d[0]) / 3


def near(a, b, tolerance=1e-8):
    assert np.abs(np.asarray(a) - b).max() <= tolerance * max(1.0, np.abs(b).max())


@pytest.mark.parametrize("period", [0, 0.1])
def test_along_a_direction_they_are_differences(four_bar, rng, period):
    model, rows = four_bar
    ws = sinew.ConstrainedDerivativesWorkspace(model, rows, stabilization_period=period)
    plain = sinew.ConstrainedWorkspace(model, rows, stabilization_period=period)
    q, (v, tau, x) = np.array(model.neutral), rng.uniform(-1, 1, (3, model.nv))

    def solve(q, v, tau):
        return np.concatenate(sinew.constrained_forward_dynamics(model, rows, plain, q, v, tau)[:2])

    a, multipliers, of_a, of_lambda, certificate = sinew.calc_constrained_derivatives(model, rows, ws, q, v, tau)
    assert certificate.status == sinew.DerivativeStatus.exact and certificate.rank == 2
    assert sinew.describe_derivatives(certificate, model, rows) == []
    near(np.concatenate([a, multipliers]), solve(q, v, tau), 1e-13)
    both = [np.vstack(pair) @ x for pair in zip(of_a, of_lambda)]
    near(both[0], difference(lambda s: solve(sinew.integrate(model, q, x, s), v, tau)))
    near(both[1], difference(lambda s: solve(q, v + s * x, tau)))
    near(both[2], difference(lambda s: solve(q, v, tau + s * x)))


def test_impulses(four_bar, rng):
    model, rows = four_bar
    ws = sinew.ConstrainedDerivativesWorkspace(model, rows)
    plain = sinew.ConstrainedWorkspace(model, rows)
    q, (v, x) = np.array(model.neutral), rng.uniform(-1, 1, (2, model.nv))

    def solve(q, v):
        return np.concatenate(sinew.constrained_impulse(model, rows, plain, q, v)[:2])

    _, _, of_after, of_P, certificate = sinew.calc_impulse_derivatives(model, rows, ws, q, v)
    assert certificate.status == sinew.DerivativeStatus.exact
    near(np.vstack([of_after[0], of_P[0]]) @ x, difference(lambda s: solve(sinew.integrate(model, q, x, s), v)))
    near(np.vstack([of_after[1], of_P[1]]) @ x, difference(lambda s: solve(q, v + s * x)))


def test_efforts(four_bar, rng):
    model, rows = four_bar
    ws, plain = sinew.ActuationDerivativesWorkspace(model, rows), sinew.ActuationWorkspace(model, rows)
    q, (v, a, x) = np.array(model.neutral), rng.uniform(-1, 1, (3, model.nv))
    u, of_u, certificate = sinew.calc_constrained_inverse_derivatives(model, rows, ws, q, v, a, [0, 2])
    assert certificate.status == sinew.DerivativeStatus.exact

    def solve(q):
        return sinew.constrained_inverse_dynamics(model, rows, plain, q, v, a, [0, 2])[0]

    near(u, solve(q), 1e-13)
    near(of_u[0] @ x, difference(lambda s: solve(sinew.integrate(model, q, x, s))))


def test_what_is_not_differentiable_is_named():
    model = sinew.compile(sinew.mechanisms.bricard())
    rows = sinew.ConstraintSet(model)
    ws = sinew.ConstrainedDerivativesWorkspace(model, rows)
    zero = np.zeros(model.nv)
    certificate = sinew.calc_constrained_derivatives(model, rows, ws, model.neutral, zero, zero)[-1]
    assert certificate.status == sinew.DerivativeStatus.along_constraints
    assert "joint6" in sinew.describe_derivatives(certificate, model, rows)[0]
    with pytest.raises(ValueError, match="tau has shape"):
        sinew.calc_constrained_derivatives(model, rows, ws, model.neutral, zero, np.zeros(model.nv + 1))
    with pytest.raises(ValueError, match="another constraint set"):
        sinew.calc_constrained_derivatives(model, sinew.ConstraintSet(model), ws, model.neutral, zero, zero)
    with pytest.raises(ValueError, match="negative"):
        sinew.ConstrainedDerivativesWorkspace(model, rows, stabilization_period=-1)


def test_pinocchio(rng):
    """Two feet held in all six directions, at any velocity: its accelerations, forces and their derivatives."""
    pin = pytest.importorskip("pinocchio")
    theirs = pin.buildSampleModelHumanoidRandom()
    data, model = theirs.createData(), sinew.compile(sinew.from_pinocchio(theirs))
    states = sinew.PinocchioMap(model, theirs)
    Q = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq))
    V, T = rng.uniform(-1, 1, (2, theirs.nv))
    (q, v), tau = states.to_sinew(Q, V), states.to_sinew_tau(T)
    feet = [f for f in theirs.frames if f.type == pin.FrameType.BODY and "leg6" in f.name]
    assert len(feet) == 2
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for f in feet:
        models.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, theirs, f.parentJoint, f.placement, pin.LOCAL))
        datas.append(models[-1].createData())
    pin.initConstraintDynamics(theirs, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 0.0, 1)
    A = pin.constraintDynamics(theirs, data, Q, V, T, models, datas, settings).copy()
    pin.computeConstraintDynamicsDerivatives(theirs, data, models, datas, settings)
    rows = sinew.ConstraintSet(model, [sinew.MaskConstraint(name=f.name, body_b=f.name) for f in feet], False)
    ws = sinew.ConstrainedDerivativesWorkspace(model, rows)
    a, multipliers, of_a, of_lambda, certificate = sinew.calc_constrained_derivatives(model, rows, ws, q, v, tau)
    assert certificate.status == sinew.DerivativeStatus.exact
    P = np.array([states.to_sinew_v(e) for e in np.eye(theirs.nv)]).T  # v = P V
    order = [6 * k + i for k in range(2) for i in (3, 4, 5, 0, 1, 2)]  # force above moment
    near(states.to_pinocchio_a(a), A, 1e-10)
    near(multipliers[order], np.concatenate([d.contact_force.vector for d in datas]), 1e-10)
    for ours, other in zip(of_a, (data.ddq_dq, data.ddq_dv, data.ddq_dtau)):
        near(P.T @ ours @ P, other, 1e-10)
    for ours, other in zip(of_lambda, (data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau)):
        near(ours[order] @ P, other, 1e-10)
