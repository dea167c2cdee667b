"""sinew sim --flexible: bodies that bend, named in a JSON file beside the model."""

import json
import pathlib

import pytest
from command import needs_command, sinew

pytestmark = needs_command
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "models" / "flexible"
BOARD = [FOLDER / "diving_board.xml", "--flexible", FOLDER / "diving_board.json"]


def test_ball_bounces_on_a_diving_board():
    height = {}
    for seconds in ("0.45", "0.7"):
        out = json.loads(sinew("sim", *BOARD, "--for", seconds, "--json").stdout)
        assert len(out["modes"]) == 4 and out["unsolved"] == 0 and out["penetration"] < 1e-4
        height[seconds] = out["q"][6]
    assert height["0.45"] < 0.95  # pushes the board down
    assert height["0.7"] > 1.12  # and is thrown up again, without restitution


def test_integrators_keep_the_energy(tmp_path):
    model = tmp_path / "beam.xml"
    model.write_text(
        '<mujoco><option timestep="0.01"/><worldbody><body name="beam"><joint name="hub" axis="0 1 0"/>'
        '<inertial pos="0.5 0 0" mass="1" diaginertia="0.0001 0.0833333 0.0833333"/></body></worldbody></mujoco>'
    )
    bends = tmp_path / "beam.json"
    bends.write_text(
        '{"bodies": [{"body": "beam", "beam": {"length": 1, "mass": 1, "bending_z": 20, "modes_z": 2}}]}'
    )
    out = json.loads(
        sinew("sim", model, "--flexible", bends, "--integrator", "dormand_prince", "--for", "1", "--json").stdout
    )
    assert abs(out["energy"]["unaccounted"]) < 1e-5
    assert abs(out["modes"]["beam mode 1"]) > 1e-3


def test_records_and_plots(tmp_path):
    record, plot = tmp_path / "run.csv", tmp_path / "run.svg"
    done = sinew("sim", *BOARD, "--for", "0.5", "--record", record, "--every", "10", "--plot", plot, "--track", "ball")
    assert done.returncode == 0, done.stderr
    lines = record.read_text().splitlines()
    names, last = lines[0].split(","), lines[-1].split(",")
    mode = next(i for i, name in enumerate(names) if name.endswith("mode 1") and not name.startswith("rate"))
    assert len(names) == len(last) and abs(float(last[mode])) > 1e-4
    assert "rate of " + names[mode] in names
    assert "height of ball" in plot.read_text()
    assert "4 modes of bodies that bend" in done.stdout


@pytest.mark.parametrize(
    "options, words",
    [
        (["--pushes", "3"], "--pushes is for rigid bodies"),
        (["--law", "soft"], "--flexible goes with --integrator step"),
        (["--integrator", "events"], "--flexible goes with --integrator step"),
        (["--integrator", "rk4"], "contact is not followed by smooth integrators"),
    ],
)
def test_what_it_does_not_follow_is_named(options, words):
    done = sinew("sim", *BOARD, *options)
    assert done.returncode in (2, 3)
    assert words in done.stderr


def test_bad_file_is_refused_with_its_line(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"bodies": [\n  {"body": "bored", "beam": {}}]}')
    done = sinew("sim", FOLDER / "diving_board.xml", "--flexible", bad)
    assert done.returncode == 2
    assert "S302" in done.stderr and "line 2" in done.stderr
