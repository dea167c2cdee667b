"""Runs of steps with derivatives: NumPy against differences, impacts, and torch and jax where they are installed."""
import numpy as np
import pytest

import sinew


def ball_on_floor():
    b = sinew.ModelBuilder("ball")
    b.body("ball").mass(sinew.solid_sphere(2, 0.1)).sphere(0.1).friction(0.2)
    b.free("ball", "world", "ball")
    b.world().plane().friction(0.2)
    return b.build()


def slider():
    b = sinew.ModelBuilder("slider")
    b.gravity([0, 0, 0])
    b.body("block").mass(sinew.solid_box(2, [0.1, 0.1, 0.1]))
    b.prismatic("slide", "world", "block").axis([1, 0, 0])
    b.motor("motor", "slide")
    return b.build()


def two_balls():
    b = sinew.ModelBuilder("balls")
    b.gravity([0, 0, 0])
    for name in ("one", "two"):
        b.body(name).mass(sinew.solid_sphere(2, 0.1)).sphere(0.1).friction(0).restitution(1)
        b.prismatic(name, "world", name).axis([1, 0, 0])
    return b.build()


def make(model, dt=1e-3):
    return sinew.Simulation(model, dt=dt, middle_forces=False, refinements=0, recovery=1.0)


Q0, V0 = np.array([1.0, 0, 0, 0, 0, 0, 0.1]), np.array([0, 0, 0, 1.0, 0.2, 0])


def test_friction_of_a_sliding_ball_in_closed_form():
    """It slides all the time: x = v0 t - mu g dt^2 n (n + 1) / 2, and it spins up by friction too."""
    model, steps, dt = ball_on_floor(), 20, 1e-3
    friction = sinew.StepParameter(sinew.StepParameterKind.friction, 0, 1)
    assert friction.columns == 1
    for between in (0, 6):
        rollout = sinew.Rollout(make(model, dt), between=between, parameters=[friction])
        q, v = rollout.run(Q0, [0, 0, 0, 1.0, 0, 0], steps=steps)
        speed = np.linalg.norm(v[-1, 3:])  # v is along the axes of the ball, which turns
        assert speed == pytest.approx(1 - 0.2 * 9.81 * dt * steps, rel=1e-9)
        by_q, by_v = np.zeros((steps, 7)), np.zeros((steps, 6))
        by_q[-1, 4] = 1
        assert rollout.pull_back_to_parameters(by_q, by_v) == pytest.approx([-9.81 * dt**2 * steps * (steps + 1) / 2])
        assert rollout.trajectory.by_parameters.shape == (steps, 12, 1)
        end = rollout.trajectory.push_forward(np.zeros(12), parameters=[1.0])
        assert v[-1, 3:] @ end[9:] / speed == pytest.approx(-9.81 * dt * steps)
    with pytest.raises(ValueError, match="parameters"):
        rollout.trajectory.push_forward(np.zeros(12), parameters=[1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        t = sinew.StepTrajectory(make(model), parameters=[sinew.StepParameter(sinew.StepParameterKind.friction, 0, 7)])
        t.step()


def test_a_rollout_has_the_gradient_of_differences():
    model = ball_on_floor()
    rng = np.random.default_rng(1)
    steps = 12
    wq, wv = rng.normal(size=(steps, 7)), rng.normal(size=(steps, 6))
    applied = rng.normal(size=(steps, 6)) * 0.1

    def loss(q, v, f, between=0):
        r = sinew.Rollout(make(model), between=between)
        q, v = r.run(q, v, applied=f)
        return (wq * q).sum() + (wv * v).sum(), r

    def along(dq, dv, df, h=1e-6):
        def one(s):
            return loss(sinew.integrate(model, Q0, dq, s), V0 + s * dv, applied + s * df)[0]
        return (one(h) - one(-h)) / (2 * h)

    for between in (0, 5):
        _, r = loss(Q0, V0, applied, between)
        by_q, by_v, by_control, by_applied = r.pull_back(wq, wv)
        assert by_q.shape == (7,) and by_control.shape == (steps, 0)
        for _ in range(3):
            dq, dv, df = rng.normal(size=6) * [1, 1, 1, 1, 1, 0], rng.normal(size=6), rng.normal(size=(steps, 6))
            expected = by_q @ sinew.calc_rate(model, Q0, dq) + by_v @ dv + (by_applied * df).sum()
            assert along(dq, dv, df) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_two_equal_balls_exchange_their_futures():
    sim = make(two_balls(), 0.01)
    sim.q[:], sim.v[:] = [0, 0.52], [1, 0]
    t = sinew.StepTrajectory(sim, between=7)
    impacts = sum(t.step().impacts for _ in range(100))
    assert impacts == 1 and t.steps == 100 and t.first_at_switch == -1
    start, control, applied = t.pull_back([0, 1, 0, 0])
    assert np.allclose(start, [1, 0, 1, 0], atol=1e-12)
    assert control.shape == (100, 0) and applied.shape == (100, 2)
    assert np.allclose(t.push_forward([1, 0, 0, 0]), [0, 1, 0, 0], atol=1e-12)
    A = t.state
    assert A.shape == (100, 4, 4) and t.control.shape == (100, 4, 0) and t.applied.shape == (100, 4, 2)
    product = np.eye(4)
    for a in A:
        product = a @ product
    assert np.allclose(product[1], [1, 0, 1, 0], atol=1e-12)


def test_parameters_of_a_step():
    sim = make(ball_on_floor())
    sim.q[:], sim.v[:] = Q0, V0
    d = sinew.StepDerivatives(sim)
    d.step()
    # What slides is slower by g dt for each unit of friction.
    by = d.calc_by_friction()
    assert by.shape == (12, 1)
    speed = np.hypot(V0[3], V0[4])
    assert by[9, 0] == pytest.approx(-9.81e-3 * V0[3] / speed, rel=1e-2)
    # A ball that keeps to the floor is lifted with it; recovery of 1 closes the gap in one step.
    assert d.calc_by_placement(1)[5, 5] == pytest.approx(1, rel=1e-4)  # the axes of the ball turn a little
    # The ball's own shape, put higher on its body: the body goes down by as much.
    assert d.calc_by_placement(0)[5, 5] == pytest.approx(-1, rel=1e-4)
    with pytest.raises(RuntimeError, match="flies by its own spin"):
        d.calc_by_inertia(1)
    sim = make(slider())
    sim.control[:] = 3
    d = sinew.StepDerivatives(sim)
    d.step()
    assert d.calc_by_inertia(1)[1, 0] == pytest.approx(-3e-3 / 4)  # dv / dm = -dt f / m^2
    assert d.calc_by_restitution().shape == (2, 0)


def test_what_does_not_fit_is_named():
    sim = make(slider())
    r = sinew.Rollout(sim)
    with pytest.raises(ValueError, match="must agree on the number of steps"):
        r.run([0], [0], np.zeros((3, 1)), steps=4)
    r.run([0], [0], steps=2)
    with pytest.raises(ValueError, match=r"they must be \(2, 1\) and \(2, 1\)"):
        r.pull_back(np.zeros((3, 1)), np.zeros((2, 1)))
    t = sinew.StepTrajectory(sim)
    with pytest.raises(ValueError, match=r"end has shape \(3,\), it must be \(2,\)"):
        t.pull_back(np.zeros(3))
    with pytest.raises(ValueError, match="between must not be negative"):
        sinew.StepTrajectory(sim, between=-1)


def expected_gradients(steps=5, dt=1e-3):
    # v_k = v0 + dt / m (c_1 + .. + c_k), and x is the sum of dt v_k; loss = x_end.
    return np.array([dt * dt / 2 * (steps - k) for k in range(steps)]), steps * dt


def test_the_core_of_the_wrappers():
    steps = 5
    r = sinew.Rollout(make(slider()), between=2)
    r.run([0.1], [0.2], np.ones((steps, 1)))
    by_q = np.zeros((steps, 1))
    by_q[-1] = 1
    q, v, control, _ = r.pull_back(by_q, np.zeros((steps, 1)))
    by_control, by_v = expected_gradients(steps)
    assert np.allclose(control[:, 0], by_control, rtol=1e-12) and np.allclose([q[0], v[0]], [1, by_v])


def test_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed; the NumPy core of sinew.torch is tested above")
    import sinew.torch
    rollout = sinew.torch.Rollout(make(slider()))
    q0, v0 = (torch.tensor([x], dtype=torch.float64, requires_grad=True) for x in (0.1, 0.2))
    control = torch.ones((5, 1), dtype=torch.float64, requires_grad=True)
    q, _ = rollout(q0, v0, control)
    q[-1, 0].backward()
    by_control, by_v = expected_gradients()
    assert np.allclose(control.grad[:, 0].numpy(), by_control) and float(v0.grad) == pytest.approx(by_v)
    assert float(q0.grad) == pytest.approx(1)


def import_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed; the NumPy core of sinew.jax is tested above")
    jax.config.update("jax_enable_x64", True)
    import sinew.jax
    return jax, sinew.jax


def test_jax():
    jax, wrapper = import_jax()
    rollout = wrapper.make_rollout(make(slider()))
    start = jax.numpy.array([0.1]), jax.numpy.array([0.2]), jax.numpy.ones((5, 1))
    by_control, by_v = expected_gradients()
    plain = jax.grad(lambda *a: rollout(*a)[0][-1, 0], argnums=(0, 1, 2))
    for gradient in (plain, jax.jit(plain)):
        by = gradient(*start)
        assert np.allclose(by[2][:, 0], by_control, rtol=1e-12) and np.allclose([by[0][0], by[1][0]], [1, by_v])


def test_jax_makes_the_run_of_a_gradient_again():
    """Three worlds by vmap, and a gradient after another run: each has that of its own run."""
    jax, wrapper = import_jax()
    model, steps = ball_on_floor(), 12
    rollout = wrapper.make_rollout(make(model), between=5)
    w = np.random.default_rng(2).normal(size=(steps, 6))
    speeds = jax.numpy.array([[0, 0, 0, s, 0.2, 0] for s in (0.3, 1.0, 2.0)])

    def loss(v):
        return (rollout(jax.numpy.array(Q0), v, jax.numpy.zeros((steps, 0)))[1] * w).sum()

    expected = []
    for v in speeds:
        r = sinew.Rollout(make(model), between=5)
        r.run(Q0, v, steps=steps)
        expected.append(r.pull_back(np.zeros((steps, 7)), w)[1])
    assert np.array_equal(jax.jit(jax.vmap(jax.grad(loss)))(speeds), expected)
    _, pull = jax.vjp(loss, speeds[0])
    loss(speeds[1])
    assert np.array_equal(pull(1.0)[0], expected[0])
    with pytest.raises(ValueError, match=r"q has shape \(3,\), it must be \(7,\)"):
        rollout(jax.numpy.zeros(3), speeds[0], jax.numpy.zeros((steps, 0)))
    with pytest.raises(ValueError, match=r"control has shape \(12, 1\), it must be \(steps, 0\)"):
        rollout(jax.numpy.array(Q0), speeds[0], jax.numpy.zeros((steps, 1)))


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_without_the_package_the_wrapper_says_so(name):
    import importlib
    import importlib.util
    if importlib.util.find_spec(name):
        pytest.skip(f"{name} is installed")
    with pytest.raises(ImportError, match=f"sinew.{name} needs"):
        importlib.import_module(f"sinew.{name}")
