"""Bodies that bend, beside closed forms of beams, energies and finite differences."""
import gc

import numpy as np
import pytest
import sinew
from test_tree import near

ops = sinew.operators
LENGTH, MASS, STIFFNESS = 1.2, 0.6, 15.0


def make_model(gravity=(0, 0, 0)):
    """A beam on a hinge about z; its inertia is that of a thin rod."""
    b = sinew.ModelBuilder("beam")
    b.gravity(list(gravity))
    b.body("link")
    b.revolute("hinge", "world", "link").axis([0, 0, 1])
    spec = b.spec
    body = next(x for x in spec.bodies if x.name == "link")
    across = MASS * LENGTH**2 / 12
    body.mass, body.com, body.inertia = MASS, [LENGTH / 2, 0, 0], np.diag([1e-9, across, across])
    return sinew.compile(spec)


def make_flexible(model, **options):
    beam = ops.make_beam("link", length=LENGTH, mass=MASS, bending_y=STIFFNESS, modes_y=3, stations=[("tip", LENGTH)],
                         **options)
    beam.replaces_inertia = True
    return ops.FlexibleModel(model, [beam])


def test_natural_frequencies_of_a_beam():
    model = make_model()
    flexible = make_flexible(model)
    beam = flexible.bodies[0]
    assert (beam.modes, flexible.modes, flexible.nv) == (3, 3, model.nv + 3) and beam.node_names == ["tip"]
    # Clamped: roots of cos x cosh x = -1.
    roots = np.array([1.8751040687, 4.6940911330, 7.8547574382])
    expected = (roots / LENGTH) ** 2 * np.sqrt(STIFFNESS / (MASS / LENGTH))
    found = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(beam.mass, beam.stiffness)).real))
    near(found, expected, 1e-6)


def test_dynamics_and_jacobians(rng):
    flexible = make_flexible(make_model((0, -9.81, 0)))
    f = ops.FlexibleSko(flexible)
    q = np.concatenate([[0.3], rng.uniform(-0.02, 0.02, 3)])
    v, a = rng.uniform(-0.5, 0.5, (2, 4))
    with pytest.raises(ValueError, match="update"):
        f.kinetic_energy
    f.update(q, v)
    ws = ops.SkoDynamics(f.sko)
    M = ops.calc_mass_matrix(f.sko, ws)
    tau = ops.inverse_dynamics(f.sko, ws, f.stack(a))
    near(ops.forward_dynamics(f.sko, ws, tau), f.stack(a), 1e-9)
    near(0.5 * f.stack(v) @ M @ f.stack(v), f.kinetic_energy)
    eta = q[1:]
    near(f.elastic_energy, 0.5 * eta @ flexible.bodies[0].stiffness @ eta)
    tip = f.find_place("link", "tip")
    J = f.calc_jacobian(tip)
    near(J @ v, f.get_velocity(tip))
    h, ends = 1e-6, []
    for sign in (1, -1):
        f.update(q + sign * h * v, v)
        ends.append(f.get_pose(tip).r)
    near((ends[0] - ends[1]) / (2 * h), (J @ v)[3:], 1e-7)
    points = ops.TaskPoints(f.sko, [f.make_pick_off(tip)])
    assert points.size == 6
    with pytest.raises(ValueError, match="nose"):
        f.find_place("link", "nose")
    with pytest.raises(ValueError, match="another"):
        ops.FlexibleSko(flexible).get_pose(tip)


def test_static_tip_deflection(rng):
    """A clamped beam under its own weight droops by w L^4 / (8 EI); three modes find 0.1 % of it."""
    model = make_model((0, -9.81, 0))
    flexible = make_flexible(model)
    f = ops.FlexibleSko(flexible)
    q = np.zeros(4)
    f.update(q, np.zeros(4))
    ws = ops.SkoDynamics(f.sko)
    load = f.unstack(ops.inverse_dynamics(f.sko, ws, np.zeros(4)))[1:]
    q[1:] = -np.linalg.solve(flexible.bodies[0].stiffness, load)
    f.update(q, np.zeros(4))
    droop = f.get_pose(f.find_place("link", "tip")).r[1]
    expected = -MASS / LENGTH * 9.81 * LENGTH**4 / (8 * STIFFNESS)
    assert abs(droop - expected) < 2e-3 * abs(expected)


def test_motion_keeps_energy():
    model = make_model((0, -9.81, 0))
    flexible = make_flexible(model)
    motion = sinew.FlexibleMotion(flexible, dt=1e-3)
    del flexible
    gc.collect()
    assert motion.q.shape == (4,)
    motion.q[1] = 0.02
    energy = motion.kinetic_energy + motion.potential_energy
    motion.run(until=0.3)
    assert abs(motion.q[1]) < 0.05 and motion.time == pytest.approx(0.3)
    assert abs(motion.kinetic_energy + motion.potential_energy - energy) < 1e-6 * abs(energy)


def test_simulation_comes_to_rest():
    model = make_model()
    simulation = sinew.FlexibleSimulation(make_flexible(model, damping_ratio=0.3), dt=1e-3)
    simulation.q[1] = 0.03
    simulation.run(until=2.0)
    assert abs(simulation.q[1:]).max() < 1e-5 and isinstance(simulation, sinew.Simulation)


def test_files(tmp_path):
    model = make_model()
    text = '{"bodies": [{"body": "link", "replaces_inertia": true, "beam": {"length": 1.2, "mass": 0.6, "bending_y": 15, "modes_y": 3, "stations": {"tip": 1.2}}}]}'
    file = tmp_path / "beam.json"
    file.write_text(text)
    for read in (ops.load_flexible(file, model), ops.parse_flexible(text, "beam.json", model)):
        near(read.bodies[0].stiffness, make_flexible(model).bodies[0].stiffness)
        assert read.attach == []
    with pytest.raises(sinew.LoadError, match="lenth"):
        ops.parse_flexible(text.replace('"length"', '"lenth"'), "beam.json", model)
    with pytest.raises(ValueError, match="stick"):
        ops.FlexibleModel(model, [ops.make_beam("stick", length=1.0, mass=1.0, bending_y=1.0, modes_y=1)])
    with pytest.raises(ValueError):
        ops.make_beam("link", length=-1.0, mass=1.0, bending_y=1.0, modes_y=1)
