"""`sinew count` and `sinew bench`."""
import json
import subprocess
import sys

import pytest
from command import BINARY, MODELS, needs_command, sinew

pytest.importorskip("numpy")

pytestmark = needs_command


def count(name):
    done = sinew("count", "--json", MODELS / name)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_general_chain_beside_table_10_1():
    """gu6: six revolute joints, general geometry; the book's best rows for n = 6."""
    c = count("gu6.xml")
    assert (c["n"], c["D0"], c["D1"], c["D2"]) == (6, 5, 15, 35)
    assert c["revolute"] and not c["branched"]
    book = {name: row["book"] for name, row in c["algorithms"].items() if row["book"]}
    assert [book[k]["total"] for k in ("rnea", "crba", "aba")] == [836, 855, 2067]
    for name in ("rnea", "crba", "aba"):
        row = c["algorithms"][name]
        assert row["mul"] + row["add"] + row["div"] <= book[name]["total"], name
    assert c["algorithms"]["rnea"]["trig"] == 12
    moved = c["algorithms"]["rnea equivalent"]
    assert (moved["mul"], moved["add"]) == (81 * 6 - 97, 70 * 6 - 92)


@pytest.mark.parametrize("name, general", [("gu6.xml", True), ("chain12.xml", True), ("binary_tree3.xml", False),
                                           ("humanoid.xml", False)])
def test_factorization_beside_table_6_6(name, general):
    """To the operation, where no entry of M is zero beside those that the shape of the tree makes zero."""
    c = count(name)
    for way in ("ltl factor", "ltl solve", "ltdl factor", "ltdl solve"):
        row = c["algorithms"][way]
        for kind in ("div", "sqrt", "mul", "add"):
            assert row[kind] == row["book"][kind] if general else row[kind] <= row["book"][kind], (way, kind)


def test_tree_numbers_of_a_binary_tree():
    """F08 10.12 with one DH child a body: n = 7 takes 910 for CRBA; with RNEA and LTDL the 2005 of Figure 10.5."""
    c = count("binary_tree3.xml")
    assert (c["n"], c["D0_dh"], c["D0_general"], c["D1_dh"], c["D1_general"], c["D2"]) == (7, 3, 3, 5, 5, 14)
    a = c["algorithms"]
    assert a["crba"]["book"]["total"] == 910
    factor = a["ltdl factor"]["book"]["total"] + a["ltdl solve"]["book"]["total"]
    assert 910 + factor + (93 * 7 - 108 + 81 * 7 - 100) == 2005
    assert a["rnea"]["book"] is None and a["aba"]["book"] is None


def test_count_table():
    done = sinew("count", MODELS / "gu6.xml")
    assert done.returncode == 0 and "Table 10.1" in done.stdout and "n = 6" in done.stdout
    assert "has other joints" in sinew("count", MODELS / "humanoid.xml").stdout
    assert "sinew count" in sinew("count", "--help").stdout
    assert sinew("count", "no.xml").returncode == 2


def test_bench_of_two_files():
    files = [MODELS / "pendulum3.xml", MODELS / "gu6.xml"]
    done = sinew("bench", "--seconds", "0.005", "--json", *files)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert [r["nv"] for r in results] == [3, 6]
    for r in results:
        assert set(r["algorithms"]) == {"rnea", "crba", "aba", "mass_inverse", "jacobian", "kinematics"}
        for row in r["algorithms"].values():
            assert 0 < row["us"] < 1e4
            assert row["ns_per_dof"] == pytest.approx(1e3 * row["us"] / r["nv"])
        assert r["batch"]["threads"] == 1 and r["batch"]["double_lanes"] >= 1
        assert all(0 < x < 1e4 for b in r["batch"]["us_per_sample"].values() for x in b.values())
    text = sinew("bench", "--seconds", "0.005", "--threads", "2", files[0])
    assert text.returncode == 0 and "ns/dof" in text.stdout and "2 threads" in text.stdout


def test_bench_refuses():
    assert sinew("bench", "no.xml").returncode == 2
    assert sinew("bench", "--threads", "-1", MODELS / "gu6.xml").returncode == 3
    assert "sinew bench" in sinew("bench", "--help").stdout


def test_peers_in_the_same_run():
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    run = subprocess.run([BINARY, "bench", "--seconds", "0.005", "--peers", "--json", MODELS / "pendulum3.xml"],
                         capture_output=True, text=True, env={"SINEW_PYTHON": sys.executable, "PATH": "/usr/bin:/bin"})
    assert run.returncode == 0, run.stderr
    peers = json.loads(run.stdout)[0]["peers"]
    assert "error" not in peers["MuJoCo"] and {"rnea", "aba", "kinematics"} <= set(peers["MuJoCo"]["us"])
    assert peers["Pinocchio"]["version"]


def test_peers_that_are_not_there(tmp_path):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -S -E \"$@\"\n")
    python.chmod(0o755)
    run = subprocess.run([BINARY, "bench", "--seconds", "0.005", "--peers", MODELS / "pendulum3.xml"],
                         capture_output=True, text=True, env={"SINEW_PYTHON": str(python), "PATH": "/usr/bin:/bin"})
    assert run.returncode == 3 and "SINEW_PYTHON" in run.stderr and "setup.sh" in run.stderr


BALLS = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 .1" friction="0.5"/>
  <body pos="0 0 .12"><freejoint/><geom size=".1" mass="1"/></body>
  <body pos=".21 0 .12"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>"""


@pytest.fixture
def balls(tmp_path):
    path = tmp_path / "balls.xml"
    path.write_text(BALLS)
    return path


def bench_device(*args):
    done = sinew("bench", "--device", "cpu", "--spread", "0.002", "--settle", "40", "--steps", "10", "--calls", "2",
                 "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("precision, tolerance", [("float", 1e-5), ("double", 1e-10)])
def test_bench_of_steps_on_a_device(balls, precision, tolerance):
    (found,) = bench_device("--worlds", "3,8", "--precision", precision, balls)
    assert (found["devices"], found["precision"], found["nv"]) == (["cpu"], precision, 12)
    assert (found["dt"], found["steps_per_call"], found["calls"], found["settle"]) == (0.002, 10, 2, 40)
    assert found["tolerance"] == tolerance and found["room"]["contacts"] > 4 and found["room"]["rows"] > 12
    assert [run["worlds"] for run in found["runs"]] == [3, 8]
    for run in found["runs"]:
        speed = run["million_steps_per_s"]
        assert 0 < speed["mean"] <= speed["best"] < 1
        assert run["set_aside"] == [] and run["contacts"] >= 4 and run["rows"] >= 12 and run["bytes_per_world"] > 100
        assert run["steps"] == run["worlds"] * (40 + 2 * 10 + 10)
        above = list(run["residuals"]["above"].values())
        assert run["residuals"]["steps"] == run["worlds"] * 10 and above == sorted(above, reverse=True)
        assert list(run["residuals"]["above"]) == ["1e-10", "1e-08", "1e-05", "0.0001", "0.001", "0.01"]
        assert above[-1] == 0 and 0 < run["worst_residual"] < 1e-2
        assert (above[0] > 0) == (precision == "float")


def test_bench_on_a_device_says_which_worlds_are_set_aside(balls):
    (found,) = bench_device("--worlds", "4", "--contacts", "3", balls)
    (cause,) = found["runs"][0]["set_aside"]
    assert (cause["cause"], cause["worlds"], cause["first_world"]) == ("contacts", 4, 0)
    assert "room for 3" in cause["text"]
    assert found["runs"][0]["million_steps_per_s"]["best"] == 0 and found["room"]["contacts"] == 3
    text = sinew("bench", "--device", "cpu", "--contacts", "3", "--worlds", "4", "--spread", "0.001", balls).stdout
    assert "4 of 4 worlds set aside, the first is world 0: there are" in text


def test_bench_on_a_device_of_two_scenes_with_a_floor(balls):
    robot = balls.with_name("robot.urdf")
    robot.write_text("""<robot name="block"><link name="base"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><box size=".2 .2 .2"/></geometry></collision></link></robot>""")
    two = bench_device("--floating", "--floor", "--worlds", "2", robot, balls)
    assert [d["nv"] for d in two] == [6, 12] and two[0]["dt"] == 0.001
    assert two[0]["runs"][0]["contacts"] > 0  # it stands on the floor
    text = sinew("bench", "--device", "cpu", "--settle", "5", "--steps", "2", "--worlds", "2", balls).stdout
    assert "Msteps/s" in text and "> 1e-05" in text and "Room per world" in text


def test_bench_on_a_device_refuses(balls, tmp_path):
    refusals = [(("--device", "cpu", "--worlds", "0", balls), "number of worlds between 1"),
                (("--device=gpu", balls), "is not cuda, cuda:N or cpu"),
                (("--device", "cpu", "--peers", balls), "--peers is not for --device"),
                (("--worlds", "4", balls), "--worlds is for --device"),
                (("--floor", "--steps", "4", balls), "--steps is for --device")]
    for args, why in refusals:
        done = sinew("bench", *args)
        assert done.returncode == 3 and why in done.stderr, done.stderr
    # Where there is no library, it says so and how to get one.
    done = sinew("bench", balls, "--device", env={"SINEW_CUDA_LIBRARY": str(tmp_path / "none.so"), "PATH": "/usr/bin"})
    assert done.returncode == 3 and "none.so" in done.stderr and "make cuda-library" in done.stderr
    assert "--device cpu needs no device" in done.stderr
    cord = tmp_path / "cord.xml"
    cord.write_text("""<mujoco><worldbody><body><joint name="j" type="hinge"/><geom size="1"/></body></worldbody>
      <tendon><fixed name="cord"><joint joint="j" coef="1"/></fixed></tendon></mujoco>""")
    done = sinew("bench", "--device", "cpu", cord)
    assert done.returncode == 2 and "tendon 'cord'" in done.stderr
