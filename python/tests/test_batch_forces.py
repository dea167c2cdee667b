"""Forces on bodies and mocap bodies of single simulations and of worlds of a batch: the same bits."""
import gc

import numpy as np
import pytest
import sinew

SCENE = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 .1"/>
<body name="plate" mocap="true" pos="0 0 .5"><geom type="box" size="1 1 .05" friction="0.6"/></body>
<body name="box" pos="0 0 .65"><freejoint/><geom type="box" size=".1 .1 .1" mass="2" friction="0.6"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def model():
    return sinew.compile(sinew.parse_mjcf(SCENE))


def pose_at(x):
    return sinew.Transform([x, 0, 0.5])


def test_worlds_have_the_bits_of_one_alone(model):
    worlds = sinew.SimulationBatch(model, 3, threads=2)
    alone = [sinew.Simulation(model) for _ in range(3)]
    assert worlds.external.shape == (3, len(model.bodies), 6)
    for i, sim in enumerate(alone):
        sim.external[2] = worlds.external[i, 2] = [0, 0.1 * i, 0, 0, 0, -3.0 * i]
    for k in range(100):
        x = 1e-4 * k**2 / 2
        for i, sim in enumerate(alone[1:], 1):  # the first plate stands still
            for bodies in (sim.mocap, worlds.mocap(i)):
                bodies.move("plate", pose_at(i * x))
                assert bodies.moves
            assert bodies.bodies == [1] and len(bodies) == 1
        worlds.step()
        for sim in alone:
            sim.step()
    for i, sim in enumerate(alone):
        np.testing.assert_array_equal(worlds.q[i], sim.q)
        np.testing.assert_array_equal(worlds.v[i], sim.v)
    box = [sim.body_poses()[2].r[0] for sim in alone]
    assert abs(box[0]) < 1e-9 and box[1] > 0.1 and box[2] > box[1]  # carried by friction
    worlds.reset()
    assert not worlds.external.any() and not worlds.mocap(2).moves
    worlds.step(20)
    np.testing.assert_array_equal(worlds.q[2], worlds.q[0])


def test_a_force_is_felt_as_newton_says(model):
    worlds = sinew.SimulationBatch(model, 2)
    worlds.external[1, 2, 5] = 2 * 9.81 + 4  # lifted with 2 m/s^2
    worlds.step(50)
    assert worlds.v[1, 5] == pytest.approx(2 * 0.1, rel=1e-9) and abs(worlds.v[0, 5]) < 1e-9
    with pytest.raises(ValueError):
        worlds.external = np.zeros((2, 5))


def test_placing(model):
    sim, worlds = sinew.Simulation(model), sinew.SimulationBatch(model, 2)
    sim.mocap.place("plate", pose_at(3))
    worlds.mocap(1).place(1, pose_at(3))
    np.testing.assert_array_equal(worlds.q[1], sim.q)
    assert sim.body_poses()[1].r[0] == 3 and (worlds.q[0] == sinew.Simulation(model).q).all()
    sim.controller = lambda s: s.mocap.move("plate", pose_at(3 + s.time))
    sim.run(steps=10)
    assert sim.body_poses()[1].r[0] == pytest.approx(3 + 9 * 0.002)
    bodies = worlds.mocap(0)
    del worlds
    gc.collect()
    bodies.move(1, pose_at(0))


def test_wrong_bodies(model):
    worlds, sim = sinew.SimulationBatch(model, 2), sinew.Simulation(model)
    with pytest.raises(ValueError, match="world"):
        worlds.mocap(2)
    for bodies in (worlds.mocap(0), sim.mocap):
        with pytest.raises(ValueError, match="not a mocap body"):
            bodies.move("box", pose_at(0))
        with pytest.raises(ValueError, match="plate"):
            bodies.move("plat", pose_at(0))
        with pytest.raises(ValueError, match="not finite"):
            bodies.place("plate", sinew.Transform([np.nan, 0, 0]))
        with pytest.raises(TypeError):
            bodies.move("plate", [1, 2, 3])
    with pytest.raises(TypeError):
        worlds.mocap(-1)
