"""Help, did-you-mean, completions, manual pages, standard input, columns of records, plots."""

import csv
import json
import os
import shutil
import subprocess
import time
import xml.etree.ElementTree

import pytest
from command import BINARY, MODELS, needs_command, sinew

pytestmark = needs_command


@pytest.mark.parametrize("words, meant", [
    (["smi", "pendulum:3"], "sim"),
    (["comprae", "pendulum:3"], "compare"),
    (["sim", "pendulum:3", "--flor"], "--floor"),
    (["sim", "pendulum:3", "--self_collision", "on"], "--self-collision"),
    (["info", "--jsno", "x.urdf"], "--json"),
])
def test_did_you_mean_commands_and_options(words, meant):
    done = sinew(*words)
    assert done.returncode == 3 and f"Did you mean '{meant}'?" in done.stderr


def test_did_you_mean_names(tmp_path):
    assert "did you mean 'link3'" in sinew("sim", "pendulum:3", "--plot", tmp_path / "p.svg", "--track", "lnk3").stderr
    assert "did you mean 'left_foot'" in sinew("count", MODELS / "humanoid.xml", "--constraints", "left_fot:weld").stderr
    missing = sinew("info", MODELS / "humaniod.xml")
    assert missing.returncode == 2 and f"did you mean '{MODELS / 'humanoid.xml'}'" in missing.stderr
    assert "did you mean 'dual_arm'" in sinew("sim", "dual_amr").stderr
    assert "did you mean 'start'" in sinew("sim", "pendulum:3", "--keyframe", "strat").stderr


def test_a_list_does_not_take_the_scene():
    assert sinew("compare", "--formulation", "os,rmc", "pendulum:2", "--for", "0.001").returncode == 0


def test_help_of_a_command():
    assert sinew("help", "sim").stdout == sinew("sim", "--help").stdout != ""
    assert sinew("help").stdout == sinew("--help").stdout
    assert sinew("help", "fly").returncode == 3


def test_models_from_the_standard_input():
    text = (MODELS / "pendulum3.xml").read_text()
    for words in (["info", "-", "--json"], ["check", "-"], ["sim", "-", "--for", "0.01"], ["count", "-"]):
        assert sinew(*words, input=text).returncode == 0
    problem = '{"M": [[2]], "q": [-1]}'
    assert json.loads(sinew("lcp", "-", "--json", input=problem).stdout)["status"] == "solved"


def test_completions_know_every_command_and_option(tmp_path):
    for shell in ("bash", "zsh", "fish"):
        script = sinew("completion", shell).stdout
        for word in ("compare", "self-collision", "on off start", "floor"):
            assert word in script, (shell, word)
        if shutil.which(shell):
            file = tmp_path / f"sinew.{shell}"
            file.write_text(script)
            checked = subprocess.run([shell, "-n", file], capture_output=True, text=True)
            assert checked.returncode == 0, checked.stderr
    env = {**os.environ, "HOME": str(tmp_path), "SHELL": "/bin/bash"}
    env.pop("XDG_DATA_HOME", None)
    assert sinew("--install-completion", env=env).returncode == 0
    assert (tmp_path / ".local/share/bash-completion/completions/sinew").read_text() == sinew("completion", "bash").stdout
    assert sinew("completion", "tcsh").returncode == 3


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_completes(tmp_path):
    script = tmp_path / "c.bash"
    script.write_text(sinew("completion", "bash").stdout)

    def complete(*words):
        text = f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _sinew; echo ${{COMPREPLY[@]}}"
        return subprocess.run(["bash", "-c", text], capture_output=True, text=True, cwd=tmp_path).stdout.split()
    assert complete("sinew", "com") == ["compare", "completion"]
    assert complete("sinew", "sim", "--floo") == ["--floor"] and "--floating" in complete("sinew", "sim", "--flo")
    assert complete("sinew", "sim", "x", "--self-collision", "o") == ["on", "off"]
    (tmp_path / "robot.urdf").write_text("")
    assert complete("sinew", "sim", "rob") == ["robot.urdf"]


def test_manual_pages(tmp_path):
    done = sinew("man", "--out", tmp_path)
    pages = sorted(p.name for p in tmp_path.iterdir())
    assert done.returncode == 0 and "sinew.1" in pages and "sinew-sim.1" in pages
    page = (tmp_path / "sinew-sim.1").read_text()
    assert page == sinew("man", "sim").stdout and "\\-\\-floor" in page and ".SH OPTIONS" in page
    if shutil.which("man"):
        assert "--floor" in subprocess.run(["man", "-l", tmp_path / "sinew-sim.1"], capture_output=True, text=True,
                                           env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "100"}).stdout.replace("‐", "-")
    assert sinew("man", "smi").returncode == 3


def test_columns_of_text_records_are_unique_and_named(tmp_path):
    file = tmp_path / "run.csv"
    assert sinew("sim", MODELS / "humanoid.xml", "--for", "0.01", "--record", file).returncode == 0
    with open(file) as f:
        names = next(csv.reader(f))
    assert len(set(names)) == len(names)
    for name in ("frames/time", "q.left_knee", "v.left_knee", "momentum/weight.lin.z", "momentum/contacts.lin.z", "pelvis.z"):
        assert name in names


def test_records_of_killed_runs_open_as_any_file(tmp_path):
    h5py = pytest.importorskip("h5py")
    file = tmp_path / "run.h5"
    with subprocess.Popen([BINARY, "sim", "pendulum:12", "--for", "1000", "--record", file, "--flush", "0.1"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        end = time.monotonic() + 30
        while not file.exists() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.5)
        run.kill()
        run.wait(30)
    with h5py.File(file) as f:
        rows = int(f["committed"][0])
        assert rows > 0 and f["frames/q"][:rows].shape == (rows, 12) and f["finished"][0] == 0
        assert f["frames/q"].fletcher32
    resumed = sinew("sim", "pendulum:12", "--for", "0.001", "--record", file, "--resume", file)
    assert resumed.returncode in (0, 3)  # 3: it is over already


def test_flipped_bits_of_a_record_are_found(tmp_path):
    h5py = pytest.importorskip("h5py")
    file = tmp_path / "run.h5"
    assert sinew("sim", "pendulum:3", "--for", "0.1", "--record", file).returncode == 0
    with h5py.File(file) as f:
        place = f["frames/q"].id.get_chunk_info(0).byte_offset
    with open(file, "r+b") as f:
        f.seek(place + 100)
        byte = f.read(1)
        f.seek(place + 100)
        f.write(bytes([byte[0] ^ 4]))
    with h5py.File(file) as f, pytest.raises(OSError):
        f["frames/q"][:]


def test_plots_of_chosen_signals(tmp_path):
    file = tmp_path / "p.svg"
    names = "q.hinge1,v.hinge1,z.link2,energy,contacts,residual,penetration"
    joints = [j["name"] for j in json.loads(sinew("info", MODELS / "pendulum3.xml", "--json").stdout)["joints"]]
    names = names.replace("hinge1", joints[0])
    done = sinew("sim", MODELS / "pendulum3.xml", "--for", "0.2", "--plot", file, "--signal", names)
    assert done.returncode == 0, done.stderr
    text = file.read_text()
    xml.etree.ElementTree.parse(file)
    for word in ("positions", "velocities", "z of bodies", "energy", "contacts", "relative residual", "deepest overlap"):
        assert word in text
    wrong = sinew("sim", MODELS / "pendulum3.xml", "--plot", file, "--signal", "enrgy")
    assert wrong.returncode == 3 and "did you mean 'energy'" in wrong.stderr


def test_plots_keep_short_contacts(tmp_path):
    # A ball that bounces for ever: every contact lasts a step or two of 20000.
    scene = tmp_path / "ball.xml"
    scene.write_text("""<mujoco><option timestep="1e-3"/><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .3"><freejoint/>
    <geom size=".1"/></body></worldbody></mujoco>""")
    file = tmp_path / "p.svg"
    done = sinew("sim", scene, "--for", "20", "--restitution", "0.95", "--plot", file, "--signal", "contacts")
    assert done.returncode == 0, done.stderr
    out = json.loads(sinew("sim", scene, "--for", "20", "--restitution", "0.95", "--json").stdout)
    line = xml.etree.ElementTree.parse(file).getroot().find(".//{http://www.w3.org/2000/svg}polyline")
    heights = [float(p.split(",")[1]) for p in line.get("points").split()]
    peaks = sum(1 for a, b in zip(heights, heights[1:]) if b < a)
    assert out["collisions"] >= 10 and peaks >= 10


@pytest.mark.skipif(not shutil.which("rsvg-convert"), reason="rsvg-convert is not installed")
def test_plots_as_png(tmp_path):
    file = tmp_path / "p.png"
    assert sinew("sim", "pendulum:2", "--for", "0.01", "--plot", file).returncode == 0
    assert file.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_png_without_its_maker_is_refused_before_the_run(tmp_path):
    done = sinew("sim", "pendulum:2", "--for", "0.01", "--plot", tmp_path / "p.png", env={"PATH": "/nowhere"})
    assert done.returncode == 2 and "librsvg2-bin" in done.stderr and not (tmp_path / "p.png").exists()
