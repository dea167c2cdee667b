"""<attach> beside MuJoCo: inertia, bias forces, drives, tendons, sensors, names and keyframes of the joined model."""
import csv
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed; `make test` installs it")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from eval_support import SEED, difference, evaluate, sinew  # noqa: E402
from test_tendons import check, compare  # noqa: E402

# An arm in radians beside a body that stays behind, with all that can refer to a body.
ARM = """<mujoco model="arm"><compiler angle="radian" eulerseq="XYZ" boundmass="0.2"/>
  <option timestep="0.01" density="3"/>
  <default><geom density="600"/><joint damping="0.3"/>
    <default class="thin"><geom type="capsule" size=".03"/></default></default>
  <asset><mesh name="wedge" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .25"/></asset>
  <worldbody>
    <geom name="post" type="cylinder" size=".05 .3" pos="0 0 -.3"/> <site name="base" pos=".1 0 .1"/>
    <frame name="mount" pos="0 .1 0" euler=".2 .1 .3">
      <body name="rail" pos="0 0 .1"><joint name="slide" type="slide" axis="1 0 0" range="-1 1"/>
        <geom type="box" size=".1 .1 .05"/><site name="on_rail" pos="0 0 .05"/></body></frame>
    <body name="shoulder" childclass="thin"><joint name="lift" axis="0 1 0"/><geom fromto="0 0 0 0 0 .3"/>
      <frame euler="0 0.4 0"><body name="upper" pos="0 0 .3" euler=".3 .2 .1"><joint name="turn" axis="0 0 1" ref=".1"/>
        <joint name="bend" axis="1 0 0" range="-1 2" stiffness="3"/>
        <geom fromto="0 0 0 .1 0 .4"/><geom name="w" type="mesh" mesh="wedge" size="1"/>
        <site name="elbow" pos=".05 .1 .2"/>
        <body name="hand" pos="0 0 .4"><joint name="roll" type="ball"/><geom type="box" size=".05 .1 .02"/>
          <site name="tip" pos=".1 0 0"/></body></body></frame></body>
  </worldbody>
  <contact><exclude body1="upper" body2="hand"/><exclude body1="upper" body2="shoulder"/></contact>
  <tendon><fixed name="sum"><joint joint="turn" coef="2"/><joint joint="bend" coef="-1"/></fixed>
    <fixed name="mixed"><joint joint="turn" coef="2"/><joint joint="slide" coef="-1"/></fixed>
    <spatial name="string" stiffness="4"><site site="elbow"/><site site="tip"/></spatial>
    <spatial name="long" stiffness="4"><site site="base"/><site site="tip"/></spatial></tendon>
  <equality><weld body1="hand" body2="world" active="false"/><joint joint1="bend" joint2="slide" active="false"/></equality>
  <actuator><motor name="lifter" joint="lift" gear="4"/><position name="bender" joint="bend" kp="5"/>
    <motor name="puller" tendon="string"/><motor name="mixer" tendon="mixed"/>
    <velocity name="slider" joint="slide" kv="2"/></actuator>
  <sensor><jointpos name="bent" joint="bend"/><jointpos joint="slide"/><framepos name="seen" objtype="site" objname="tip"
    reftype="site" refname="elbow"/><framepos objtype="site" objname="tip" reftype="site" refname="base"/>
    <actuatorfrc actuator="mixer"/><subtreecom body="upper"/><e_kinetic name="energy"/></sensor>
  <keyframe><key name="up" qpos=".1 .2 .3 .4 1 0 0 0" qvel="1 2 3 4 5 6 7" ctrl="1 2 3 4 5"/></keyframe>
</mujoco>"""
HOST = """<mujoco><compiler eulerseq="zyx"/><asset><model name="m" file="arm.xml"/>{assets}</asset>
  <worldbody><geom type="plane" size="3 3 1"/>
    <body name="cart" pos="0 0 1" euler="10 20 30"><joint name="cart" type="slide"/><geom type="box" size=".3 .2 .1"/>
      <site name="hook" pos="0 0 .2"/>
      {inside}
      <body name="last" pos="0 0 .5"><joint name="last"/><geom size=".1" pos=".1 0 0"/></body></body>
    {outside}</worldbody>
  <actuator><motor name="own" joint="cart"/></actuator>
  <sensor><jointpos name="own" joint="last"/></sensor>
  {more}
  <keyframe><key name="mine" time="3"/></keyframe></mujoco>"""
CASES = {
    "a_body": dict(inside='<frame pos=".1 .2 .3" euler="40 0 0"><attach model="m" body="upper" prefix="l_"/></frame>',
                   more='<tendon><spatial name="across"><site site="hook"/><site site="l_tip"/></spatial></tendon>'),
    "twice": dict(inside='<attach model="m" body="upper" prefix="l_"/><frame pos="0 0 .4">'
                         '<attach model="m" body="upper" prefix="r_"/></frame>'),
    "with_its_parent": dict(inside='<attach model="m" body="shoulder" prefix="r_"/>'),
    "a_frame": dict(inside='<attach model="m" frame="mount" prefix="f/"/>'),
    "everything": dict(inside='<frame euler="0 0 20"><attach model="m" prefix="x_"/></frame>'),
    "on_the_world": dict(outside='<frame pos="2 0 0"><attach model="m" prefix="x_"/></frame>'),
    "larger": dict(inside='<frame pos=".1 0 0" euler="0 0 20" scale="1.7" massscale="2"><attach model="m" prefix="x_"/>'
                          '</frame>',
                   more='<tendon><spatial name="across"><site site="hook"/><site site="x_tip"/></spatial></tendon>'),
    "smaller_on_the_world": dict(outside='<frame pos="2 0 0" scale=".6" scaling="geometry">'
                                         '<attach model="m" prefix="x_"/></frame>'),
    "by_its_own_name": dict(assets='<model file="other.xml"/>',
                            inside='<attach model="other" body="b" prefix="o_"/><attach model="m" body="hand" prefix=""/>'),
    "nested": dict(assets='<model name="n" file="nest.xml"/>', inside='<attach model="n" body="nest" prefix="n_"/>'),
    "itself": dict(outside='<body name="twin" pos="3 0 1"><joint name="swing"/><geom size=".2"/></body>'
                           '<attach body="twin" prefix="second_"/>',
                   more='<equality><joint joint1="swing" active="false"/></equality>'),
}
OTHERS = {
    "arm.xml": ARM,
    "other.xml": '<mujoco model="other"><worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>',
    "nest.xml": '<mujoco><asset><model name="a" file="arm.xml"/></asset><worldbody><body name="nest"><joint name="j"/>'
                '<geom size=".2"/><attach model="a" body="upper" prefix="a_"/></body></worldbody>'
                '<sensor><jointpos name="deep" joint="a_turn"/></sensor></mujoco>',
}


def write(folder, **parts):
    for name, text in OTHERS.items():
        (folder / name).write_text(text)
    file = folder / "host.xml"
    file.write_text(HOST.format(**{"assets": "", "inside": "", "outside": "", "more": "", **parts}))
    return file


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_the_joined_model_is_mujocos(tmp_path, case):
    file = write(tmp_path, **CASES[case])
    model = mujoco.MjModel.from_xml_path(str(file))
    check(compare(file))  # names and laws of tendons, actuators
    data, rng = mujoco.MjData(model), np.random.default_rng(SEED)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    states, expected = [], []
    for _ in range(10):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1, 1, model.nv), 1)
        data.qvel[:] = rng.uniform(-2, 2, model.nv)
        data.ctrl[:] = 0
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        states.append({"q": data.qpos.tolist(), "v": data.qvel.tolist(), "a": data.qacc.tolist()})
        kept = [s for s in range(model.nsensor) if model.sensor_type[s] not in (
            mujoco.mjtSensor.mjSENS_ACTUATORFRC, mujoco.mjtSensor.mjSENS_E_KINETIC)]
        readings = {s: data.sensordata[model.sensor_adr[s]:model.sensor_adr[s] + model.sensor_dim[s]].copy() for s in kept}
        expected.append((M, data.qfrc_bias.copy(), readings))
    for ours, (M, bias, readings) in zip(
            evaluate(file, states, ["crba", "bias", "sensors"], "--convention", "mujoco"), expected):
        assert difference(ours["M"], M) < 1e-7  # the mesh's inertia is known that well in MuJoCo
        assert difference(ours["h"], bias) < 1e-7
        assert [s["name"] for s in ours["sensors"]] == [model.sensor(s).name for s in range(model.nsensor)]
        for s, values in readings.items():
            assert difference(ours["sensors"][s]["values"], values) < 1e-7, ours["sensors"][s]
    # Where a run that starts from a key begins, and with which controls it ends.
    for k in range(model.nkey):
        name = model.key(k).name
        if case == "nested" and name == "a_up":
            name = "n_a_up"  # MuJoCo forgets the outer prefix
        record = tmp_path / f"{k}.csv"
        done = sinew("sim", file, "--keyframe", name, "--for", 0.002, "--record", record)
        assert done.returncode == 0, done.stderr
        with open(record, newline="") as f:
            first = next(csv.DictReader(f))
        mujoco.mj_resetDataKeyframe(model, data, k)
        mujoco.mj_kinematics(model, data)
        for b in range(1, model.nbody):
            at = [float(first[f"{model.body(b).name}.{axis}"]) for axis in "xyz"]
            assert np.abs(at - data.xpos[b]).max() < 1e-12, (name, model.body(b).name)
        moving = [j for j in range(model.njnt) if model.jnt_type[j] >= int(mujoco.mjtJoint.mjJNT_SLIDE)]
        for j in moving:
            column = f"v.{model.joint(j).name}"  # bodies with several joints have others
            assert float(first.get(column, data.qvel[model.jnt_dofadr[j]])) == data.qvel[model.jnt_dofadr[j]]


@pytest.mark.parametrize("inside, law", [
    ('<attach model="no" body="upper" prefix="l_"/>', "no model 'no'"),
    ('<attach model="m" body="no" prefix="l_"/>', "no body 'no'"),
    ('<attach model="m" body="upper"/>', "prefix"),
    ('<attach model="m" body="upper" frame="mount" prefix="x"/>', "a body and a frame"),
    ('<attach prefix="x"/>', "itself"),
    ('<attach body="cart" prefix="x"/>', "8 deep"),
    ('<attach model="m" body="upper" prefix="l_"/><attach model="m" body="upper" prefix="l_"/>', "taken"),
    ('<attach model="m" body="world" prefix="l_"/>', "leave body out"),
])
def test_what_cannot_be_attached_is_named(tmp_path, inside, law):
    done = sinew("check", write(tmp_path, inside=inside))
    assert done.returncode != 0
    assert law in done.stdout + done.stderr


def test_models_that_attach_each_other_end(tmp_path):
    OTHER = '<mujoco><asset><model name="m" file="{}"/></asset><worldbody><body name="b"><joint/><geom size=".1"/>' \
            '<attach model="m" body="b" prefix="x"/></body></worldbody></mujoco>'
    (tmp_path / "one.xml").write_text(OTHER.format("two.xml"))
    (tmp_path / "two.xml").write_text(OTHER.format("one.xml"))
    done = sinew("check", tmp_path / "one.xml")
    assert done.returncode != 0
    assert "end the cycle" in done.stdout + done.stderr
