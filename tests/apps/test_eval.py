"""`sinew eval`: what goes in, what comes out, what is refused. Peers are in test_eval_peers.py."""
import json
import os
import pathlib
import re
import subprocess

import pytest

np = pytest.importorskip("numpy")
from command import BINARY, MODELS, ROOT, needs_command, sinew
from eval_support import SEED, evaluate

PENDULUM = MODELS / "pendulum3.xml"
HUMANOID = MODELS / "humanoid.xml"
STATE = {"q": [0.1, 0.2, 0.3], "v": [1, -1, 2], "a": [0.5, 0, -1], "tau": [1, 2, 3]}
pytestmark = needs_command


def ask(states, *args, file=PENDULUM, text=None):
    return sinew("eval", file, "--state", "-", *args, input=json.dumps(states) if text is None else text)


def humanoid_state(convention, rng):
    """A free joint and thirty hinges."""
    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    place = rng.uniform(-1, 1, 3)
    root = {"sinew": [*turn, *place], "mujoco": [*place, *turn], "pinocchio": [*place, *turn[1:], turn[0]]}[convention]
    return {"q": [*root, *rng.uniform(-1, 1, 30)], **{k: rng.uniform(-1, 1, 36).tolist() for k in ("v", "a", "tau")}}


def test_help_names_every_algorithm_and_has_examples():
    said = sinew("eval", "--help").stdout
    for name in ("rnea", "log_det", "regressor"):
        assert re.search(rf"^  {name} ", said, re.M)
    assert "Examples:\n" in said and "origin" in said


def test_one_state_or_a_list_from_a_file_or_the_standard_input(tmp_path):
    file = tmp_path / "state.json"
    file.write_text(json.dumps(STATE))
    from_file = sinew("eval", PENDULUM, "--algorithm", "rnea", "--state", file)
    piped = ask(STATE, "--algorithm", "rnea")
    several = json.loads(ask([STATE, {**STATE, "a": [0, 0, 0]}], "--algorithm", "rnea").stdout)
    assert from_file.returncode == piped.returncode == 0 and from_file.stdout == piped.stdout
    one = json.loads(piped.stdout)
    assert len(one) == 1 and len(several) == 2 and several[0] == one[0] != several[1]
    out = tmp_path / "out.json"
    written = sinew("eval", PENDULUM, "--algorithm", "rnea", "--state", file, "--output", out)
    assert written.returncode == 0 and written.stdout == "" and out.read_text() == piped.stdout
    assert json.loads(ask([], "--algorithm", "rnea").stdout) == []


def test_algorithms_repeated_or_with_commas():
    commas = ask(STATE, "--algorithm", "rnea,crba").stdout
    assert commas == ask(STATE, "--algorithm", "rnea", "--algorithm", "crba").stdout
    assert list(json.loads(commas)[0]) == ["tau", "M"]


def test_the_equation_of_motion():
    names = ["rnea", "aba", "crba", "mass_inverse", "bias", "gravity", "coriolis", "log_det"]
    (r,) = evaluate(PENDULUM, [STATE], names)
    M, h = np.array(r["M"]), np.array(r["h"])
    assert np.allclose(M @ STATE["a"] + h, r["tau"], atol=1e-12)
    assert np.allclose(M @ r["qdd"] + h, STATE["tau"], atol=1e-11)
    assert np.allclose(M @ r["Minv"], np.eye(3), atol=1e-12)
    assert np.allclose(np.array(r["C"]) @ STATE["v"] + r["g"], h, atol=1e-12)
    assert r["log_det_M"] == pytest.approx(np.linalg.slogdet(M)[1], abs=1e-12)


@pytest.mark.parametrize("convention", ["sinew", "pinocchio", "mujoco"])
def test_the_equation_of_motion_holds_in_every_convention(convention):
    rng = np.random.default_rng(SEED)
    state = {**humanoid_state(convention, rng), "frame": "left_sole"}
    names = ["rnea", "aba", "crba", "mass_inverse", "bias", "gravity", "coriolis", "jacobian", "velocity", "centroidal",
             "momentum", "energy", "regressor", "com"]
    info = json.loads(sinew("info", "--json", HUMANOID).stdout)
    armature = np.concatenate([j["armature"] for j in info["joints"]])  # zero on the free joint, the rest in order
    for reference in ("world", "body", "mixed"):
        (r,) = evaluate(HUMANOID, [{**state, "reference": reference}], names, "--convention", convention)
        M, h, v, a = (np.array(x) for x in (r["M"], r["h"], state["v"], state["a"]))
        scale = np.linalg.norm(r["tau"])
        assert np.linalg.norm(M @ a + h - r["tau"]) < 1e-12 * scale
        assert np.linalg.norm(M @ r["qdd"] + h - state["tau"]) < 1e-11 * scale
        assert np.linalg.norm(M @ r["Minv"] - np.eye(36)) < 1e-10
        assert np.linalg.norm(np.array(r["C"]) @ v + r["g"] - h) < 1e-12 * scale
        linear = np.array(r["Y"]) @ r["pi"]
        assert np.linalg.norm(linear + armature * a - r["tau"]) < 1e-11 * scale
        assert r["energy"]["kinetic"] == pytest.approx(v @ M @ v / 2, rel=1e-12)
        first, second = ("linear", "angular") if convention == "pinocchio" else ("angular", "linear")
        assert r["J_rows"] == r["A_rows"] == f"{first}, {second}"
        both = [*r["momentum"][first], *r["momentum"][second]]
        assert np.allclose(np.array(r["A"]) @ v, both, atol=1e-11)
        rate = [*r["momentum_rate"][first], *r["momentum_rate"][second]]
        assert np.allclose(np.array(r["A"]) @ a + r["Adot_v"], rate, atol=1e-10)
        assert np.allclose(np.array(r["J_com"]) @ v, r["com_velocity"], atol=1e-12)
        foot = evaluate(HUMANOID, [{**state, "reference": reference, "frame": "left_foot"}], ["jacobian", "velocity"],
                        "--convention", convention)[0]
        for J, more, key in ((foot["J"], 0, "velocities"), (foot["J"], foot["Jdot_v"], "accelerations")):
            motion = foot[key]["left_foot"]
            mine = np.array(J) @ (v if key == "velocities" else a) + more
            assert np.allclose(mine, [*motion[first], *motion[second]], atol=1e-11)


def advanced(q, v, dt):
    """In MuJoCo's coordinates: linear velocity in the world, angular in the body."""
    q, v = np.array(q), np.array(v)
    half = v[3:6] * dt / 2
    length = np.linalg.norm(half)
    turn = np.array([np.cos(length), *(np.sinc(length / np.pi) * half)])
    w, u, W, U = q[3], q[4:7], turn[0], turn[1:]
    return [*(q[:3] + dt * v[:3]), w * W - u @ U, *(w * U + W * u + np.cross(u, U)), *(q[7:] + dt * v[6:])]


def test_coriolis_matrix_is_skew_less_half_the_rate_of_m_in_mujocos_coordinates():
    state = humanoid_state("mujoco", np.random.default_rng(SEED))
    dt = 1e-5
    states = [{**state, "q": advanced(state["q"], state["v"], t)} for t in (0, dt, -dt)]
    now, later, before = evaluate(HUMANOID, states, ["crba", "coriolis"], "--convention", "mujoco")
    rate = (np.array(later["M"]) - np.array(before["M"])) / (2 * dt)
    S = rate - 2 * np.array(now["C"])
    assert np.abs(S + S.T).max() < 1e-7 * np.abs(rate).max()
    assert np.abs(S).max() > 1e-3 * np.abs(rate).max()


def test_the_same_state_in_three_conventions():
    rng = np.random.default_rng(SEED)
    state = humanoid_state("sinew", rng)
    # Hinges alike, for Pinocchio has them in another order.
    for key, same in (("q", 0.3), ("v", -0.2), ("a", 0.1), ("tau", 0.4)):
        state[key] = [*state[key][:-30], *[same] * 30]
    q, v, tau = (np.array(state[k]) for k in ("q", "v", "tau"))
    (pose,) = evaluate(HUMANOID, [state], ["kinematics"])
    R = np.array(pose["bodies"]["pelvis"]["rotation"])
    other = {"sinew": state}
    for name, turn in (("pinocchio", np.eye(3)), ("mujoco", R)):
        quaternion = [*q[1:4], q[0]] if name == "pinocchio" else q[:4]
        other[name] = {"q": [*q[4:7], *quaternion, *q[7:]], "a": state["a"],
                       **{k: [*(turn @ x[3:6]), *x[:3], *x[6:]] for k, x in (("v", v), ("tau", tau))}}
    got = {c: evaluate(HUMANOID, [s], ["energy", "momentum", "com", "aba", "log_det"], "--convention", c)[0]
           for c, s in other.items()}
    ours = got["sinew"]["qdd"]
    for name in ("pinocchio", "mujoco"):
        for key in ("energy", "momentum"):
            for part, value in got["sinew"][key].items():
                assert np.allclose(got[name][key][part], value, rtol=1e-11, atol=1e-11)
        for key in ("com", "com_velocity"):
            assert np.allclose(got[name][key], got["sinew"][key], rtol=1e-11, atol=1e-11)
        assert got[name]["log_det_M"] == pytest.approx(got["sinew"]["log_det_M"], rel=1e-12)
        assert np.allclose(sorted(got[name]["qdd"][6:]), sorted(ours[6:]), rtol=1e-9, atol=1e-9)
    turning = np.array(ours[3:6]) + np.cross(v[:3], v[3:6])
    assert np.allclose(got["mujoco"]["qdd"][:3], R @ turning, rtol=1e-9, atol=1e-9)


def test_a_model_in_which_nothing_moves(tmp_path):
    file = tmp_path / "rock.urdf"
    file.write_text('<robot name="r"><link name="rock"/></robot>')
    names = ["rnea", "aba", "crba", "mass_inverse", "jacobian", "kinematics", "energy"]
    (r,) = evaluate(file, [{"frame": "rock"}], names)
    assert r["tau"] == r["qdd"] == r["M"] == r["Minv"] == [] and r["J"] == [[]] * 6
    assert r["energy"] == {"kinetic": 0, "potential": 0} and r["bodies"]["rock"]["position"] == [0, 0, 0]
    done = ask({}, "--algorithm", "com", file=file)
    assert done.returncode == 2 and "com[0] is not finite" in done.stderr


def test_external_forces_act_at_the_bodys_origin():
    force, torque = np.array([1.0, -2, 3]), np.array([0.5, 0.25, -1])
    pushed = {**STATE, "frame": "link2", "reference": "mixed",
              "external": {"link2": {"force": force.tolist(), "torque": torque.tolist(), "frame": "world"}}}
    free, push = evaluate(PENDULUM, [{**pushed, "external": {}}, pushed],
                          ["rnea", "bias", "aba", "jacobian", "kinematics", "crba"])
    J = np.array(free["J"])
    work = J.T @ [*torque, *force]
    for key in ("tau", "h"):
        assert np.allclose(np.array(free[key]) - push[key], work, atol=1e-12)
    assert np.allclose(np.array(free["M"]) @ (np.array(push["qdd"]) - free["qdd"]), work, atol=1e-11)
    R = np.array(free["bodies"]["link2"]["rotation"])
    turned = {"force": (R.T @ force).tolist(), "torque": (R.T @ torque).tolist()}
    (same,) = evaluate(PENDULUM, [{**STATE, "external": {"link2": turned}}], ["rnea"])
    assert np.allclose(same["tau"], push["tau"], atol=1e-12)


def test_frames_by_option_by_state_and_several():
    option = json.loads(ask(STATE, "--algorithm", "jacobian", "--frame", "tip", "--reference", "LOCAL").stdout)[0]
    state = evaluate(PENDULUM, [{**STATE, "frame": "tip", "reference": "body"}], ["jacobian"])[0]
    assert option == state and option["reference"] == "body" and option["frame"] == "tip"
    both = json.loads(ask(STATE, "--algorithm", "jacobian", "--frame", "tip", "--frame", "link1").stdout)[0]
    assert list(both["jacobians"]) == ["tip", "link1"] and both["reference"] == "mixed"


def test_a_name_of_a_frame_and_a_body(tmp_path):
    file = tmp_path / "twice.xml"
    file.write_text('<mujoco><worldbody><body name="b"><joint type="hinge"/><geom size="1"/>'
                    '<site name="b" pos="1 0 0"/></body></worldbody></mujoco>')
    state = {"q": [0], "v": [1]}
    done = ask({**state, "frame": "b"}, "--algorithm", "jacobian", file=file)
    assert done.returncode == 2 and "frame:b" in done.stderr and "body:b" in done.stderr
    of = {name: evaluate(file, [{**state, "frame": name}], ["jacobian"])[0]["J"] for name in ("frame:b", "body:b")}
    assert of["frame:b"][4] == [1] and of["body:b"][4] == [0]


@pytest.mark.parametrize("change, words", [
    ({"q": [1, 2]}, ["state 1", "q has 2 numbers", "needs 3", "sinew convention"]),
    ({"v": None}, ["state 1", "v is null", "list of 3"]),
    ({"v": [1, 2, "x"]}, ["state 1", "v[2]", '"x"']),
    ({"v": [1, 2, float("nan")]}, ["state 1", "v[2]", "finite"]),
    ({"a": [1, -float("inf"), 0]}, ["state 1", "a[1]", "finite"]),
    ({"qdot": [1, 2, 3]}, ["state 1", "'qdot'", "q, v, a, tau"]),
    ({"external": {"leg": {}}}, ["state 1", "no body 'leg'", "link1"]),
    ({"external": {"link1": {"force": [1]}}}, ["state 1", "external link1 force has 1"]),
    ({"external": {"link1": {"strength": [1]}}}, ["state 1", "'strength'", "force, torque, frame"]),
    ({"external": {"link1": {"frame": "moon"}}}, ["state 1", "moon", "world"]),
    ({"frame": "nose"}, ["state 1", "'nose'", "'tip'"]),
    ({"reference": "sideways"}, ["state 1", "sideways", "mixed"]),
    ({"time": "noon"}, ["state 1", "time", "noon"]),
])
def test_a_state_that_is_refused(change, words):
    done = ask([STATE, {**STATE, **change}], "--algorithm", "rnea")
    assert done.returncode == 2 and done.stdout == ""
    for word in words:
        assert word in done.stderr
    said = ask([STATE, {**STATE, **change}], "--algorithm", "rnea", "--json")
    assert said.returncode == 2 and said.stderr == ""
    assert json.loads(said.stdout)["error"]["state"] == 1


@pytest.mark.parametrize("without, algorithm, words", [
    ("a", "rnea", ["'a' is missing", "rnea needs q v a"]),
    ("tau", "aba", ["'tau' is missing", "aba needs"]),
    ("q", "crba", ["'q' is missing"]),
    ("q", "jacobian", ["'q' is missing"]),
    ("", "jacobian", ["'frame' is missing", "--frame"]),
])
def test_a_key_that_is_missing(without, algorithm, words):
    done = ask({k: x for k, x in STATE.items() if k != without}, "--algorithm", algorithm)
    assert done.returncode == 2 and "state 0" in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("text, word", [("{", "not JSON"), ("3", "state 0"), ("", "not JSON"), ("[[1]]", "state 0"),
                                        ('{"q": [1e999, 0, 0]}', "not JSON")])
def test_text_that_is_no_state(text, word):
    done = ask(None, "--algorithm", "crba", text=text)
    assert done.returncode == 2 and word in done.stderr and done.stdout == ""


@pytest.mark.parametrize("length", [0, 0.5, 1 + 1e-5])
def test_quaternions_must_be_of_unit_length(length):
    state = humanoid_state("sinew", np.random.default_rng(SEED))
    state["q"][:4] = [length * x for x in state["q"][:4]]
    done = ask(state, "--algorithm", "crba", file=HUMANOID)
    assert done.returncode == 2 and re.search(r"q\[\d\].*unit length", done.stderr)


@pytest.mark.parametrize("args, word", [
    (["--algorithm", "fly"], "'fly'"), (["--algorithm", "rnea", "--convention", "ros"], "pinocchio"),
    (["--algorithm", "jacobian", "--frame", "nose"], "'tip'"), (["--algorithm", "rnea", "--reference", "up"], "mixed"),
    (["--algorithm", "rnea", "--output", "/no/such/folder/x"], "--output"), ([], "--algorithm")])
def test_wrong_usage(args, word):
    done = ask(STATE, *args)
    assert done.returncode == 3 and word in done.stderr and done.stdout == ""


def test_refused_models_and_missing_files():
    assert sinew("eval", "no.urdf", "--algorithm", "rnea", "--state", "-", input="{}").returncode == 2
    said = sinew("eval", "no.urdf", "--algorithm", "rnea", "--state", "-", "--json", input="{}")
    assert json.loads(said.stdout)["diagnostics"][0]["name"] == "file_unreadable"
    done = sinew("eval", PENDULUM, "--algorithm", "rnea", "--state", "no/such/state.json")
    assert done.returncode == 2 and "no/such/state.json" in done.stderr


def test_results_that_are_not_finite_are_refused(tmp_path):
    done = ask({**STATE, "v": [1e200, 0, 0]}, "--algorithm", "rnea")
    assert done.returncode == 2 and "tau[0] is not finite" in done.stderr


def test_the_examples_of_the_page_run():
    page = (ROOT / "docs/eval.md").read_text()
    examples = re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
    assert len(examples) >= 5
    path = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
    outputs = []
    for example in examples:
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", example], capture_output=True, text=True, cwd=ROOT,
                              env={**os.environ, "PATH": path})
        assert done.returncode == 0, f"{example}\n{done.stderr}"
        outputs.append(done.stdout)
    shown = re.search(r"^```json\n(.*?)^```", page, re.M | re.S).group(1)
    for mine, printed in zip(json.loads(outputs[0]), json.loads(shown), strict=True):
        assert {k: np.allclose(mine[k], printed[k]) for k in printed} == {"tau": True, "M": True}
