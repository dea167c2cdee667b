"""Control tables, tracks and random pushes."""
import numpy as np
import pytest
import sinew


def rotor():
    """A disc about z without weight, inertia 0.5 kg m^2; a motor, and a free joint force."""
    b = sinew.ModelBuilder("rotor").gravity([0, 0, 0]).timestep(1e-3)
    b.body("disc").mass(1, [0, 0, 0], np.diag([1, 1, 0.5]))
    b.revolute("hinge", "world", "disc")
    spec = b.spec
    spec.actuators.append(sinew.ActuatorSpec(name="motor", kind="motor", target="hinge"))
    return sinew.compile(spec)


CSV = "time,motor\n0,1\n0.1,-2\n0.2,0\n"


def test_a_table_drives_a_motor():
    model = rotor()
    table = sinew.parse_control_table(CSV)
    assert table.names == ["motor"] and "3 rows of 1" in repr(table)
    np.testing.assert_array_equal(table.time, [0, 0.1, 0.2])
    np.testing.assert_array_equal(table.values, [[1], [-2], [0]])
    track = sinew.ControlTrack(model, table)
    sim = sinew.Simulation(model)
    sim.controller = lambda s: track.set(s.time + 1e-9, s.control, s.applied)
    sim.run(until=0.3)
    assert sim.v[0] == pytest.approx((0.1 * 1 - 0.1 * 2) / 0.5, abs=1e-10)  # rows hold until the next
    assert not track.moves


def test_columns_find_their_targets():
    model = rotor()
    track = sinew.ControlTrack(model, sinew.ControlTable([0.5, 1], ["hinge[0]", "motor"], [[3, 4], [5, 6]]))
    control, applied = np.full(1, 9.0), np.full(1, 9.0)
    for time, want in [(0, (3, 4)), (0.6, (3, 4)), (1, (5, 6)), (77, (5, 6))]:
        track.set(time, control, applied)
        assert (applied[0], control[0]) == want
    with pytest.raises(ValueError, match=r"shape \(2,\), it must be \(1,\)"):
        track.set(0, np.zeros(2), applied)
    with pytest.raises(ValueError, match="mottor"):
        sinew.ControlTrack(model, sinew.ControlTable([0], ["mottor"], [[1]]))
    with pytest.raises(ValueError, match="it must be"):
        sinew.ControlTable([0, 1], ["motor"], [[1, 2]])


def test_files(tmp_path):
    (tmp_path / "c.csv").write_text(CSV)
    np.testing.assert_array_equal(sinew.load_control_table(tmp_path / "c.csv").values, [[1], [-2], [0]])
    (tmp_path / "bad.csv").write_text("time,motor\n0,1\n1,two\n")
    with pytest.raises(sinew.LoadError, match="two") as e:
        sinew.load_control_table(tmp_path / "bad.csv")
    assert e.value.diagnostics[0].line == 3
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "c.h5", "w") as f:
        f["time"], f["motor"] = [0.0, 1.0], [3.0, 4.0]
    table = sinew.load_control_table(tmp_path / "c.h5")
    np.testing.assert_array_equal(table.values, [[3], [4]])


def test_mocap_bodies_move():
    spec = sinew.parse_mjcf("""<mujoco><option timestep="0.01"/><worldbody><body name="hand" mocap="true" pos="0 0 1">
      <geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>""")
    model = sinew.compile(spec)
    track = sinew.ControlTrack(model, sinew.ControlTable([0, 1], ["hand/pos.x"], [[0], [2]]))
    sim = sinew.Simulation(model)
    sim.controller = lambda s: track.move(s.time + s.dt, s)
    sim.run(until=0.5)
    assert track.moves
    np.testing.assert_allclose(sim.body_poses()[1].r, [1, 0, 1], atol=1e-12)
    with pytest.raises(ValueError, match="another model"):
        track.move(0, sinew.Simulation(rotor(), dt=1e-3))


def test_pushes():
    model = sinew.compile(sinew.mechanisms.humanoid())
    pushes = sinew.RandomPushes(model, 7, 0.01)
    state = sinew.make_state(model)
    state.q = sinew.random_configuration(model, 2)
    pushed, targets = 0, set()
    for step in range(2000):
        f = pushes.calc(step, state)
        rows = np.flatnonzero(abs(f).max(axis=1))
        assert len(rows) <= 1
        if not len(rows):
            continue
        pushed += 1
        (i,) = rows
        targets.add(i)
        assert np.linalg.norm(f[i, 3:]) == pytest.approx(model.mass * 9.81 / 2, rel=1e-12)
        np.testing.assert_allclose(f[i, :3], np.cross(model.bodies[i].com, f[i, 3:]), atol=1e-9)
        out = np.ones_like(f)
        assert sinew.RandomPushes(model, 7, 0.01).calc(step, state, out) is out  # no matter what was before
        np.testing.assert_array_equal(out, f)
    assert pushed == 2000 * 0.05 / 0.2 and len(targets) > 10
    with pytest.raises(ValueError, match="dt"):
        sinew.RandomPushes(model, 1, 0)
