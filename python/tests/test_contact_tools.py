"""W as an operator, Popov and Vereshchagin's solver, contacts without friction, contact rows, beside dense matrices."""
import json

import numpy as np
import pytest
import sinew
from conftest import random_state
from test_tree import near

d = sinew.delassus


def test_products_with_w(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q = random_state(model, rng)[0]
    entries = [(i, "left_sole") for i in range(6)] + [(6 + i, "right_palm") for i in range(6)]
    K = np.vstack([np.eye(6), rng.normal(size=(6, 6))])
    W = d.Delassus(model, 12, entries).calc(q, K)
    ws = d.OperatorWorkspace(model, 12, entries)
    x, mu = rng.normal(size=12), 0.3
    with pytest.raises(ValueError, match="factor first"):
        d.multiply(model, ws, x)
    d.factor(model, ws, q, K)
    near(d.multiply(model, ws, x), W @ x, 1e-14)
    y, report = d.solve_damped_by_iteration(model, ws, mu, x)
    want = np.linalg.solve(W + mu * np.eye(12), x)
    near(y, want, 1e-11)
    assert report.converged and 0 < report.iterations <= 40 and report.residual <= 1e-12
    with pytest.raises(ValueError, match="mu = 0"):
        d.solve_damped(model, ws, x)
    d.factor(model, ws, q, K, mu)
    near(d.solve_damped(model, ws, x), want, 1e-11)
    with pytest.raises(ValueError, match="mu > 0"):
        d.multiply(model, ws, x)
    assert ws.rows == 12
    both = d.OperatorWorkspace(model, 1, [(0, "left_sole"), (0, "right_palm")])
    with pytest.raises(ValueError, match="several nodes"):
        d.factor(model, both, q, np.ones((2, 6)), mu)
    for error, match, call in [
            (ValueError, r"x has shape \(3,\), it must be \(1,\)", lambda: (d.factor(model, both, q, np.ones((2, 6))), d.multiply(model, both, [1, 2, 3]))),
            (ValueError, r"K has shape \(1, 6\), it must be \(2, 6\)", lambda: d.factor(model, both, q, np.ones((1, 6)))),
            (ValueError, "negative", lambda: d.factor(model, both, q, np.ones((2, 6)), -1)),
            (ValueError, "another model", lambda: d.factor(sinew.compile(sinew.mechanisms.humanoid()), both, q, np.ones((2, 6))))]:
        with pytest.raises(error, match=match):
            call()


def test_popov_and_vereshchagin(rng):
    """Both feet held: the spatial accelerations of the soles are zero, and the equation of motion holds."""
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, v, _, tau = random_state(model, rng)
    entries = [(i, "left_sole") for i in range(6)] + [(6 + i, "right_sole") for i in range(6)]
    K = np.vstack([np.eye(6), np.eye(6)])
    ws = d.PvDynamicsWorkspace(model, 12, entries)
    a, multipliers = d.pv_forward_dynamics(model, ws, q, v, tau, K, np.zeros(12))
    motion, jacobian = sinew.VelocityWorkspace(model), sinew.JacobianWorkspace(model)
    sinew.calc_velocities(model, motion, q, v)
    sinew.calc_accelerations(model, motion, q, v, a)
    sinew.calc_jacobian(model, jacobian, q)
    force = tau.copy()
    for foot, part in (("left_sole", multipliers[:6]), ("right_sole", multipliers[6:])):
        near(sinew.get_acceleration(model, motion, foot, sinew.ReferenceFrame.body), np.zeros(6), 1e-10)
        force += sinew.get_jacobian(model, jacobian, foot, sinew.ReferenceFrame.body).T @ part
    near(sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a), force, 5e-14)
    twice = d.PvDynamicsWorkspace(model, 2, [(0, "left_sole"), (1, "left_sole")])
    with pytest.raises(ValueError, match="row 1 follows"):
        d.pv_forward_dynamics(model, twice, q, v, tau, np.eye(6)[[0, 0]], [0, 0])


def box():
    b = sinew.ModelBuilder("box")
    b.body("box").mass(sinew.solid_box(3, [0.2, 0.2, 0.1]))
    b.free("free", "world", "box").neutral([1, 0, 0, 0, 0, 0, 0.1])
    return b.build()


def points(model, places):
    return [sinew.make_contact_point(model, "box", "world", [x, y, 0], [0, 0, 1], id=i) for i, (x, y) in enumerate(places)]


def test_contacts_without_friction():
    model = box()
    solver = sinew.FrictionlessContacts(model)
    corners = points(model, [(0.2, 0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.2)])
    rest = solver.solve(model.neutral, np.zeros(6), np.zeros(6), corners)
    near(rest.qdd, np.zeros(6), 1e-13)
    assert rest.lambda_.sum() == pytest.approx(3 * 9.81) and rest.certificate.status == sinew.lcp.Status.solved
    # Pulled up at rest: all break. Tipped about an edge by a torque: two persist.
    up = solver.solve(model.neutral, np.zeros(6), [0, 0, 0, 0, 0, 40], corners)
    near(up.qdd[5], 40 / 3 - 9.81, 1e-14)
    assert not up.lambda_.any() and (up.separation > 0).all()
    tip = solver.solve(model.neutral, np.zeros(6), [0, 10, 0, 0, 0, 0], corners)
    assert (tip.separation > 1e-6).tolist() == [False, False, True, True] and tip.lambda_[2:].max() < 1e-9
    with pytest.raises(ValueError, match=r"ndot has shape \(1, 6\), it must be \(4, 6\)"):
        solver.solve(model.neutral, np.zeros(6), np.zeros(6), corners, np.zeros((1, 6)))


def test_minimal_contacts():
    model = box()
    assert sinew.find_minimal_contacts(points(model, [(0, 0), (1, 0), (0.5, 0)])) == [0, 1]
    inside = points(model, [(0.2, 0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.2), (0.1, 0), (0, 0.2)])
    assert sinew.find_minimal_contacts(inside) == [0, 1, 2, 3] and sinew.find_minimal_contacts([]) == []


def test_contact_rows(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, v = random_state(model, rng)[:2]
    normal = np.array([0.6, 0, 0.8])
    contact = sinew.make_contact_point(model, "left_foot" if "left_foot" in model.body_names else 5, 0, [0.3, 0.1, 0.2], normal)
    body = "left_foot" if "left_foot" in model.body_names else 5
    J = sinew.calc_contact_jacobian(model, [contact], q)
    assert J.shape == (3, model.nv)
    ws = sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, ws, q)
    of_world = sinew.get_jacobian(model, ws, body, sinew.ReferenceFrame.world)  # about the world's origin
    at_point = of_world[3:] + np.cross(of_world[:3].T, [0.3, 0.1, 0.2]).T
    near(J, np.array([normal, *sinew.contact_tangents(normal)]) @ at_point, 1e-13)
    with pytest.raises(ValueError, match=r"q has shape \(1,\)"):
        sinew.calc_contact_jacobian(model, [contact], [0])


def test_drawings():
    model = sinew.compile(sinew.mechanisms.humanoid())
    text = sinew.make_drawing(model)
    assert len(json.loads(text)["bodies"]) == len(model.bodies)
    assert json.loads(sinew.read_drawing_meshes(text))["bodies"] == json.loads(text)["bodies"]
    with pytest.raises(ValueError):
        sinew.read_drawing_meshes("no drawing")
