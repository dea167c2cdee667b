"""Constraints, constrained dynamics, Delassus matrices, operator identities, collisions."""
import gc

import numpy as np
import pytest
import sinew
from conftest import random_state

METHODS = [sinew.ConstrainedMethod.kkt, sinew.ConstrainedMethod.multipliers, sinew.ConstrainedMethod.projection,
           sinew.ConstrainedMethod.sparse, sinew.ConstrainedMethod.proximal, sinew.ConstrainedMethod.pv]


@pytest.mark.parametrize("name", ["four_bar", "stewart_platform", "crank_slider", "bricard"])
def test_every_method_solves_the_equations_of_motion(name, rng):
    model = sinew.compile(getattr(sinew.mechanisms, name)())
    constraints = sinew.ConstraintSet(model)
    rows = sinew.ConstraintRows(model, constraints)
    q, v, tau = model.neutral, np.zeros(model.nv), rng.uniform(-1, 1, model.nv)
    sinew.calc_constraint_rows(model, constraints, rows, q, v)
    K = sinew.get_constraint_jacobian(model, constraints, rows)
    assert K.shape == (constraints.rows, model.nv) == (len(constraints.row_names), model.nv)
    assert abs(rows.position).max() < 1e-9  # closed at neutral
    # The same by dense matrices: the null space of K.
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    h = sinew.calc_bias(model, sinew.RneaWorkspace(model), q, v)
    rank = np.linalg.matrix_rank(K, 1e-8)
    N = np.linalg.svd(K)[2][rank:].T
    particular = np.linalg.lstsq(K, rows.k, rcond=1e-10)[0]
    expected = particular + N @ np.linalg.solve(N.T @ M @ N, N.T @ (tau - h - M @ particular))
    scale = abs(expected).max()
    for method in METHODS:
        ws = sinew.ConstrainedWorkspace(model, constraints, method=method)
        a, multipliers, c = sinew.constrained_forward_dynamics(model, constraints, ws, q, v, tau)
        assert c.status == sinew.SolveStatus.solved and str(method).endswith(c.algorithm), c
        np.testing.assert_allclose(a, expected, atol=1e-7 * scale)
        np.testing.assert_allclose(
            sinew.multiply_by_constraint_jacobian_transpose(model, constraints, rows, multipliers), K.T @ multipliers,
            atol=1e-9 * max(1, abs(multipliers).max()))
    assert sinew.find_mobility(model, constraints, q).instantaneous == model.nv - rank


def test_inverse_dynamics_of_a_closed_loop(rng):
    model = sinew.compile(sinew.mechanisms.four_bar())
    constraints = sinew.ConstraintSet(model)
    ws = sinew.ConstrainedWorkspace(model, constraints)
    q, v, tau = model.neutral, np.zeros(model.nv), np.zeros(model.nv)
    tau[0] = 3.0
    a, _, _ = sinew.constrained_forward_dynamics(model, constraints, ws, q, v, tau)
    actuation = sinew.ActuationWorkspace(model, constraints)
    u, report = sinew.constrained_inverse_dynamics(model, constraints, actuation, q, v, a, [0])
    np.testing.assert_allclose(u, [3.0], rtol=1e-9)
    assert report.properly_actuated and report.mobility == 1
    with pytest.raises(ValueError):
        sinew.constrained_inverse_dynamics(model, constraints, actuation, q, v, a, [99])


def test_an_impulse_stops_a_held_point():
    model = sinew.compile(sinew.mechanisms.chain(4))
    hold = sinew.MaskConstraint(name="hold", body_b="tip", blocked=[False, False, False, True, True, True])
    constraints = sinew.ConstraintSet(model, [hold])
    ws = sinew.ConstrainedWorkspace(model, constraints)
    after, impulse, c = sinew.constrained_impulse(model, constraints, ws, model.neutral, np.ones(4))
    velocity = sinew.VelocityWorkspace(model)
    sinew.calc_velocities(model, velocity, model.neutral, after)
    np.testing.assert_allclose(sinew.get_point_velocity(model, velocity, "tip"), 0, atol=1e-9)
    assert c.energy_change < 0 and impulse.shape == (3,)
    other = sinew.ConstraintSet(model, [hold])
    with pytest.raises(ValueError, match="another constraint set"):
        sinew.constrained_impulse(model, other, ws, model.neutral, np.ones(4))
    with pytest.raises(ValueError, match="nowhere"):
        sinew.ConstraintSet(model, [sinew.MaskConstraint(name="x", body_b="nowhere")])


def test_sets_keep_their_models():
    rows = (lambda s: sinew.ConstraintRows(s.model, s))(sinew.ConstraintSet(sinew.compile(sinew.mechanisms.four_bar())))
    gc.collect()
    assert rows.k.size > 0


def test_delassus_by_every_algorithm(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, *_ = random_state(model, rng)
    places = ["left_sole", "right_palm"]
    entries = [(i, p) for i, p in enumerate(np.repeat(places, 6).tolist())]
    ws = sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, ws, q)
    J = np.vstack([sinew.get_jacobian(model, ws, p, sinew.ReferenceFrame.body) for p in places])
    W = J @ sinew.calc_mass_inverse(model, sinew.MassInverseWorkspace(model), q) @ J.T
    for algorithm in sinew.delassus.Algorithm:
        d = sinew.delassus.Delassus(model, 12, entries, algorithm)
        np.testing.assert_allclose(d.calc(q, np.tile(np.eye(6), (2, 1))), W, atol=1e-10 * abs(W).max())
    algorithm, reason = sinew.delassus.best(model, 12, entries)
    assert str(algorithm).split(".")[-1] in reason
    with pytest.raises(ValueError, match="row"):
        sinew.delassus.Delassus(model, 2, [(5, "left_sole")])


def test_operator_identities_hold(rng):
    model = sinew.compile(sinew.mechanisms.stem_with_branches(3, 2, 3))
    q, v, *_ = random_state(model, rng)
    checked = sinew.operators.check_identities(model, q, v)
    assert len(checked) > 10 and max(residual for _, _, residual in checked) < 1e-9
    assert any(equation.startswith("J11") for equation, _, _ in checked)


def test_collisions():
    ball = sinew.PlacedShape(sinew.ShapeKind.sphere, [0.5], sinew.Transform([0, 0, 0.4]))
    plane = sinew.PlacedShape(sinew.ShapeKind.plane, [])
    (point,) = sinew.collide(ball, plane)
    assert point.gap == pytest.approx(-0.1) and abs(point.normal[2]) == 1
    box = sinew.PlacedShape(sinew.ShapeKind.box, [1, 1, 1], sinew.Transform([0, 0, 1.05]))
    assert not sinew.collide(box, plane) and len(sinew.collide(box, plane, 0.1)) == 4
    for bad in ([], [-1.0], [np.nan], [1, 2]):
        with pytest.raises(ValueError, match="PlacedShape"):
            sinew.PlacedShape(sinew.ShapeKind.sphere, bad)
    with pytest.raises(ValueError, match="mesh"):
        sinew.PlacedShape(sinew.ShapeKind.mesh, [])
    with pytest.raises(ValueError):
        sinew.collide(plane, plane)
    scene = sinew.make_scene(sinew.mechanisms.humanoid(), floor=sinew.FloorOptions())
    found = sinew.ContactShapes(scene.model).find(scene.q, 1e-3)
    assert len(found) >= 6 and any("floor" in names for _, names in found)
