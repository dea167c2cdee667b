"""sinew sim on a robot from a URDF: step, floor, place, start, hold, controls, self-collision."""

import math

import pytest
from command import MODELS, needs_command, read, sinew

pytestmark = needs_command

# A trunk on two legs of one joint each; the feet are boxes 1 m below the trunk.
LEG = """
<link name="{s}_leg"><inertial><origin xyz="0 0 -0.4"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0 0 -0.95"/><geometry><box size="0.3 0.2 0.1"/></geometry></collision></link>
<joint name="{s}_hip" type="revolute"><parent link="trunk"/><child link="{s}_leg"/><origin xyz="0 {y} 0"/>
  <axis xyz="0 1 0"/><limit lower="{low}" upper="1" effort="0" velocity="10"/></joint>"""
BIPED = """<robot name="biped"><link name="trunk"><inertial><mass value="10"/>
  <inertia ixx="0.2" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.4 0.2"/></geometry></collision></link>""" + LEG.format(s="left", y=0.2, low=-1) + LEG.format(
    s="right", y=-0.2, low="-1") + "</robot>"


@pytest.fixture
def biped(tmp_path):
    file = tmp_path / "biped.urdf"
    file.write_text(BIPED)
    return file


def test_a_urdf_runs_without_any_option(biped):
    out = read("sim", biped)
    assert out["dt"] == 1e-3 and out["seconds"] == pytest.approx(1)
    assert any("1 ms" in note for note in out["notes"])
    assert "1 ms, because the file states none" in sinew("sim", biped, "--for", "0.01").stdout


def test_a_floating_robot_stands_on_the_floor(biped):
    out = read("sim", biped, "--floating", "--floor", "--hold", "--for", "2")
    assert out["unsolved"] == 0 and out["bodies"]["trunk"]["position"][2] == pytest.approx(1, abs=2e-3)
    assert sum(c["force"][2] for c in out["contacts"]) == pytest.approx(14 * 9.81, rel=1e-3)
    notes = " ".join(out["notes"])
    assert "moved by 1 m" in notes and "2 turning joints with stiffness" in notes and "effort limit of 0" in notes


def test_without_hold_it_falls(biped):
    out = read("sim", biped, "--floating", "--floor", "--for", "3", "--q", "left_hip=0.3,right_hip=-0.3", "--friction", "0")
    assert out["bodies"]["trunk"]["position"][2] < 0.7


def test_floor_heights_and_normals(biped):
    assert read("sim", biped, "--floating", "--floor", "0.5", "--hold", "--for", "0.5")["bodies"]["trunk"]["position"][2] == pytest.approx(
        1.5, abs=2e-3)
    # The word after --floor is its value only if it is one.
    assert read("sim", "--floating", "--hold", "--for", "0.1", "--floor", biped)["most_contacts"] == 8
    # A fixed base: the floor is put below the feet.
    fixed = read("sim", biped, "--floor", "--hold", "--for", "0.1")
    assert any("floor: at -1 m" in note for note in fixed["notes"])
    slope = read("sim", biped, "--floating", "--floor", "0.1,0,1", "--hold", "--for", "0.2")
    length = math.hypot(0.1, 1)
    for contact in slope["contacts"]:
        assert [abs(x) for x in contact["normal"]] == pytest.approx([0.1 / length, 0, 1 / length], abs=1e-12)


def test_place_gravity_and_start(biped):
    out = read("sim", biped, "--floating", "--place", "1,2,3,0,0,0.5", "--gravity", "0", "--for", "0.01")
    trunk = out["bodies"]["trunk"]
    assert trunk["position"] == pytest.approx([1, 2, 3], abs=1e-12)
    assert trunk["orientation"] == pytest.approx([math.cos(0.25), 0, 0, math.sin(0.25)], abs=1e-12)
    falls = read("sim", biped, "--floating", "--gravity", "2", "--for", "1")["bodies"]["trunk"]["position"][2]
    assert falls == pytest.approx(-1, abs=2e-3)
    assert read("sim", biped, "--q", "0.1,-0.2", "--gravity", "0,0,0", "--for", "0.001")["q"] == pytest.approx([0.1, -0.2])


def test_states_from_files_and_records(biped, tmp_path):
    state = tmp_path / "state.json"
    state.write_text('{"q": {"left_hip": 0.25}, "v": [1, 0], "time": 5}')
    out = read("sim", biped, "--state", state, "--gravity", "0", "--for", "0.001")
    assert out["q"][0] == pytest.approx(0.251) and out["time"] == pytest.approx(5.001)
    assert read("sim", biped, "--state", "-", "--gravity", "0", "--for", "0.001", input=state.read_text())["q"] == out["q"]
    record = tmp_path / "run.h5"
    last = read("sim", biped, "--for", "0.1", "--record", record)
    assert read("sim", biped, "--state", record, "--for", "0.001")["q"] == pytest.approx(last["q"], abs=0.01)
    assert sinew("sim", MODELS / "pendulum3.xml", "--state", "start", "--for", "0.01").returncode == 0


def test_pd_and_controls_by_name(biped, tmp_path):
    table = tmp_path / "controls.csv"
    table.write_text("time,left_hip\n0,0\n0.5,0.3\n")
    out = read("sim", biped, "--pd", "500,50", "--gravity", "0", "--control", table, "--for", "2")
    assert out["q"] == pytest.approx([0.3, 0], abs=1e-4)
    # Without a servo the column is the joint's force: v = force t / inertia = 1 / (0.1 + 2 0.16)
    table.write_text("right_hip,time\n1,0\n")
    out = read("sim", biped, "--gravity", "0", "--control", table, "--for", "0.1")
    assert out["v"] == pytest.approx([0, 0.1 / 0.42], rel=1e-9)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "controls.h5", "w") as f:
        f["time"], f["right_hip"] = [0.0], [1.0]
    assert read("sim", biped, "--gravity", "0", "--control", tmp_path / "controls.h5", "--for", "0.1")["v"] == out["v"]


def test_pairs_that_overlap_at_the_start_are_left_out_and_named(tmp_path):
    wide = tmp_path / "wide.urdf"  # the feet are 0.5 m wide and 0.4 m apart
    wide.write_text(BIPED.replace("0.3 0.2 0.1", "0.3 0.5 0.1"))
    out = read("sim", wide, "--for", "0.1", "--gravity", "0")
    assert out["most_contacts"] == 0
    assert any("'left_leg' and 'right_leg' (100 mm)" in note for note in out["notes"])
    touching = read("sim", wide, "--for", "0.1", "--gravity", "0", "--self-collision", "on")
    assert touching["most_contacts"] > 0
    assert read("sim", wide, "--for", "0.1", "--self-collision", "off")["most_contacts"] == 0


@pytest.mark.parametrize("words, code, says", [
    (["--floor", "--place", "floor"], 3, "--floating"),
    (["--place", "floor"], 3, "add --floor"),
    (["--place", "1,2"], 3, "--place has 2 numbers"),
    (["--floor", "0,0,0"], 3, "normal"),
    (["--q", "left_hpi=1"], 3, "did you mean 'left_hip'"),
    (["--q", "1"], 3, "the model has 2"),
    (["--q", "left_hip"], 3, "left_hip"),
    (["--state", "home"], 3, "no keyframes"),
    (["--pd", "1"], 3, "--pd has 1 numbers"),
    (["--pd", "-1,2"], 3, "at least 0"),
    (["--gravity", "down"], 3, "--gravity"),
    (["--self-collision", "maybe"], 3, "maybe"),
    (["--control", "no.csv"], 2, "no.csv"),
])
def test_what_is_wrong_is_named(biped, words, code, says):
    done = sinew("sim", biped, *words)
    assert done.returncode == code, done.stderr
    assert says in done.stderr


def test_meshes_touch_with_their_hulls_unless_asked(tmp_path):
    """A bridge falls over a post: with its hull it stops there, as it is it reaches the floor."""
    corners = [(x, y, z) for x in (-1, -0.5, 0.5, 1) for y in (-0.2, 0.2) for z in (0, 0.5, 1)]
    name = {c: i + 1 for i, c in enumerate(corners)}
    outline = [(-1, 0), (-1, 1), (1, 1), (1, 0), (0.5, 0), (0.5, 0.5), (-0.5, 0.5), (-0.5, 0)]  # x, z
    faces = [[name[x, -0.2, z] for x, z in reversed(outline)], [name[x, 0.2, z] for x, z in outline]]
    for a, b in zip(outline, outline[1:] + outline[:1]):
        faces.append([name[a[0], -0.2, a[1]], name[b[0], -0.2, b[1]], name[b[0], 0.2, b[1]], name[a[0], 0.2, a[1]]])
    (tmp_path / "bridge.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners)
                                         + "".join("f " + " ".join(map(str, f)) + "\n" for f in faces))
    (tmp_path / "bridge.urdf").write_text("""<robot name="bridge">
      <link name="ground"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
      <link name="bridge"><inertial><origin xyz="0 0 0.5"/><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="bridge.obj"/></geometry></collision></link>
      <joint name="fall" type="prismatic"><parent link="ground"/><child link="bridge"/><origin xyz="0 0 0.45"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="100" velocity="10"/></joint></robot>""")
    words = ["sim", tmp_path / "bridge.urdf", "--floor", "0", "--self-collision", "on", "--for", "1"]
    assert read(*words)["q"] == pytest.approx([-0.05], abs=1e-9)
    assert read(*words, "--meshes", "exact")["q"] == pytest.approx([-0.45], abs=1e-9)
    told = sinew(*words).stderr
    assert "touches with the convex hull of mesh 'bridge" in told and "75 % of its hull" in told
    assert sinew(*words, "--meshes", "round").returncode == 3


def test_controls_that_fit_nothing_are_named(biped, tmp_path):
    table = tmp_path / "controls.csv"
    for text, says in (("time,left_hpi\n0,1\n", "did you mean 'left_hip'"), ("left_hip\n1\n", "'time'"),
                       ("time,left_hip\n0,1\n0,1\n", "line 3"), ("time,left_hip\n0,nan\n", "not a finite number")):
        table.write_text(text)
        done = sinew("sim", biped, "--control", table)
        assert done.returncode == 2 and says in done.stderr, done.stderr


def test_the_summary_fits_a_screen(biped):
    text = sinew("sim", biped, "--floating", "--floor", "--hold", "--for", "0.5").stdout
    lines = text.splitlines()
    assert len(lines) <= 24 and max(map(len, lines[1:])) <= 110  # the first begins with the name of the file
    for word in ("times real time", "contact", "solution", "energy", "unaccounted for", "the error of the integrator", " us per step"):
        assert word in text


def test_compare_takes_the_same_scene(biped):
    lanes = read("compare", biped, "--floating", "--floor", "--hold", "--for", "0.05", "--formulation", "os,rmc")["formulations"]
    assert all(lane["unsolved"] == 0 for lane in lanes) and lanes[1]["worst_difference"] < 1e-6
