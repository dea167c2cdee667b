"""`sinew eval --algorithm sensors` beside MuJoCo's sensordata at random states."""
import re

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed; `make test` installs it")
from command import needs_command, sinew
from eval_support import SEED, evaluate

pytestmark = needs_command

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


ARM = """<mujoco><compiler angle="radian"/><option gravity="1 2 -9" magnetic="0.2 -0.4 0.7"/><worldbody>
  <geom name="floor" type="plane" size="4 4 .1" pos="0 0 -1.5"/> <site name="fixed" pos="0 0 1"/>
  <geom name="ball" type="sphere" size=".3" pos="1.2 .1 .2"/> <geom name="rod" type="capsule" size=".1 .4" pos="-1 .3 0"/>
  <geom name="can" type="cylinder" size=".2 .3" pos=".2 1.2 0" euler=".3 .2 .1"/>
  <geom name="egg" type="ellipsoid" size=".2 .3 .4" pos="0 -1.2 .1" euler=".5 0 .3"/>
  <geom name="crate" type="box" size=".2 .3 .4" pos="-.8 -.8 .3" euler=".1 .2 .3"/>
  <geom name="ghost" type="box" size="9 9 .01" pos="0 0 .9" rgba="1 1 1 0"/>
  <geom name="tetra" type="mesh" mesh="tetra" pos=".9 .9 .6"/>
  <site name="room" type="box" size=".5 .6 .7" pos=".1 0 .1" euler=".4 .1 .2"/>
  <site name="dome" type="ellipsoid" size=".6 .5 .7" pos=".1 0 .1"/> <site name="pipe" type="cylinder" size=".5 .6"/>
  <site name="pill" type="capsule" size=".4 .3"/> <site name="bubble" size=".6"/>
  <body name="a" pos="0 0 .2"><joint name="j1" axis="0 1 .2" range="-.4 .4" stiffness="3 .5 .7" springref=".2"/>
    <geom name="ga" type="capsule" size=".05" fromto="0 0 0 0 0 .4"/> <site name="sa" pos=".02 .05 .1" euler=".3 .4 .5"/>
    <body name="b" pos="0 0 .4"><joint name="ball" type="ball" range="0 .7" stiffness="2"/>
      <geom name="gb" type="box" size=".05 .1 .15" pos=".1 0 .1"/>
      <site name="sb" pos=".02 .05 .1" euler="1.3 .4 .5"/>
      <body name="c" pos="0 0 .3"><joint name="s" type="slide" axis="0 .2 1" range="-.1 .2" actuatorfrcrange="-9 9"/>
        <joint name="j2" axis="1 0 0"/>
        <geom name="gc" type="sphere" size=".08"/> <geom type="cylinder" size=".03 .1" pos=".1 .1 0" euler=".5 0 0"/>
        <site name="sc" pos="0 .2 .1" euler="2 .4 .5"/>
        <body name="d" pos=".1 0 .1"><geom type="box" size=".03 .04 .05"/><site name="sd" euler=".1 .2 .3"/></body>
      </body></body></body></worldbody>
  <asset><mesh name="tetra" vertex="-.5 -.5 -.5 .6 0 0 0 .7 0 .1 .1 .8"/></asset>
  <tendon><fixed name="sum" range="-.2 .3" stiffness="2" springlength=".1 .2"><joint joint="j1" coef="2"/>
      <joint joint="s" coef="-1"/></fixed>
    <spatial name="string" range="0 .9" stiffness="5 1 2"><site site="fixed"/><site site="sc"/></spatial></tendon>
  <actuator><motor name="m1" joint="j1" gear="3"/><position name="m2" joint="j1" kp="7"/>
    <motor name="m3" joint="s" gear="40"/><motor name="m4" tendon="sum" gear="2"/><motor name="m5" tendon="sum"/>
    <position name="m6" tendon="string" kp="3" gear=".5"/><motor name="m7" joint="ball" gear="1 2 3"/>
    <motor name="m8" site="sc" gear="1 2 3 4 5 6"/><position name="m9" site="sc" refsite="sa" gear="0 1 0 0 0 0" kp="2"/>
  </actuator><sensor>{sensors}</sensor></mujoco>"""


def other_kinds():
    out = [f'<{kind} site="{site}"/>' for site in ("sa", "sb", "sc", "sd")
           for kind in ("magnetometer", "rangefinder", "accelerometer")]
    out += [f'<rangefinder site="{site}"/>' for site in ("fixed", "room", "dome", "pipe")]
    out += [f'<insidesite objtype="{kind}" objname="{name}" site="{zone}"/>'
            for kind, name in (("site", "sc"), ("xbody", "c"), ("body", "b"), ("geom", "gb"))
            for zone in ("room", "dome", "pipe", "pill", "bubble")]
    out += [f'<jointlimit{what} joint="{joint}"/>' for what in ("pos", "vel") for joint in ("j1", "ball", "s")]
    out += [f'<tendon{what} tendon="{tendon}"/>' for what in ("pos", "vel", "actuatorfrc", "limitpos", "limitvel")
            for tendon in ("sum", "string")]
    out += [f'<actuator{what} actuator="m{k}"/>' for what in ("pos", "vel", "frc") for k in range(1, 10)]
    out += [f'<jointactuatorfrc joint="{joint}"/>' for joint in ("j1", "s", "j2")]
    out += [f'<{what} geom1="{a}" geom2="{b}" cutoff="5"/>' for what in ("distance", "normal", "fromto")
            for a, b in (("gc", "ball"), ("ga", "rod"), ("gc", "crate"), ("floor", "gc"), ("rod", "gc"), ("ga", "floor"))]
    out += ['<distance body1="b" geom2="ball" cutoff="5"/>', '<distance geom1="gc" geom2="ball" cutoff=".2"/>',
            '<distance geom1="gc" geom2="ball"/>', '<normal geom1="gc" geom2="ball" cutoff=".1"/>',
            '<magnetometer site="sa" cutoff=".1"/>', "<e_potential/>", "<e_kinetic/>"]
    return "\n".join(out)


def interactions():
    """The arm without its string, whose pull MuJoCo counts as a force from outside."""
    sensors = [f'<{kind} site="{site}"/>' for site in ("sa", "sb", "sc", "sd") for kind in ("force", "torque")]
    text = re.sub("<spatial.*?</spatial>", "", ARM, flags=re.S)
    return re.sub('<position name="m6".*?/>', "", text).format(sensors="".join(sensors))


@pytest.mark.parametrize("part", ["all", "interactions"])
def test_forces_ranges_limits_and_drives(tmp_path, part):
    path = tmp_path / "m.xml"
    path.write_text(interactions() if part == "interactions" else ARM.format(sensors=other_kinds()))
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data, rng = mujoco.MjData(model), np.random.default_rng(SEED)
    states, readings = [], []
    for _ in range(40):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1, 1, model.nv), 1)
        data.qvel[:] = rng.uniform(-2, 2, model.nv)
        data.ctrl[:] = rng.uniform(-1, 1, model.nu)
        mujoco.mj_forward(model, data)
        states.append({"q": data.qpos.tolist(), "v": data.qvel.tolist(), "a": data.qacc.tolist(),
                       "control": data.ctrl.tolist()})
        readings.append(data.sensordata.copy())
    seen = {}
    for found, theirs in zip(evaluate(path, states, ["sensors"], "--convention", "mujoco"), readings):
        assert len(found["sensors"]) == model.nsensor
        for s, ours in enumerate(found["sensors"]):
            first, size = model.sensor_adr[s], model.sensor_dim[s]
            expected, values = theirs[first:first + size], np.array(ours["values"])
            error = np.abs(values - expected).max() / max(1, np.abs(expected).max())
            seen.setdefault(ours["kind"], []).append((error, s, values, expected))
    # MuJoCo finds distances of boxes by an iteration, and the parts of a mesh in floats.
    loose = {"distance": 1e-6, "normal": 1e-4, "fromto": 1e-4, "rangefinder": 1e-6}
    wrong = {kind: max(list_, key=lambda x: x[0]) for kind, list_ in seen.items()
             if max(list_, key=lambda x: x[0])[0] > loose.get(kind, 1e-9)}
    assert not wrong, f"seed {SEED}: {wrong}"
    for kind in {"insidesite", "rangefinder", "jointlimitpos", "tendonlimitpos"} & set(seen):  # both outcomes were seen
        values = np.array([x[2][0] for x in seen[kind]])
        assert (values > 0).any() or (values < 0).any(), kind
        assert len(np.unique(values)) > 1, kind


def test_other_kinds_are_notes(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text('<mujoco><worldbody><body><joint name="j"/><geom size=".1" pos="1 0 0"/><site name="s"/></body></worldbody>'
                    '<sensor><contact site="s"/><user dim="1"/><jointpos name="p" joint="j"/></sensor></mujoco>')
    done = sinew("check", path, "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
