"""State objects, muscles, and the calls that take them."""
import pickle

import numpy as np
import pytest
import sinew
from test_simulation import falling_ball, humanoid


def test_state_is_a_value():
    model = sinew.compile(sinew.mechanisms.humanoid())
    s = sinew.make_state(model)
    np.testing.assert_array_equal(s.q, model.neutral)
    assert s.time == 0 and not s.v.any() and s.v.shape == (model.nv,) and s.activation.shape == (0,)
    with pytest.raises(ValueError):
        s.q[0] = 3  # would be lost
    s.v = np.arange(model.nv)
    other = pickle.loads(pickle.dumps(s))
    np.testing.assert_array_equal(other.v, np.arange(model.nv))
    assert s.copy().v[3] == 3 and "nq 37" in repr(s)


def test_state_of_a_simulation():
    sim = sinew.Simulation(falling_ball())
    q = sim.q
    sim.run(steps=5)
    before = sim.state
    np.testing.assert_array_equal(before.q, sim.q)
    assert before.time == sim.time
    sim.control, kept = sim.control, sim.q.copy()
    sim.run(steps=5)
    assert abs(sim.q - kept).max() > 0
    sim.state = before
    assert sim.q is q and sim.time == before.time
    np.testing.assert_array_equal(q, kept)
    with pytest.raises(ValueError, match=r"q has shape \(3,\), it must be \(7,\)"):
        sim.state = sinew.State([1, 2, 3], before.v)


def test_restart_is_a_new_simulation():
    scene = humanoid()
    sim, fresh = sinew.Simulation(scene), sinew.Simulation(scene)
    sim.run(steps=40)
    sim.restart(scene.start)
    assert sim.totals.steps == 0 and sim.time == 0
    for s in (sim, fresh):
        s.run(steps=40)
    np.testing.assert_array_equal(sim.q, fresh.q)
    np.testing.assert_array_equal(sim.v, fresh.v)
    with pytest.raises(ValueError):
        sim.restart(sinew.State([1.0], [1.0]))


def test_maximal_coordinates_have_the_same_energy():
    tree = sinew.compile(sinew.mechanisms.chain(5))
    twin = sinew.compile(sinew.make_maximal(tree))
    assert twin.nv == 30
    s = sinew.State(sinew.random_configuration(tree, 4), np.linspace(-2, 2, tree.nv))
    t = sinew.to_maximal_state(tree, twin, s)
    energy = [sinew.calc_kinetic_energy(m, sinew.EnergyWorkspace(m), x.q, x.v) for m, x in ((tree, s), (twin, t))]
    assert energy[1] == pytest.approx(energy[0], rel=1e-12)


MUSCLE = """<mujoco><option timestep="0.001"/><worldbody><body><joint name="j" axis="0 1 0" range="-90 90"/>
<geom type="capsule" fromto="0 0 0 0 0 -1" size=".05"/></body></worldbody>
<actuator><muscle name="m" joint="j" lengthrange="-1 1" {}/></actuator></mujoco>"""


def test_muscles():
    spec = sinew.parse_mjcf(MUSCLE.format(""))
    muscle = spec.actuators["m"].muscle
    np.testing.assert_array_equal(muscle.range, [0.75, 1.05])
    assert muscle.force == -1 and muscle.scale == 200 and muscle.lengthening == 1.2
    with pytest.raises(AttributeError, match="copy"):
        muscle.force = 5  # nested parts are copies
    spec.actuators["m"].muscle = muscle.replace(force=70, range=[0.8, 1.1], passive=1.5, fastest=2)
    written = sinew.parse_mjcf(MUSCLE.format('force="70" range="0.8 1.1" fpmax="1.5" vmax="2"'))
    assert repr(written.actuators["m"].muscle) == repr(spec.actuators["m"].muscle)
    sims = [sinew.Simulation(sinew.compile(s)) for s in (spec, written)]
    for s in sims:
        s.q[:], s.v[:], s.control[:] = 0.4, 0.3, 0.8
        s.run(steps=100)
    np.testing.assert_array_equal(sims[0].q, sims[1].q)
    assert sims[0].actuator_forces[0] < -1  # it pulls
    spec.actuators["m"].muscle = None
    assert spec.actuators["m"].muscle is None
    assert sinew.ActuatorSpec(muscle=sinew.MuscleSpec(force=3)).muscle.force == 3
    with pytest.raises(TypeError, match="MuscleSpec or None"):
        sinew.ActuatorSpec(muscle=3)
