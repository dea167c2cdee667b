"""Batches: tree algorithms and simulations over many samples; tensors through DLPack; Ctrl-C."""
import gc
import os
import signal
import threading
import time

import numpy as np
import pytest
import sinew
from conftest import random_state


def samples(model, rng, count, dtype=np.float64):
    rows = [random_state(model, rng) for _ in range(count)]
    return [np.array(x, dtype) for x in zip(*rows)]


class Tensor:
    """Speaks DLPack and nothing else."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


# Tree algorithms.

def test_rows_are_what_one_call_each_gives(model, rng):
    q, v, x, _ = samples(model, rng, 5)
    batch = sinew.Batch(model, threads=2)
    assert batch.threads == 2 and batch.model is model
    ws = sinew.RneaWorkspace(model), sinew.AbaWorkspace(model), sinew.CrbaWorkspace(model)
    minv, kin = sinew.MassInverseWorkspace(model), sinew.KinematicsWorkspace(model)
    tau, a, M = batch.rnea(q, v, x), batch.aba(q, v, x), batch.crba(q)
    Minv, poses = batch.mass_inverse(q), batch.kinematics(q)
    assert M.shape == Minv.shape == (5, model.nv, model.nv) and poses.shape == (5, len(model.bodies), 12)
    def close(got, want, tolerance):
        np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * abs(want).max())

    for i in range(5):
        close(tau[i], sinew.rnea(model, ws[0], q[i], v[i], x[i]), 1e-13)
        close(a[i], sinew.aba(model, ws[1], q[i], v[i], x[i]), 1e-9)
        close(M[i], sinew.crba(model, ws[2], q[i]), 1e-13)
        close(Minv[i], sinew.calc_mass_inverse(model, minv, q[i]), 1e-9)
        sinew.calc_kinematics(model, kin, q[i])
        X = sinew.get_body_pose(model, kin, len(model.bodies) - 1)
        close(poses[i, -1, 9:], X.r, 1e-13)
        close(poses[i, -1, :9].reshape(3, 3).T, X.E, 1e-13)


def test_derivatives_are_those_of_one_call_each(model, rng):
    q, v, x, _ = samples(model, rng, 5)
    batch = sinew.Batch(model, threads=2)
    inverse, forward = sinew.RneaDerivativesWorkspace(model), sinew.AbaDerivativesWorkspace(model)
    got = batch.rnea_derivatives(q, v, x), batch.aba_derivatives(q, v, x)
    for i in range(5):
        want = (sinew.calc_rnea_derivatives(model, inverse, q[i], v[i], x[i]),
                sinew.calc_aba_derivatives(model, forward, q[i], v[i], x[i]))
        for ours, theirs, tolerance in zip(got, want, (1e-13, 1e-9)):
            for a, b in zip(ours, theirs):
                np.testing.assert_allclose(a[i], b, rtol=0, atol=tolerance * max(1, abs(b).max()))
    dq = np.empty((5, model.nv, model.nv))
    assert batch.aba_derivatives(q, v, x, out_dq=dq)[1] is dq and (dq == got[1][1]).all()
    with pytest.raises(ValueError, match="shares memory"):
        batch.rnea_derivatives(q, v, x, out_dq=dq, out_dv=dq)
    with pytest.raises(ValueError, match="out_Minv has shape"):
        batch.aba_derivatives(q, v, x, out_Minv=dq[1:])


def test_the_bits_of_a_sample_do_not_depend_on_the_others(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    for dtype in np.float64, np.float32:
        q, v, x, _ = samples(model, rng, 11, dtype)
        whole = sinew.Batch(model, dtype=dtype).aba(q, v, x)
        assert whole.dtype == dtype
        for threads, part in (2, slice(3, 4)), (3, slice(0, 7)), (2, slice(None, None, -1)):
            batch = sinew.Batch(model, threads=threads, dtype=dtype)
            assert (batch.aba(q[part], v[part], x[part]) == whole[part]).all()


def test_out_is_filled_where_it_is(rng):
    model = sinew.compile(sinew.mechanisms.chain(5))
    q, v, x, _ = samples(model, rng, 4)
    batch = sinew.Batch(model)
    wide = np.full((4, 9), 7.)
    out = wide[:, 2:7]
    assert batch.rnea(q, v, x, out) is out and (out == batch.rnea(q, v, x)).all() and (wide[:, :2] == 7).all()
    for wrong, error, words in [((4, 6), ValueError, r"out has shape \(4, 6\), it must be \(4, 5\)"),
                                ("float32", TypeError, "float32"), ("overlap", ValueError, "shares memory")]:
        o = v if wrong == "overlap" else np.empty((4, 5), wrong) if isinstance(wrong, str) else np.empty(wrong)
        with pytest.raises(error, match=words):
            batch.rnea(q, v, x, o)
    with pytest.raises(ValueError, match=r"v has shape \(3, 5\), it must be \(4, 5\)"):
        batch.aba(q, v[:3], x)
    with pytest.raises(ValueError, match="2 dimensions"):
        batch.aba(q[0], v[0], x[0])
    with pytest.raises(TypeError, match="array of float32, it is an array of float64"):
        sinew.Batch(model, dtype="float32").crba(q)
    with pytest.raises(TypeError, match="float64 or float32"):
        sinew.Batch(model, dtype=int)
    assert batch.aba(q[:0], v[:0], x[:0]).shape == (0, 5)
    np.testing.assert_array_equal(batch.crba(q.tolist()), batch.crba(q))


@pytest.mark.parametrize("method", ["kkt", "multipliers", "projection", "sparse", "proximal", "pv"])
def test_constrained_rows_have_the_bits_of_one_call_each(method, rng):
    model = sinew.compile(sinew.mechanisms.stewart_platform())
    constraints = sinew.ConstraintSet(model)
    how = getattr(sinew.ConstrainedMethod, method)
    q = np.tile(model.neutral, (6, 1))
    v, tau = rng.uniform(-.1, .1, (6, model.nv)), rng.uniform(-1, 1, (6, model.nv))
    tau[4, 0] = np.nan
    out = np.empty((6, model.nv))
    batch = sinew.ConstrainedBatch(constraints, threads=2, method=how)
    a, multipliers, status = batch.forward_dynamics(q, v, tau, out)
    assert a is out and multipliers.shape == (6, constraints.rows)
    names = list(sinew.SolveStatus)
    for i in range(6):
        ws = sinew.ConstrainedWorkspace(model, constraints, method=how)
        b, other, c = sinew.constrained_forward_dynamics(model, constraints, ws, q[i], v[i], tau[i])
        np.testing.assert_array_equal(a[i], b)
        np.testing.assert_array_equal(multipliers[i], other)
        assert names[status[i]] == c.status
    assert names[status[4]] == sinew.SolveStatus.non_finite and (np.delete(status, 4) == 0).all()


# Tensors.

def test_tensors_are_used_where_they_are(rng):
    model = sinew.compile(sinew.mechanisms.chain(5))
    q, v, x, _ = samples(model, rng, 3)
    batch = sinew.Batch(model)
    want = batch.aba(q, v, x)
    out = np.empty_like(v)
    got = batch.aba(Tensor(q), Tensor(v), Tensor(x), Tensor(out))
    assert (got == want).all() and (out == want).all() and np.shares_memory(got, out)
    one = sinew.aba(model, sinew.AbaWorkspace(model), Tensor(q[0]), v[0], Tensor(x[0]))
    assert (one == sinew.aba(model, sinew.AbaWorkspace(model), q[0], v[0], x[0])).all()
    for device in (2, 0), (10, 1):
        with pytest.raises(TypeError, match="memory of a device .* copy it to the CPU first"):
            batch.aba(Tensor(q, device), v, x)
        with pytest.raises(TypeError, match="out is in the memory of a device"):
            batch.aba(q, v, x, Tensor(out, device))
    # And out: all arrays are NumPy's, which speak it.
    worlds = sinew.SimulationBatch(model, 3, dt=1e-3)
    shown = np.from_dlpack(worlds.q)
    worlds.q[1] = 3
    assert (shown[1] == 3).all()


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_tensors_of_a_package(package, rng):
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    if package == "jax":
        module.config.update("jax_enable_x64", True)
    from_numpy = module.from_numpy if package == "torch" else module.numpy.asarray
    model = sinew.compile(sinew.mechanisms.chain(5))
    q, v, x, _ = samples(model, rng, 3)
    batch = sinew.Batch(model)
    got = batch.aba(*map(from_numpy, (q, v, x)))
    assert (got == batch.aba(q, v, x)).all()
    back = module.from_dlpack(got) if package == "torch" else module.dlpack.from_dlpack(got)
    assert (np.asarray(back) == got).all()


# Simulations.

def make_scene():
    return sinew.make_scene(sinew.mechanisms.humanoid(), floor=sinew.FloorOptions(), on_floor=True,
                            hold=sinew.HoldOptions(), self_collision=sinew.SelfCollision.start)


def run_alone(source, control, steps, **options):
    sim = sinew.Simulation(source, **options)
    sim.control[:] = control
    for _ in range(steps):
        sim.step()
    return sim


def test_worlds_have_the_bits_of_one_alone(rng):
    scene = make_scene()
    control = scene.control + .2 * rng.standard_normal((5, len(scene.control)))
    alone = [run_alone(scene, c, 60) for c in control]
    for threads in 1, 2:
        for order in (0, 1, 2, 3, 4), (3,), (4, 1):
            worlds = sinew.SimulationBatch(scene, len(order), threads=threads)
            assert len(worlds) == len(order) and worlds.threads == threads and worlds.dt == alone[0].dt
            worlds.control = control[list(order)]
            for k in 1, 2, 57:
                worlds.step(k)
            for i, j in enumerate(order):
                assert (worlds.q[i] == alone[j].q).all() and (worlds.v[i] == alone[j].v).all()
                assert worlds.time[i] == alone[j].time and worlds.totals(i).steps == 60
    assert alone[0].contacts


def test_a_world_that_fails_is_set_aside(rng):
    scene = make_scene()
    worlds = sinew.SimulationBatch(scene, 4, threads=2)
    alone = run_alone(scene, scene.control, 30)
    worlds.step(10)
    good = worlds.q[2].copy(), worlds.v[2].copy()
    worlds.control[2, 3] = np.nan
    worlds.step(20)
    assert worlds.failed.tolist() == [False, False, True, False] and not worlds.failed.flags.writeable
    (failure,) = worlds.failures
    assert failure.index == 2 and "not finite" in failure.cause and "control" in failure.cause
    assert failure.time == worlds.time[2] == pytest.approx(10 * worlds.dt)
    assert (failure.q == good[0]).all() and (failure.v == good[1]).all() and (worlds.q[2] == good[0]).all()
    for i in 0, 1, 3:
        assert (worlds.q[i] == alone.q).all()
    worlds.reset(worlds.failed)
    assert not worlds.failed.any() and worlds.failures == [] and (worlds.q[2] == scene.q).all()
    worlds.step(30)
    assert (worlds.q[2] == alone.q).all()


def test_reset_begins_again(rng):
    scene = make_scene()
    worlds = sinew.SimulationBatch(scene, 3)
    worlds.applied[:] = 1
    worlds.step(20)
    kept = worlds.q[1].copy()
    worlds.reset([True, False, True])
    assert (worlds.q[1] == kept).all() and (worlds.applied[0] == 0).all() and (worlds.control == scene.control).all()
    worlds.step(25)
    assert (worlds.q[0] == run_alone(scene, scene.control, 25).q).all()
    q = np.tile(scene.q, (3, 1))
    q[:, 6] += [.1, .2, .3]
    v = rng.standard_normal((3, worlds.model.nv))
    worlds.reset(q=q, v=v)
    assert (worlds.q == q).all() and (worlds.v == v).all() and (worlds.time == 0).all()
    for mask, error in ([1, 0, 1], TypeError), ([True], ValueError), (np.ones((3, 1), bool), ValueError):
        with pytest.raises(error, match="mask"):
            worlds.reset(mask)
    with pytest.raises(ValueError, match=r"q has shape \(2, "):
        worlds.reset(q=q[:2])


def test_rollout(rng):
    scene = make_scene()
    worlds = sinew.SimulationBatch(scene, 3, threads=2)
    nu, width = len(scene.control), worlds.model.nq + worlds.model.nv
    controls = scene.control + .2 * rng.standard_normal((3, 8, nu))
    controls[1, 4] = np.nan
    out = np.zeros((3, 9, width))
    assert worlds.rollout(controls, out, steps=2) is out
    for i in 0, 2:
        sim = sinew.Simulation(scene)
        for t in range(9):
            if t > 0:
                sim.control[:] = controls[i, t - 1]
                sim.run(steps=2)
            assert (out[i, t] == np.concatenate([sim.q, sim.v])).all()
        assert (worlds.q[i] == sim.q).all()
    assert np.isnan(out[1, 5:]).all() and np.isfinite(out[1, :5]).all() and worlds.failed[1]
    with pytest.raises(ValueError, match=r"controls has shape \(3, 8, 1\), it must be"):
        worlds.rollout(controls[:, :, :1])
    with pytest.raises(ValueError, match="3 dimensions"):
        worlds.rollout(controls[0])
    with pytest.raises(ValueError, match="out has shape"):
        worlds.rollout(controls, out[:, 1:])


def test_perturbed_worlds_are_those_of_models_built_alone():
    scene = make_scene()
    spec = scene.model.spec
    body, joint = spec.bodies[3].name, next(j.name for j in spec.joints if "knee" in j.name)
    floor, motor = next(s.name for s in spec.shapes if s.body == "world"), spec.actuators[0].name
    masses, friction, gain, damping = [4., 5, 6], [1, .4, .7], [1, 2, .5], [0, 1, 2.]
    worlds = sinew.SimulationBatch(scene, 3, perturb={"mass": {body: masses}, "friction": {floor: np.array(friction)},
                                                      "gain": {motor: gain}, "damping": {joint: damping}})
    worlds.step(40)
    for i in range(3):
        spec = scene.model.spec
        b = spec.bodies[3]
        b.inertia = np.asarray(b.inertia) * (masses[i] / b.mass)
        b.mass = masses[i]
        next(s for s in spec.shapes if s.name == floor).friction = friction[i]
        a = spec.actuators[0]
        a.gain, a.bias = [x * gain[i] for x in a.gain], [x * gain[i] for x in a.bias]
        j = next(j for j in spec.joints if j.name == joint)
        fields = "lower", "upper", "max_velocity", "max_effort", "friction", "armature", "stiffness", "rest"
        j.dofs = [sinew.DofSpec(damping=damping[i], **{f: getattr(j.dofs[0], f) for f in fields})]
        sim = sinew.Simulation(sinew.compile(spec))
        sim.q[:], sim.control[:] = scene.q, scene.control
        sim.run(steps=40)
        np.testing.assert_array_equal(worlds.q[i], sim.q)
    assert (worlds.q[0] != worlds.q[1]).any()
    for wrong, error, words in [({"mas": {body: masses}}, ValueError, "no property 'mas'"),
                                ({"mass": {"torsoo": masses}}, ValueError, "no body 'torsoo'"),
                                ({"mass": {body: masses[:2]}}, ValueError, r"shape \(2,\), it must be \(3,\)"),
                                ({"mass": {body: [1, 2, -1]}}, ValueError, "must be positive"),
                                ({"mass": masses}, TypeError, "no dict"), ([1], TypeError, "no dict")]:
        with pytest.raises(error, match=words):
            sinew.SimulationBatch(scene, 3, perturb=wrong)
    several = sinew.SimulationBatch([scene, scene.model])
    assert len(several) == 2 and (several.q[0] == scene.q).all() and (several.q[1] == scene.model.neutral).all()
    with pytest.raises(ValueError, match="other joints"):
        sinew.SimulationBatch([scene.model, sinew.compile(sinew.mechanisms.chain(3))], dt=1e-3)
    with pytest.raises(ValueError, match="how many worlds"):
        sinew.SimulationBatch(scene)


def test_observations_by_names():
    scene = make_scene()
    worlds = sinew.SimulationBatch(scene, 2, threads=2)
    worlds.v[1, 3] = .5
    worlds.step(30)
    names = tuple(worlds.observation_names)
    got, where = worlds.observe(names), worlds.observation_slices(names)
    assert got.shape == (2, max(s.stop for s in where.values()))
    out = np.empty_like(got)
    assert worlds.observe(names, out) is out and (out == got).all()
    for i in range(2):
        sim = sinew.Simulation(scene)
        sim.v[3] = .5 * i
        sim.run(steps=30)
        sensors = sinew.Sensors(scene.model)
        sensors.update(sim)
        at = lambda name: got[i, where[name]]  # noqa: E731
        assert (at("q") == sim.q).all() and (at("v") == sim.v).all() and at("time") == sim.time
        assert at("contacts") == len(sim.contacts) > 0
        pelvis = scene.model.bodies[1].name
        np.testing.assert_allclose(at(f"position.{pelvis}"), sensors.pose(pelvis).r, atol=1e-15)
        assert at(f"z.{pelvis}") == at(f"position.{pelvis}")[2]
        twist = sensors.velocity(pelvis)
        np.testing.assert_allclose(at(f"angular_velocity.{pelvis}"), twist[:3], atol=1e-13)
        np.testing.assert_allclose(at(f"velocity.{pelvis}"), twist[3:], atol=1e-13)
        np.testing.assert_allclose(at(f"orientation.{pelvis}"), sim.q[:4] * np.sign(sim.q[0]), atol=1e-14)
        total = sum(at(f"contact_force.{b.name}") for b in scene.model.bodies[1:])
        np.testing.assert_allclose(total, sim.contact_forces().sum(0), atol=1e-9)
        actuator = scene.model.spec.actuators[2].name
        assert at(f"force.{actuator}") == sim.actuator_forces[2]
    assert worlds.observe("time").shape == (2, 1)
    with pytest.raises(ValueError, match="'z.pelviss'; did you mean 'z.pelvis'"):
        worlds.observe(["z.pelviss"])
    with pytest.raises(TypeError, match="texts"):
        worlds.observe([1])


def test_arrays_outlive_their_batch():
    worlds = sinew.SimulationBatch(make_scene(), 2)
    q, before = worlds.q, worlds.q.copy()
    assert worlds.q is q
    del worlds
    gc.collect()
    assert (q == before).all()
    q[:] = 1


def test_unsolved_worlds_are_set_aside_where_asked():
    poor = sinew.lcp.SolverOptions(method=sinew.lcp.Method.gauss_seidel, iterations=1, tolerance=1e-14)
    for refuse in False, True:
        worlds = sinew.SimulationBatch(make_scene(), 2, refuse_unsolved=refuse, solver=poor)
        worlds.step(30)
        assert worlds.failed.all() == refuse
    assert "not solved" in worlds.failures[0].cause


# Threads and signals.

def press_later(seconds=.3):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    return time.monotonic()


def test_ctrl_c_ends_long_work():
    worlds = sinew.SimulationBatch(make_scene(), 4, threads=2, sleep=False)
    start = press_later()
    with pytest.raises(KeyboardInterrupt):
        worlds.step(10**8)
    assert time.monotonic() - start < 3 and not worlds.failed.any() and (worlds.time > 0).all()
    worlds.step()
    worlds.reset()
    controls = np.zeros((4, 20000, worlds.control.shape[1]))
    start = press_later()
    with pytest.raises(KeyboardInterrupt):
        worlds.rollout(controls)
    assert time.monotonic() - start < 3 and not worlds.failed.any()


def test_ctrl_c_ends_one_long_step_and_one_long_solve():
    # Residuals this small are never reached: without the signal each of these takes minutes.
    endless = {"iterations": 2**31 - 1, "tolerance": 1e-300}
    solver = sinew.lcp.SolverOptions(method=sinew.lcp.Method.gauss_seidel, **endless)
    scene = make_scene()
    sim, worlds = sinew.Simulation(scene, solver=solver), sinew.SimulationBatch(scene, 2, threads=2, solver=solver)
    rng = np.random.default_rng(1)
    A = rng.standard_normal((60, 60))
    problem = sinew.lcp.Problem(A @ A.T, rng.standard_normal(60))
    pgs = sinew.lcp.Solver(sinew.lcp.SolverOptions(method=sinew.lcp.Method.pgs, **endless))
    for work in sim.step, worlds.step, lambda: pgs.solve(problem):
        start = press_later(.2)
        with pytest.raises(KeyboardInterrupt):
            while True:
                work()
        assert time.monotonic() - start < 3
    assert sim.totals.steps == round(sim.time / sim.dt) and np.isfinite(sim.q).all() and not worlds.failed.any()


def test_a_handler_that_returns_ends_nothing():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(worlds.time.copy()))
    try:
        worlds = sinew.SimulationBatch(sinew.compile(sinew.mechanisms.chain(5)), 2, dt=1e-3)
        press_later(.1)
        steps = 0
        while not calls and steps < 10**7:
            worlds.step(1000)
            steps += 1000
        worlds.step(1000)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(calls) == 1 and worlds.time == pytest.approx((steps + 1000) * 1e-3)


def test_a_batch_in_use_is_refused():
    worlds, refused = sinew.SimulationBatch(make_scene(), 2), []
    thread = threading.Thread(target=lambda: worlds.step(3000))
    thread.start()
    while thread.is_alive():
        try:
            worlds.observe("q")
        except RuntimeError as e:
            refused.append(str(e))
        time.sleep(.001)
    assert refused and "another thread" in refused[0]
