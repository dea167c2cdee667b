"""Integrators by themselves, beside closed forms, NumPy and each other."""
import gc
import threading

import numpy as np
import pytest
import sinew
from test_tree import near

Method = sinew.IntegrationMethod


def slider(stiffness=0.0):
    """A mass of 2 kg along x, without gravity."""
    b = sinew.ModelBuilder("slider")
    b.gravity([0, 0, 0])
    b.body("mass").mass(2, [0, 0, 0], np.eye(3))
    b.prismatic("slide", "world", "mass").axis([1, 0, 0])
    return b.build()


def oscillator(**options):
    model = slider()
    rate = sinew.make_forward_dynamics(model, lambda x: -8 * x.q)  # omega = 2
    run = sinew.Integrator(model, rate, **options)
    run.set_state(sinew.State([1], [0]))
    return run


@pytest.mark.parametrize("method", list(Method))
def test_orders_are_those_that_order_of_says(method):
    errors = []
    for dt in (0.02, 0.01):
        run = oscillator(method=method, dt=dt, adaptive=False)
        run.advance(1)
        errors.append(np.hypot(run.state.q[0] - np.cos(2), (run.state.v[0] + 2 * np.sin(2)) / 2))
        assert run.report.steps == round(1 / dt) and run.state.time == 1
    assert np.log2(errors[0] / errors[1]) == pytest.approx(sinew.order_of(method), abs=0.25)
    assert sinew.order_of_interpolation(method) <= sinew.order_of(method)


def test_adaptive_steps_stay_within_the_tolerance():
    run = oscillator(relative=1e-9, absolute=1e-11)
    run.advance(3)
    near(run.state.q, [np.cos(6)], 5e-8)
    report = run.report
    assert report.largest_error <= 1 and report.steps < 400 and report.evaluations >= 6 * report.steps
    assert report.smallest_step <= report.largest_step
    run.advance(0)  # backwards
    near([run.state.q, run.state.v], [[1], [0]], 1e-7)


def test_a_rate_in_python_and_extra_numbers():
    """A falling mass with drag in NumPy; the distance that it covers is integrated beside it."""
    model = slider()
    run = sinew.Integrator(model, lambda x: (-0.5 * x.v, np.abs(x.v)), extra=1, relative=1e-10, absolute=1e-12)
    run.set_state(sinew.State([0], [3], 0.5), [7.0])
    run.advance(2.5)
    near(run.state.v, [3 * np.exp(-1)], 1e-9)
    near(run.extra, 7 + run.state.q, 1e-14)
    dv, dextra = run.evaluate(sinew.StatePoint([0], [2], [0]))
    near([dv, dextra], [[-1], [2]], 0)
    run.jump([0], [-1], [1.0])
    assert run.state.time == 2.5 and run.extra[0] == 1 and run.state.v[0] == -1


@pytest.mark.parametrize("method", [Method.rkmk4, Method.dormand_prince])
def test_a_humanoid_in_flight_keeps_its_energy(method, rng):
    spec = sinew.mechanisms.humanoid()
    model = sinew.compile(spec)
    run = sinew.Integrator(model, sinew.make_forward_dynamics(model), method=method, dt=1e-3)
    state = sinew.make_state(model)
    state.v = rng.uniform(-0.3, 0.3, model.nv)
    run.set_state(state)
    energy = run.calc_energy()
    run.advance(0.2)
    assert abs(run.calc_energy_drift()) < 1e-6 * abs(energy)
    near(run.calc_energy() - energy, run.calc_energy_drift(), 1e-14)
    smooth = sinew.SmoothSimulation(model, method=method, dt=1e-3)
    smooth.q[:], smooth.v[:] = model.neutral, state.v
    free = sinew.aba(model, sinew.AbaWorkspace(model), smooth.q, smooth.v, np.zeros(model.nv))
    near(run.evaluate(sinew.StatePoint(smooth.q, smooth.v))[0], free, 1e-14)


def test_events_stop_where_they_happen():
    run = oscillator(relative=1e-10, absolute=1e-12)
    run.advance(0.1)  # where it neither turns nor crosses
    run.add_event("falls through zero", lambda x: x.q[0], -1)
    run.add_event("turns", lambda x: x.v[0])
    times = []
    while hits := run.advance_to_event(4):
        times.append((run.state.time, *hits))
    quarter = np.pi / 4
    near([t for t, _ in times], quarter * np.array([1, 2, 4, 5]), 5e-11)
    assert [e for _, e in times] == [0, 1, 1, 0] and run.state.time == 4
    with pytest.raises(ValueError, match="direction"):
        run.add_event("x", lambda x: 1, 2)


def test_states_inside_a_step():
    run = oscillator(dt=0.05, adaptive=False)
    with pytest.raises(ValueError, match="no step"):
        run.last_step.calc(0.5)
    run.step()
    last = run.last_step
    assert (last.start_time, last.length) == (0, 0.05)
    near(last.calc(0.3).q, [np.cos(2 * 0.015)], 1e-8)
    near(last.calc(1).q, run.state.q, 1e-14)
    run.rewind(0.3)
    assert run.state.time == pytest.approx(0.015)
    near(run.state.v, [-2 * np.sin(2 * 0.015)], 5e-7)
    with pytest.raises(ValueError, match="delta"):
        run.rewind(1.5)


def four_bar():
    model = sinew.compile(sinew.mechanisms.four_bar())
    return model, sinew.ConstraintSet(model)


def test_loops_by_three_ways(rng):
    model, constraints = four_bar()
    ends = {}
    for name in ("projected", "stabilized", "embedded"):
        if name == "embedded":
            e = sinew.make_embedded_dynamics(model, constraints)
            rate, projection = e.rate, e.projection
        else:
            rate = sinew.make_constrained_dynamics(model, constraints,
                                                   stabilization_period=0.02 if name == "stabilized" else 0)
            projection = sinew.make_projection(model, constraints) if name == "projected" else None
        run = sinew.Integrator(model, rate, method=Method.rkmk4, dt=1e-3)
        run.set_projection(projection)
        run.set_state(sinew.make_state(model))
        run.advance(0.3)
        rows = sinew.ConstraintRows(model, constraints)
        sinew.calc_constraint_rows(model, constraints, rows, run.state.q, run.state.v)
        assert abs(rows.position).max() < (1e-6 if name == "stabilized" else 1e-11)
        ends[name] = np.concatenate([run.state.q, run.state.v])
    near(ends["projected"], ends["embedded"], 1e-8)
    near(ends["projected"], ends["stabilized"], 5e-7)
    assert e.report.status == sinew.EmbeddingStatus.ready


def test_bodies_that_bend():
    """A beam that swings: the same motion as FlexibleMotion's, which has its own integrator."""
    from test_flexible import make_flexible, make_model
    flexible = make_flexible(make_model((0, -9.81, 0)))
    motion = sinew.FlexibleMotion(flexible, method=Method.rkmk4, dt=2e-4)
    motion.q[1] = 0.02
    motion.run(until=0.1)
    run = sinew.Integrator(flexible.model, sinew.make_flexible_dynamics(flexible), method=Method.rkmk4, dt=2e-4,
                           extra=2 * flexible.modes)
    run.set_state(sinew.State([0], [0]), [0.02, 0, 0, 0, 0, 0])
    run.advance(0.1)
    near(np.concatenate([run.state.q, run.extra[:3]]), motion.q, 1e-13)
    near(np.concatenate([run.state.v, run.extra[3:]]), motion.v, 5e-11)


def test_soft_contact():
    """A ball sinks into a spring with damper until the spring carries its weight."""
    b = sinew.ModelBuilder("ball")
    b.world().plane().named("floor")
    b.body("ball").mass(sinew.solid_sphere(2, 0.1)).sphere(0.1)
    b.free("free", "world", "ball").neutral([1, 0, 0, 0, 0, 0, 0.1])
    model = b.build()
    soft = sinew.SoftContact(model, sinew.SoftSurface(2000, 80))
    run = sinew.Integrator(model, sinew.make_soft_dynamics(soft), relative=1e-8, extra=soft.state_size)
    run.set_projection(sinew.make_soft_upkeep(soft))
    run.set_state(sinew.make_state(model))
    run.advance(1.5)
    assert run.state.q[6] == pytest.approx(0.1 - 2 * 9.81 / 2000, abs=1e-7)
    assert soft.forces[0].normal == pytest.approx(2 * 9.81, rel=1e-4)
    with pytest.raises(ValueError):
        sinew.Integrator(model, sinew.make_soft_dynamics(soft)).step()  # no room for the surfaces


def test_a_projection_in_python():
    model = slider()
    run = sinew.Integrator(model, lambda x: [1.0], method=Method.euler, dt=0.1)
    run.set_projection(lambda x: None if x.q[0] < 0.05 else ([0.0], x.v))
    run.set_state(sinew.State([0], [0]))
    run.advance(1)
    assert run.state.q[0] < 0.05 and run.state.v[0] == pytest.approx(1)


def test_everything_stays_alive():
    model, constraints = four_bar()
    run = sinew.Integrator(model, sinew.make_constrained_dynamics(model, constraints), method=Method.rk4, dt=1e-3)
    run.set_projection(sinew.make_projection(model, constraints))
    step = run.last_step
    run.set_state(sinew.make_state(model))
    del model, constraints
    gc.collect()
    run.advance(0.01)
    del run
    gc.collect()
    assert step.length == pytest.approx(1e-3)


def test_what_functions_raise_comes_out():
    def fail(x):
        raise KeyError("mine")
    model = slider()
    for run, call in [(sinew.Integrator(model, fail, dt=0.1), lambda r: r.step()),
                      (sinew.Integrator(model, sinew.make_forward_dynamics(model, fail), dt=0.1), lambda r: r.advance(1))]:
        with pytest.raises(KeyError, match="mine"):
            call(run)
        assert run.state.time == 0
    run = oscillator(dt=0.1, adaptive=False)
    run.add_event("e", fail)
    with pytest.raises(KeyError):
        run.advance_to_event(1)
    for answer, error in [([1, 2], ValueError), ("x", TypeError), (None, ValueError)]:
        with pytest.raises(error, match="dv"):
            sinew.Integrator(model, lambda x: answer, dt=0.1).step()
    with pytest.raises(RuntimeError, match="not finite"):
        sinew.Integrator(model, lambda x: [np.nan], method=Method.euler, dt=0.1).step()


def test_wrong_arguments():
    model, other = slider(), slider()
    rate = sinew.make_forward_dynamics(model)
    run = sinew.Integrator(model, rate, dt=0.1, adaptive=False)
    for error, match, call in [
            (ValueError, "another model", lambda: sinew.Integrator(other, rate, dt=0.1)),
            (TypeError, "rate", lambda: sinew.Integrator(model, 3, dt=0.1)),
            (ValueError, "dt", lambda: sinew.Integrator(model, rate, method=Method.rk4)),
            (ValueError, "absolute", lambda: sinew.Integrator(model, rate, absolute=-1)),
            (ValueError, "size|numbers|needs", lambda: run.set_state(sinew.State([1, 2], [0]))),
            (ValueError, r"extra has shape \(1,\), it must be \(0,\)", lambda: run.set_state(sinew.State([1], [0]), [1])),
            (ValueError, r"q has shape \(2,\), it must be \(1,\)", lambda: run.jump([1, 2], [0])),
            (ValueError, "finite", lambda: run.advance(np.nan)),
            (ValueError, "finite", lambda: run.step(np.inf)),
            (TypeError, "forces", lambda: sinew.make_forward_dynamics(model, 3)),
            (ValueError, "another model", lambda: sinew.make_projection(other, sinew.ConstraintSet(model)))]:
        with pytest.raises(error, match=match):
            call()


def test_one_thread_at_a_time():
    model = slider()
    begun, go = threading.Event(), threading.Event()

    def wait(x):
        begun.set()
        go.wait(5)
        return [0.0]
    run = sinew.Integrator(model, wait, method=Method.euler, dt=0.1)
    worker = threading.Thread(target=run.step)
    worker.start()
    begun.wait(5)
    with pytest.raises(RuntimeError, match="integrator"):
        run.state
    go.set()
    worker.join()
    assert run.state.time == pytest.approx(0.1)
