"""from_mujoco and MujocoMap: all public MJCF models and our own, through MuJoCo's compiled models."""
import sys

import numpy as np
import pytest
import sinew
from conftest import ROOT
from evaluation import Evaluation, info_of

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed; `make test` installs it")
sys.path.insert(0, str(ROOT / "tests" / "apps"))
import peers  # noqa: E402


def load(file):
    try:
        return mujoco.MjModel.from_xml_path(str(file))
    except ValueError as e:
        pytest.skip(f"MuJoCo refuses it: {e}")


@peers.mjcf_files
def test_dynamics_and_kinematics(file):
    """All quantities of test_peers.py, but of a model that was made from MuJoCo's arrays."""
    theirs = load(file)
    try:
        model = sinew.compile(sinew.from_mujoco(theirs))
    except sinew.LoadError as e:
        with pytest.raises(sinew.LoadError):  # then its file is refused as well
            sinew.compile(sinew.load(file))
        pytest.skip("refused: " + str(e).splitlines()[0])
    sinew.MujocoMap(model, theirs)

    def evaluate(file, states, algorithms, convention, floating):
        evaluation = Evaluation(model, "mujoco")
        return [evaluation(state, algorithms) for state in states]

    peers.compare_with_mujoco(file, info_of(model), evaluate)


EVERYTHING = """<mujoco model="everything"><compiler angle="radian"/>
<option timestep="0.002" gravity="0 1 -9" density="1.2" viscosity="0.1" wind="1 0 0"/>
<asset><mesh name="tetra" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/>
<hfield name="hill" nrow="2" ncol="3" elevation="0 1 0 0.5 0 0.25" size="1 2 0.5 0.1"/></asset>
<worldbody><geom name="floor" type="plane" size="0 0 1" friction="0.7 0.01 0.002"/>
<geom name="ground" type="hfield" hfield="hill" pos="5 0 0"/>
<body name="mover" mocap="true" pos="1 2 3"><geom name="marker" size="0.1" contype="0" conaffinity="0"/></body>
<body name="a" pos="0 0 2" quat="1 0.1 0.2 0.3"><freejoint name="fa"/><geom name="ga" type="box" size="0.1 0.2 0.3" mass="2"
 condim="4" priority="2" margin="0.01" fluidshape="ellipsoid"/><site name="sa" pos="0.1 0 0"/>
 <body name="b" pos="0.3 0 0"><joint name="h1" axis="0 1 0.2" pos="0.1 0 0" ref="0.4" springref="0.2" stiffness="3"
   damping="0.2" armature="0.05" frictionloss="0.3" limited="true" range="-1 2"/>
  <joint name="s1" type="slide" axis="1 0 0"/><geom name="gb" type="capsule" size="0.05 0.2" mass="1"/><site name="sb" pos="0 0 .2"/>
  <body name="c" pos="0 0 0.4" gravcomp="0.5"><joint name="ball" type="ball" damping="0.1"/>
   <geom name="gc" type="ellipsoid" size="0.1 0.2 0.3" mass="1"/><geom name="gm" type="mesh" mesh="tetra" mass="0"/></body></body></body>
<body name="d" pos="1 0 0"><joint name="h2" axis="0 0 1" limited="true" range="-2 2" actuatorfrclimited="true"
 actuatorfrcrange="-3 3"/><geom name="gd" type="cylinder" size="0.1 0.2" mass="1"/><site name="sd" pos="0.3 0 0"/></body>
<body name="e" pos="2 0 0"><joint name="h3" axis="0 0 1"/><geom name="ge" size="0.1" mass="1"/><site name="se" pos="0.3 0 0"/></body>
</worldbody>
<contact><exclude body1="a" body2="c"/><pair name="p" geom1="ga" geom2="gd" friction="0.5 0.5 0.01 0.001 0.001" condim="3"/></contact>
<equality><connect name="eq1" body1="d" body2="e" anchor="0.5 0 0"/><weld name="eq2" body1="c" body2="e" active="false"/>
<joint name="eq3" joint1="h2" joint2="h3" polycoef="0.1 2 0 0 0"/></equality>
<tendon><fixed name="t1"><joint joint="h2" coef="1"/><joint joint="h3" coef="-2"/></fixed>
<spatial name="t2" limited="true" range="0 3" stiffness="2" damping="0.1"><site site="sa"/><geom geom="gd" sidesite="sd"/><site site="se"/></spatial></tendon>
<actuator><motor name="m1" joint="h1" gear="3" armature="0.02" damping="0.1 0.2 0.3" ctrllimited="true" ctrlrange="-1 1"/><position name="m2" joint="h2" kp="20"
 forcelimited="true" forcerange="-5 5"/><velocity name="m3" tendon="t1" kv="2"/><general name="m4" joint="h3" dyntype="filter"
 dynprm="0.1" gainprm="4" biastype="affine" biasprm="0 -4 -1"/><muscle name="m5" tendon="t2" lengthrange="0.1 3"/>
<general name="m6" site="sb" refsite="sa" gear="1 0 0 0 0 2"/></actuator>
<sensor><gyro name="n1" site="sa"/><jointpos name="n2" joint="h1"/><framepos name="n3" objtype="body" objname="c"/>
<actuatorfrc name="n4" actuator="m2"/><subtreecom name="n5" body="a"/></sensor>
<keyframe><key name="home" time="1" qpos="0 0 1 1 0 0 0 0.4 0 1 0 0 0 0.1 0.2" qvel="1 2 3 4 5 6 0 0 0 0 0 0 0" ctrl="1 2 3 4 0.5 6"
 act="0.3 0.2"/></keyframe></mujoco>"""
LISTS = ("bodies", "joints", "frames", "shapes", "meshes", "heightfields", "loops", "couplings", "tendons", "tendon_couplings",
         "actuators", "exclusions", "pairs", "keyframes", "sensors")


def same(where, a, b):
    """Of two fields of specifications: numbers to rounding."""
    if isinstance(a, sinew.Transform):
        np.testing.assert_allclose(a.matrix, b.matrix, atol=1e-7, err_msg=where)
    elif isinstance(a, (list, tuple)) and not all(isinstance(x, (int, float)) for x in a):
        assert len(a) == len(b), where
        for k, (x, y) in enumerate(zip(a, b)):
            same(f"{where}[{k}]", x, y)
    elif isinstance(a, (float, int, np.ndarray, list, tuple)) and not isinstance(a, bool):
        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-9, atol=1e-7, err_msg=where)
    elif type(a).__name__.endswith(("Spec", "Term", "Part")):
        for field in dir(a):
            if not field.startswith("_") and field not in ("where", "replace"):
                same(f"{where}.{field}", getattr(a, field), getattr(b, field))
    else:
        assert a == b, where


def test_everything_that_mjcf_can_say_is_taken():
    """A model with all kinds of elements, read by us, and through MuJoCo."""
    theirs = mujoco.MjModel.from_xml_string(EVERYTHING)
    one, two = sinew.parse_mjcf(EVERYTHING), sinew.from_mujoco(theirs)
    for name in ("name", "gravity", "timestep"):
        same(name, getattr(one, name), getattr(two, name))
    same("medium", one.medium[:2], two.medium[:2])
    for name in LISTS:
        mine, other = list(getattr(one, name)), list(getattr(two, name))
        if name in ("shapes", "meshes"):  # MuJoCo moves meshes to their centres: the same, elsewhere
            mine, other = ([x for x in of if getattr(x, "asset", "tetra") != "tetra"] for of in (mine, other))
        assert len(mine) == len(other), name
        for a, b in zip(mine, other):
            label = getattr(a, "name", "") or name
            for field in dir(a):
                # Axes and inertias come back along principal axes; MuJoCo fills in numbers of its own for muscles.
                if field.startswith("_") or field in ("where", "replace", "user", "axis", "axis2", "length_range", "kind_word", "rgba"):
                    continue
                if name == "actuators" and field in ("kind", "time_constants", "gain", "bias") and label == "m5":
                    continue
                if field == "rest" and a.rest is None and b.rest is not None:
                    assert getattr(b, field) == pytest.approx([theirs.tendon_length0[theirs.tendon(label).id]] * 2)  # is filled in
                    continue
                if name == "actuators" and field == "kind":
                    continue  # motor, position, ... are words for general
                same(f"{name} '{label}' {field}", getattr(a, field), getattr(b, field))
    model = sinew.compile(two)
    assert model.nv == theirs.nv and len(model.actuator_names) == 6
    mesh = two.meshes["tetra"]
    assert mesh.vertices.shape == (4, 3)


def test_states_there_and_back(rng):
    theirs = mujoco.MjModel.from_xml_string(EVERYTHING)
    model = sinew.compile(sinew.from_mujoco(theirs))
    c, data = sinew.MujocoMap(model, theirs), mujoco.MjData(theirs)
    data.qvel[:] = rng.uniform(-1, 1, theirs.nv)
    mujoco.mj_integratePos(theirs, data.qpos, data.qvel, 0.7)
    q, v = c.to_sinew(data.qpos, data.qvel)
    Q, V = c.to_mujoco(q, v)
    np.testing.assert_allclose(Q, data.qpos, atol=1e-15)
    np.testing.assert_allclose(V, data.qvel, atol=1e-14)
    tau, a = rng.uniform(-1, 1, theirs.nv), rng.uniform(-1, 1, theirs.nv)
    np.testing.assert_allclose(c.to_sinew_tau(Q, tau) @ v, tau @ V, atol=1e-13)
    np.testing.assert_allclose(c.to_mujoco_a(q, v, c.to_sinew_a(Q, V, a)), a, atol=1e-13)
    control = rng.uniform(-1, 1, theirs.nu)
    np.testing.assert_array_equal(c.to_mujoco_control(c.to_sinew_control(control)), control)


def test_changes_of_a_compiled_model_count():
    theirs = mujoco.MjModel.from_xml_string(EVERYTHING)
    theirs.body_mass[2] *= 3
    theirs.opt.gravity[:] = [0, 0, -1.62]
    spec = sinew.from_mujoco(theirs)
    assert spec.bodies["a"].mass == 6 and spec.gravity[2] == -1.62
    again = sinew.from_mujoco(mujoco.MjSpec.from_string(EVERYTHING))
    assert again.bodies["a"].mass == pytest.approx(2) and len(again.joints) == len(spec.joints)


def test_what_is_not_taken_is_named():
    text = """<mujoco><worldbody><light pos="0 0 3"/><camera name="eye"/><body><joint armature="1"/><joint type="slide"/>
    <geom size="0.1"/></body><body><freejoint/><geom name="x" size="0.1"/></body></worldbody>
    <actuator><general name="odd" joint="j" dyntype="user"/></actuator>
    <sensor><distance geom1="x" geom2="y" cutoff="1"/></sensor></mujoco>"""
    text = text.replace("<joint arm", '<joint name="j" arm').replace('<geom size="0.1"/>', '<geom name="y" size="0.1"/>')
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SPRING)
    spec = sinew.from_mujoco(theirs)
    remarks = "\n".join(str(r) for r in spec.remarks)
    for word in ("1 cameras", "1 lights", "odd", "dyntype user", "geomdist", "switched off, Sinew has not: spring"):
        assert word in remarks, word
    model = sinew.compile(spec)
    assert model.actuator_names == [] and sinew.MujocoMap(model, theirs).to_mujoco_control([]).tolist() == [0]
    theirs.dof_damping[2] = 4  # one of six
    with pytest.raises(ValueError, match="damping of joint 'joint2'"):
        sinew.from_mujoco(theirs)
    with pytest.raises(TypeError, match="MjModel"):
        sinew.from_mujoco("model.xml")
    with pytest.raises(ValueError, match="another model"):
        sinew.MujocoMap(sinew.compile(sinew.mechanisms.chain(3)), theirs)
