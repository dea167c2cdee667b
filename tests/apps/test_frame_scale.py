"""<frame scale massscale scaling> beside MuJoCo: inertia, forces, drives, tendons, sensors, keys and loops.

One model has every kind of element inside two nested frames, outside of them and across; the frames get all kinds of
scales. MuJoCo 4.0 scales by the powers of length and mass in each number; docs/mjcf.md has the table.
"""
import csv
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed; `make test` installs it")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from command import needs_command, read, sinew  # noqa: E402
from eval_support import SEED, difference, evaluate  # noqa: E402
from test_tendons import check, compare  # noqa: E402

pytestmark = needs_command

MODEL = """<mujoco><compiler eulerseq="ZYX"/><option density="3" viscosity=".2"/>
  <default><joint damping=".3"/>
    <default class="soft"><joint stiffness="2 .3 .4" damping="1 .2 .3" armature=".1" frictionloss=".2"/>
      <geom density="700" friction="1 .02 .003"/><site size=".02"/></default></default>
  <asset><mesh name="wedge" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .25" scale="1 1.5 2" refpos=".1 0 0"/>
    <mesh name="shell" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .25" inertia="shell"/></asset>
  <worldbody>
    <site name="w0" pos=".1 .2 1.5"/> <geom name="floor" type="plane" size="3 3 1" pos="0 0 -3"/>
    <body name="cart" pos=".3 .2 1"><joint name="cart" type="slide" axis="1 1 0" range="-2 3"/>
      <joint name="tilt" axis="0 1 0"/><geom name="cart" type="mesh" mesh="wedge"/>
      <site name="hook" pos=".1 .2 .3"/></body>
    <frame name="outer" pos="1 2 3" euler="10 20 30" childclass="soft" {outer}>
      <geom name="stone" type="box" size=".2 .3 .1" pos="3 .2 .1"/> <site name="on_stone" pos=".2 .1 .3"/>
      <body name="mocap" mocap="true" pos=".2 .1 -.4"/>
      <body name="float" pos=".5 .6 .7" euler="5 6 7"><freejoint name="free"/>
        <geom name="float" type="capsule" size=".1" fromto="0 0 0 .1 .2 .3" fluidshape="ellipsoid"/>
        <site name="on_float" pos=".1 .2 .3" euler="20 30 40"/></body>
      <body name="upper" pos="0 .1 .2" euler="0 10 0" gravcomp=".4">
        <joint name="hinge" axis="0 1 .2" pos=".01 .02 .03" range="-100 120" springref="10" ref="5"/>
        <geom name="upper" type="cylinder" size=".05 .2" pos="0 .1 .2" mass="1.5"/>
        <geom type="box" mesh="wedge" fitscale="1.2" pos=".1 0 0"/>
        <site name="on_upper" pos=".1 .05 .2" euler="0 40 0"/>
        <geom name="drum" type="cylinder" size=".06 .1" pos="0 .2 .4" euler="90 10 0" mass=".1"/>
        <body name="middle" pos="0 0 .4"><joint name="slide" type="slide" axis="0 1 1" range="-.4 .5" springref=".1"
            ref=".05" pos=".1 0 0"/>
          <inertial pos=".02 .03 .1" mass="2" fullinertia=".1 .12 .13 .01 .02 .03"/>
          <geom name="middle" type="ellipsoid" size=".1 .2 .3" margin=".01"/> <site name="on_middle" pos="0 .2 .1"/>
          <frame pos=".1 .2 .05" euler="0 0 25" {inner}>
            <body name="lower" pos=".05 .1 .3"><joint name="ball" type="ball" range="0 80" stiffness="2 0 0"
                damping="1 0 0"/>
              <geom name="lower" type="mesh" mesh="wedge" pos=".1 0 0" euler="10 20 30"/>
              <site name="on_lower" pos=".1 .2 .1" euler="30 20 10"/>
              <replicate count="2" offset=".1 .05 0" euler="0 0 20"><body name="tip" pos="0 .2 .1">
                <joint name="reach" type="slide" axis="1 0 1" ref=".02" range="-.3 .2"/>
                <joint name="turn" axis="0 0 1"/>
                <geom type="mesh" mesh="shell"/> <geom size=".03" pos=".2 0 0" shellinertia="true"/>
                <site name="on_tip" pos=".1 .1 0"/></body></replicate></body>
          </frame></body></body>
    </frame>
    <frame pos="-1 0 0" {other}><body name="alone" pos=".2 .1 .3"><joint name="alone" type="slide" axis="0 1 0"/>
      <geom name="alone" size=".1"/><site name="on_alone" pos=".1 .1 .1"/></body></frame>
  </worldbody>
  <tendon>
    <fixed name="turns" stiffness="2 .3 .4" damping="1 .2 .1" springlength=".1 .2">
      <joint joint="hinge" coef="1.5"/></fixed>
    <fixed name="both" stiffness="2 .3 .4" damping="1 .2 .1"><joint joint="hinge" coef="1.5"/>
      <joint joint="slide" coef="2"/></fixed>
    <fixed name="nested" stiffness="2" springlength=".1"><joint joint="slide" coef="1.5"/>
      <joint joint="reach0" coef="2"/><joint joint="turn1" coef="3"/></fixed>
    <fixed name="across" stiffness="2"><joint joint="cart" coef="1"/><joint joint="slide" coef="2"/>
      <joint joint="hinge" coef="1"/></fixed>
    <fixed name="twice" stiffness="2"><joint joint="alone" coef="1"/><joint joint="slide" coef="2"/></fixed>
    <spatial name="string" stiffness="3 .2 .3" damping="1 .1 .2" springlength=".2 .3" actuatorfrcrange="-2 2">
      <site site="on_upper"/><geom geom="drum" sidesite="w0"/><site site="on_middle"/></spatial>
    <spatial name="deep" stiffness="3" springlength=".1"><site site="on_lower"/><site site="on_tip0"/>
      <pulley divisor="2"/><site site="on_tip0"/><site site="on_tip1"/></spatial>
    <spatial name="down" stiffness="3" springlength=".1"><site site="on_stone"/><site site="on_tip1"/></spatial>
    <spatial name="out" stiffness="3" springlength=".1"><site site="hook"/><site site="on_tip1"/></spatial>
  </tendon>
  <actuator>
    <motor name="torque" joint="hinge" gear="2" ctrlrange="-1 .5" forcerange="-.4 .3" armature=".1" damping=".2 .1 .3"/>
    <motor name="force" joint="slide" gear="2" forcerange="-.4 .9" armature=".1" damping=".2 .1 .3"/>
    <position name="angle" joint="hinge" kp="5" kv=".3" ctrlrange="-.5 .8"/>
    <position name="place" joint="slide" kp="5" kv=".3" ctrlrange="-.5 .8" forcerange="-3 2"/>
    <position name="ratio" joint="reach0" kp="5" dampratio=".8" inheritrange="1.1"/>
    <position name="slow" joint="slide" kp="5" timeconst=".3" ctrlrange="-.5 .8"/>
    <velocity name="speed" joint="reach1" kv="3" ctrlrange="-.5 .8"/>
    <intvelocity name="creep" joint="slide" kp="4" kv=".2" actrange="-.4 .6"/>
    <damper name="brake" joint="slide" kv="3" ctrlrange="0 1"/>
    <cylinder name="press" joint="slide" area="2" bias="1 -2 -3" timeconst=".2" ctrlrange="-.6 .7"/>
    <cylinder name="wring" joint="hinge" area="2" bias="1 2 3"/>
    <general name="affine" joint="slide" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm=".1 .2 .3"
      dyntype="integrator"/>
    <general name="servo" joint="turn0" gainprm="4" biastype="affine" biasprm="0 -4 .7"/>
    <general name="almost" joint="slide" gainprm="4" biastype="affine" biasprm="0 -4 .7"/>
    <motor name="wrench" site="on_tip0" gear="1 2 3 4 5 6" forcerange="-.6 .7"/>
    <motor name="couple" site="on_middle" gear="0 0 0 1 2 3"/>
    <position name="aim" site="on_lower" refsite="w0" gear="0 1 2 .3 0 0" kp="2"/>
    <motor name="crank" slidersite="on_upper" cranksite="on_middle" cranklength="4.5"/>
    <position name="long_crank" slidersite="hook" cranksite="on_tip0" cranklength="30" kp="2"/>
    <motor name="roll" joint="ball" gear="1 2 3"/> <motor name="roll_in" jointinparent="ball" gear="1 2 3"/>
    <motor name="push" joint="free" gear="1 2 3 4 5 6"/> <motor name="spin" joint="free" gear="0 0 0 4 5 6"/>
    <motor name="on_string" tendon="string" gear="5"/> <position name="on_turns" tendon="turns" kp="3"/>
    <position name="on_both" tendon="both" kp="3" kv=".2"/> <motor name="on_across" tendon="across"/>
    <position name="on_deep" tendon="deep" kp="3"/> <motor name="on_out" tendon="out"/>
    <muscle name="muscle" tendon="deep" lengthrange=".1 .9" scale="3"/>
    <muscle name="strong" joint="hinge" lengthrange="-2 2" force="12"/>
    <muscle name="sliding" joint="slide" lengthrange="-.6 .9" force="12"/>
  </actuator>
  <sensor>{sensors}</sensor>
  <keyframe><key name="k" qpos="{qpos}" qvel="{qvel}" ctrl="{ctrl}" act=".1 .2 .3 .4 .5 .6 .7 .8" mpos="4 5 6"/>
    <key name="half" qvel="{qvel}"/></keyframe>
</mujoco>"""
SCALES = {
    "larger": dict(outer='scale="2"'),
    "heavier": dict(outer='scale="1.3" massscale="2.5"', other='scale="1.3" massscale="2.5"'),
    "mass_alone": dict(outer='massscale="1.7"'),
    "geometry": dict(outer='scale=".6" massscale="0" scaling="geometry"'),
    "nested": dict(outer='scale="1.5" massscale="2"', inner='scale=".7 .7 .7"'),
    "in_geometry": dict(outer='scale="1.5" massscale="2" scaling="geometry"', inner='scale=".7" massscale="1.2"'),
    "geometry_in": dict(outer='scale="1.5"', inner='scale=".7" massscale="1.2" scaling="geometry"', other='scale="3"'),
    "inner": dict(inner='scale="1.4"', other='scale=".5" scaling="geometry"'),
    "none": dict(outer='scaling="similar"', inner='scale="1"'),
}


def sensors():
    """Of every kind that has a unit; those with small cutoffs show the unit."""
    cut = 'cutoff=".05"'
    out = [f'<{kind} site="{site}" {cut}/>' for kind in ("accelerometer", "velocimeter", "gyro")
           for site in ("on_tip0", "on_upper", "hook")]
    out += [f'<frame{kind} objtype="{what}" objname="{name}" {cut}/>' for kind in ("pos", "linvel", "angvel", "linacc")
            for what, name in (("site", "on_lower"), ("body", "middle"), ("geom", "stone"), ("site", "w0"))]
    out += [f'<framepos objtype="site" objname="{a}" reftype="site" refname="{b}" {cut}/>'
            for a, b in (("on_tip0", "w0"), ("w0", "on_tip0"))]
    out += [f'<joint{kind} joint="{joint}" {cut}/>' for joint in ("hinge", "slide", "reach0", "cart")
            for kind in ("pos", "vel", "limitpos", "limitvel") if joint != "cart" or "limit" not in kind]
    out += [f'<jointactuatorfrc joint="{joint}" {cut}/>' for joint in ("hinge", "slide")]
    out += [f'<tendon{kind} tendon="{name}" {cut}/>' for name in ("turns", "both", "string", "nested", "out")
            for kind in ("pos", "vel", "actuatorfrc")]
    out += [f'<actuator{kind} actuator="{name}" {cut}/>'
            for name in ("torque", "place", "wrench", "couple", "crank", "push") for kind in ("pos", "vel", "frc")]
    out += [f'<subtree{kind} body="{body}" {cut}/>' for kind in ("com", "linvel", "angmom")
            for body in ("lower", "cart")]
    out += [f'<distance geom1="{a}" geom2="{b}" cutoff="{c}"/>' for c in (.7, 3)
            for a, b in (("float", "stone"), ("alone", "stone"), ("alone", "floor"))]
    return "".join(out)


def write(folder, *, asked=True, **scales):
    """The file, with scales by name: outer, inner, other; what is left out is empty. Muscles get lengths by hand."""
    parts = {"outer": "", "inner": "", "other": "", "sensors": sensors() if asked else "", **scales}
    rng = np.random.default_rng(SEED)
    quat = lambda: list(map(float, np.round(rng.normal(size=4), 3)))  # noqa: E731
    qpos = [.3, .4, 1.5, 2.5, 3.5, *quat(), .2, .1, *quat(), .05, .3, -.1, .4, .15]
    parts |= {"qpos": " ".join(map(str, qpos)), "qvel": " ".join(str(.1 * i) for i in range(18)),
              "ctrl": " ".join(str(round(.1 * i, 3)) for i in range(32))}
    file = folder / "model.xml"
    file.write_text(MODEL.format(**parts))
    return file


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", SCALES)
def test_the_scaled_model_is_mujocos(tmp_path, case):
    file = write(tmp_path, **SCALES[case])
    worst = compare(file, 15)  # lengths, moment arms, forces of drives, springs and dampers, activations
    loose = [f"force of {name}" for name in ("ratio", "servo", "almost", "muscle")] + ["tau"]  # as the mesh's inertia
    assert max(worst.pop(what) for what in loose) < 2e-7
    check(worst)
    model = mujoco.MjModel.from_xml_path(str(file))
    data, rng = mujoco.MjData(model), np.random.default_rng(SEED)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    states, expected = [], []
    for _ in range(8):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1, 1, model.nv), 1)
        data.qvel[:] = rng.uniform(-2, 2, model.nv)
        data.ctrl[:] = rng.uniform(-1, 1, model.nu)
        data.act[:] = rng.uniform(0, 1, model.na)
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        states.append({"q": data.qpos.tolist(), "v": data.qvel.tolist(), "a": data.qacc.tolist(),
                       "control": data.ctrl.tolist(), "activation": data.act.tolist()})
        expected.append((M, data.qfrc_bias.copy(), data.qfrc_fluid.copy(), data.sensordata.copy()))
    got = evaluate(file, states, ["crba", "bias", "passive", "sensors"], "--convention", "mujoco")
    for ours, (M, bias, fluid, readings) in zip(got, expected):
        assert difference(ours["M"], M) < 5e-9  # the mesh's inertia is known that well in MuJoCo
        assert difference(ours["h"], bias) < 5e-9
        assert difference(ours["fluid"], fluid) < 2e-6  # MuJoCo's added mass is a quadrature
        assert len(ours["sensors"]) == model.nsensor
        for s, sensor in enumerate(ours["sensors"]):
            theirs = readings[model.sensor_adr[s]:model.sensor_adr[s] + model.sensor_dim[s]]
            assert np.abs(np.array(sensor["values"]) - theirs).max() < 2e-8 * max(1, np.abs(theirs).max()), sensor


@pytest.mark.parametrize("case", SCALES)
def test_limits_and_losses_of_joints(tmp_path, case):
    """What eval does not show; the ranges of forces are symmetric, for one number is kept."""
    file = write(tmp_path, asked=False, **SCALES[case])
    text = file.read_text().replace('range="-100 120"', 'range="-100 120" actuatorfrcrange="-7 7"')
    file.write_text(text.replace('range="-.4 .5"', 'range="-.4 .5" actuatorfrcrange="-7 7"'))
    model = mujoco.MjModel.from_xml_path(str(file))
    ours = {}
    for joint in read("info", file)["joints"]:
        ours |= {part["name"]: part for part in joint.get("parts") or [joint]}
    for name in ("cart", "hinge", "slide", "reach0", "turn1", "alone"):
        j, found = model.joint(name), ours[name]
        if model.jnt_limited[j.id]:
            assert np.allclose([found["lower"][0], found["upper"][0]], j.range, rtol=1e-14), name
        if model.jnt_actfrclimited[j.id]:
            assert np.isclose(found["max_effort"][0], model.jnt_actfrcrange[j.id][1], rtol=1e-14), name
        assert np.allclose(found["friction"], j.frictionloss, rtol=1e-14), name
        assert np.allclose(found["neutral"], j.qpos0, rtol=1e-14), name
        geared = sum(model.actuator_armature[a] * model.actuator_gear[a][0] ** 2 for a in range(model.nu)
                     if model.actuator_trnid[a][0] == j.id and model.actuator_trntype[a] == 0)
        assert np.isclose(found["armature"][0], j.armature[0] + geared, rtol=1e-14), name
    ball = model.joint("ball")
    assert np.isclose(ours["ball"]["upper"][0], ball.range[1], rtol=1e-14)
    assert np.allclose(ours["ball"]["friction"], ball.frictionloss, rtol=1e-14)
    assert np.allclose(ours["ball"]["armature"], ball.armature, rtol=1e-14)


@pytest.mark.parametrize("case", SCALES)
def test_keys(tmp_path, case):
    """Where a run that starts from a key begins: bodies, rates, activations and controls."""
    file = write(tmp_path, asked=False, **SCALES[case])
    file.write_text(file.read_text().replace('viscosity=".2"/>', 'viscosity=".2"><flag contact="disable"/></option>'))
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    for k in range(model.nkey):
        record = tmp_path / f"{k}.csv"
        done = sinew("sim", file, "--keyframe", model.key(k).name, "--for", 0.001, "--dt", 0.001, "--record", record)
        assert done.returncode == 0, done.stderr
        with open(record, newline="") as f:
            first = next(csv.DictReader(f))
        mujoco.mj_resetDataKeyframe(model, data, k)
        mujoco.mj_kinematics(model, data)
        for b in range(1, model.nbody):
            name = model.body(b).name
            at = data.mocap_pos[0] if name == "mocap" else data.xpos[b]
            assert np.abs([float(first[f"{name}.{axis}"]) for axis in "xyz"] - at).max() < 1e-12, name
        for name in ("hinge", "slide", "alone"):
            assert np.isclose(float(first[f"v.{name}"]), data.joint(name).qvel[0], rtol=1e-14), name
        turn = data.body("float").xmat.reshape(3, 3)
        velocity = [float(first[f"v.free[{i}]"]) for i in range(6)]
        assert np.allclose(turn @ velocity[3:], data.joint("free").qvel[:3], rtol=1e-12)
        assert np.allclose(velocity[:3], data.joint("free").qvel[3:], rtol=1e-12)
        if k == 0:
            assert np.allclose([float(first[f"control.{model.actuator(a).name}"]) for a in range(model.nu)], data.ctrl,
                               rtol=1e-14)
            assert np.allclose([float(first[f"frames/activation[{i}]"]) for i in range(model.na)], data.act, rtol=1e-14)


@pytest.mark.parametrize("attributes, law", [
    ('scale="0"', "not positive"), ('scale="-1"', "not positive"), ('scale="inf"', "scale"), ('scale="1 2"', "scale"),
    ('scale="1 2 3 4"', "scale"), ('scale="x"', "scale"), ('massscale="-1"', "massscale"),
    ('massscale="1 2"', "massscale"),
    ('scale="2" scaling="froude"', "scaling"), ('scale="1 2 3"', "differs between axes"),
])
def test_what_mujoco_refuses_is_refused(tmp_path, attributes, law):
    file = tmp_path / "m.xml"
    file.write_text(f'<mujoco><worldbody><frame {attributes}><geom size=".1"/></frame></worldbody></mujoco>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(file))
    done = sinew("check", file)
    assert done.returncode == 2
    assert law in done.stdout + done.stderr


@pytest.mark.parametrize("law", ['<general joint="j" gaintype="user"/>', '<general joint="j" dyntype="user"/>',
                                 '<dcmotor joint="j" motorconst="1" resistance="2"/>'])
def test_a_law_that_cannot_be_scaled(tmp_path, law):
    file = tmp_path / "m.xml"
    text = '<mujoco><worldbody><frame scale="2" {}><body><joint name="j"/><geom size=".1"/></body></frame>' \
           f'</worldbody><actuator>{law}</actuator></mujoco>'
    file.write_text(text.format(""))
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(file))
    done = sinew("check", file)
    assert done.returncode == 2 and 'scaling="geometry"' in done.stdout + done.stderr
    file.write_text(text.format('scaling="geometry"'))
    mujoco.MjModel.from_xml_path(str(file))
    assert sinew("check", file).returncode == 1  # the law is left out, with a warning


def test_other_scales_along_axes_are_refused_by_name(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text('<mujoco><worldbody><frame scale="1 2 3" scaling="geometry"><geom type="box" size=".1 .1 .1"/>'
                    "</frame></worldbody></mujoco>")
    done = sinew("check", file)
    assert done.returncode == 2 and "differs between axes" in done.stdout + done.stderr
