"""Operator expressions, SKO models and packed factors, beside the tree algorithms and dense matrices."""
import gc

import numpy as np
import pytest
import sinew
from conftest import random_state
from test_tree import near

ops = sinew.operators


def make_algebra(model, q, v):
    rigid = ops.RigidSko(model)
    rigid.update(q, v)
    algebra = ops.OperatorAlgebra(rigid.sko)
    algebra.update()
    return rigid, algebra


def test_dynamics_of_sko_models(model, rng):
    q, v, a, _ = random_state(model, rng)
    rigid = ops.RigidSko(model)
    rigid.update(q, v)
    ws = ops.SkoDynamics(rigid.sko)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    tau = sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a)
    near(rigid.unstack(ops.inverse_dynamics(rigid.sko, ws, rigid.stack(a))), tau)
    near(rigid.unstack(ops.forward_dynamics(rigid.sko, ws, rigid.stack(tau))), a, 1e-14 * np.linalg.cond(M))
    order = [rigid.coordinate(i) for i in range(model.nv)]
    near(ops.calc_mass_matrix(rigid.sko, ws), M[np.ix_(order, order)])
    assert rigid.sko.shape.freedoms == model.nv
    with pytest.raises(ValueError, match="another"):
        ops.forward_dynamics(ops.RigidSko(model).sko, ws, tau)


def test_mass_matrix_as_an_expression(model, rng):
    q, v, a, _ = random_state(model, rng)
    rigid, o = make_algebra(model, q, v)
    mass = o.H * o.A * o.M * ~o.A * ~o.H
    assert str(mass) == str(o.mass()) == "H A M A* H*" and (mass.rows, mass.cols) == ("Freedoms", "Freedoms")
    solve = ops.inverse(mass)
    assert str(solve) == "(1 - K* psi* H*) D^-1 (1 - H psi K)" and solve.reason
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    applied = rigid.unstack(ops.Application(o, mass).apply(rigid.stack(a)))
    near(applied, M @ a)
    slack = 1e-14 * np.linalg.cond(M)
    out = np.empty(model.nv)
    application = ops.Application(o, solve)
    assert application.apply(rigid.stack(applied), out) is out
    near(rigid.unstack(out), a, slack)
    assert application.multiplications > 0 and "psi" in application.describe()
    if model.nv < 40:
        order = [rigid.coordinate(i) for i in range(model.nv)]
        dense = ops.materialise(o, mass)
        near(dense, M[np.ix_(order, order)])
        near(ops.Application(o, mass, columns=model.nv).apply(np.eye(model.nv)), dense)
        # Sums, multiples and adjoints, as matrices.
        H, A = ops.materialise(o, o.H), ops.materialise(o, o.A)
        near(ops.materialise(o, 2 * o.H * o.A - o.H), 2 * H @ A - H)
        near(ops.materialise(o, ~(o.H * o.A)), (H @ A).T)
        near(ops.materialise(o, -o.A + ops.identity("Nodes")), np.eye(len(A)) - A)


def test_expressions_follow_the_state(rng):
    model = sinew.compile(sinew.mechanisms.chain(7))
    rigid = ops.RigidSko(model)
    o = ops.OperatorAlgebra(rigid.sko)
    apply_mass = ops.Application(o, o.mass())
    with pytest.raises(ValueError, match="update"):
        apply_mass.apply(np.zeros(model.nv))
    for _ in range(2):
        q, v, a, _ = random_state(model, rng)
        rigid.update(q, v)
        o.update()
        near(rigid.unstack(apply_mass.apply(rigid.stack(a))), sinew.multiply_by_mass(model, sinew.RneaWorkspace(model), q, a))


def test_points(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, v, a, _ = random_state(model, rng)
    rigid, o = make_algebra(model, q, v)
    names = [model.body_names[5], model.body_names[-1]]
    points = ops.TaskPoints(rigid.sko, [ops.make_pick_off(rigid, n) for n in names], "feet")
    assert (points.points, points.size) == (2, 12)
    ws = sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, ws, q)
    J = np.vstack([sinew.get_jacobian(model, ws, n, sinew.ReferenceFrame.body) for n in names])
    near(ops.Application(o, o.jacobian(points.B)).apply(rigid.stack(v)), J @ v)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    Lambda = J @ np.linalg.solve(M, J.T)
    near(ops.materialise(o, o.compliance(points.B)), Lambda, 1e-10)
    # The long way around becomes the short one [J11 59, 60].
    long = ~points.B * ~o.A * ~o.H * ops.inverse(o.mass()) * o.H * o.A * points.B
    short = ops.simplify(long)
    assert len(str(short)) < len(str(long)) and short.reason and "feet" in repr(short)
    near(ops.materialise(o, short), Lambda, 1e-10)
    points.set_block(0, np.zeros(36))
    assert not ops.materialise(o, o.compliance(points.B))[:6].any()


def test_what_does_not_fit_is_refused():
    model = sinew.compile(sinew.mechanisms.chain(3))
    one, other = (ops.OperatorAlgebra(ops.RigidSko(model).sko) for _ in range(2))
    gc.collect()
    with pytest.raises(ValueError, match="do not fit"):
        one.H * one.H
    with pytest.raises(ValueError, match="do not fit"):
        one.H + one.A
    with pytest.raises(ValueError, match="different models"):
        one.H * other.A
    with pytest.raises(ValueError, match="another model"):
        ops.Application(other, one.A)
    with pytest.raises(ValueError):
        ops.inverse(one.H)
    with pytest.raises(ValueError, match="no factorization"):
        ops.inverse(one.mass() + one.D)
    with pytest.raises(TypeError):
        one.H * "A"
    with pytest.raises(ValueError, match="shape"):
        one.sko.set_hinge(0, np.zeros((2, 2)))
    with pytest.raises(ValueError):
        one.sko.set_hinge(7, np.zeros((1, 6)))
    with pytest.raises(ValueError, match="space"):
        ops.identity("Bodies")


def test_a_model_of_blocks():
    """Two masses on springs in a row, one number each: M = [[m1 + m2, m2], [m2, m2]] in relative coordinates."""
    m1, m2 = 2.0, 3.0
    sko = ops.SkoModel(ops.Shape([("first", 1, 1), ("second", 1, 1)], [(-1, 0), (0, 1)]))
    for k, mass in enumerate((m1, m2)):
        sko.set_hinge(k, [[1.0]])
        sko.set_inertia(k, [[mass]])
        sko.set_bias(k, [0.0], [-9.0 * mass])
    sko.set_weight(1, [[1.0]])
    ws = ops.SkoDynamics(sko)
    near(ops.calc_mass_matrix(sko, ws), [[m1 + m2, m2], [m2, m2]])
    near(ops.forward_dynamics(sko, ws, np.zeros(2)), [9.0, 0.0])
    with pytest.raises(ValueError, match="symmetric"):
        ops.SkoModel(ops.Shape([("wide", 2, 1)], [(-1, 0)])).set_inertia(0, [[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(ValueError):
        ops.Shape([("a", 1, 1), ("b", 1, 1)], [(0, 1), (1, 0)])


@pytest.mark.parametrize("kind", [sinew.ltl.LtlFactor, sinew.ltl.LtdlFactor])
def test_packed_factors(model, rng, kind):
    q, v, _, _ = random_state(model, rng)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    f, ltl = kind(model), sinew.ltl
    packed = f.packed
    assert ltl.crba_packed(model, sinew.CrbaWorkspace(model), q, packed) is packed
    near(ltl.to_dense(model, packed), M, 1e-14)  # M of a long chain is made in one frame, packed rows are not
    near(ltl.from_dense(model, ltl.to_dense(model, packed)), packed, 0)
    x = ltl.to_tree_order(model, v)
    near(ltl.to_velocity_order(model, x), v, 0)
    near(ltl.to_velocity_order(model, ltl.multiply_by_packed(model, packed, x)), M @ v)
    ltl.factor(model, f)
    slack = 1e-14 * np.linalg.cond(M)
    near(ltl.to_velocity_order(model, ltl.multiply(model, f, x)), M @ v)
    near(ltl.to_velocity_order(model, ltl.solve(model, f, x)), np.linalg.solve(M, v), slack)
    near(ltl.calc_log_determinant(model, f), np.linalg.slogdet(M)[1])
    L = ltl.to_dense_l(model, f)
    near(L, np.tril(L), 0)
    near(ltl.multiply_by_l(model, f, x), L @ x)
    near(ltl.multiply_by_l_transpose(model, f, x), L.T @ x)
    near(ltl.solve_l(model, f, L @ x), x, slack)
    y = L.T @ x
    assert ltl.solve_l_transpose(model, f, y, y) is y
    near(y, x, slack)
    ltl.invert_l(model, f)
    near(ltl.to_dense_l(model, f) @ L, np.eye(model.nv), slack)
    with pytest.raises(ValueError, match="another tree"):
        ltl.factor(sinew.compile(sinew.mechanisms.chain(3)), f)
    del f
    gc.collect()
    assert np.isfinite(packed).all()  # the array keeps the factor
