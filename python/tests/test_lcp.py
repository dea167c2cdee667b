"""Complementarity problems by every method."""
import numpy as np
import pytest
import sinew
from sinew import lcp


def test_every_linear_method_finds_the_answer(rng):
    A = rng.normal(size=(12, 12))
    M = A @ A.T + np.eye(12)
    z = np.where(rng.uniform(size=12) < 0.5, rng.uniform(0.5, 1, 12), 0)
    w = np.where(z > 0, 0, rng.uniform(0.5, 1, 12))
    problem = lcp.Problem(M, w - M @ z)
    for method in (lcp.Method.automatic, lcp.Method.lemke, lcp.Method.pivoting, lcp.Method.pgs, lcp.Method.newton,
                   lcp.Method.proximal, lcp.Method.qp):
        found, certificate = lcp.Solver(lcp.SolverOptions(method=method)).solve(problem)
        assert certificate.status in (lcp.Status.solved, lcp.Status.limit), method
        np.testing.assert_allclose(found, z, atol=1e-6)
        assert lcp.calc_residual(problem, found)[0] <= max(certificate.tolerance, 1e-7)


def test_friction(rng):
    mu, m = 0.5, 2.0
    W = np.eye(3) / m
    slides = lcp.FrictionProblem(W, [-1.0, 3.0, 0.0], [mu])  # pressed with m, sideways faster than friction stops
    r, certificate = lcp.Solver().solve(slides)
    assert certificate.status == lcp.Status.solved
    np.testing.assert_allclose(r, [m, -mu * m, 0], atol=1e-9)
    sticks = lcp.FrictionProblem(W, [-1.0, 0.3, 0.1], [mu])
    np.testing.assert_allclose(lcp.Solver().solve(sticks)[0], [m, -0.3 * m, -0.1 * m], atol=1e-9)


def test_rows_that_contradict_have_a_proof():
    """A ball between two walls that both come nearer."""
    J = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    problem = lcp.FrictionProblem(J @ J.T, [-1.0, 0, 0, -1.0, 0, 0], [0.5, 0.5])
    solver = lcp.Solver()
    z, certificate = solver.solve(problem)
    assert certificate.status == lcp.Status.ray
    d = solver.contradiction()
    np.testing.assert_allclose(d, [1, 0, 0, 1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(problem.W @ d, 0, atol=1e-12)
    assert problem.q @ d < -1
    solver.solve(lcp.FrictionProblem(np.eye(3), [-1.0, 0, 0], [0.5]))
    assert solver.contradiction().size == 0


def test_wrong_problems_are_refused():
    with pytest.raises(ValueError, match=r"M has shape \(2, 2\), it must be \(3, 3\)"):
        lcp.Problem(np.eye(2), np.zeros(3))
    with pytest.raises(ValueError, match="both bounds"):
        lcp.Problem(np.eye(2), np.zeros(2), lower=np.zeros(2))
    with pytest.raises(ValueError, match="rows"):
        lcp.FrictionProblem(np.eye(4), np.zeros(4), [0.5])
    with pytest.raises(ValueError, match="start"):
        lcp.Solver().solve(lcp.Problem(np.eye(2), np.zeros(2)), start=np.zeros(3))
