"""Derivatives of whole steps: a rolling ball, a trajectory, refusals."""
import numpy as np
import pytest

import sinew


def ball(friction=0.8):
    b = sinew.ModelBuilder("ball")
    b.body("ball").mass(sinew.solid_sphere(2, 0.1)).sphere(0.1).friction(friction)
    b.free("ball", "world", "ball")
    b.world().plane().friction(friction)
    return b.build()


def make(model, **options):
    return sinew.Simulation(model, dt=1e-3, middle_forces=False, refinements=0, recovery=1.0, **options)


def test_a_rolling_ball_takes_five_sevenths_of_a_push():
    sim = make(ball())
    d = sinew.StepDerivatives(sim)
    sim.q[:] = [1, 0, 0, 0, 0, 0, 0.1]
    sim.v[:] = [0, 5, 0, 0.5, 0, 0]
    sim.applied[3] = 0.7
    report = d.step()
    assert report.differentiable and report.rank == report.size == 3
    assert report.rows[0].mode == sinew.StepMode.sticks and report.rows[0].distance > 0
    assert d.state.shape == (12, 12) and d.control.shape == (12, 0) and d.applied.shape == (12, 6)
    assert d.applied[7, 3] == pytest.approx(5 / 7 * 1e-3 / 2 / 0.1, rel=1e-12)
    assert d.report.rows[0].kind == sinew.StepRowKind.contact


def test_the_product_along_a_trajectory_is_that_of_differences():
    model = ball(0.2)

    def run(vx, jacobian=None):
        sim = make(model)
        sim.q[:] = [1, 0, 0, 0, 0, 0, 0.1]
        sim.v[3] = vx
        d = sinew.StepDerivatives(sim)
        for _ in range(20):
            report = d.step()
            assert report.rows[0].mode == sinew.StepMode.slides and report.differentiable
            jacobian = None if jacobian is None else d.state @ jacobian
        return np.concatenate([sim.q[4:], sim.v]), jacobian

    _, jacobian = run(1.0, np.eye(12))
    h = 1e-5
    slope = (run(1 + h)[0] - run(1 - h)[0]) / (2 * h)
    assert np.allclose(jacobian[6:, 9], slope[3:], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("loops", [sinew.LoopMethod.rows, sinew.LoopMethod.embed])
def test_a_gear_divides_a_push(loops):
    b = sinew.ModelBuilder("geared")
    b.gravity([0, 0, 0])
    b.body("wheel").mass(sinew.solid_sphere(1, 0.1))
    b.body("block").mass(sinew.solid_box(2, [0.1, 0.1, 0.1]))
    b.revolute("axle", "world", "wheel").axis([0, 1, 0])
    b.prismatic("slide", "world", "block").axis([1, 0, 0])
    b.gear("rack", "slide", "axle", 0.3)
    sim = make(b.build(), loops=loops)
    d = sinew.StepDerivatives(sim)
    sim.q[:], sim.v[:] = [0.5, 0.15], [1, 0.3]
    report = d.step()
    assert report.differentiable and report.rank == report.size == 1
    gain = 1e-3 / (0.4 * 0.1**2 + 0.3**2 * 2)
    assert np.allclose(d.applied[2:], gain * np.array([[1, 0.3], [0.3, 0.09]]), rtol=1e-12)
    # Along the gear nothing brakes.
    assert np.allclose(d.state[2:, 2:] @ [1, 0.3], [1, 0.3], rtol=1e-12)


def test_what_has_no_derivatives_is_named():
    sim = sinew.Simulation(ball(), dt=1e-3)
    with pytest.raises(ValueError, match="middle_forces = false"):
        sinew.StepDerivatives(sim)
    sim = make(ball())
    d = sinew.StepDerivatives(sim, side=sinew.StepSide.release, near=1e-6)
    with pytest.raises(ValueError, match=r"tau has shape \(2,\), it must be \(6,\)"):
        d.step([0, 0])
    sim.controller = lambda s: None
    with pytest.raises(ValueError, match="controller"):
        d.step()
    sim.controller = None
    del sim
    d.step()


def test_relaxed_laws_have_derivatives_where_the_exact_ones_have_two():
    sim = sinew.Simulation(ball(0.0), dt=1e-3, middle_forces=False, refinements=0)
    sides = []
    for options in ({}, {"side": sinew.StepSide.release}, {"smoothing": 1e-8}):
        d = sinew.StepDerivatives(sim, **options)
        sim.q[:] = [1, 0, 0, 0, 0, 0, 0.1]
        sim.v[:] = 0
        report = d.step()
        assert report.at_switch == 1 and report.differentiable == ("smoothing" in options)
        assert report.smoothing == options.get("smoothing", 0)
        assert np.allclose(sim.v, 0, atol=1e-15)
        sides.append(d.state[5, 5])
    hold, release, smooth = sides
    assert release < smooth < hold
    with pytest.raises(ValueError, match="smoothing must be finite and not negative"):
        sinew.StepDerivatives(sim, smoothing=-1.0).step()


def test_what_bounces_may_press_in_the_same_step():
    b = sinew.ModelBuilder("ball")
    b.body("ball").mass(sinew.solid_sphere(2, 0.1)).sphere(0.1).restitution(0.1)
    b.prismatic("z", "world", "ball").axis([0, 0, 1])
    b.world().plane()
    sim = sinew.Simulation(b.build(), dt=0.01, middle_forces=False, refinements=0)
    d = sinew.StepDerivatives(sim)
    sim.q[:] = 0.1002
    sim.v[:] = -0.3
    sim.applied[:] = 0.1
    report = d.step()
    assert report.impacts == 1 and report.differentiable
    assert [r.mode for r in report.rows if r.kind == sinew.StepRowKind.contact and not r.before] == [
        sinew.StepMode.sticks]
    assert np.allclose(d.state[0], 0, atol=1e-12)  # it ends on the floor
