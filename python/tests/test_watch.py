"""Contact problems of a simulation as they are solved."""
import gc
import weakref

import numpy as np
import pytest
import sinew
from test_simulation import falling_ball, humanoid


def test_problems_can_be_solved_again():
    sim = sinew.Simulation(humanoid())
    seen = []
    sim.set_watch(lambda problem, certificate: seen.append((problem, certificate)))
    sim.run(steps=20)
    assert len(seen) >= 20
    problem, certificate = max(seen, key=lambda x: x[0].size)
    assert problem.W.shape == (problem.size, problem.size) and certificate.residual < 1e-7
    assert problem.free + problem.unilateral + 3 * len(problem.mu) == problem.size
    z, again = sinew.lcp.Solver().solve(problem)
    assert again.status == sinew.lcp.Status.solved
    w = problem.W @ z + problem.q
    r, u = (x[problem.free + problem.unilateral:].reshape(-1, 3) for x in (z, w))
    scale = abs(problem.q).max()
    assert r[:, 0].min() >= -1e-8 and u[:, 0].min() >= -1e-6 * scale and abs(r[:, 0] * u[:, 0]).max() < 1e-6 * scale
    assert (np.hypot(r[:, 1], r[:, 2]) <= problem.mu * r[:, 0] + 1e-7).all()
    count = len(seen)
    sim.set_watch(None)
    sim.step()
    assert len(seen) == count


def test_a_watch_that_raises_ends_the_step_and_nothing_else():
    sim, plain = (sinew.Simulation(falling_ball()) for _ in range(2))
    plain.run(steps=600)
    state = {}

    def watch(problem, certificate):
        if sim.time > 0.45 and not state:
            state["time"] = sim.time
            raise KeyError("enough")

    sim.set_watch(watch)
    with pytest.raises(KeyError, match="enough"):
        sim.run(steps=600)
    assert sim.time == state["time"]  # that before the step
    sim.run(steps=600 - sim.totals.steps)
    np.testing.assert_array_equal(sim.q, plain.q)  # it went on as if nothing had happened
    np.testing.assert_array_equal(sim.v, plain.v)


def test_a_watch_cannot_step():
    sim = sinew.Simulation(falling_ball())
    sim.q[6] = 0.1
    sim.set_watch(lambda problem, certificate: sim.step())
    with pytest.raises(RuntimeError, match="has not returned"):
        sim.run(steps=5)
    with pytest.raises(TypeError, match="callable"):
        sim.set_watch(3)


def test_a_watch_that_refers_to_its_simulation_is_collected():
    class Watch:
        def __call__(self, problem, certificate):
            pass

    watch = Watch()
    sim = sinew.Simulation(falling_ball())
    watch.sim = sim
    sim.set_watch(watch)
    dead = weakref.ref(watch)
    del sim, watch
    gc.collect()
    assert dead() is None
