"""DeviceSimulation: worlds on a device, or the same steps on the CPU."""
import os

import numpy as np
import pytest

import sinew

BALL = """<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="5 5 0.1"/>
<body pos="0 0 0.5"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
<body pos="0 1 1"><joint name="hinge" type="hinge" axis="0 1 0"/>
<geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 0" mass="1" contype="0" conaffinity="0"/></body></worldbody>
<actuator><motor joint="hinge"/></actuator></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return sinew.compile(sinew.parse_mjcf(BALL))


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_worlds_step_as_a_simulation_does(model, precision):
    worlds = sinew.DeviceSimulation(model, 3, precision=precision)
    assert len(worlds) == 3 and worlds.device == "cpu" and worlds.dt == 0.005 and worlds.bytes_per_world > 0
    worlds.set_control(np.array([[0.0], [1.0], [-1.0]]))
    worlds.step(100)
    q, v = worlds.state()
    assert q.dtype == precision and q.shape == (3, model.nq) and v.shape == (3, model.nv)
    one = sinew.Simulation(model, middle_forces=False, refinements=0)
    one.control[:] = 1.0
    for _ in range(100):
        one.step()
    np.testing.assert_allclose(q[1], one.q, atol=1e-4 if precision == "float32" else 1e-11)
    assert worlds.summary().steps == 300 and worlds.summary().failed == 0 and worlds.failures == []


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_arrays_are_shared_without_copies(model, precision):
    worlds = sinew.DeviceSimulation(model, 3, precision=precision)
    q, v, control = (np.from_dlpack(x) for x in (worlds.q, worlds.v, worlds.control))
    assert q.shape == worlds.q.shape == (3, model.nq) and control.shape == (3, 1) and q.dtype == precision
    assert worlds.q.__dlpack_device__() == (1, 0)
    control[:] = [[0.0], [1.0], [-1.0]]
    v[0, 5] = 2.0
    worlds.step(10)
    after, _ = worlds.state()
    np.testing.assert_array_equal(q, after)
    assert after[0, 6] > after[1, 6] and after[1, 7] != after[2, 7]
    # The memory outlives the object, and a capsule that nobody takes lets go of it.
    worlds.applied.__dlpack__()
    assert "dltensor_versioned" in repr(worlds.q.__dlpack__(max_version=(1, 0)))
    del worlds
    np.testing.assert_array_equal(q, after)


SITE = '<site name="imu" pos="0.1 0 0" euler="0 30 0"/>'
NAMED = BALL.replace('<geom type="capsule"', SITE + '<geom type="capsule"').replace("<motor", '<motor name="push"')
SENSORS = NAMED.replace("</mujoco>", """<sensor><accelerometer name="felt" site="imu"/><gyro name="gyro" site="imu"/>
<actuatorfrc name="torque" actuator="push"/><rangefinder name="eye" site="imu"/></sensor></mujoco>""")


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_observations_are_those_of_a_batch(precision):
    model = sinew.compile(sinew.parse_mjcf(SENSORS))
    names = ["q", "v.hinge", "sensor.felt", "sensor.gyro", "sensor.torque", "z.body_1", "velocity.body_2",
             "contact_force.body_1", "time", "control"]
    batch = sinew.SimulationBatch(model, 3, middle_forces=False, refinements=0)
    worlds = sinew.DeviceSimulation(model, 3, precision=precision)
    assert set(worlds.observation_names) < set(batch.observation_names)
    assert "sensor.gyro" in worlds.observation_names and "sensor.eye" not in worlds.observation_names
    where = worlds.set_observation(names)
    assert list(where) == names and where["v.hinge"] == slice(8, 9)
    control = np.array([[0.0], [1.0], [-1.0]])
    worlds.set_control(control)
    batch.control[:] = control
    worlds.step(100)
    batch.step(100)
    seen = worlds.read_observation()
    assert seen.dtype == precision
    np.testing.assert_allclose(seen, batch.observe(names), atol=1e-2 if precision == "float32" else 1e-7)
    shared = np.from_dlpack(worlds.observe())
    np.testing.assert_array_equal(shared, seen)
    worlds.step()
    worlds.observe(stream=-1)
    assert (shared[:, where["time"]] > seen[:, where["time"]]).all()
    several = sinew.DeviceSimulation(model, 3, device=["cpu", "cpu"], precision=precision)
    several.set_observation(names)
    several.set_control(control)
    several.step(100)
    np.testing.assert_array_equal(several.read_observation(), seen)
    with pytest.raises(ValueError, match="several devices"):
        several.observe()


def test_observations_are_refused_by_name():
    worlds = sinew.DeviceSimulation(sinew.compile(sinew.parse_mjcf(SENSORS)), 2)
    with pytest.raises(ValueError, match="set_observation comes first"):
        worlds.observe()
    with pytest.raises(ValueError, match=r"'eye' \(rangefinder\) is not read on a device"):
        worlds.set_observation(["q", "sensor.eye"])
    with pytest.raises(ValueError, match="did you mean 'sensor.gyro'"):
        worlds.set_observation(["sensor.gyr"])


def test_worlds_on_several_devices(model):
    one, several = (sinew.DeviceSimulation(model, 5, device=d) for d in ("cpu", ["cpu", "cpu"]))
    for worlds in (one, several):
        worlds.set_control(np.linspace(-1, 1, 5)[:, None])
        worlds.step(20)
    for a, b in zip(one.state(), several.state()):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="several devices"):
        several.q
    with pytest.raises(ValueError, match="several devices"):
        several.step(1, stream=1)


def test_resets_and_failures(model):
    worlds = sinew.DeviceSimulation(model, 4)
    q, v = worlds.state()
    q[:, 6] += np.arange(4)
    worlds.set_start(q, v)
    worlds.reset()
    v[2, 0] = np.nan
    worlds.set_state(q, v)
    worlds.step(3)
    (failure,) = worlds.failures
    assert failure.world == 2 and "finite" in failure.text
    worlds.reset(np.array([True, False, True, False]))
    assert worlds.failures == []
    now, _ = worlds.state()
    np.testing.assert_array_equal(now[[0, 2]], q[[0, 2]])
    assert (now[[1, 3], 6] < q[[1, 3], 6]).all()


def test_refuses_by_name(model):
    for device in ("tpu", "cuda:", "cuda:x", "cuda1"):
        with pytest.raises(ValueError, match=f"device must be 'cpu', 'cuda' or 'cuda:' and a number, but is '{device}'"):
            sinew.DeviceSimulation(model, 1, device=device)
    with pytest.raises(ValueError, match="no device"):
        sinew.DeviceSimulation(model, 1, device=[])
    with pytest.raises(ValueError, match="precision must be"):
        sinew.DeviceSimulation(model, 1, precision="float16")
    worlds = sinew.DeviceSimulation(model, 2)
    with pytest.raises(ValueError, match="q has shape"):
        worlds.set_state(np.zeros(3), np.zeros((2, model.nv)))
    with pytest.raises(TypeError, match="mask must be an array of bool"):
        worlds.reset(np.zeros(2))


def test_without_a_device_the_error_says_so(model, monkeypatch):
    monkeypatch.setenv("SINEW_CUDA_LIBRARY", "/no/such/library.so")
    with pytest.raises(RuntimeError, match="/no/such/library.so.*make cuda-library"):
        sinew.DeviceSimulation(model, 1, device="cuda")


@pytest.mark.skipif("SINEW_CUDA_LIBRARY" not in os.environ, reason="SINEW_CUDA_LIBRARY is not set")
def test_a_cuda_device_steps_as_the_cpu_does(model):
    try:
        on_device = sinew.DeviceSimulation(model, 2, device="cuda", precision="float64")
    except RuntimeError as e:
        assert "there is no CUDA device" in str(e)
        pytest.skip(str(e))
    on_cpu = sinew.DeviceSimulation(model, 2, precision="float64")
    for worlds in (on_device, on_cpu):
        worlds.step(100)
    np.testing.assert_allclose(on_device.state()[0], on_cpu.state()[0], atol=1e-10)


def test_worlds_may_have_other_numbers():
    def fall(gravity):
        b = sinew.ModelBuilder("ball").timestep(1e-3).gravity([0, 0, gravity])
        b.body("ball").mass(sinew.solid_sphere(1, 0.1)).sphere(0.1)
        b.free("ball", "world", "ball").neutral([1, 0, 0, 0, 0, 0, 5])
        b.world().plane()
        return b.build()

    worlds = sinew.DeviceSimulation(fall(-9.81), 4, precision="float64")
    worlds.set_variants([fall(-1), fall(-2)], np.array([0, 1, 1, 0]))
    worlds.step(100)
    assert worlds.state()[1][:, 5] == pytest.approx([-0.1, -0.2, -0.2, -0.1], rel=1e-12)
    worlds.set_variants([], [])
    worlds.reset()
    worlds.step(100)
    assert worlds.state()[1][:, 5] == pytest.approx([-0.981] * 4, rel=1e-12)
    with pytest.raises(ValueError, match=r"variant\[0\] is 3, and there are 1"):
        worlds.set_variants([fall(-1)], [3, 0, 0, 0])
