"""What goes wrong has an exit code and a sentence."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from command import BINARY, MODELS, needs_command, sinew, start

pytestmark = needs_command

# A box welded to two places of the world, a metre apart.
TWO_WELDS = """<mujoco><worldbody><body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
<site name="here" pos="0 0 1"/><site name="there" pos="1 0 1"/></worldbody>
<equality><weld name="first" body1="box" relpose="0 0 -1 1 0 0 0"/><weld name="second" body1="box" relpose="1 0 -1 1 0 0 0"/>
</equality></mujoco>"""
# A base without mass under an arm of one joint.
NO_BASE = """<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 1"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
ODD = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link>{}</robot>"""


def test_contradicting_welds_end_with_5_and_are_named(write):
    file = write(TWO_WELDS)
    done = sinew("sim", file, "--for", "0.1")
    assert done.returncode == 5, done.stderr
    assert "were not solved, from t =" in done.stderr and "worst relative residual" in done.stderr
    assert "contradict" in done.stderr and "'first'" in done.stderr and "'second'" in done.stderr
    assert "NOT SOLVED" in done.stdout and "the error of the integrator" not in done.stdout
    out = json.loads(sinew("sim", file, "--for", "0.1", "--json").stdout)
    assert out["trouble"]["unsolved"] == out["unsolved"] > 0 and "contradict" in out["trouble"]["reason"]
    assert sinew("compare", file, "--for", "0.1", "--formulation", "os").returncode == 5
    checked = sinew("check", file)
    assert checked.returncode == 1 and "contradict" in checked.stderr and "would stop a simulation" in checked.stdout


def test_contradicting_welds_without_names(write):
    done = sinew("sim", write(TWO_WELDS.replace('name="first" ', "").replace('name="second" ', "")), "--for", "0.1")
    assert done.returncode == 5 and "loop 1: " in done.stderr and "loop 2: " in done.stderr


def test_a_base_without_mass_is_named(write):
    file = write(NO_BASE, "robot.urdf")
    assert sinew("check", file).returncode == 0
    checked = sinew("check", "--floating", file)
    assert checked.returncode == 1 and "floating base" in " ".join(checked.stderr.split())
    assert sinew("check", "--floating", "--strict", file).returncode == 2
    ran = sinew("sim", "--floating", file, "--for", "0.1")
    assert "floating base" in ran.stderr


def test_meshes_and_overlaps_are_found_before_a_run(write):
    ball = '<link name="m"><collision><geometry><mesh filename="missing.stl"/></geometry></collision></link>' \
           '<joint name="k" type="fixed"><parent link="a"/><child link="m"/></joint>'
    checked = sinew("check", write(ODD.format(ball), "mesh.urdf"))
    assert checked.returncode == 1 and "missing.stl" in checked.stderr
    overlap = """<mujoco><worldbody><body name="a"><joint/><geom size=".1"/><body name="b" pos="0 0 .1"><joint/><geom size=".1"/>
    <body name="c" pos="0 0 .05"><joint/><geom size=".1"/></body></body></body></worldbody></mujoco>"""
    checked = sinew("check", write(overlap))
    assert checked.returncode == 0 and "'a' and 'c' overlap by 50 mm" in checked.stderr


def test_remarks_that_change_the_motion_are_counted(write):
    many = "".join(f'<link name="l{i}"/><joint name="k{i}" type="fixed" hue="{i}"><parent link="a"/><child link="l{i}"/></joint>'
                   for i in range(5))
    file, state = write(ODD.format(many), "odd.urdf"), '{"q": [], "v": [], "a": []}'
    for words in (["sim", file, "--for", "0.01"], ["compare", file, "--for", "0.01", "--formulation", "os"], ["count", file],
                  ["eval", file, "--algorithm", "rnea", "--state", "-"]):
        done = sinew(*words, input=state)
        assert done.returncode == 0, done.stderr
        assert "5 remarks" in done.stderr and "the first three" in done.stderr and f"sinew check {file}" in done.stderr
        assert done.stderr.count("\n  - ") == 3
    assert "remark" not in sinew("sim", MODELS / "humanoid.xml", "--for", "0.01").stderr


@pytest.mark.parametrize("words, says", [
    (["--friction", "-1"], "at least 0"),
    (["--friction", "nan"], "nan"),
    (["--restitution", "-0.3"], "at least 0"),
    (["--restitution", "1.2"], "at most 1"),
    (["--tolerance", "nan"], "nan"),
    (["--tolerance", "0"], "positive"),
    (["--for", "inf"], "inf"),
    (["--for", "soon"], "not a number"),
    (["--dt", "-1e-3"], "at least 0"),
    (["--accuracy", "-1"], "positive"),
    (["--flush", "-1"], "at least 0"),
    (["--stiffness", "nan"], "nan"),
    (["--signal", "energy"], "--plot"),
    (["--track", "link1"], "--plot"),
    (["--plot", "p.svg", "--track", "link9"], "--track link9: there is no body 'link9'; did you mean"),
    (["--plot", "p.svg", "--signal", "z.link9"], "--signal z.link9: there is no body 'link9'; did you mean"),
    (["--plot", "p.svg", "--signal", "sensor.imu"], "there is no such sensor that can be read"),
    (["--threads", "-1"], "--threads: -1 is out of range"),
    (["--most-iterations", "-5"], "--most-iterations: -5 is out of range"),
    (["--every", "10"], "--record"),
    (["--force"], "--record"),
    (["--plot", "p.pdf"], ".svg or .png"),
    (["--dt", "1", "--for", "0.01"], "less than half a step"),
    (["--for", "1", "--for", "2"], "--for is given 2 times"),
    (["--floor", "deep"], "--floor: 'deep' is not a list of numbers"),
    (["--floor", "0,0,0"], "the normal is zero"),
    (["--pd", "-1,10"], "at least 0"),
    (["--gravity", "1,2"], "takes 1 or 3"),
    (["--place", "0,0,1"], "--floating"),
    (["--q", "1"], "q has 1 numbers, the model has 2"),
    (["--joint", "knee"], "there is no option --joint"),
])
def test_numbers_out_of_range_are_refused(words, says):
    done = sinew("sim", "pendulum:2", *words)
    assert done.returncode == 3 and says in done.stderr and done.stdout == ""


def test_threads_change_nothing():
    heap = MODELS / "scenes" / "domino_row.xml"
    runs = [json.loads(sinew("sim", heap, "--for", "0.2", "--json", *words).stdout)
            for words in ([], ["--threads", "3"], ["--threads", "0"])]
    assert all(r["q"] == runs[0]["q"] and r["v"] == runs[0]["v"] for r in runs)


def test_a_budget_that_is_used_up_is_counted():
    heap = MODELS / "scenes" / "domino_row.xml"
    hurried = sinew("sim", heap, "--for", "0.3", "--most-seconds-per-step", "1e-9")
    assert hurried.returncode == 5 and "for lack of time)" in hurried.stdout
    assert "--most-seconds-per-step is too short" in hurried.stderr
    out = json.loads(sinew("sim", heap, "--for", "0.3", "--most-seconds-per-step", "1e-9", "--json").stdout)
    assert out["unsolved"] >= out["out_of_time"] > 0
    few = json.loads(sinew("sim", heap, "--for", "0.3", "--most-iterations", "3", "--json").stdout)
    assert few["unsolved"] > 0 == few["out_of_time"]
    refused = sinew("sim", "pendulum:3", "--integrator", "rk4", "--most-iterations", "3")
    assert refused.returncode == 3 and "--most-iterations is for --integrator step" in refused.stderr


def test_energy_that_overflows_ends_the_run(write):
    fast = write("""<mujoco><worldbody><body><joint name="j"/><geom size=".1" pos="1 0 0"/></body></worldbody>
    <keyframe><key qvel="1e160"/></keyframe></mujoco>""")
    done = sinew("sim", fast, "--for", "0.01")
    assert done.returncode == 6 and "not finite" in done.stderr


@pytest.mark.parametrize("option, name", [("--plot", "p.svg"), ("--record", "r.h5"), ("--dump", "d.json")])
def test_outputs_are_opened_before_the_run(tmp_path, option, name):
    start = time.monotonic()
    done = sinew("sim", "pendulum:12", "--for", "1000", option, tmp_path / "no" / "such" / name)
    assert done.returncode == 2 and name in done.stderr and time.monotonic() - start < 20


def test_a_plot_that_was_there_stays_when_the_run_is_refused(tmp_path):
    plot = tmp_path / "p.svg"
    plot.write_text("mine")
    assert sinew("sim", "pendulum:2", "--plot", plot, "--formulation", "magic").returncode == 3
    assert plot.read_text() == "mine"
    assert sinew("sim", "pendulum:2", "--plot", tmp_path / "new.svg", "--formulation", "magic").returncode == 3
    assert not (tmp_path / "new.svg").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [["version"], ["info", str(MODELS / "humanoid.xml"), "--json"], ["sim", "pendulum:2", "--for", "0.01"],
                                   ["--help"]])
def test_a_full_standard_output_is_seen(words):
    with open("/dev/full", "w") as full:
        done = subprocess.run([BINARY, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 7 and "standard output" in done.stderr


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("name", ["run.h5", "run.csv"])
def test_two_writers_of_one_record(tmp_path, name):
    record = tmp_path / name
    with subprocess.Popen([BINARY, "sim", "pendulum:12", "--for", "1000", "--record", record, "--flush", "0.1"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        wait_for(record.exists)
        done = sinew("sim", "pendulum:12", "--for", "0.1", "--record", record, "--force")
        assert done.returncode == 2 and f"process {first.pid}" in done.stderr
        first.send_signal(signal.SIGTERM)
        assert first.wait(30) == 128 + signal.SIGTERM
    assert not pathlib.Path(f"{record}.lock").exists()
    assert sinew("sim", "pendulum:12", "--for", "0.1", "--record", record, "--force").returncode == 0


def test_a_lock_dies_with_its_process(tmp_path):
    record = tmp_path / "run.h5"
    with subprocess.Popen([BINARY, "sim", "pendulum:12", "--for", "1000", "--record", record, "--flush", "0.1"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killed:
        wait_for(record.exists)
        killed.kill()
        killed.wait(30)
    assert sinew("sim", "pendulum:12", "--for", "0.1", "--record", record, "--force").returncode == 0


def make_grid(boxes):
    """Boxes in a cube that overlap a little. No method reaches a residual of 1e-17: its steps take seconds."""
    bodies = "".join(f'<body pos="{.099 * (i % 6)} {.099 * (i // 6 % 6)} {.05 + .099 * (i // 36)}"><freejoint/>'
                     '<geom type="box" size=".05 .05 .05"/></body>' for i in range(boxes))
    return f'<mujoco><worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>'


def interrupt(run, which, after):
    """Sends the signal, and returns what the run says and how long it still took, in seconds."""
    time.sleep(after)
    assert run.poll() is None
    sent = time.monotonic()
    run.send_signal(which)
    out, err = run.communicate(timeout=60)
    return out, err, time.monotonic() - sent


# A quarter of a second where the machine is free; ten times that where it is shared.
SOON = 2.5


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_honoured_within_a_step(write, tmp_path, which):
    record = tmp_path / "run.csv"
    with start("sim", write(make_grid(216)), "--for", "1", "--tolerance", "1e-17", "--record", record) as run:
        out, err, took = interrupt(run, which, 3)
    assert run.returncode == 128 + which and took < SOON, (err, took)
    assert "abandoned and taken back" in out and "took too long" not in err
    assert re.search(rf"signal {int(which)} at t = \S+ s, within the next step", " ".join(err.split())), err
    lines = record.read_text().splitlines()  # names, the start, and the steps before
    assert len(lines) >= 2 and len({line.count(",") for line in lines}) == 1


def test_a_run_goes_on_after_an_abandoned_step(write, tmp_path):
    """Cut within a step and resumed, the run has the bits of one that was not."""
    h5py = pytest.importorskip("h5py")
    scene, cut, whole = write(make_grid(8)), tmp_path / "cut.h5", tmp_path / "whole.h5"
    words = ["sim", scene, "--for", "0.2"]
    with start(*words, "--record", cut) as run:
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    assert run.returncode in (130, 0, 5)  # a quick machine is through
    if run.returncode == 130:
        assert sinew(*words, "--resume", cut, "--record", cut).returncode in (0, 5)
    assert sinew(*words, "--record", whole).returncode in (0, 5)
    with h5py.File(cut) as a, h5py.File(whole) as b:
        assert (a["frames/q"][:] == b["frames/q"][:]).all() and (a["frames/v"][:] == b["frames/v"][:]).all()


@pytest.mark.parametrize("words", [["lcp", "PROBLEM", "--solver", "lemke"], ["compare", "SCENE", "--tolerance", "1e-17"],
                                   ["verify", "pendulum"], ["reproduce", "all"]], ids=lambda w: w[0])
def test_other_commands_end_at_once(write, words):
    n = 1500
    values = [[2.0 if i == j else (-1.0) ** (i * j % 7) / (1 + abs(i - j)) for j in range(n)] for i in range(n)]
    files = {"PROBLEM": write({"M": values, "q": [-1.0] * n}) if "PROBLEM" in words else "",
             "SCENE": write(make_grid(72)), "pendulum": MODELS / "humanoid_with_hands2.xml"}
    with start(*[files.get(w, w) for w in words]) as run:
        time.sleep(1)
        if run.poll() is None:
            sent = time.monotonic()
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)
            assert run.returncode == -signal.SIGINT and time.monotonic() - sent < SOON


def test_standard_input_is_read_once():
    for words in (["sim", "-", "--control", "-"], ["sim", "-", "--state", "-"],
                  ["eval", "-", "--algorithm", "rnea", "--state", "-"]):
        done = sinew(*words, input="")
        assert done.returncode == 3 and "both '-'" in done.stderr


def test_a_dump_without_a_problem_keeps_the_summary(write, tmp_path):
    ball = write('<mujoco><worldbody><body pos="0 0 9"><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
    for words in (["sim"], ["compare", "--formulation", "os"]):
        done = sinew(*words, ball, "--for", "0.01", "--dump", tmp_path / "d.json")
        assert done.returncode == 7 and "no problem to write" in done.stderr and "steps" in done.stdout
        assert not (tmp_path / "d.json").exists()
    started = time.monotonic()
    assert sinew("compare", "pendulum:12", "--for", "1000", "--dump", tmp_path / "no" / "d.json").returncode == 2
    assert time.monotonic() - started < 20


def test_a_mesh_that_is_not_found_says_where_it_was_looked_for(write):
    mesh = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial><collision><geometry><mesh filename="package://nowhere/m.stl"/></geometry></collision></link></robot>"""
    done = sinew("sim", write(mesh), "--floating", "--floor", "--for", "0.01")
    said = " ".join(done.stderr.split())
    assert done.returncode == 2 and "ROS_PACKAGE_PATH" in said and "load_meshes" not in said


def test_a_start_state_has_one_time(write):
    done = sinew("sim", "pendulum:2", "--for", "0.01", "--state", write({"time": []}, "s.json"))
    assert done.returncode == 2 and "time has 0 numbers" in done.stderr


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_a_run_with_its_summary(which):
    with subprocess.Popen([BINARY, "sim", "pendulum:12", "--for", "1e6"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as run:
        time.sleep(0.5)
        run.send_signal(which)
        out, err = run.communicate(timeout=30)
    assert run.returncode == 128 + which and "simulated" in out and f"signal {int(which)}" in err
