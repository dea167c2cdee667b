"""Dual numbers beside closed forms, and textbook constraints by their kind [F08 section 3.4]."""
import numpy as np
import pytest
import sinew
from sinew import Dual


@pytest.mark.parametrize("f, df", [
    (lambda x: 3 + 2 * x - x / 4, lambda x: 2 - 0.25),
    (lambda x: 1 / x - x * x, lambda x: -1 / x**2 - 2 * x),
    (lambda x: x**3 + x**0 + x**-1.5, lambda x: 3 * x**2 - 1.5 * x**-2.5),
    (np.sin, np.cos), (np.cos, lambda x: -np.sin(x)), (np.tan, lambda x: 1 / np.cos(x) ** 2),
    (np.sqrt, lambda x: 0.5 / np.sqrt(x)), (np.arcsin, lambda x: 1 / np.sqrt(1 - x * x)),
    (np.arccos, lambda x: -1 / np.sqrt(1 - x * x)), (np.arctan, lambda x: 1 / (1 + x * x)),
    (lambda x: np.arctan2(x, 2 * x * x), lambda x: (2 * x * x - 4 * x * x) / (x * x + 4 * x**4)),
    (lambda x: abs(-x) - (-x) + (+x), lambda x: 3)])
def test_slopes(f, df):
    y = f(Dual(0.4, 2))
    assert y.value == pytest.approx(f(0.4), rel=1e-14) and y.slope == pytest.approx(2 * df(0.4), rel=1e-13)


def test_duals_compare_by_value_and_work_in_arrays():
    a, b = Dual(1, 5), Dual(2)
    assert a < b and a <= 1 and b > a and b >= 2 and not a > 1
    x = np.array([a, b])
    assert (np.array([[1, 2], [3, 4]]) @ x)[1].slope == 15 and np.float64(2) * a > 1.5
    assert repr(a) == "Dual(1, 5)"
    with pytest.raises(TypeError):
        a + "x"


def kind_of(coordinates, rows, calc, q, t=0, **options):
    return sinew.classify(sinew.VelocityConstraint(coordinates, rows, calc, **options), q, t)


def test_a_knife_edge_is_not_holonomic():
    c = kind_of(3, 1, lambda q, t: ([[np.sin(q[2]), -np.cos(q[2]), 0]], [0]), [0.1, 0.2, 0.3])
    assert (c.equality, c.holonomic, c.scleronomic, c.rank) == (True, False, True, 1)
    assert c.curl > 0.5


def test_a_pendulum_is_holonomic():
    """x dx + y dy = 0, the rate of x^2 + y^2 = constant."""
    c = kind_of(2, 1, lambda q, t: ([[q[0], q[1]]], [0]), [0.6, 0.8])
    assert c.holonomic and c.scleronomic and c.curl < 1e-12


def test_a_rheonomic_and_a_one_sided_constraint():
    c = kind_of(2, 1, lambda q, t: (np.array([[1, 0]]), [np.cos(t)]), [0, 0], 0.3)
    assert c.holonomic and not c.scleronomic
    c = kind_of(2, 2, lambda q, t: ([[1, 1], [2, 2]], np.zeros(2)), [0, 0], equality=False)
    assert not c.equality and c.rank == 1
    # Two rows that are integrable only together: dx = y dt is, with dy = 0.
    c = kind_of(3, 2, lambda q, t: ([[1, 0, -q[1]], [0, 1, 0]], [0, 0]), [0.1, 0.5, 0.2])
    assert c.holonomic


def test_wrong_answers_and_arguments():
    def fail(q, t):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        kind_of(2, 1, fail, [0, 0])
    for answer, error, match in [(3, TypeError, "K and k"), (([[1]], [0]), ValueError, r"K has shape \(1, 1\), it must be \(1, 2\)"),
                                 (([[1, 0]], [0, 0]), ValueError, r"k has shape \(2,\), it must be \(1,\)"),
                                 (([["x", 0]], [0]), TypeError, "a Dual or a number")]:
        with pytest.raises(error, match=match):
            kind_of(2, 1, lambda q, t: answer, [0, 0])
    with pytest.raises(ValueError, match=r"q has shape \(3,\), it must be \(2,\)"):
        kind_of(2, 1, lambda q, t: ([[1, 0]], [0]), [0, 0, 0])
    with pytest.raises(ValueError, match="1 or more"):
        sinew.VelocityConstraint(0, 1, fail)
    with pytest.raises(TypeError, match="calc"):
        sinew.VelocityConstraint(1, 1, 3)
