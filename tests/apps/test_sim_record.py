"""sinew sim --record and --resume: what is in the file, and what is left of it when the run is cut short."""

import csv
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import time

import pytest
from command import needs_command, read, sinew, start

h5py = pytest.importorskip("h5py")

pytestmark = needs_command
SCENE = "pendulum:6"


def wait_until(run, holds):
    """Until a running command has come so far; a machine may be as slow or as quick as it likes."""
    while not holds():
        assert run.poll() is None, run.communicate()
        time.sleep(0.002)


def last_snapshot(file):
    """The step of the last snapshot of a record that may still grow; -1 where there is none to be read yet."""
    try:
        with h5py.File(file, "r", swmr=True, locking=False) as f:  # a lock would keep the writer out
            shots = f["committed"][3]
            return int(f["snapshots/step"][shots - 1]) if shots else -1
    except OSError:
        return -1


def check_whole(file, killed):
    """Every row that the file says is complete is there and belongs to the same step. Returns the last step.

    killed None: it may have been killed after its last row.
    """
    with h5py.File(file, "r") as f:  # a killed writer leaves no mark
        killed = f["finished"][0] == 0 if killed is None else killed
        assert f["finished"][0] == (0 if killed else 1)
        frames, contacts, pairs, shots, size = f["committed"][:]
        step = f["frames/step"][:frames]
        assert (step == range(frames)).all()
        assert abs(f["frames/time"][frames - 1] - step[-1] * f.attrs["dt"]) < 1e-9
        for name in ("frames/q", "frames/v", "bodies/poses", "energy/kinetic", "certificates/residual"):
            rows = f[name][:frames]
            assert len(rows) == frames and (rows == rows).all()
        assert f["contacts/first"][frames - 1] + f["contacts/count"][frames - 1] == contacts
        assert len(f["contacts/force"][:contacts]) == contacts and len(f["contacts/pairs"][:pairs]) == pairs
        assert (f["contacts/pair"][:contacts] < pairs).all()
        assert f["snapshots/first"][shots - 1] + f["snapshots/size"][shots - 1] == size
        assert bytes(f["snapshots/bytes"][:8]) == b"Sinewsnp"
        assert f["snapshots/step"][shots - 1] == step[-1]
        if not killed:
            assert len(f["frames/step"]) == frames and len(f["contacts/force"]) == contacts
        return int(step[-1])


def test_a_record_says_what_it_holds(tmp_path):
    file = tmp_path / "run.h5"
    out = read("sim", SCENE, "--for", "0.5", "--record", file)
    assert check_whole(file, killed=False) == out["steps"] == 5000
    with h5py.File(file) as f:
        assert f.attrs["format"] == "sinew record" and f.attrs["format_version"] == "1"
        assert f["frames/q"][-1].tolist() == out["q"] and f["frames/v"][-1].tolist() == out["v"]
        assert json.loads(f["meta/options"][()])["formulation"] == "os"
        assert f["meta/scene"][()].decode() == SCENE and "--record" in f["meta/command"][()].decode()
        assert f["meta/model"][()].decode().startswith("<mujoco")
        names = [n.decode() for n in f["bodies/names"][:]]
        for name, place in out["bodies"].items():
            assert f["bodies/poses"][-1, names.index(name)].tolist() == place["position"] + place["orientation"]
        datasets = []
        f.visititems(lambda name, x: datasets.append(x) if isinstance(x, h5py.Dataset) else None)
        rows = [d for d in datasets if d.maxshape and d.maxshape[0] is None]
        assert len(rows) > 25
        for d in rows:
            assert d.attrs["meaning"]
        # Energy: what the rows say adds up to what the summary says.
        assert sum(f["work/collisions"][:]) == pytest.approx(out["energy"]["collisions"], rel=1e-12)
        assert f["energy/kinetic"][-1] == out["energy"]["kinetic"]
        # Momentum: angular, then linear; what weight gave it is in both.
        assert f["momentum/bodies"].shape == (5001, 6)
        weight = out["momentum"]["weight"]
        assert f["momentum/weight"][-1].tolist() == weight["angular"] + weight["linear"]
        assert max(f["certificates/residual"][:]) == out["worst_residual"]


def test_contact_forces_carry_the_weight(tmp_path):
    model = tmp_path / "balls.xml"
    model.write_text("""<mujoco><option timestep="0.001"/><worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body name="ball" pos="0 0 0.1"><freejoint/><geom name="skin" type="sphere" size="0.1" mass="2"/></body>
      </worldbody></mujoco>""")
    out = read("sim", model, "--for", "0.1")
    (contact,) = out["contacts"]
    assert contact["bodies"] == ["ball", "world"] and contact["normal"] == [0, 0, 1]
    assert contact["force"] == pytest.approx([0, 0, 2 * 9.81], abs=1e-9) and "floor" in contact["shapes"]
    assert contact["point"] == pytest.approx([0, 0, 0], abs=1e-9)
    assert out["bodies"]["ball"]["position"] == pytest.approx([0, 0, 0.1], abs=1e-9)
    assert out["steps_per_second"] > 0
    momentum = out["momentum"]
    assert momentum["weight"]["linear"] == pytest.approx([0, 0, -0.2 * 9.81])
    assert momentum["contacts"]["linear"] == pytest.approx([0, 0, 0.2 * 9.81])
    for part in ("angular", "linear"):
        assert momentum["unaccounted"][part] == pytest.approx([0, 0, 0], abs=1e-12)


def test_rows_as_text(tmp_path):
    file = tmp_path / "run.csv"
    out = read("sim", SCENE, "--for", "0.2", "--record", file, "--every", "0.01s")
    rows = list(csv.DictReader(file.open()))
    assert len(rows) == 21 and int(rows[-1]["frames/step"]) == 2000
    assert [float(x) for name, x in rows[-1].items() if name.startswith("q.")] == out["q"]
    assert float(rows[-1]["link6.x"]) == out["bodies"]["link6"]["position"][0]
    more = read("sim", SCENE, "--for", "0.4", "--record", file, "--resume", file, "--every", "0.01s")
    whole = read("sim", SCENE, "--for", "0.4", "--record", tmp_path / "whole.csv", "--every", "0.01s")
    assert more["q"] == whole["q"] and file.read_text() == (tmp_path / "whole.csv").read_text()


def test_resumed_after_kill_is_the_same_run(tmp_path):
    file = tmp_path / "run.h5"
    words = ["sim", SCENE, "--record", file, "--every", "10", "--flush", "0.05"]
    last = 0
    for _ in range(2):
        run = start(*words, "--for", "100000", *(["--resume", file] if file.exists() else []))
        wait_until(run, lambda: last_snapshot(file) > last)
        run.kill()
        run.wait()
        last = last_snapshot(file)
    seconds = last * 1e-4 + 0.5
    whole = read("sim", SCENE, "--for", seconds, "--record", tmp_path / "whole.h5", "--every", "10")
    rest = read(*words, "--for", seconds, "--resume", file)
    assert rest["steps_here"] == 5000 and rest["steps"] == whole["steps"] == last + 5000
    for key in ("q", "v", "time", "contacts", "bodies", "collisions", "worst_residual", "energy"):
        assert rest[key] == whole[key], key
    with h5py.File(file) as a, h5py.File(tmp_path / "whole.h5") as b:
        for group in ("frames", "bodies", "energy", "certificates", "contacts"):
            for name in b[group]:
                assert (a[group][name][:] == b[group][name][:]).all(), name


def test_signals_leave_a_complete_file(tmp_path):
    for number in (signal.SIGINT, signal.SIGTERM):
        file = tmp_path / f"{number}.h5"
        run = start("sim", SCENE, "--for", "100000", "--record", file, "--json", "--flush", "0.05")
        wait_until(run, lambda: last_snapshot(file) > 0)
        assert check_whole(file, killed=True) > 0  # it can be read while it grows
        run.send_signal(number)
        out, error = run.communicate(timeout=30)
        assert run.returncode == 128 + number and "signal" in error
        out = json.loads(out)
        assert out["signal"] == number and check_whole(file, killed=False) == out["steps"]
        assert read("sim", SCENE, "--for", out["seconds"] + 0.01, "--resume", file)["steps_here"] == 100


def test_killed_at_any_moment(tmp_path):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    for i in range(int(os.environ.get("SINEW_KILLS", "15"))):
        file = tmp_path / f"{i}.h5"
        run = start("sim", SCENE, "--for", "3", "--record", file, "--flush", rng.choice(["0", "0.001", "0.02"]))
        wait_until(run, file.exists)
        time.sleep(rng.uniform(0, 0.4))
        run.kill()
        run.wait()
        whole = run.returncode == 0
        assert check_whole(file, killed=False if whole else None) >= 0
        done = sinew("sim", SCENE, "--for", "3.01", "--resume", file, "--record", file)
        assert done.returncode == 0, done.stderr
        assert check_whole(file, killed=False) == 30100
        file.unlink()


def no_room_stops(folder, **more):
    for name in ("run.h5", "run.csv"):
        file = folder / name
        done = sinew("sim", SCENE, "--for", "100", "--record", file, "--flush", "0.05", **more)
        assert done.returncode == 7, done.stderr
        assert "no room" in done.stderr and "resume" in done.stderr
        if name.endswith("h5"):
            assert check_whole(file, killed=False) > 1000
        else:
            assert file.read_text().endswith("\n")
        file.unlink()
        pathlib.Path(f"{file}.snapshot").unlink(missing_ok=True)


def test_a_limit_on_files_stops_the_run(tmp_path):
    size = 16 << 20
    no_room_stops(tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


def test_a_full_disk_stops_the_run(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", disk], capture_output=True).returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    try:
        no_room_stops(disk)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_memory_does_not_grow_with_the_record(tmp_path):
    file, most = tmp_path / "run.h5", 0
    run = start("sim", "pendulum:3", "--for", "30", "--record", file)
    while run.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
        except OSError:
            pytest.skip("this system does not say how much memory a process has")
        most = max([most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
        time.sleep(0.01)
    assert run.returncode == 0
    # HDF5 keeps up to 75 MB for itself, whatever the file: seen 88 MB here, 91 MB with 700 MB of rows.
    assert file.stat().st_size > 120e6 and 1e4 < most < 1.1e5  # [kB]
    file.unlink()


def test_what_is_wrong_is_named(tmp_path):
    file, other = tmp_path / "run.h5", tmp_path / "other.h5"
    assert sinew("sim", SCENE, "--for", "0.01", "--record", file).returncode == 0
    before = file.read_bytes()
    other.write_text("something else")
    for words, code, says in [
        (["--record", file], 2, "exists already"),
        (["--record", tmp_path / "no" / "run.h5"], 2, "run.h5"),
        (["--record", tmp_path / "x.h5", "--every", "zero"], 3, "zero"),
        (["--resume", tmp_path / "none.h5"], 2, "none.h5"),
        (["--resume", other], 2, "other.h5"),
        (["--resume", file, "--dt", "0.001"], 2, "dt is 1e-04 in the snapshot and 0.001 here"),
        (["--resume", file, "--friction", "0.123"], 2, "another model"),
        (["--resume", file, "--for", "0.001"], 3, "over already"),
    ]:
        done = sinew("sim", SCENE, *([] if "--for" in words else ["--for", "0.02"]), *words)
        assert done.returncode == code, (words, done.stderr)
        assert says in done.stderr, done.stderr
        assert "should not happen" not in done.stderr
    assert file.read_bytes() == before
    assert sinew("sim", SCENE, "--for", "0.02", "--record", file, "--force").returncode == 0
    assert check_whole(file, killed=False) == 200


def test_a_state_that_is_not_finite_leaves_the_last_good_one(tmp_path):
    file = tmp_path / "run.h5"
    done = sinew("sim", "pendulum:3", "--dt", "1e155", "--for", "1e157", "--formulation", "nmc", "--record",
                 file, "--json")
    assert done.returncode == 6
    assert "step 2" in done.stderr and "'link" in done.stderr and "non_finite" in done.stderr
    steps = check_whole(file, killed=False)
    out = json.loads(done.stdout)
    assert steps == out["steps"] == 1 and "not finite" in out["broken"]


DRIVEN = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
<body name="arm"><joint name="hinge" axis="0 0 1"/><geom type="box" size=".1 .1 .1" mass="3"/><site name="tip" pos=".1 0 0"/>
</body></worldbody>
<actuator><motor name="push" joint="hinge"/><general name="lag" joint="hinge" dyntype="filter" dynprm="0.5"/></actuator>
<sensor><jointvel name="speed" joint="hinge"/><gyro name="turning" site="tip"/><clock name="now"/></sensor>
<keyframe><key name="start" ctrl="0.2 1" act="0.25"/></keyframe></mujoco>"""


@pytest.fixture
def driven(tmp_path):
    file = tmp_path / "driven.xml"
    file.write_text(DRIVEN)
    return file


def test_sensors_and_actuators_are_recorded(driven, tmp_path):
    file, text = tmp_path / "run.h5", tmp_path / "run.csv"
    for record in (file, text):
        assert sinew("sim", driven, "--for", "1", "--record", record).returncode == 0
    inertia = 3 / 12 * (0.2**2 + 0.2**2)
    with h5py.File(file) as f:
        assert [n.decode() for n in f["actuators/names"]] == ["push", "lag"]
        assert (f["actuators/control"][:] == [0.2, 1]).all()
        forces, act = f["actuators/force"][:], f["frames/activation"][:, 0]
        assert (forces[1:, 0] == 0.2).all() and forces[1:, 1] == pytest.approx(act[:-1], abs=1e-15)
        assert [n.decode() for n in f["sensors/names"]] == ["speed", "turning[0]", "turning[1]", "turning[2]", "now"]
        values, v = f["sensors/values"][:], f["frames/v"][:, 0]
        assert (values[:, 0] == v).all() and (values[:, 4] == f["frames/time"][:]).all()
        assert values[:, 3] == pytest.approx(v, abs=1e-15) and (values[:, 1:3] == 0).all()
        assert v[1:] - v[:-1] == pytest.approx(0.01 / inertia * forces[1:].sum(axis=1), rel=1e-12)
    with open(text, newline="") as rows:
        last = list(csv.DictReader(rows))[-1]
    assert float(last["sensor.speed"]) == v[-1] and float(last["sensor.now"]) == pytest.approx(1)
    assert float(last["control.push"]) == 0.2 and float(last["force.lag"]) == forces[-1, 1]


def test_a_run_that_starts_from_a_record_takes_its_activations(driven, tmp_path):
    first, whole, state = tmp_path / "first.h5", tmp_path / "whole.h5", tmp_path / "state.json"
    sinew("sim", driven, "--for", "0.5", "--record", first)
    sinew("sim", driven, "--for", "1", "--record", whole)
    with h5py.File(first) as f:
        act, q, v = f["frames/activation"][-1, 0], f["frames/q"][-1, 0], f["frames/v"][-1, 0]
    controls = tmp_path / "controls.csv"
    controls.write_text("time,push,lag\n0,0.2,1\n")
    with h5py.File(whole) as f:
        expected = f["frames/q"][-1, 0], f["frames/v"][-1, 0]
    state.write_text(json.dumps({"q": [q], "v": [v], "activation": [act], "time": 0.5}))
    for start_from in (first, state):
        out = read("sim", driven, "--state", start_from, "--control", controls, "--for", "0.5")
        assert (out["q"][0], out["v"][0]) == pytest.approx(expected, rel=1e-9)
    state.write_text(json.dumps({"activation": [1, 2]}))
    done = sinew("sim", driven, "--state", state, "--for", "0.5")
    assert done.returncode != 0 and "activation has 2 numbers, the model has 1" in done.stderr


def test_a_mocap_body_follows_the_control_file(tmp_path):
    file, record, controls = tmp_path / "scene.xml", tmp_path / "run.h5", tmp_path / "hand.csv"
    file.write_text("""<mujoco><option timestep="0.01"/><worldbody>
<body name="hand" mocap="true"><geom size=".05"/></body>
<body name="ball" pos="0 0 5"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
    controls.write_text("time,hand/pos.x,hand/pos.z\n0,0,1\n0.5,1,2\n1,1,0\n")
    assert sinew("sim", file, "--for", "1", "--control", controls, "--record", record).returncode == 0
    with h5py.File(record) as f:
        names = [n.decode() for n in f["bodies/names"]]
        t, place = f["frames/time"][:], f["bodies/poses"][:, names.index("hand"), :3]
    rise, fall = 2 * t, 2 - 4 * (t - 0.5)
    assert place[1:, 0] == pytest.approx([min(x, 1) for x in rise[1:]], abs=1e-12)
    assert place[1:, 2] == pytest.approx([1 + a if s <= 0.5 else b for s, a, b in zip(t[1:], rise[1:], fall[1:])], abs=1e-12)
