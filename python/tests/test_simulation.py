"""Simulations: steps, contacts, records, sensors, snapshots, controllers, interruption."""
import gc
import os
import pickle
import signal
import threading
import time
import weakref

import numpy as np
import pytest
import sinew
from conftest import ROOT


def falling_ball(restitution=0.0):
    b = sinew.ModelBuilder("ball")
    b.body("ball").mass(sinew.solid_sphere(2, 0.1)).sphere(0.1).restitution(restitution).friction(0.5)
    b.world().plane().friction(0.5)
    b.free("free", "world", "ball").neutral([1, 0, 0, 0, 0, 0, 1])
    return b.timestep(1e-3).build()


def humanoid():
    return sinew.make_scene(sinew.mechanisms.humanoid(), floor=sinew.FloorOptions(), hold=sinew.HoldOptions(),
                            self_collision=sinew.SelfCollision.start, timestep=1e-3)


def test_a_ball_falls_and_comes_to_rest():
    sim = sinew.Simulation(falling_ball())
    assert sim.run(until=0.2) == 200 and sim.time == pytest.approx(0.2)
    assert sim.q[6] == pytest.approx(1 - 9.81 * 0.2**2 / 2, abs=9.81 * 0.2 * 1e-3)  # first order in dt
    sim.run(steps=1000)
    assert sim.q[6] == pytest.approx(0.1, abs=1e-6) and abs(sim.v).max() < 1e-9
    (contact,) = sim.contacts
    assert contact.name_a == "ball" or contact.name_b == "ball"
    np.testing.assert_allclose(abs(contact.force), [0, 0, 2 * 9.81], atol=1e-8)
    np.testing.assert_array_equal(sim.contact_forces(), [contact.force])
    assert abs(contact.normal[2]) == 1 and "plane" in contact.shapes and "Contact" in repr(contact)
    assert sim.report.contacts == 1 and sim.report.status == sinew.lcp.Status.solved and sim.report.residual < 1e-8
    # It sleeps; a simulation that calculates every step ends with the same bits.
    awake = sinew.Simulation(falling_ball(), sleep=False)
    awake.run(steps=1200)
    assert sim.report.asleep and not awake.report.asleep
    np.testing.assert_array_equal(sim.q, awake.q)
    assert sim.totals.steps == 1200 and sim.totals.work.collisions <= 0
    assert "contacts=1" in repr(sim.report) and "steps=1200" in repr(sim.totals)


def test_arrays_belong_to_the_simulation():
    sim = sinew.Simulation(falling_ball())
    q = sim.q
    sim.step()
    assert sim.q is q and q[6] < 1
    sim.q = [1, 0, 0, 0, 3, 0, 2]
    assert sim.q is q and q[4] == 3
    sim.v[5] = 1
    sim.external[1, 5] = 2 * 9.81  # carries the weight
    sim.step()
    np.testing.assert_allclose(q[6], 2 + 1e-3, atol=1e-12)
    with pytest.raises(ValueError, match=r"shape \(6,\), it must be \(7,\)"):
        sim.q = np.zeros(6)
    kept = sinew.Simulation(falling_ball()).q
    gc.collect()
    assert kept.sum() == 2  # alive without its simulation
    sim.q.shape = (7, 1)
    with pytest.raises(ValueError, match="q has shape"):
        sim.step()


def test_many_steps_are_single_steps():
    one, many = sinew.Simulation(humanoid()), sinew.Simulation(humanoid())
    for _ in range(50):
        one.step()
    many.run(steps=50)
    assert (one.q == many.q).all() and (one.v == many.v).all() and one.time == many.time
    assert many.totals.unsolved == 0 and many.totals.most_contacts >= 4


def test_snapshots_go_on_bit_for_bit():
    scene = humanoid()
    a, b = sinew.Simulation(scene), sinew.Simulation(scene)
    a.run(steps=30)
    snapshot = pickle.loads(pickle.dumps(a.make_snapshot()))
    assert sinew.Snapshot.from_bytes(snapshot.to_bytes()).names == snapshot.names
    b.restore(snapshot)
    assert b.time == a.time
    a.run(steps=30), b.run(steps=30)
    assert (a.q == b.q).all() and (a.v == b.v).all()
    with pytest.raises(ValueError):
        sinew.Simulation(falling_ball()).restore(snapshot)
    with pytest.raises(ValueError):
        sinew.Snapshot.from_bytes(snapshot.to_bytes()[:-9])


def test_a_controller_holds_a_pendulum():
    b = sinew.ModelBuilder("pendulum")
    b.body("bob").mass(sinew.point_mass(2.0), sinew.Transform([0, 0, -0.5]))
    b.revolute("hinge", "world", "bob").axis([0, 1, 0])
    b.motor("motor", "hinge")
    model = b.timestep(1e-3).build()
    sim, gravity, seen = sinew.Simulation(model), sinew.RneaWorkspace(model), []

    def control(s):
        seen.append(s.time)
        s.control[0] = 40 * (0.5 - s.q[0]) - 8 * s.v[0] + sinew.calc_gravity(model, gravity, s.q)[0]
        assert s.kinetic_energy >= 0  # may ask
        with pytest.raises(RuntimeError, match="controller"):
            s.step()  # but not step

    sim.controller = control
    sim.run(until=5)
    assert len(seen) == 5000 and seen[1] == pytest.approx(1e-3)
    np.testing.assert_allclose(sim.q, 0.5, atol=1e-6)
    np.testing.assert_allclose(sim.actuator_forces, 2 * 9.81 * 0.5 * np.sin(0.5), rtol=1e-5)

    def fail(s):
        raise KeyError("mine")

    sim.controller = fail
    with pytest.raises(KeyError, match="mine"):
        sim.run(steps=3)
    sim.controller = None
    sim.step()
    with pytest.raises(TypeError, match="callable"):
        sim.controller = 3


def test_a_controller_that_holds_its_simulation_is_collected():
    class Control:
        def __call__(self, sim):
            pass

    control = Control()
    sim = sinew.Simulation(falling_ball())
    control.sim, sim.controller = sim, control
    seen = weakref.ref(control)
    del sim, control
    gc.collect()
    assert seen() is None


def test_models_live_as_long_as_their_simulations():
    sim = sinew.Simulation(falling_ball())
    sensors = sinew.Sensors(falling_ball())
    gc.collect()
    sim.run(steps=5)
    with pytest.raises(ValueError, match="another model"):
        sensors.update(sim)
    assert sim.model.name == "ball"


def test_ctrl_c_stops_a_run_between_steps():
    sim = sinew.Simulation(humanoid())
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=1e6)
    assert time.monotonic() - start < 5
    assert sim.totals.steps == round(sim.time / sim.dt) > 0
    sim.step()  # and it goes on


def test_a_step_on_several_threads_has_the_same_bits():
    boxes = "".join(f'<body pos="{2 * (k // 4)} 0 {0.11 + 0.21 * (k % 4)}"><freejoint/><geom type="box" size=".1 .1 .1"/>'
                    "</body>" for k in range(32))
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{boxes}</worldbody></mujoco>'
    model = sinew.compile(sinew.parse_mjcf(text))
    alone, together = sinew.Simulation(model), sinew.Simulation(model)
    assert alone.threads == 1
    together.threads = 2
    assert together.threads == 2
    alone.run(until=0.1), together.run(until=0.1)
    assert (alone.q == together.q).all() and alone.totals.problems == together.totals.problems
    for wrong in (-1, 10**6):
        with pytest.raises(ValueError, match="threads"):
            together.threads = wrong
    together.threads = 1


def test_other_threads_run_while_it_steps():
    sim, counted = sinew.Simulation(humanoid()), []
    done = threading.Event()

    def count():
        while not done.is_set():
            counted.append(1)
            time.sleep(1e-4)

    thread = threading.Thread(target=count)
    thread.start()
    sim.run(steps=300)
    done.set(), thread.join()
    assert len(counted) > 5
    errors = []

    def use():
        try:
            sim.step()
        except RuntimeError as e:
            errors.append(str(e))

    def both(s):
        other = threading.Thread(target=use)
        other.start(), other.join()

    sim.controller = both
    sim.step()
    assert len(errors) == 1 and "in use" in errors[0]


def test_records(tmp_path):
    sim = sinew.Simulation(falling_ball())
    file = tmp_path / "run.h5"
    with sinew.Recorder(file, sim, every=2) as record:
        sim.run(steps=100, record=record)
    reader = sinew.RecordReader(file)
    assert reader.closed and reader.rows == 51 and "ball" in reader.body_names
    q, t = reader.read("frames/q"), reader.read("frames/time")
    assert q.shape == (51, 7) and t.shape == (51,) and (q[-1] == sim.q).all()
    np.testing.assert_allclose(np.diff(t), 2e-3)
    assert (reader.read("frames/q", 10, 5) == q[10:15]).all()
    other = sinew.Simulation(falling_ball())
    other.restore(sinew.read_last_snapshot(file))
    assert (other.q == sim.q).all()
    with pytest.raises(ValueError, match="rows"):
        reader.read("frames/q", 50, 5)
    with pytest.raises(ValueError):
        sinew.Recorder(file, sim)  # exists
    with pytest.raises(RuntimeError, match="finished"):
        record.add()
    with pytest.raises(ValueError, match="another simulation"):
        with sinew.Recorder(tmp_path / "two.h5", other) as record:
            sim.run(steps=1, record=record)


def test_sensors():
    sim = sinew.Simulation(falling_ball())
    sensors = sinew.Sensors(sim.model)
    sim.step(), sensors.update(sim)
    gyro, accelerometer = sensors.imu("ball")
    np.testing.assert_allclose(accelerometer, 0, atol=1e-9)  # in free fall
    sim.run(until=1.5), sensors.update(sim)
    np.testing.assert_allclose(sensors.imu("ball")[1], [0, 0, 9.81], atol=1e-6)
    np.testing.assert_allclose(sensors.contact_force("ball")[3:], [0, 0, 2 * 9.81], atol=1e-7)
    with pytest.raises(ValueError, match="did you mean 'ball'"):
        sensors.pose("bal")
    spec = sim.model.spec
    spec.sensors.append(sinew.SensorSpec(name="place", kind="framepos", object_kind="xbody", object="ball"))
    sim = sinew.Simulation(sinew.compile(spec))
    readings = sinew.SensorReadings(sim.model)
    sim.step(), readings.update(sim)
    np.testing.assert_allclose(readings["place"], sim.q[4:], atol=1e-12)
    assert len(readings) == 1 and (readings[0] == readings.values).all()
    with pytest.raises(KeyError):
        readings["plac"]


def test_smooth_and_event_driven_steppers():
    b = sinew.ModelBuilder("pendulum")
    b.body("bob").mass(sinew.point_mass(1.0), sinew.Transform([0, 0, -1]))
    b.revolute("hinge", "world", "bob").axis([0, 1, 0])
    sim = sinew.SmoothSimulation(b.build(), dt=1e-2, method=sinew.IntegrationMethod.rkmk4)
    sim.q[0] = 1
    start = sim.potential_energy
    sim.run(until=2)
    assert sim.kinetic_energy + sim.potential_energy == pytest.approx(start, abs=1e-6)
    events = sinew.EventSimulation(falling_ball(0.5), dt=1e-2)
    fall = np.sqrt(2 * 0.9 / 9.81)
    events.run(until=fall + 0.05)
    t = events.time - fall
    assert events.q[6] == pytest.approx(0.1 + 0.5 * 9.81 * fall * t - 9.81 * t * t / 2, abs=1e-7)
    with pytest.raises(ValueError, match="until"):
        events.run()


def test_a_step_that_cannot_be_made_says_why():
    sim = sinew.Simulation(falling_ball())
    sim.v[0] = np.nan
    before = sim.q.copy()
    with pytest.raises(RuntimeError):
        sim.step()
    assert (sim.q == before).all()
    spec = falling_ball().spec
    spec.timestep = 0
    with pytest.raises(ValueError, match="step must be positive"):
        sinew.Simulation(sinew.compile(spec))


def test_scenes_from_files():
    spec = sinew.load(ROOT / "models" / "humanoid.xml")
    scene = sinew.make_scene(spec, floor=sinew.FloorOptions(friction=0.8), gravity=[0, 0, -1.62], timestep=2e-3)
    assert scene.model.gravity[2] == -1.62 and scene.q.shape == (scene.model.nq,)
    sim = sinew.Simulation(scene)
    sim.run(steps=10)
    assert sim.dt == 2e-3 and dict(sim.options)["integrator"]
    with pytest.raises(ValueError):
        sinew.make_scene(spec, set={"no such joint": 1.0})


def test_a_budget_that_is_used_up_is_counted():
    model = sinew.compile(sinew.load(ROOT / "models" / "scenes" / "domino_row.xml"))
    hurried, calm = sinew.Simulation(model, most_seconds=1e-9), sinew.Simulation(model)
    hurried.run(until=0.2), calm.run(until=0.2)
    assert hurried.totals.unsolved >= hurried.totals.out_of_time > 0 == calm.totals.out_of_time
    assert hurried.report.out_of_time <= hurried.report.unsolved
    with pytest.raises(ValueError, match="most_seconds"):
        sinew.Simulation(model, most_seconds=-1)
