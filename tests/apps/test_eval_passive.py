"""`sinew eval --algorithm passive` beside MuJoCo's qfrc_fluid, qfrc_spring and qfrc_damper at random states."""
import pathlib

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed; `make test` installs it")
from command import needs_command, sinew
from eval_support import SEED, difference, evaluate

pytestmark = needs_command

BODIES = """
<body name="a" pos=".1 .2 .3" euler="10 20 30"><freejoint/>
  <geom type="box" size=".1 .2 .3" pos=".05 0 .1" euler="5 6 7" {fluid}/>
  <geom type="capsule" size=".05 .2" pos="-.2 0 .1" euler="50 6 7"/>
  <body name="b" pos="0 .3 0"><joint type="ball" pos="0 -.1 0"/>
    <geom type="{shape}" size="{size}" euler="45 10 0" {fluid}/>
    <body name="c" pos="0 .4 0"><joint axis="1 0 1"/><joint type="slide" axis="0 1 1"/>
      <geom type="cylinder" size=".08 .25" pos=".01 .02 .03" euler="0 30 0" {fluid}/>
      <body name="fixed" pos="0 .1 .2"><geom type="sphere" size=".07" {fluid}/></body>
    </body>
  </body>
</body>
<body name="inertia"><joint axis="0 0 1"/><joint type="slide" axis="1 0 0"/>
  <inertial pos=".1 .2 .3" mass="2" diaginertia=".1 .1 .15" euler="10 50 20"/></body>
"""
OPTION = '<option density="{density}" viscosity="{viscosity}" wind="{wind}"/>'


def random_states(model, count=20, speed=3.0):
    rng = np.random.default_rng(SEED)
    data = mujoco.MjData(model)
    for _ in range(count):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1, 1, model.nv), 1)
        data.qvel[:] = rng.uniform(-speed, speed, model.nv)
        mujoco.mj_forward(model, data)
        yield data


def compare(file, model, tolerance, springs=True):
    states, fluid, passive = [], [], []
    for d in random_states(model):
        states.append({"q": d.qpos.tolist(), "v": d.qvel.tolist()})
        fluid.append(d.qfrc_fluid.copy())
        passive.append(d.qfrc_spring + d.qfrc_damper)
    results = evaluate(file, states, ["passive"], "--convention", "mujoco")
    assert np.linalg.norm(fluid) + np.linalg.norm(passive) > 0
    for ours, f, p in zip(results, fluid, passive):
        assert difference(ours["fluid"], f) < tolerance
        if springs:
            assert difference(ours["springs_and_dampers"], p) < tolerance


@pytest.mark.parametrize("shape,size", [("sphere", ".1"), ("capsule", ".1 .2"), ("box", ".1 .2 .3"),
                                        ("cylinder", ".1 .05"), ("ellipsoid", ".1 .2 .05")])
@pytest.mark.parametrize("fluid", ["", 'fluidshape="ellipsoid"',
                                   'fluidshape="ellipsoid" fluidcoef=".3 .1 1.2 .8 1.3"'])
@pytest.mark.parametrize("medium", [(0, 0.3, "0 0 0"), (1.2, 0, "0 0 0"), (1000, 0.1, "1 -2 .5")])
def test_fluid_of_our_own(tmp_path, shape, size, fluid, medium):
    text = "<mujoco>" + OPTION.format(density=medium[0], viscosity=medium[1], wind=medium[2]) + "<worldbody>" + \
        BODIES.format(shape=shape, size=size, fluid=fluid) + "</worldbody></mujoco>"
    path = tmp_path / "m.xml"
    path.write_text(text)
    # MuJoCo's added mass is a quadrature of 15 points; without it both agree to rounding
    compare(path, mujoco.MjModel.from_xml_path(str(path)), 2e-6 if fluid and medium[0] else 1e-11)


def test_fluid_around_a_mesh(tmp_path):
    points = np.random.default_rng(SEED).normal(size=(12, 3)) * [1, 2, .5]
    text = f"""<mujoco><option density="3" viscosity=".2"/><asset><mesh name="m" vertex="{' '.join(map(str, points.ravel()))}"/>
      </asset><worldbody><body><freejoint/><geom type="mesh" mesh="m" fluidshape="ellipsoid"/></body></worldbody></mujoco>"""
    path = tmp_path / "m.xml"
    path.write_text(text)
    compare(path, mujoco.MjModel.from_xml_path(str(path)), 1e-4)  # plus MuJoCo's axes of a mesh, to 1e-6


def dm_control_file(name):
    suite = pytest.importorskip("dm_control.suite", reason="dm_control is not installed; `make test` installs it")
    return pathlib.Path(suite.__file__).parent / name


def test_fish_swims_in_the_same_water():
    file = dm_control_file("fish.xml")
    refusal = sinew("check", file)
    if refusal.returncode >= 2 and "tendon" in refusal.stdout + refusal.stderr:
        pytest.skip("the fish's fins have tendons, which this build does not read")
    compare(file, mujoco.MjModel.from_xml_path(str(file)), 1e-5, springs=False)


def test_swimmer_of_six_links(tmp_path):
    suite = pytest.importorskip("dm_control.suite.swimmer", reason="dm_control is not installed; `make test` installs it")
    text, assets = suite.get_model_and_assets(6)
    for name, data in assets.items():
        target = tmp_path / name.lstrip("./")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data if isinstance(data, bytes) else data.encode())
    path = tmp_path / "swimmer.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    compare(path, mujoco.MjModel.from_xml_path(str(path)), 1e-10)


def test_springs_of_every_kind(tmp_path):
    text = """<mujoco><worldbody>
      <body><joint name="h" axis="1 0 1" stiffness="3 -1 .5" damping=".2 .1 .05" springref="20" ref="10"/>
        <geom size=".1" pos=".2 .1 0"/>
        <body pos="0 .3 0"><joint type="slide" axis="0 1 1" stiffness="10 20 400" damping="1 2 3" springref=".1"/>
          <geom type="box" size=".1 .2 .3"/>
          <body pos="0 0 .4"><joint type="ball" stiffness="2" damping=".3"/><geom type="capsule" size=".05 .2"/></body>
          <body pos="0 0 -.4"><joint axis="0 1 0" springdamper=".1 .7"/><geom type="capsule" size=".05 .2" pos=".1 0 0"/>
            <body pos="0 .5 0"><joint type="slide" axis="0 0 1" springdamper=".05 1.2"/><geom size=".1"/></body></body>
        </body>
      </body></worldbody></mujoco>"""
    path = tmp_path / "m.xml"
    path.write_text(text)
    compare(path, mujoco.MjModel.from_xml_path(str(path)), 1e-9)
