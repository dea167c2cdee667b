"""Soft contact laws, and what uses them."""
import numpy as np
import pytest
import sinew
from test_simulation import falling_ball

SURFACE = sinew.SoftSurface(1e4, 50, 4e3, 20)


def test_normal_law():
    for z, p, pdot in [(-1e-3, -1e-3, 0.0), (-2e-3, -2e-3, -0.3), (-1e-3, -1e-3, 0.15), (-1e-3, 5e-4, 0.1)]:
        n = sinew.calc_soft_normal(SURFACE, p, pdot, z)
        touches = p <= z
        assert n.touches == touches
        assert n.force == pytest.approx(max(0, -1e4 * z - 50 * pdot) if touches else 0, rel=1e-14)  # [F08 11.74]
        assert 1e4 * z + 50 * n.zdot + n.force == pytest.approx(0, abs=1e-10)  # [F08 11.73]
    assert sinew.relax(1e4, 50, -1e-3, 0.01) == pytest.approx(-1e-3 * np.exp(-2), rel=1e-14)


def test_tangent_law():
    sticks = sinew.calc_soft_tangent(SURFACE, [1e-3, 0], [0.01, -0.02], 100)
    np.testing.assert_allclose(sticks.force, [-4e3 * 1e-3 - 20 * 0.01, 20 * 0.02], rtol=1e-12)
    np.testing.assert_allclose(sticks.xdot, [0.01, -0.02], rtol=1e-12)
    assert not sticks.slips
    slips = sinew.calc_soft_tangent(SURFACE, [1e-3, 2e-3], [3, 4], 5)
    assert slips.slips and np.hypot(*slips.force) == pytest.approx(5, rel=1e-12)
    np.testing.assert_allclose(4e3 * np.array([1e-3, 2e-3]) + 20 * np.array(slips.xdot) + slips.force, 0, atol=1e-10)


def test_two_surfaces():
    one = sinew.lump(sinew.SoftSurface(3e3, 30), sinew.SoftSurface(6e3, 60))
    assert one.stiffness == pytest.approx(2e3) and one.damping == pytest.approx(20)  # in series
    with pytest.raises(ValueError, match="K / D"):
        sinew.lump(sinew.SoftSurface(1, 1), sinew.SoftSurface(2, 1))
    pair = sinew.calc_soft_pair(sinew.SoftSurface(3e3, 30), sinew.SoftSurface(6e3, 60), -3e-3, 0, -2e-3, -1e-3)
    assert pair.force == pytest.approx(6, rel=1e-12)
    assert abs(pair.z1dot) < 1e-12 and abs(pair.z2dot) < 1e-12


def test_forces_of_a_ball():
    model = falling_ball()
    soft = sinew.SoftContact(model, SURFACE, slots=2)
    assert soft.state_size == 6
    q, v = model.neutral, np.zeros(6)
    q[6], v[5] = 0.098, -0.2  # 2 mm deep, sinking
    contacts = [c for c, _ in sinew.ContactShapes(model).find(q, 0.01)]
    z = np.zeros(6)
    soft.calc_motion(q, v)
    tau, zdot = soft.calc_forces(contacts, z, 0)
    f = 1e4 * 2e-3 + 50 * 0.2
    np.testing.assert_allclose(tau, [0, 0, 0, 0, 0, f], atol=1e-9)
    (force,) = soft.forces
    assert force.normal == pytest.approx(f) and force.contact == contacts[0].id and not force.slips
    assert zdot.shape == (6,) and np.count_nonzero(zdot) >= 1
    with pytest.raises(ValueError, match=r"z has shape \(5,\), it must be \(6,\)"):
        soft.calc_forces(contacts, np.zeros(5), 0)
    with pytest.raises(ValueError, match="slots"):
        sinew.SoftContact(model, SURFACE, slots=0)


def test_a_ball_rests_on_a_soft_floor():
    model = falling_ball()
    K, m = 2e4, 2
    sim = sinew.SmoothSimulation(model, soft=sinew.SoftSurface(K, 200), dt=1e-3)
    sim.q[6] = 0.1
    sim.run(until=1)
    depth = m * 9.81 / K
    assert sim.q[6] == pytest.approx(0.1 - depth, abs=1e-7)
    assert sim.stored_energy == pytest.approx(K * depth**2 / 2, rel=1e-3)
