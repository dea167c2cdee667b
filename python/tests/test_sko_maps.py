"""SKO models made from others: the same dynamics in other nodes, beside the tree algorithms and dense matrices."""
import gc

import numpy as np
import pytest
import sinew
from conftest import random_state
from test_tree import near

ops = sinew.operators


def make_rigid(model, rng):
    q, v, _, tau = random_state(model, rng)
    rigid = ops.RigidSko(model)
    rigid.update(q, v)
    a = sinew.aba(model, sinew.AbaWorkspace(model), q, v, tau)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    order = [rigid.coordinate(i) for i in range(model.nv)]
    return rigid, q, v, tau, a, M[np.ix_(order, order)]


def solve(sko, tau):
    return ops.forward_dynamics(sko, ops.SkoDynamics(sko), tau)


def humanoid():
    return sinew.compile(sinew.mechanisms.humanoid())


def test_aggregated_legs(rng):
    model = humanoid()
    rigid, q, v, tau, a, M = make_rigid(model, rng)
    legs = [[n for n in model.body_names if n.startswith(side)][:3] for side in ("left", "right")]
    groups = ops.find_groups(rigid, legs)
    assert [name for name, _ in groups] == [legs[0][0], legs[1][0]]
    made = ops.Aggregation(rigid.sko, groups)
    assert made.sko.shape.nodes == rigid.sko.shape.nodes - 4 and made.original is rigid.sko
    for i, (_, nodes) in enumerate(groups):
        assert {made.holder(k) for k in nodes} == {i}
    for _ in range(2):  # also after the original moved
        x = solve(made.sko, made.freedoms.to_new(rigid.stack(tau)))
        near(rigid.unstack(made.freedoms.to_old(x)), a, 5e-13)
        mass = ops.calc_mass_matrix(made.sko, ops.SkoDynamics(made.sko))
        to_old = np.array([made.freedoms.to_old(row) for row in mass])
        near(np.array([made.freedoms.to_old(row) for row in to_old.T]), M, 1e-14)
        q, v, _, tau = random_state(model, rng)
        rigid.update(q, v)
        made.update()
        a = sinew.aba(model, sinew.AbaWorkspace(model), q, v, tau)
        order = [rigid.coordinate(i) for i in range(model.nv)]
        M = sinew.crba(model, sinew.CrbaWorkspace(model), q)[np.ix_(order, order)]
    assert len(made.freedoms) == model.nv and len(made.nodes) == rigid.sko.shape.size
    x = rng.normal(size=len(made.nodes))
    near(made.nodes.to_old(made.nodes.to_new(x)), x, 0)


def test_refined_base_and_body(rng):
    """The floating base as a chain of six hinges, and half of a body's mass as a part of its own."""
    model = humanoid()
    rigid, q, v, tau, a, M = make_rigid(model, rng)
    shape = rigid.sko.shape
    base = next(k for k in range(shape.nodes) if shape.freedoms_of(k) == 6)
    child = next(k for k in range(shape.nodes) if shape.parent(k) == base)
    part = ops.BodyPart(base, "half", np.eye(6), 0.01 * np.eye(6), [child])
    assert (part.node, part.name, part.size, part.children) == (base, "half", 6, [child])
    near(part.W, np.eye(6), 0)
    near(part.M, 0.01 * np.eye(6), 0)
    made = ops.Refinement(rigid.sko, hinges=[(base, [1] * 6)], parts=[part])
    made.update()
    fine = made.sko.shape
    assert fine.nodes == shape.nodes + 6 and fine.name(made.part_node(0)) == "half"
    assert fine.parent(child) == made.part_node(0) and fine.freedoms == shape.freedoms
    x = solve(made.sko, made.freedoms.to_new(rigid.stack(tau)))
    near(rigid.unstack(made.freedoms.to_old(x)), a, 1e-13)


def test_transformed_velocities_and_hinges(rng):
    model = sinew.compile(sinew.mechanisms.chain(5))
    rigid, q, v, tau, a, M = make_rigid(model, rng)
    made = ops.Transformation(rigid.sko)
    N = rng.uniform(0.5, 2, 5)
    for k in range(5):
        made.set_velocity_map(k, np.eye(6) + 0.1 * rng.normal(size=(6, 6)))
        made.set_hinge_map(k, [[N[k]]])
    made.update()
    mass = ops.calc_mass_matrix(made.sko, ops.SkoDynamics(made.sko))
    near(mass, np.diag(N) @ M @ np.diag(N), 5e-14)
    x = solve(made.sko, N * rigid.stack(tau))
    near(rigid.unstack(N * x), a, 1e-13)
    # Axes of the inertial frame: maps that move.
    ops.set_inertial_axes(made, rigid, q, v)
    for k in range(5):
        made.set_hinge_map(k, [[1]])
    made.update(rigid.stack(v))
    near(rigid.unstack(solve(made.sko, rigid.stack(tau))), a, 5e-14)


def test_a_planar_mechanism_needs_three_numbers():
    b = sinew.ModelBuilder("planar")
    last = "world"
    for name in ("one", "two"):
        b.body(name).mass(2, [0.3, 0, 0], 0.1 * np.eye(3))
        b.revolute(name, last, name).at([0 if last == "world" else 0.6, 0, 0]).axis([0, 0, 1])
        last = name
    b.gravity([0, -9.81, 0])
    model = b.build()
    q, v, tau = [0.3, -0.8], [1.0, 2.0], [0.5, -0.2]
    rigid = ops.RigidSko(model)
    rigid.update(q, v)
    made = ops.Transformation(rigid.sko, [3, 3])
    keep = np.zeros((3, 6))
    keep[[0, 1, 2], [2, 3, 4]] = 1
    for k in range(2):
        made.set_velocity_map(k, keep)
    made.update()
    a = sinew.aba(model, sinew.AbaWorkspace(model), q, v, tau)
    near(rigid.unstack(solve(made.sko, rigid.stack(tau))), a, 1e-14)
    made.set_velocity_map(0, keep[:, ::-1])
    with pytest.raises(ValueError, match="loses"):
        made.update()


def test_riccati_and_branches(rng):
    model = sinew.compile(sinew.mechanisms.binary_tree(3))
    rigid, *_, M = make_rigid(model, rng)
    shape, riccati = rigid.sko.shape, ops.Riccati(rigid.sko)
    with pytest.raises(ValueError, match="solve_riccati first"):
        riccati.P(0)
    ops.solve_riccati(rigid.sko, riccati)
    near(ops.calc_log_determinant(rigid.sko, riccati), np.linalg.slogdet(M)[1], 1e-14)
    with pytest.raises(ValueError, match="calc_propagators first"):
        riccati.psi(0)
    ops.calc_propagators(rigid.sko, riccati)
    algebra = ops.OperatorAlgebra(rigid.sko)
    algebra.update()
    P, psi = ops.materialise(algebra, algebra.P), ops.materialise(algebra, algebra.E_psi)
    for k in range(shape.nodes):
        at = slice(shape.begin(k), shape.begin(k) + 6)
        near(riccati.P(k), P[at, at], 1e-14)
        near(riccati.D(k) @ riccati.D_inverse(k), np.eye(1), 1e-14)
        near(riccati.tau(k) + riccati.tau_bar(k), np.eye(6), 1e-14)
        near(riccati.tau_bar(k) @ riccati.P(k), riccati.P_plus(k), 1e-14)
        if shape.parent(k) >= 0:
            to = slice(shape.begin(shape.parent(k)), shape.begin(shape.parent(k)) + 6)
            near(riccati.psi(k), psi[to, at], 1e-14)
    with pytest.raises(ValueError, match="node"):
        riccati.P(shape.nodes)
    with pytest.raises(ValueError, match="another"):
        ops.solve_riccati(ops.RigidSko(model).sko, riccati)
    drawn = ops.draw_mass(shape).split()
    for i in range(shape.nodes):
        for j in range(shape.nodes):
            related = shape.is_ancestor(i, j) or shape.is_ancestor(j, i)
            assert (drawn[i][j] == "X") == related and (related or abs(M[i, j]) < 1e-12)
    branches = ops.Branches(shape)
    assert sorted(k for b in branches.nodes for k in b) == list(range(7)) and branches.parent.count(-1) == 1
    assert len(branches.draw_mass().split()) == len(branches.draw_kernel().split()) == len(branches.nodes)
    leaves = [k for k in range(7) if all(shape.parent(j) != k for j in range(7))]
    assert shape.common_ancestor(leaves[0], leaves[-1]) == next(k for k in range(7) if shape.parent(k) == -1)


def test_models_stay_alive(rng):
    model = sinew.compile(sinew.mechanisms.chain(3))
    rigid = ops.RigidSko(model)
    rigid.update(model.neutral, np.zeros(3))
    sko = ops.Aggregation(rigid.sko, [("all", [0, 1, 2])]).sko
    del rigid, model
    gc.collect()
    assert sko.shape.nodes == 1 and len(solve(sko, np.zeros(3))) == 3


def test_wrong_arguments(rng):
    model = sinew.compile(sinew.mechanisms.chain(3))
    rigid, *_ = make_rigid(model, rng)
    other = ops.RigidSko(sinew.compile(sinew.mechanisms.chain(3)))
    made = ops.Transformation(rigid.sko)
    total = ops.Aggregation(rigid.sko, [])
    for error, match, call in [
            (ValueError, "two", lambda: ops.Aggregation(rigid.sko, [("a", [0]), ("two", [0])])),
            (ValueError, "no node", lambda: ops.Aggregation(rigid.sko, [("empty", [])])),
            (ValueError, "node", lambda: ops.Aggregation(rigid.sko, [("a", [7])])),
            (TypeError, "Aggregation", lambda: ops.Aggregation(rigid, [])),
            (ValueError, "node", lambda: total.holder(3)),
            (ValueError, r"x has shape \(2,\), it must be \(3,\)", lambda: total.freedoms.to_new([1, 2])),
            (ValueError, "nobody", lambda: ops.find_groups(rigid, [["nobody"]])),
            (ValueError, "freedoms", lambda: ops.Refinement(rigid.sko, hinges=[(0, [1, 1])])),
            (ValueError, r"M has shape \(2, 2\), it must be \(1, 1\)", lambda: ops.BodyPart(0, "p", np.ones((6, 1)), np.eye(2))),
            (ValueError, "part 'p'", lambda: ops.Refinement(rigid.sko, parts=[ops.BodyPart(0, "p", np.ones((5, 1)), [[1]])])),
            (ValueError, r"T has shape \(6, 5\), it must be \(6, 6\)", lambda: made.set_velocity_map(0, np.ones((6, 5)))),
            (ValueError, "singular", lambda: made.set_velocity_map(0, np.zeros((6, 6)))),
            (ValueError, r"N has shape \(2,\)", lambda: made.set_hinge_map(0, [1, 2])),
            (ValueError, "node", lambda: made.set_hinge_map(9, [[1]])),
            (ValueError, r"theta has shape \(2,\), it must be \(3,\)", lambda: made.update([1, 2])),
            (ValueError, "another model", lambda: ops.set_inertial_axes(made, other, model.neutral, np.zeros(3))),
            (ValueError, "sizes", lambda: ops.Transformation(rigid.sko, [6]))]:
        with pytest.raises(error, match=match):
            call()
