"""The command sinew: exit codes, JSON fields, plain text. The binary is $SINEW_BIN (or $SINEW_APP)."""

import json
import re

import pytest
from command import MODELS, needs_command, sinew

pytestmark = needs_command

BAD_MASS = """<robot name="r">
  <link name="a"/>
  <link name="b"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
</robot>
"""
ODD_ATTRIBUTE = BAD_MASS.replace('"-1"', '"1"').replace('type="continuous"', 'type="continuous" colour="red"')
GOOD = BAD_MASS.replace('"-1"', '"2.5"')


def info(*args):
    done = sinew("info", "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_version():
    said = sinew("--version")
    assert said.returncode == 0 and re.fullmatch(r"sinew \d+\.\d+\.\d+\n", said.stdout)
    assert sinew("version").stdout == said.stdout
    assert json.loads(sinew("version", "--json").stdout)["version"] == said.stdout.split()[1]


@pytest.mark.parametrize("command", ["info", "check", "version"])
def test_help_has_an_example(command):
    done = sinew(command, "--help")
    assert done.returncode == 0
    assert f"sinew {command}" in done.stdout and "Example" in done.stdout


@pytest.mark.parametrize("args", [[], ["fly"], ["info"], ["check"], ["info", "x.urdf", "--wings"], ["info", "a", "b"]])
def test_wrong_usage_is_3(args):
    done = sinew(*args)
    assert done.returncode == 3
    assert done.stdout == "" and done.stderr


@pytest.mark.parametrize("file", sorted(MODELS.glob("*.xml")) + sorted(MODELS.glob("*.urdf")), ids=lambda f: f.name)
def test_every_model_is_clean(file):
    assert sinew("check", "--strict", file).returncode == 0
    shown = sinew("info", file)
    assert shown.returncode == 0 and shown.stderr == ""
    assert max(map(len, shown.stdout.splitlines())) <= 100
    assert "\033" not in shown.stdout


def test_info_json_of_the_humanoid():
    h = info(MODELS / "humanoid.xml")
    assert (h["name"], h["nq"], h["nv"], h["depth"]) == ("humanoid", 37, 36, 11)
    assert h["mass"] == pytest.approx(90.4) == sum(b["mass"] for b in h["bodies"])
    assert sorted(h["branch_points"]) == ["chest", "pelvis"]
    assert len(h["bodies"]) == len(h["joints"]) == 31
    assert h["counts"]["frames"] == len(h["frames"]) == 12 and h["counts"]["shapes"] == 32
    pelvis = h["bodies"][0]
    assert pelvis["name"] == "pelvis" and pelvis["parent"] == "world" and pelvis["position"] == [0, 0, 0.99]
    assert len(pelvis["com"]) == 3 and pelvis["merged_into"] is None
    floating = h["joints"][0]
    assert (floating["kind"], floating["nq"], floating["nv"]) == ("free", 7, 6)
    assert floating["lower"] == [None] * 6
    knee = next(j for j in h["joints"] if j["name"] == "left_knee")
    assert (knee["parent"], knee["child"], knee["lower"], knee["upper"]) == ("left_thigh", "left_shin", [0], [2.4])
    assert knee["q_index"] == knee["v_index"] + 1
    sole = next(f for f in h["frames"] if f["name"] == "left_sole")
    assert sole["body"] == "left_foot" and sole["quaternion"] == pytest.approx([1, 0, 0, 0], abs=1e-12)
    assert sole["position"] == pytest.approx([0, 0.11, 0], abs=1e-12)
    assert h["loops"] == h["couplings"] == h["diagnostics"] == []


def test_coordinates_are_numbered_without_gaps():
    for file in MODELS.glob("*.xml"):
        h = info(file)
        assert [j["v_index"] for j in h["joints"]] == [sum(k["nv"] for k in h["joints"][:i]) for i in range(len(h["joints"]))]
        assert len(h["neutral"]) == h["nq"] == sum(j["nq"] for j in h["joints"])


def test_info_json_of_loops_and_gears():
    bar = info(MODELS / "four_bar.xml")
    assert [(l["body_a"], l["body_b"], l["kind"]) for l in bar["loops"]] == [("coupler", "rocker", "spherical")] * 2
    assert all(l["gap"] < 1e-12 and l["active"] for l in bar["loops"])
    arm = info(MODELS / "geared_arm.xml")
    assert arm["couplings"][0]["dependent"] == "motor1"
    assert arm["couplings"][0]["terms"] == [{"joint": "shoulder", "coefficients": [100], "reference": 0}]


def test_info_says_the_mobility_of_loops_and_gears():
    bar = info(MODELS / "four_bar.xml")["mobility"]
    assert (bar["freedoms"], bar["rows"], bar["rank"], bar["mobility"], bar["overconstraint"]) == (3, 6, 2, 1, 4)
    assert bar["nearby_lowest"] == bar["nearby_highest"] == 1 and bar["assembled"] and len(bar["redundant"]) == 4
    assert all(name.startswith("loop 'coupler_pin_") for name in bar["redundant"])
    gears = info(MODELS / "geared_arm.xml")["mobility"]
    assert (gears["mobility"], gears["overconstraint"], gears["redundant"]) == (2, 0, [])
    assert info(MODELS / "humanoid.xml")["mobility"] is None
    text = sinew("info", MODELS / "four_bar.xml").stdout
    assert "mobility 1: 3 tree freedoms less 2 independent constraints (of 6)" in " ".join(text.split())
    assert "mobility" not in sinew("info", MODELS / "humanoid.xml").stdout


def test_info_draws_the_tree():
    text = sinew("info", MODELS / "humanoid.xml").stdout
    assert "└─ pelvis" in text and "│  ├─ head" in text and "2 branch points: pelvis, chest" in text
    assert "36 dof (nq 37, nv 36), 90.4 kg" in text
    assert "motor1 = 100 shoulder" in sinew("info", MODELS / "geared_arm.xml").stdout
    assert "closed at neutral" in sinew("info", MODELS / "four_bar.xml").stdout


def test_fixed_joints_are_shown_as_merged():
    arm = info(MODELS / "geared_arm.urdf")
    assert next(b for b in arm["bodies"] if b["name"] == "tip")["merged_into"] == "forearm"
    assert "part of forearm" in sinew("info", MODELS / "geared_arm.urdf").stdout


def test_floating_base(write):
    file = write(GOOD)
    assert info(file)["nv"] == 1
    assert info("--floating", file)["nv"] == 7


def test_refused_file_is_2(write):
    file = write(BAD_MASS)
    for command in ("info", "check"):
        done = sinew(command, file)
        assert done.returncode == 2
        assert "negative_mass" in done.stderr and "line 3" in done.stderr and "->" in done.stderr
        said = sinew(command, "--json", file)
        assert said.returncode == 2 and said.stderr == ""
        found = json.loads(said.stdout)["diagnostics"]
        assert [(d["name"], d["severity"], d["line"]) for d in found] == [("negative_mass", "error", 3)]
        assert set(found[0]) == {"code", "name", "severity", "file", "line", "element", "message", "repair"}
        assert found[0]["code"] == 202 and found[0]["file"] == str(file) and found[0]["repair"]


def test_missing_file_is_refused():
    done = sinew("info", "--json", "no/such/file.urdf")
    assert done.returncode == 2
    assert json.loads(done.stdout)["diagnostics"][0]["name"] == "file_unreadable"


def test_warnings_are_1_and_strict_makes_them_2(write):
    file = write(ODD_ATTRIBUTE)
    assert sinew("check", file).returncode == 1
    assert sinew("check", "--strict", file).returncode == 2
    assert sinew("info", file).returncode == 0
    assert sinew("info", "--strict", file).returncode == 2
    counts = json.loads(sinew("check", "--json", file).stdout)["counts"]
    assert counts == {"error": 0, "warning": 1, "note": 0}


def test_check_counts_alike_remarks(write):
    many = ODD_ATTRIBUTE.replace("</robot>", "".join(
        f'<link name="l{i}"/><joint name="k{i}" type="fixed" hue="{i}"><parent link="b"/><child link="l{i}"/></joint>'
        for i in range(4)) + "</robot>")
    done = sinew("check", write(many))
    assert "unknown_attribute, 5 times" in done.stderr
    assert done.stdout.strip().endswith("5 warnings")


def test_package_path(write, tmp_path):
    mesh = GOOD.replace('<link name="a"/>', '<link name="a"><visual><geometry><mesh filename="package://p/m.stl"/>'
                        "</geometry></visual></link>")
    file = write(mesh)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "p").mkdir(parents=True)
    (elsewhere / "p" / "m.stl").write_text("solid m\nendsolid m\n")
    without = sinew("check", file)
    found = sinew("check", "--package-path", tmp_path, "--package-path", elsewhere, file)
    assert without.returncode != 0 and found.returncode == 0


def test_names_cannot_write_to_the_terminal(write):
    odd = "b&#9;&#127;&#155;x"
    done = sinew("info", write(GOOD.replace('link name="b"', f'link name="{odd}"').replace('child link="b"', f'child link="{odd}"')))
    assert done.returncode == 0 and "b???x" in done.stdout
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.stdout)
