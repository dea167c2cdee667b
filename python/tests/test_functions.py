"""Python functions inside the library: laws, constraints, closures and joints; and what they raise."""
import gc
import math
import threading

import numpy as np
import pytest
import sinew
from conftest import random_state


class Stop(Exception):
    pass


def swing(t):
    return 0.3 * math.sin(2 * t), 0.6 * math.cos(2 * t), -1.2 * math.sin(2 * t)


def stops(t):
    if t > 0.5:
        raise Stop(f"at {t}")
    return swing(t)


def with_law(law, n=4, joint=0):
    spec = sinew.mechanisms.chain(n)
    spec.timestep = 1e-3
    j = spec.joints[joint]
    j.kind, j.law, j.dofs, j.neutral = sinew.JointKind.prescribed, law, [], []
    j.prescribed_kind = sinew.JointKind.revolute
    return spec


def test_a_prescribed_joint_is_a_joint_that_is_told(rng):
    free, driven = sinew.compile(sinew.mechanisms.chain(4)), sinew.compile(with_law(swing))
    assert driven.nv == 3 and driven.spec.joints[0].law is swing
    t = 0.7
    q, v, a, _ = random_state(driven, rng)
    Q, V, A = (np.concatenate([[x], y]) for x, y in zip(swing(t), (q, v, a)))
    want = sinew.rnea(free, sinew.RneaWorkspace(free), Q, V, A)[1:]
    np.testing.assert_allclose(sinew.rnea(driven, sinew.RneaWorkspace(driven), q, v, a, time=t), want, atol=1e-10)
    tau = rng.normal(size=3)
    qdd = sinew.aba(driven, sinew.AbaWorkspace(driven), q, v, tau, time=t)
    back = sinew.rnea(free, sinew.RneaWorkspace(free), Q, V, np.concatenate([[A[0]], qdd]))
    np.testing.assert_allclose(back[1:], tau, atol=1e-9)


@pytest.mark.parametrize("n", [4, 60])  # with the GIL, and without
def test_what_a_law_raises_comes_out(n, rng):
    model = sinew.compile(with_law(stops, n))
    q, v, a, _ = random_state(model, rng)
    rnea, aba, crba = (getattr(sinew, w + "Workspace")(model) for w in ("Rnea", "Aba", "Crba"))
    fk, jacobian = sinew.KinematicsWorkspace(model), sinew.JacobianWorkspace(model)
    energy = sinew.EnergyWorkspace(model)
    calls = [lambda t: sinew.rnea(model, rnea, q, v, a, time=t), lambda t: sinew.aba(model, aba, q, v, a, time=t),
             lambda t: sinew.crba(model, crba, q, time=t), lambda t: sinew.calc_kinematics(model, fk, q, time=t),
             lambda t: sinew.calc_jacobian(model, jacobian, q, time=t),
             lambda t: sinew.calc_kinetic_energy(model, energy, q, v, time=t),
             lambda t: sinew.calc_bias(model, rnea, q, v, time=t)]
    for call in calls:
        before = np.array(call(0.1), float)
        for _ in range(3):
            with pytest.raises(Stop, match="at 0.9"):
                call(0.9)
        np.testing.assert_array_equal(np.array(call(0.1), float), before)


def test_what_a_law_raises_ends_a_step(rng):
    spec = with_law(stops)
    spec.gravity = [0, 0, 0]  # nothing reaches a stop
    model = sinew.compile(spec)
    for kind in (sinew.Simulation, sinew.SmoothSimulation):
        sim = kind(model, dt=1e-2)
        with pytest.raises(Stop):
            sim.run(until=2)
        assert 0.45 < sim.time <= 0.5
        q = sim.q.copy()
        with pytest.raises(Stop):
            sim.run(until=2)
        np.testing.assert_array_equal(sim.q, q)


def test_what_a_law_raises_comes_out_of_threads(rng):
    model = sinew.compile(with_law(stops))
    batch = sinew.Batch(model, threads=2)
    q = rng.uniform(-1, 1, (64, 3))
    want = batch.rnea(q, q, q, time=0.2)
    ws = sinew.RneaWorkspace(model)
    np.testing.assert_allclose(want[9], sinew.rnea(model, ws, q[9], q[9], q[9], time=0.2), atol=1e-10)
    with pytest.raises(Stop):
        batch.rnea(q, q, q, time=0.8)
    np.testing.assert_array_equal(batch.rnea(q, q, q, time=0.2), want)
    worlds = sinew.SimulationBatch(model, 3, threads=2, dt=1e-2)
    worlds.time[:] = [0, 0.45, 0.1]
    worlds.step(10)
    assert list(worlds.failed) == [False, True, False] and "Stop" in worlds.failures[0].cause
    found = []
    workers = [threading.Thread(target=lambda: found.append(sinew.Simulation(model).run(until=0.2))) for _ in range(3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert found == [200] * 3


def test_laws_that_are_none():
    with pytest.raises(TypeError, match="function f"):
        sinew.JointSpec(law=3)
    with pytest.raises(TypeError, match="position, velocity and acceleration; it returned 3.0"):
        model = sinew.compile(with_law(lambda t: 3.0))
        sinew.calc_kinematics(model, sinew.KinematicsWorkspace(model), np.zeros(3))
    spec = with_law(swing)
    spec.joints[0].law = None
    assert spec.joints[0].law is None
    with pytest.raises(sinew.LoadError):
        sinew.compile(spec)


def test_laws_live_as_long_as_their_models():
    calls = []

    def law(t):
        calls.append(t)
        return swing(t)

    model = sinew.compile(with_law(law))
    scene = sinew.make_scene(with_law(law))
    del law
    gc.collect()
    sinew.calc_kinematics(model, sinew.KinematicsWorkspace(model), np.zeros(3), time=2)
    sinew.Simulation(scene).run(steps=3)
    assert 2.0 in calls and len(calls) > 3


def test_laws_of_masks(rng):
    model = sinew.compile(sinew.mechanisms.chain(7))
    q, v, _, tau = random_state(model, rng)
    blocked = [False] * 3 + [True] * 3
    still = sinew.ConstraintSet(model, [sinew.MaskConstraint(name="m", body_b="tip", blocked=blocked)])
    moved = sinew.ConstraintSet(model, [sinew.MaskConstraint(name="m", body_b="tip", blocked=blocked,
                                                             laws=[swing, None, stops])])
    t = 0.4
    rows = []
    for s in (still, moved):
        rows.append(sinew.ConstraintRows(model, s))
        sinew.calc_constraint_rows(model, s, rows[-1], q, v, t)
    jacobian = sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, jacobian, q)
    J = sinew.get_jacobian(model, jacobian, "tip", sinew.ReferenceFrame.mixed)[3:]
    p, u, a = np.array([swing(t), (0, 0, 0), swing(t)]).T  # along the axes of the world
    # Rows are along the axes of frame b: K = E J, and the errors turn with them.
    K = sinew.get_constraint_jacobian(model, still, rows[0])
    E = np.linalg.lstsq(J.T, K.T, rcond=None)[0].T
    np.testing.assert_allclose(rows[1].position - rows[0].position, -E @ p, atol=1e-9)
    np.testing.assert_allclose(rows[1].velocity, E @ (J @ v - u), atol=1e-9)
    with pytest.raises(Stop):
        sinew.calc_constraint_rows(model, moved, rows[1], q, v, 0.7)
    with pytest.raises(Stop):
        sinew.constrained_forward_dynamics(model, moved, sinew.ConstrainedWorkspace(model, moved), q, v, tau, time=0.7)


def height(state, body="tip", z0=0.25):
    """The row  z = z0  of a frame that is a body of its own."""
    X, v, a = state.pose(body), state.velocity(body), state.acceleration(body)
    up = X.E @ [0, 0, 1]
    rate = a[3:] + np.cross(v[:3], v[3:])  # d2r/dt2 of the origin where dv/dt = 0
    return np.concatenate([np.zeros(3), up])[None], [-rate[2]], [X.r[2] - z0], [v[5]]


def test_custom_constraints(rng):
    model = sinew.compile(sinew.mechanisms.chain(6))
    body = model.body_names[-1]
    q, v, _, tau = random_state(model, rng)
    custom = sinew.CustomConstraint("height", 1, [(0, body)], lambda s: height(s, body))
    mask = sinew.MaskConstraint(name="height", body_b=body, pose_a=sinew.Transform([0, 0, 0.25]),
                                blocked=[False] * 5 + [True], world_axes=True)
    answers = []
    for c in (custom, mask):
        s = sinew.ConstraintSet(model, [c])
        rows = sinew.ConstraintRows(model, s)
        sinew.calc_constraint_rows(model, s, rows, q, v)
        ws = sinew.ConstrainedWorkspace(model, s)
        qdd, force, certificate = sinew.constrained_forward_dynamics(model, s, ws, q, v, tau)
        K = sinew.get_constraint_jacobian(model, s, rows)
        answers.append([K, rows.k, rows.position, rows.velocity, qdd, force])
    for ours, theirs in zip(*answers):
        np.testing.assert_allclose(ours, theirs, atol=1e-9 * max(1, abs(theirs).max()))


def test_custom_constraints_that_fail(rng):
    model = sinew.compile(sinew.mechanisms.chain(3))
    body = model.body_names[-1]
    q, v, _, _ = random_state(model, rng)
    kept = []

    def calc(state):
        kept.append(state)
        raise Stop

    for f, error, match in [(calc, Stop, ""), (lambda s: 3, TypeError, "'c'.*must return"),
                            (lambda s: (np.zeros((2, 6)), [0], [0], [0]), ValueError, r"K has shape \(2, 6\)")]:
        s = sinew.ConstraintSet(model, [sinew.CustomConstraint("c", 1, [(0, body)], f)])
        rows = sinew.ConstraintRows(model, s)
        with pytest.raises(error, match=match):
            sinew.calc_constraint_rows(model, s, rows, q, v)
    with pytest.raises(RuntimeError, match="within the call"):
        kept[0].q
    with pytest.raises(ValueError, match="row"):
        sinew.CustomConstraint("c", 1, [(1, body)], calc)
    with pytest.raises(ValueError, match="nobody"):
        sinew.ConstraintSet(model, [sinew.CustomConstraint("c", 1, [(0, "nobody")], calc)])


def test_loops_closed_by_any_joint(rng):
    model = sinew.compile(sinew.mechanisms.chain(7))
    last = model.body_names[-1]
    q, v, _, tau = random_state(model, rng)
    fk = sinew.KinematicsWorkspace(model)
    sinew.calc_kinematics(model, fk, q)
    here = sinew.Transform(sinew.get_body_pose(model, fk, last).r)  # so that the loop is closed
    joint = sinew.JointSpec(name="loop", kind=sinew.JointKind.spherical, parent="world", child=last, placement=here)
    loop = sinew.LoopSpec(name="loop", kind=sinew.JointKind.spherical, body_a="world", body_b=last, pose_a=here)
    answers = []
    for c in (sinew.make_loop_joint(model, joint), loop):
        s = sinew.ConstraintSet(model, [c])
        ws = sinew.ConstrainedWorkspace(model, s)
        answers.append(sinew.constrained_forward_dynamics(model, s, ws, q, v, tau)[0])
    np.testing.assert_allclose(*answers, atol=1e-8 * abs(answers[1]).max())


def test_closure_functions():
    spec = sinew.mechanisms.chain(2)
    a, b = (j.name for j in spec.joints)
    term = sinew.CouplingTerm(joint=a, coefficients=[2, 3])
    spec.couplings.append(sinew.CouplingSpec(name="c", dependent=b, terms=[term]))
    model = sinew.compile(spec)
    s = sinew.ConstraintSet(model)

    def gamma(y, yd):
        return [y[0], 2 * y[0] + 3 * y[0]**2], [[1], [2 + 6 * y[0]]], [0, 6 * yd[0]**2]

    def refuse(y):
        return "too far" if y[0] > 1 else None

    f = sinew.ClosureFunction(1, gamma, refuse)
    motion = sinew.ClosedMotion(model, f)
    sinew.calc_closure(f, [0.3], [0.5], motion)
    np.testing.assert_allclose(motion.q, [0.3, 0.87])
    np.testing.assert_allclose(motion.v, [0.5, 0.5 * 3.8])
    np.testing.assert_allclose(motion.G, [[1], [3.8]])
    np.testing.assert_allclose(motion.g, [0, 1.5])
    check = sinew.check_closure(model, s, f, [0.3], [0.5])
    assert max(check.position, check.velocity, check.acceleration) < 1e-12 and check.rate < 1e-6
    wrong = sinew.ClosureFunction(1, lambda y, yd: (gamma(y, yd)[0], [[1], [2]], [0, 0]))
    assert sinew.check_closure(model, s, wrong, [0.3], [0.5]).velocity == pytest.approx(1.8)
    with pytest.raises(ValueError, match="too far"):
        sinew.calc_closure(f, [2], [0], motion)
    with pytest.raises(TypeError, match="q, G and g"):
        sinew.calc_closure(sinew.ClosureFunction(1, lambda y, yd: 3), [0], [0], motion)
    with pytest.raises(ValueError, match="G has shape"):
        sinew.calc_closure(sinew.ClosureFunction(1, lambda y, yd: ([0, 0], [1, 2], [0, 0])), [0], [0], motion)


def hinge(q, v):
    c, s = math.cos(q[0]), math.sin(q[0])
    return sinew.Transform([0, 0, 0], E=[[c, s, 0], [-s, c, 0], [0, 0, 1]]), [[0, 0, 1, 0, 0, 0]], np.zeros(6)


def with_joint(calc, n=4):
    spec = sinew.mechanisms.chain(n)
    spec.timestep = 1e-3
    for j in spec.joints:  # all about z of their own frame, so that both kinds mean the same
        j.axis, j.dofs, j.neutral = [0, 0, 1], [], []
    twin = spec.copy()
    twin.joints[1].kind, twin.joints[1].user = sinew.JointKind.user, sinew.UserJoint("hinge", [0.0], calc)
    return sinew.compile(spec), sinew.compile(twin)


@pytest.mark.parametrize("n", [4, 60])
def test_a_joint_in_python_is_a_joint(n, rng):
    plain, ours = with_joint(hinge, n)
    assert ours.nv == plain.nv and ours.spec.joints[1].user.nq == 1
    q, v, a, tau = random_state(plain, rng)
    for call, w in [(sinew.rnea, "Rnea"), (sinew.aba, "Aba")]:
        want, found = (call(m, getattr(sinew, w + "Workspace")(m), q, v, a) for m in (plain, ours))
        np.testing.assert_allclose(found, want, atol=1e-9 * abs(want).max())
    for dtype, tolerance in [("float64", 1e-9), ("float32", 1e-3)]:
        Q = rng.uniform(-1, 1, (5, plain.nv)).astype(dtype)
        want, found = (sinew.Batch(m, dtype=dtype).rnea(Q, Q, Q) for m in (plain, ours))
        np.testing.assert_allclose(found, want, atol=tolerance * abs(want).max())
    if n == 4:
        sims = [sinew.Simulation(m) for m in (plain, ours)]
        for s in sims:
            s.q[:], s.v[:] = q, v
            s.run(steps=50)
        np.testing.assert_allclose(sims[1].q, sims[0].q, atol=1e-9)


def test_joints_that_fail(rng):
    def calc(q, v):
        if q[0] > 0.5:
            raise Stop
        return hinge(q, v)

    plain, model = with_joint(calc)
    ws = sinew.RneaWorkspace(model)
    q, v = np.zeros(4), np.ones(4)
    before = sinew.rnea(model, ws, q, v, v)
    q[1] = 0.9
    with pytest.raises(Stop):
        sinew.rnea(model, ws, q, v, v)
    q[1] = 0
    np.testing.assert_array_equal(sinew.rnea(model, ws, q, v, v), before)
    sim = sinew.Simulation(model)
    sim.v[1] = 20
    with pytest.raises(Stop):
        sim.run(until=5)
    for answer, error, match in [(3, TypeError, "'hinge'.*X, S and c"),
                                 ((3, [[0] * 6], [0] * 6), TypeError, "Transform"),
                                 ((sinew.Transform(), [[0] * 5], [0] * 6), ValueError, "S has shape"),
                                 ((sinew.Transform(), [[0] * 6], [0] * 5), TypeError, "six")]:
        with pytest.raises(error, match=match):
            model = with_joint(lambda q, v: answer)[1]
            sinew.calc_kinematics(model, sinew.KinematicsWorkspace(model), np.zeros(4))
    with pytest.raises(ValueError, match="one to six"):
        sinew.UserJoint("x", [], hinge)
