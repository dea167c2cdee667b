"""Bodies that bend from data given in Python, beside beams in closed form and sums by NumPy."""
import json

import numpy as np
import pytest
import sinew
from test_flexible import LENGTH, MASS, STIFFNESS, make_model
from test_tree import near

ops = sinew.operators


def two_modes(x):
    """A clamped beam's parabola and cubic, along y."""
    zero = 0 * x
    shift = np.stack([np.stack([zero, (x / LENGTH) ** k, zero], -1) for k in (2, 3)])  # (mode, point, xyz)
    turn = np.stack([np.stack([zero, zero, k * x ** (k - 1) / LENGTH**k], -1) for k in (2, 3)])
    second = np.zeros((2, 2, len(np.atleast_1d(x)), 3))  # a beam that bends gets shorter
    for i, a in enumerate((2, 3)):
        for j, b in enumerate((2, 3)):
            second[i, j, :, 0] = -a * b * x ** (a + b - 1) / (a + b - 1) / LENGTH ** (a + b)
    return shift, turn, second


def stiffness_matrix():
    """int EI phi_i'' phi_j'' dx of the two shapes."""
    c = {2: (2, 0), 3: (6, 1)}
    return np.array([[STIFFNESS * c[i][0] * c[j][0] / (c[i][1] + c[j][1] + 1) / LENGTH**3 for j in (2, 3)] for i in (2, 3)])


def make_body(points=400):
    x = (np.arange(points) + 0.5) / points * LENGTH
    shift, turn, second = two_modes(x)
    material = [ops.MaterialPoint(MASS / points, [x[p], 0, 0], shift[:, p], second[:, :, p]) for p in range(points)]
    body = ops.FlexibleBody("link", 2)
    ops.set_material(body, 2, material)
    body.stiffness = stiffness_matrix()
    end = two_modes(np.array([LENGTH]))
    body.nodes = [ops.FlexibleNode("tip", [LENGTH, 0, 0], end[0][:, 0], end[1][:, 0], end[2][:, :, 0])]
    body.replaces_inertia = True
    return body, x, shift, second


def test_sums_over_points_are_those_of_numpy():
    body, x, phi, second = make_body(50)
    m, s = MASS / 50, np.stack([x, 0 * x, 0 * x], -1)
    near(body.mass, m * np.einsum("ipk,jpk->ij", phi, phi), 1e-14)
    near(body.momentum, m * phi.sum(1), 1e-14)
    near(body.angular_momentum, m * np.cross(s, phi).sum(1), 1e-14)
    near(body.first_moments, m * np.einsum("pk,ipl->ikl", s, phi), 1e-14)
    near(body.second_moments, m * np.einsum("ipk,jpl->ijkl", phi, phi), 1e-14)
    near(body.second_momentum, m * second.sum(2), 1e-14)
    near(body.stiffening, m * np.einsum("pk,ijpl->ijkl", s, second), 1e-14)
    assert body.rigid.mass == pytest.approx(MASS) and body.rigid.com[0] == pytest.approx(LENGTH / 2)
    near(body.rigid.inertia[1, 1], m * ((x - LENGTH / 2) ** 2).sum(), 1e-14)
    ops.check_flexible_body(body)


def test_it_bends_as_a_beam_does():
    """Two shapes find the first frequency of a cantilever to 0.5 %, and the static droop of a tip load exactly."""
    body, *_ = make_body()
    lowest = np.sqrt(np.linalg.eigvals(np.linalg.solve(body.mass, body.stiffness)).real.min())
    exact = (1.8751040687 / LENGTH) ** 2 * np.sqrt(STIFFNESS * LENGTH / MASS)
    assert lowest == pytest.approx(exact, rel=5e-3)
    # F L^3 / (3 EI) is a cubic: these shapes contain it.
    tip = body.nodes[0]
    eta = np.linalg.solve(body.stiffness, 5 * tip.shift[:, 1])
    assert eta @ tip.shift[:, 1] == pytest.approx(5 * LENGTH**3 / (3 * STIFFNESS), rel=1e-10)


def test_points_matrices_and_a_file_give_the_same_dynamics(tmp_path, rng):
    model = make_model((0, -9.81, 0))
    given, x, shift, second = make_body(20)
    by_fields = ops.FlexibleBody("link", 2)
    for name in ("mass", "stiffness", "rigid", "momentum", "angular_momentum", "first_moments", "second_moments",
                 "second_momentum", "stiffening", "nodes", "replaces_inertia"):
        setattr(by_fields, name, getattr(given, name))
    node = given.nodes[0]
    text = json.dumps({"bodies": [{"body": "link", "replaces_inertia": True, "modal": {
        "stiffness": given.stiffness.tolist(),
        "points": [{"mass": MASS / 20, "position": [x[p], 0, 0], "shift": shift[:, p].tolist(),
                    "second": second[:, :, p].tolist()} for p in range(20)],
        "nodes": [{"name": "tip", "position": node.position.tolist(), "shift": node.shift.tolist(),
                   "turn": node.turn.tolist(), "second": node.second.tolist()}]}}]})
    by_file = ops.parse_flexible(text, "beam.json", model).bodies[0]
    q, v, tau = [0.3, 0.02, -0.01], rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    answers = []
    for body in (given, by_fields, by_file):
        f = ops.FlexibleSko(ops.FlexibleModel(model, [body]))
        f.update(q, v)
        a = f.unstack(ops.forward_dynamics(f.sko, ops.SkoDynamics(f.sko), f.stack(tau)))
        answers.append(np.concatenate([a, f.get_pose(f.find_place("link", "tip")).r]))
    near(answers[0], answers[1], 1e-14)
    near(answers[0], answers[2], 1e-14)


def beam_elements(n):
    """Euler and Bernoulli's elements in the x-y plane with 6 freedoms per node; the others are stiff and light."""
    h = LENGTH / n
    K, M = np.zeros((6 * (n + 1),) * 2), np.zeros((6 * (n + 1),) * 2)
    k = STIFFNESS / h**3 * np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                                     [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]])
    m = MASS / n / 420 * np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
                                   [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])
    bar = np.array([[1, -1], [-1, 1]])
    for e in range(n):
        bending = [6 * e + 1, 6 * e + 5, 6 * e + 7, 6 * e + 11]
        K[np.ix_(bending, bending)] += k
        M[np.ix_(bending, bending)] += m
        for f, stiff in ((0, 1e7), (2, 1e7), (3, 1e5), (4, 1e5)):
            pair = [6 * e + f, 6 * e + 6 + f]
            K[np.ix_(pair, pair)] += stiff / h * bar
            M[np.ix_(pair, pair)] += (MASS if f < 3 else 1e-6) / n / 6 * np.array([[2, 1], [1, 2]])
    return np.stack([np.linspace(0, LENGTH, n + 1), np.zeros(n + 1), np.zeros(n + 1)], -1), M, K


def test_finite_elements_from_matrices():
    nodes, M, K = beam_elements(12)
    made = [ops.make_flexible_body("link", nodes, M, K, [0], [("tip", [12])], [list(range(13))], modes=2)]
    exact = (np.array([1.8751040687, 4.6940911330]) / LENGTH) ** 2 * np.sqrt(STIFFNESS * LENGTH / MASS)
    near(made[0].mass, np.eye(2), 1e-14)
    found = np.sqrt(np.sort(np.diag(made[0].stiffness)))
    np.testing.assert_allclose(found, exact, rtol=1e-3)
    assert made[0].node_names == ["tip"] and made[0].stiffening is not None
    assert made[0].rigid.mass == pytest.approx(MASS)
    text = "%%MatrixMarket matrix coordinate real general\n78 78 {}\n{}\n"
    as_text = [text.format(np.count_nonzero(X), "\n".join(f"{i + 1} {j + 1} {X[i, j]!r}" for i, j in zip(*np.nonzero(X))))
               for X in (M, K)]
    sparse = [sinew.parse_matrix_market(t.replace("np.float64(", "").replace(")", "")) for t in as_text]
    made.append(ops.make_flexible_body("link", nodes, *sparse, [0], [("tip", [12])], [list(range(13))], modes=2))
    scipy = pytest.importorskip("scipy.sparse")
    made.append(ops.make_flexible_body("link", nodes, scipy.csr_array(M), scipy.coo_array(K), [0], [("tip", [12])],
                                       [list(range(13))], modes=2))
    for other in made[1:]:
        np.testing.assert_array_equal(other.stiffness, made[0].stiffness)
    ops.set_damping_ratio(made[0], 0.1)
    near(np.diag(made[0].damping), 0.2 * np.sqrt(np.diag(made[0].stiffness)), 1e-14)


def test_wrong_data():
    body, *_ = make_body(5)
    nodes, M, K = beam_elements(2)
    node = body.nodes[0]
    lopsided = make_body(5)[0]
    lopsided.stiffness = [[1, 2], [0, 1]]
    for error, match, call in [
            (ValueError, r"mass has shape \(3,\), it must be \(2, 2\)", lambda: setattr(body, "mass", [1, 2, 3])),
            (ValueError, r"second_moments has shape \(2, 2\), it must be \(2, 2, 3, 3\)",
             lambda: setattr(body, "second_moments", np.eye(2))),
            (ValueError, r"shift with shape \(1, 3\), it must be \(2, 3\)",
             lambda: setattr(body, "nodes", [ops.FlexibleNode("n", [0, 0, 0], np.zeros((1, 3)), np.zeros((1, 3)))])),
            (ValueError, r"turn has shape \(1, 3\), it must be \(2, 3\)",
             lambda: ops.FlexibleNode("n", [0, 0, 0], np.zeros((2, 3)), np.zeros((1, 3)))),
            (ValueError, r"second has shape \(2,\), it must be \(1, 1, 3\)",
             lambda: ops.MaterialPoint(1, [0, 0, 0], np.zeros((1, 3)), [1, 2])),
            (ValueError, "2 modes, not 3", lambda: ops.set_material(body, 3, [])),
            (ValueError, "symmetric", lambda: ops.check_flexible_body(lopsided)),
            (ValueError, "between 1 and 1000", lambda: ops.FlexibleBody("x", 0)),
            (ValueError, r"mass has shape \(3, 3\), it must be \(18, 18\)",
             lambda: ops.make_flexible_body("link", nodes, np.eye(3), K, [0])),
            (ValueError, "3 or 6", lambda: ops.make_flexible_body("link", nodes, M, K, [0], freedoms=4)),
            (ValueError, "node 9", lambda: ops.make_flexible_body("link", nodes, M, K, [9])),
            (ValueError, "not symmetric", lambda: ops.make_flexible_body("link", nodes, M, np.triu(K), [0])),
            (TypeError, "mass", lambda: ops.make_flexible_body("link", nodes, "x", K, [0]))]:
        with pytest.raises(error, match=match):
            call()
    with pytest.raises(ValueError):
        node.shift[0] = 1  # attributes are copies
    body.second_momentum = body.stiffening = None
    assert body.stiffening is None
    ops.check_flexible_body(body)
