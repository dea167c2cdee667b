"""sinew sim, compare and reproduce j14: what they say of the pendulum of J14."""

import json
import math
import xml.etree.ElementTree

import pytest
from command import MODELS, needs_command, read, sinew

pytestmark = needs_command


def test_summary_of_a_run_accounts_for_its_energy():
    out = read("sim", "pendulum:6", "--for", "0.5")
    energy = out["energy"]
    assert out["steps"] == 5000 and out["unsolved"] == 0 and out["worst_residual"] < 1e-9
    assert out["collisions"] >= 1 and energy["largest_change"] <= 0 and out["penetration"] < 1e-9
    balance = energy["after"] - energy["before"] - energy["collisions"] - energy["contact_normal"] - energy["contact_friction"] - energy["unaccounted"]
    assert abs(balance) < 1e-9
    assert abs(energy["unaccounted"]) < 1e-3 * abs(energy["before"])
    assert len(out["q"]) == len(out["v"]) == 6


def test_a_file_is_the_same_scene_once_its_restitution_is_given():
    a = read("sim", "pendulum:3", "--for", "0.3")
    b = read("sim", str(MODELS / "pendulum3.xml"), "--for", "0.3", "--restitution", "0.7")
    assert a["collisions"] == b["collisions"] > 0
    assert a["q"] == pytest.approx(b["q"], abs=1e-9)


def test_formulations_agree_and_have_the_sizes_of_the_paper():
    lanes = {x["formulation"]: x for x in read("compare", "pendulum:6", "--for", "0.3", "--directions", "4", "--formulation",
                                              "os,rmc,mc,nmc_os,nmc,hinge_pairs")["formulations"]}
    assert len(lanes) == 6
    for lane in lanes.values():
        assert lane["worst_difference"] < 1e-8 and lane["unsolved"] == 0
    contacts = lanes["os"]["size"] // 6
    assert contacts >= 1
    assert lanes["nmc_os"]["size"] == lanes["os"]["size"] + 5 * 6
    assert lanes["nmc"]["size"] == lanes["os"]["size"] + 11 * 6
    assert lanes["mc"]["size"] == lanes["os"]["size"] + 6


def test_tables_of_the_paper(tmp_path):
    done = sinew("reproduce", "j14", "--for", "0.02", "--json", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    out = json.loads(done.stdout)
    assert {k: out["dual_arm"][k] for k in ("nmc", "mc", "rmc", "os")} == {"nmc": 310, "mc": 50, "rmc": 24, "os": 24}
    for row in out["pendulum"]:
        n = row["links"]
        assert (row["sizes"]["os"], row["sizes"]["nmc_os"], row["sizes"]["nmc"]) == (24, 24 + 5 * n, 24 + 11 * n)
    for name in ("j14_pendulum.svg", "j14_speed.svg"):
        xml.etree.ElementTree.parse(tmp_path / name)
    # Figure 5: neighbouring spheres hang on each other, others do not overlap, and none is in the floor or the wall
    assert len(out["snapshots"]) == 12
    for shot in out["snapshots"]:
        places, width = list(zip(shot["x"], shot["z"])), 2 * shot["radius"]
        assert len(places) == 12
        for i, (x, z) in enumerate(places):
            distances = [math.hypot(u - x, w - z) for u, w in places[i + 1:]]
            assert all(d < width + 1e-9 for d in distances[:1]) and all(d > width - 1e-6 for d in distances[1:])
        assert all(z >= shot["radius"] and x <= 4 - shot["radius"] for x, z in places)
    picture = xml.etree.ElementTree.parse(tmp_path / "j14_snapshots.svg").getroot()
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}circle"))) == 12 * 13


def test_all_studies_on_one_page(tmp_path):
    done = sinew("reproduce", "all", "--for", "0.02", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reproduce.md").read_text()
    for part in ("## f08", "## s23", "## j14", "PV-OSIMr", "Table 10.1", "(j14_speed.svg)"):
        assert part in page
    for line in page.splitlines():
        if line.startswith("!["):
            xml.etree.ElementTree.parse(tmp_path / line[line.index("(") + 1:-1])


def test_plot_is_an_svg(tmp_path):
    file = tmp_path / "p.svg"
    assert sinew("sim", "pendulum:2", "--for", "0.01", "--plot", str(file)).returncode == 0
    assert "height of link2" in file.read_text()
    xml.etree.ElementTree.parse(file)


def test_a_dumped_problem_can_be_solved_again(tmp_path):
    for command, more in (("sim", []), ("compare", ["--formulation", "nmc_os,os"])):
        file = tmp_path / f"{command}.json"
        done = sinew(command, "pendulum:3", "--for", "0.2", "--directions", "4", "--dump", file, *more)
        assert done.returncode == 0, done.stderr
        out = json.loads(sinew("lcp", file, "--json").stdout)
        assert out["status"] == "solved" and out["residual"] < 1e-9
    assert sinew("sim", "pendulum:3", "--for", "0.01", "--dump", tmp_path / "none.json").returncode == 7


@pytest.mark.parametrize("words, code, says", [
    (["sim", "pendulum:zero"], 3, "pendulum:12"),
    (["sim", "pendulum:3", "--formulation", "magic"], 3, "nmc_os"),
    (["sim", "pendulum:3", "--directions", "5"], 3, "even"),
    (["sim", "pendulum:3", "--keyframe", "nowhere"], 3, "start"),
    (["sim", "pendulum:3", "--for", "-1"], 3, "positive"),
    (["sim", "nothing.xml"], 2, "nothing.xml"),
    (["compare", "pendulum:3", "--formulation", "os,magic"], 3, "magic"),
])
def test_what_is_wrong_is_named(words, code, says):
    done = sinew(*words)
    assert done.returncode == code
    assert says in done.stderr


def test_pushes_are_the_same_for_the_same_seed_and_after_a_resume(tmp_path):
    scene, record = MODELS / "scenes" / "quadruped.xml", tmp_path / "run.h5"
    whole = read("sim", scene, "--for", "1", "--pushes", "5")
    read("sim", scene, "--for", "0.41", "--pushes", "5", "--record", record)
    resumed = read("sim", scene, "--for", "1", "--pushes", "5", "--record", record, "--resume", record)
    assert resumed["steps_here"] == 295 and (resumed["q"], resumed["v"]) == (whole["q"], whole["v"])
    others = [read("sim", scene, "--for", "1", *words)["q"] for words in ([], ["--pushes", "6"])]
    assert whole["q"] not in others and others[0] != others[1]
    assert whole["energy"]["external"] != 0


def test_pushes_need_something_that_moves(tmp_path):
    still = tmp_path / "still.xml"
    still.write_text('<mujoco><worldbody><body><geom size="0.1"/></body></worldbody></mujoco>')
    done = sinew("sim", still, "--for", "0.1", "--pushes", "1")
    assert done.returncode == 3 and "--pushes" in done.stderr


def test_a_joint_without_inertia_ends_the_run_with_its_name(tmp_path):
    """The first step is refused with contacts found and not solved: the summary has none, and says why."""
    link = '<link name="{0}"><collision><geometry><box size="1 1 0.2"/></geometry></collision>{1}</link>'
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = ('<joint name="{0}" type="prismatic"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/>'
             '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>')
    file = tmp_path / "finger.urdf"
    file.write_text('<robot name="r"><link name="base"/>' + link.format("arm", mass) + link.format("finger", "") +
                    joint.format("lift", "base", "arm") + joint.format("grip", "arm", "finger") + "</robot>")
    done = sinew("sim", file, "--floor", "0.1", "--for", "0.01", "--self-collision", "off")
    assert done.returncode not in (0, 4) and "'grip' moves no inertia" in done.stderr, done.stderr
    assert "should not happen" not in done.stderr + done.stdout
