"""`sinew eval --algorithm sensors` beside MuJoCo's sensordata at random states."""
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed; `make test` installs it")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from eval_support import BINARY, SEED, evaluate, sinew  # noqa: E402

pytestmark = pytest.mark.skipif(not pathlib.Path(BINARY).exists(), reason="SINEW_APP names no binary")

MODEL = """<mujoco><option gravity="1 2 -9"/><worldbody>
  <geom name="w" type="box" size=".1 .1 .1" pos="1 2 3" euler="10 20 30"/><site name="ws" pos=".3 .2 .1" euler="5 5 5"/>
  <body name="a" pos=".1 .2 .3" euler="10 20 30"><freejoint/>
    <geom name="ga" type="box" size=".1 .2 .3" pos=".05 0 .1" euler="5 6 7"/>
    <geom type="capsule" size=".05 .2" pos="-.2 0 .1" euler="50 6 7"/><site name="sa" pos=".1 .2 .1" euler="30 40 50"/>
    <body name="b" pos="0 .3 0"><joint name="ball" type="ball" pos="0 -.1 0"/>
      <geom name="gb" type="ellipsoid" size=".1 .2 .05" euler="45 10 0" pos=".1 0 0"/>
      <site name="sb" pos=".1 .2 .1" euler="3 40 5"/>
      <body name="c" pos="0 .4 0"><joint name="h" axis="1 0 1"/><joint name="s" type="slide" axis="0 1 1"/>
        <geom type="cylinder" size=".08 .25" pos=".01 .02 .03" euler="0 30 0"/>
        <site name="sc" pos="0 .2 0" euler="90 4 5"/></body></body></body></worldbody>
  <sensor><accelerometer site="sc"/><velocimeter site="sb"/><gyro site="sa"/><accelerometer site="sa" cutoff="3"/>
    {frames}
    <jointpos joint="h"/><jointvel joint="s"/><jointpos joint="s"/><ballquat joint="ball"/><ballangvel joint="ball"/>
    <subtreecom body="b"/><subtreelinvel body="b"/><subtreeangmom body="b"/><subtreecom body="world"/>
    <subtreeangmom body="a"/><subtreelinvel body="c"/><e_kinetic/></sensor></mujoco>"""
OBJECTS = [("site", "sc"), ("body", "c"), ("xbody", "b"), ("geom", "gb"), ("body", "a"), ("body", "b"), ("site", "sc")]
REFERENCES = [None, ("site", "sa"), ("body", "a"), ("xbody", "c"), ("geom", "w"), ("site", "ws"), ("body", "b")]


def frames():
    out = []
    for kind in ("pos", "quat", "xaxis", "yaxis", "zaxis", "linvel", "angvel", "linacc", "angacc"):
        for (kind_a, name_a), reference in zip(OBJECTS, REFERENCES):
            relative = f' reftype="{reference[0]}" refname="{reference[1]}"' if reference and "acc" not in kind else ""
            out.append(f'<frame{kind} objtype="{kind_a}" objname="{name_a}"{relative}/>')
    return "\n".join(out)


def test_every_kind(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(MODEL.format(frames=frames()))
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data, rng = mujoco.MjData(model), np.random.default_rng(SEED)
    states, readings = [], []
    for _ in range(20):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1, 1, model.nv), 1)
        data.qvel[:] = rng.uniform(-2, 2, model.nv)
        mujoco.mj_forward(model, data)
        states.append({"q": data.qpos.tolist(), "v": data.qvel.tolist(), "a": data.qacc.tolist()})
        readings.append(data.sensordata.copy())
    for found, theirs in zip(evaluate(path, states, ["sensors"], "--convention", "mujoco"), readings):
        assert len(found["sensors"]) == model.nsensor
        for s, ours in enumerate(found["sensors"]):
            first, size = model.sensor_adr[s], model.sensor_dim[s]
            expected, values = theirs[first:first + size], np.array(ours["values"])
            error = np.abs(values - expected).max()
            if ours["kind"] in ("framequat", "ballquat"):  # both signs are the same turn
                error = min(error, np.abs(values + expected).max())
            assert error < 1e-10 * max(1, np.abs(expected).max()), ours


def test_other_kinds_are_notes(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text('<mujoco><worldbody><body><joint name="j"/><geom size=".1" pos="1 0 0"/><site name="s"/></body></worldbody>'
                    '<sensor><touch site="s"/><jointpos name="p" joint="j"/></sensor></mujoco>')
    done = sinew("check", path, "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
