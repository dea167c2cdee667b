"""Tendons, springs, dampers, actuators and activations beside MuJoCo, at random states.

`sinew eval --algorithm tendons,drives` gives lengths, moment arms, forces and rates; MuJoCo's are ten_length, ten_J,
ten_velocity, actuator_force, qfrc_passive + qfrc_actuator, act_dot. Differences are relative to the largest number of
the vector or 1; 1e-10 is allowed, 1e-6 for strings through the inside of a shape, where MuJoCo stops its search early.
"""
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed; `make test` installs it")
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[2] / "tools")]
import robots as public  # noqa: E402
from command import sinew  # noqa: E402
from eval_support import SEED, evaluate  # noqa: E402

WORLD = """
  <option timestep="0.002"/>
  <worldbody>
    <site name="w0" pos="0 0 1.5"/> <site name="w1" pos="0.3 0.1 0.2" euler="10 20 30"/>
    <geom name="wall" type="sphere" size="0.12" pos="0.25 0 0.8" contype="0" conaffinity="0"/>
    <site name="wall_side" pos="0.25 0.3 0.85"/>
    <body name="float" pos="0.5 0.6 0.7" gravcomp="0.3"><freejoint name="free"/>
      <geom size="0.1" pos="0.1 0 0" mass="1" contype="0" conaffinity="0"/>
      <site name="f0" pos="0.1 0.02 0.03" euler="20 -30 10"/> <site name="f1" pos="-0.1 0 0.1"/></body>
    <body name="ball" pos="-0.4 0.2 0.9"><joint name="bj" type="ball" damping="0.2" stiffness="3"/>
      <geom size="0.1" pos="0 0 -0.2" mass="0.7" contype="0" conaffinity="0"/>
      <site name="b0" pos="0.05 0 -0.3"/></body>
    <body name="upper" pos="0 0 1">
      <joint name="j1" axis="0 1 0" springref="10" stiffness="2" damping="0.3"/> <joint name="j2" axis="1 0 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" mass="1" contype="0" conaffinity="0"/>
      <site name="u0" pos="0.05 0 -0.1" euler="0 40 0"/>
      <geom name="elbow" type="cylinder" size="0.06 0.1" pos="0 0 -0.4" euler="90 10 0" mass="0.1" contype="0"
            conaffinity="0"/>
      <site name="elbow_side" pos="0.15 0 -0.4"/> <site name="elbow_in" pos="0.01 0 -0.4"/>
      <body name="lower" pos="0 0 -0.4" gravcomp="1"><joint name="j3" axis="0 1 0.1" ref="20" range="-170 170"/>
        <joint name="s1" type="slide" axis="0 0 1" range="-1 1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" mass="0.6" contype="0" conaffinity="0"/>
        <geom name="knob" type="sphere" size="0.05" pos="0 0 -0.2" mass="0.1" contype="0" conaffinity="0"/>
        <site name="knob_in" pos="0 0.01 -0.2"/>
        <site name="l0" pos="0.06 0.01 -0.15" euler="30 20 10"/> <site name="l1" pos="0 0.1 -0.35"/>
      </body>
    </body>
  </worldbody>
"""
TENDONS = """
  <tendon>
    <fixed name="sum" stiffness="5 1 2" damping="1 0.5 0.2" springlength="0.1 0.3" range="-5 5">
      <joint joint="j1" coef="0.5"/><joint joint="j3" coef="-1.2"/><joint joint="s1" coef="2"/></fixed>
    <spatial name="plain" stiffness="20" damping="2">
      <site site="w0"/><site site="u0"/><site site="l0"/><site site="f0"/></spatial>
    <spatial name="drum" stiffness="20"><site site="u0"/><geom geom="elbow"/><site site="l0"/></spatial>
    <spatial name="drum_side" springlength="0.3" stiffness="20 3">
      <site site="w0"/><geom geom="elbow" sidesite="elbow_side"/><site site="l1"/></spatial>
    <spatial name="drum_in"><site site="w0"/><geom geom="elbow" sidesite="elbow_in"/><site site="l1"/></spatial>
    <spatial name="ball"><site site="w0"/><geom geom="wall"/><site site="w1"/><site site="l1"/></spatial>
    <spatial name="two_in" stiffness="3">
      <site site="w0"/><geom geom="wall"/><site site="l1"/><geom geom="knob" sidesite="knob_in"/><site site="f1"/>
    </spatial>
    <spatial name="ball_side" springlength="0.1 0.2" stiffness="7" damping="0.1" actuatorfrcrange="-1 1">
      <site site="b0"/><geom geom="wall" sidesite="wall_side"/><site site="l1"/></spatial>
    <spatial name="pulleys" stiffness="4"><site site="w0"/><site site="u0"/><pulley divisor="2"/><site site="u0"/>
      <site site="b0"/><pulley divisor="3"/><site site="f0"/><geom geom="knob"/><site site="l1"/></spatial>
  </tendon>
"""
ACTUATORS = """
  <actuator>
    <motor name="on_sum" tendon="sum" gear="3" ctrlrange="-1 1"/>
    <position name="on_string" tendon="drum_side" kp="30" kv="2" gear="2" forcerange="-9 9"/>
    <motor name="capped" tendon="ball_side" gear="5"/>
    <velocity name="on_plain" tendon="plain" kv="3"/>
    <damper name="damper" tendon="pulleys" kv="2" ctrlrange="0 1"/>
    <cylinder name="cylinder" tendon="plain" area="2" bias="0.1 0.2 0.3" timeconst="0.3"/>
    <intvelocity name="speed" joint="j1" kp="7" kv="0.3" actrange="-2 2"/>
    <position name="filtered" joint="j3" kp="5" timeconst="0.1"/>
    <position name="ratio" joint="j2" kp="11" dampratio="0.8"/>
    <position name="ratio_string" tendon="plain" kp="11" dampratio="1.3" gear="0.5"/>
    <muscle name="muscle" tendon="drum" lengthrange="0.1 0.5"/>
    <muscle name="strong" joint="j1" lengthrange="-2 2" force="12" range="0.6 1.3" tausmooth="0.3"
            timeconst="0.02 0.05"/>
    <general name="general" joint="s1" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="0.1 0.2 0.3"
             dyntype="integrator"/>
    <motor name="wrench" site="l0" gear="1 2 3 4 5 6"/>
    <motor name="relative" site="l0" refsite="u0" gear="1 2 3 0 0 0"/>
    <motor name="relative_turn" site="f0" refsite="w1" gear="0 0 0 1 2 3"/>
    <position name="reach" site="l0" refsite="w1" gear="0 1 0 0 0 0" kp="4"/>
    <motor name="crank" cranksite="l1" slidersite="w1" cranklength="2.5" gear="2"/>
    <motor name="crank2" cranksite="f0" slidersite="u0" cranklength="2.5"/>
    <motor name="in_child" joint="bj" gear="1 2 3"/>
    <motor name="in_parent" jointinparent="bj" gear="1 2 3"/>
    <motor name="on_free" joint="free" gear="1 2 3 4 5 6"/>
    <motor name="free_parent" jointinparent="free" gear="1 2 3 4 5 6"/>
  </actuator>
"""
INSIDE = {"drum_in", "two_in"}


def write(folder, *parts):
    file = folder / "model.xml"
    file.write_text("<mujoco>" + "".join(parts) + "</mujoco>")
    return file


def moment_arms(m, d):
    J = np.zeros((m.ntendon, m.nv))
    mujoco.mju_sparse2dense(J, d.ten_J, m.ten_J_rownnz, m.ten_J_rowadr, m.ten_J_colind)
    return J


def states(m, d, count):
    """Random ones, with what MuJoCo says of them."""
    rng = np.random.default_rng(SEED)
    asked, answers = [], []
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    for _ in range(count):
        mujoco.mj_resetData(m, d)
        mujoco.mj_integratePos(m, d.qpos, rng.normal(0, 0.6, m.nv), 1)
        d.qvel[:] = rng.normal(0, 1, m.nv)
        d.ctrl[:] = rng.uniform(-1.5, 1.5, m.nu)
        d.act[:] = rng.uniform(-0.2, 1.2, m.na)
        mujoco.mj_forward(m, d)
        asked.append({"q": d.qpos.tolist(), "v": d.qvel.tolist(), "control": d.ctrl.tolist(),
                      "activation": d.act.tolist()})
        answers.append({"length": d.ten_length.copy(), "velocity": d.ten_velocity.copy(), "J": moment_arms(m, d),
                        "force": d.actuator_force.copy(), "tau": d.qfrc_passive - d.qfrc_fluid + d.qfrc_actuator,
                        "rate": d.act_dot.copy()})
    return asked, answers


def compare(file, count=40):
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    names = [m.tendon(t).name or f"tendon_{t}" for t in range(m.ntendon)]
    asked, answers = states(m, d, count)
    worst = {}

    def see(what, ours, theirs):
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        assert ours.shape == theirs.shape, what
        error = float(np.max(np.abs(ours - theirs)) / max(1, np.max(np.abs(theirs)))) if theirs.size else 0
        worst[what] = max(worst.get(what, 0), error)

    results = evaluate(file, asked, ["tendons", "drives"], "--convention", "mujoco")
    for result, want in zip(results, answers):
        for t, name in enumerate(names):
            ours = result["tendons"][name]
            for what, theirs in (("length", want["length"][t]), ("velocity", want["velocity"][t]), ("J", want["J"][t])):
                see(f"{what} of {name}", ours[what], theirs)
        for a in range(m.nactuator):
            see(f"force of {m.actuator(a).name}", result["actuator_forces"][a], want["force"][a])
        see("tau", result["tau_drives"], want["tau"])
        see("rates of activations", result["activation_rates"], want["rate"])
    return worst


def check(worst, inside=()):
    loose = any(inside)
    allowed = {what: 1e-6 if (loose and what == "tau") or any(what.endswith(f"of {n}") for n in inside) else 1e-10
               for what in worst}
    wrong = {what: e for what, e in worst.items() if not e <= allowed[what]}
    assert not wrong, f"seed {SEED}: {wrong}"


def test_lengths_and_passive_forces(tmp_path):
    check(compare(write(tmp_path, WORLD, TENDONS)), INSIDE)


def test_actuators_and_activations(tmp_path):
    check(compare(write(tmp_path, WORLD, TENDONS, ACTUATORS)), INSIDE)


# dJ/dt v by differences of J v, where no string begins to touch.
def test_rates_of_rows(tmp_path):
    file = write(tmp_path, WORLD, TENDONS)
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    rng = np.random.default_rng(SEED)
    mujoco.mj_integratePos(m, d.qpos, rng.normal(0, 0.3, m.nv), 1)
    v, q, h = rng.normal(0, 1, m.nv), d.qpos.copy(), 1e-5
    moved = []
    for t in (-h, h):
        p = q.copy()
        mujoco.mj_integratePos(m, p, v, t)
        moved.append({"q": p.tolist(), "v": v.tolist()})
    before, after, here = evaluate(file, [*moved, {"q": q.tolist(), "v": v.tolist()}], ["tendons"], "--convention",
                                   "mujoco")
    for name, t in here["tendons"].items():
        rate = (after["tendons"][name]["velocity"] - before["tendons"][name]["velocity"]) / (2 * h)
        assert abs(rate - t["Jdot_v"]) <= 1e-6 * max(1, abs(rate)), name


def public_files():
    """Files of the packages with tendons or activations that both programs load."""
    found = [f for f in public.find_mjcf() if any(w in f.read_text(errors="ignore") for w in ("<tendon", "dyntype"))]
    return [pytest.param(f, id=public.short_name(f)) for f in found] or [
        pytest.param(None, marks=pytest.mark.skip(reason="mujoco, dm_control or gymnasium is not installed"))]


@pytest.mark.parametrize("file", public_files())
def test_public_models(file):
    try:
        m = mujoco.MjModel.from_xml_path(str(file))
    except ValueError as e:
        pytest.skip(f"MuJoCo refuses it: {e}")
    if m.ntendon == 0 and m.na == 0:
        pytest.skip("it has neither tendons nor activations")
    known = {int(g) for g in (mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtGain.mjGAIN_AFFINE, mujoco.mjtGain.mjGAIN_MUSCLE)}
    if m.nflex or m.npluginattr or not set(map(int, m.actuator_gaintype)) <= known:
        pytest.skip("flexes, plugins and other actuators are not of this test")
    asked = sinew("check", file)
    if asked.returncode == 2:
        pytest.skip("Sinew refuses it: " + asked.stdout.splitlines()[0][:100])
    worst = compare(file, 5)
    assert max(worst.values()) <= 1e-8, {k: e for k, e in worst.items() if e > 1e-8}
