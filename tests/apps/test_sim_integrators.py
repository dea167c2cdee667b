"""sinew sim --integrator and --law: other ways of stepping, through the same summary and record."""

import json
import math
import pathlib

import h5py
import pytest
from command import needs_command, sinew

SCENES = pathlib.Path(__file__).resolve().parents[2] / "models" / "scenes"
pytestmark = needs_command

REFUSED, USAGE = 2, 3
ROLLING = 5 / 7


def run_sinew(*args):
    return sinew("sim", *args)


def read(*args):
    done = run_sinew(*args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("words, name, off", [
    ((), "step", 1e-9),
    (("--integrator", "events"), "events", 1e-7),
    (("--law", "soft"), "dormand_prince", 1e-2),
    (("--law", "soft", "--integrator", "rkmk4", "--dt", "1e-4", "--stiffness", "1e5", "--damping", "300"), "rkmk4", 1e-2),
])
def test_a_ball_rolls_in_the_end_whichever_way_it_is_stepped(words, name, off):
    out = read(SCENES / "slide_to_roll.xml", "--for", "0.5", *words)
    assert out["integrator"] == name == out["options"]["integrator"]
    assert out["seconds"] == pytest.approx(0.5) == out["time"]
    assert math.hypot(*out["v"][3:]) == pytest.approx(ROLLING, abs=off)
    energy = out["energy"]
    assert energy["contact_friction"] == pytest.approx(-1 / 7, abs=2e-3)
    assert abs(energy["unaccounted"]) < 1e-5
    assert out["contacts"][0]["force"][2] == pytest.approx(9.81, rel=1e-2)
    text = run_sinew(SCENES / "slide_to_roll.xml", "--for", "0.01", *words).stdout
    assert ("evaluations" in text) == (name != "step") and (name in text or name == "step")


@pytest.mark.parametrize("method", ["euler", "semi_implicit_euler", "heun", "rk4", "rkmk4", "dormand_prince"])
def test_smooth_motion_by_every_integrator(method):
    out = read("pendulum:3", "--integrator", method, "--dt", "1e-4", "--for", "0.1")
    best = read("pendulum:3", "--integrator", "dormand_prince", "--accuracy", "1e-12", "--dt", "0.01", "--for", "0.1")
    order = {"euler": 1, "semi_implicit_euler": 1, "heun": 2}.get(method, 4)
    assert out["q"] == pytest.approx(best["q"], abs={1: 1e-2, 2: 1e-5, 4: 1e-9}[order])
    assert out["problems"] == out["most_contacts"] == 0 and out["iterations"] > 0


def test_contact_ends_a_smooth_run_in_words_and_the_record_is_whole(tmp_path):
    file = tmp_path / "run.h5"
    done = run_sinew("pendulum:3", "--integrator", "rkmk4", "--for", "1", "--record", file, "--json")
    assert done.returncode == REFUSED
    assert "touches" in done.stderr and "--law soft" in done.stderr and "--integrator step" in done.stderr
    out = json.loads(done.stdout)
    assert 0 < out["seconds"] < 1 and "touches" in out["broken"]
    with h5py.File(file) as f:
        assert len(f["frames/time"]) == out["steps"] + 1
        assert f["frames/time"][-1] == out["time"]


@pytest.mark.parametrize("words", [("--law", "soft"), ("--integrator", "events")])
def test_a_record_has_what_it_always_has(tmp_path, words):
    file = tmp_path / "run.h5"
    out = read(SCENES / "slide_to_roll.xml", "--for", "0.1", "--record", file, "--every", "10", *words)
    with h5py.File(file) as f:
        assert len(f["frames/time"]) == 11
        assert f["frames/q"][-1] == pytest.approx(out["q"], abs=0)
        assert json.loads(f["meta/options"][()])["integrator"] == out["integrator"]
        assert sum(f["work/contact_friction"][:]) == pytest.approx(out["energy"]["contact_friction"])
        assert f["contacts/count"][-1] == 1
        assert f["contacts/force"][-1][2] == pytest.approx(9.81, rel=1e-2)
    done = run_sinew(SCENES / "slide_to_roll.xml", "--for", "0.2", "--resume", file)
    assert done.returncode == REFUSED and "integrator is " + out["integrator"] in done.stderr
    done = run_sinew(SCENES / "slide_to_roll.xml", "--for", "0.2", "--resume", file, *words)
    assert done.returncode == USAGE and "--resume" in done.stderr


def test_pushes_reach_every_stepper():
    still = read(SCENES / "slide_to_roll.xml", "--for", "0.1", "--integrator", "events")
    pushed = read(SCENES / "slide_to_roll.xml", "--for", "0.1", "--integrator", "events", "--pushes", "3")
    assert still["energy"]["external"] == 0 and pushed["energy"]["external"] != 0


@pytest.mark.parametrize("words, cure", [
    (("--integrator", "runge"), "rkmk4"),
    (("--law", "jelly"), "soft"),
    (("--law", "soft", "--integrator", "step"), "--integrator dormand_prince"),
    (("--law", "soft", "--integrator", "events"), "--integrator dormand_prince"),
    (("--integrator", "rk4", "--solver", "lemke"), "--integrator step"),
    (("--integrator", "rk4", "--dump", "x.json"), "--integrator step"),
    (("--stiffness", "1e5", "--damping", "10"), "--law soft"),
    (("--law", "soft", "--stiffness", "1e5"), "--damping"),
    (("--integrator", "dormand_prince", "--accuracy", "0"), "--accuracy"),
    (("--loops", "glue"), "known: rows, embed"),
    (("--loops", "embed", "--integrator", "events"), "use --integrator step, or --loops rows"),
    (("--loops", "embed", "--formulation", "mc"), "--loops embed has none"),
])
def test_what_does_not_go_together_is_refused_with_a_cure(words, cure):
    done = run_sinew("pendulum:2", "--for", "0.01", *words)
    assert done.returncode == USAGE and cure in done.stderr


def test_dry_friction_of_joints_is_refused_by_name(tmp_path):
    file = tmp_path / "dry.xml"
    file.write_text("""<mujoco><worldbody><body><joint name="rusty" type="hinge" frictionloss="1"/>
      <geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>""")
    done = run_sinew(file, "--integrator", "rk4", "--for", "0.1")
    assert done.returncode == REFUSED and "rusty" in done.stderr and "dry friction" in done.stderr


def test_a_deep_start_is_reported(tmp_path):
    file = tmp_path / "sunk.xml"
    file.write_text("""<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="1 1 1"/><body>
      <freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody></mujoco>""")
    out = read(file, "--for", "0.1")
    assert out["slowed"] == 400 and out["stuck"] == out["unsolved"] == 0
    assert out["bodies"][next(iter(out["bodies"]))]["position"][2] == pytest.approx(0.05, abs=1e-9)
    assert "recovery speed" in run_sinew(file, "--for", "0.1").stdout


def test_embedded_loops_step_with_contact(tmp_path):
    words = (SCENES / "four_bar_wall.xml", "--for", "1")
    embedded, rows = read(*words, "--loops", "embed"), read(*words)
    assert embedded["integrator"] == "step" and embedded["options"]["loops"] == "embed"
    assert embedded["worst_drift"] < 1e-12
    assert embedded["contact_steps"] > 100 and embedded["unsolved"] == 0 and embedded["penetration"] < 1e-5
    assert embedded["embedding"]["freedoms"] == 1
    assert embedded["q"] == pytest.approx(rows["q"], abs=2e-3)
    record = tmp_path / "run.csv"
    done = run_sinew(*words, "--loops", "embed", "--record", record, "--plot", tmp_path / "run.svg")
    assert done.returncode == 0 and record.exists() and (tmp_path / "run.svg").exists()
    done = run_sinew(*words, "--loops", "embed", "--resume", record)
    assert done.returncode == 2 and "start from the beginning" in done.stderr


@pytest.mark.parametrize("model", ["four_bar", "crank_slider", "crank_piston", "geared_arm"])
def test_embedded_loops_stay_closed_and_go_where_rows_go(model):
    words = [SCENES.parent / f"{model}.xml", "--for", "0.3", "--dt", "1e-3", "--integrator", "rkmk4"]
    embedded, rows = read(*words, "--loops", "embed"), read(*words)
    assert embedded["worst_drift"] < 1e-12
    assert embedded["embedding"]["freedoms"] < len(embedded["v"]) and embedded["options"]["loops"] == "embed"
    assert "embedding" not in rows and rows["options"]["loops"] == "rows"
    assert embedded["q"] == pytest.approx(rows["q"], abs=1e-6)
    assert abs(embedded["energy"]["unaccounted"]) < 1e-5
    assert "coordinates changed 0 times" in run_sinew(*words, "--loops", "embed").stdout
