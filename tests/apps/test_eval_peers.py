"""`sinew eval` beside Pinocchio on URDF and MuJoCo on MJCF, in their own conventions: see peers.py.

One call of the command a robot.
"""
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import peers  # noqa: E402
from command import sinew  # noqa: E402
from eval_support import evaluate  # noqa: E402


def by_command(file, states, algorithms, convention, floating):
    return evaluate(file, states, algorithms, "--convention", convention, *(["--floating"] if floating else []))


@peers.floatings
@peers.urdf_files
def test_pinocchio(file, floating):
    if sinew("info", file, *(["--floating"] if floating else [])).returncode != 0:
        pytest.skip("refused, as tests/io/test_public_robots.py checks that it should be")
    peers.compare_with_pinocchio(file, floating, peers.short_name(file), by_command)


@peers.floatings
@peers.tilts
def test_axes_that_are_nearly_aligned(tmp_path, power, floating):
    pytest.importorskip("pinocchio")
    file = tmp_path / "nearly.urdf"
    file.write_text(peers.nearly_aligned(3 * 10.0**-power))
    peers.compare_with_pinocchio(file, floating, f"axes off by 3e-{power}", by_command)


@peers.mjcf_files
def test_mujoco(file):
    app = sinew("info", file, "--json")
    if app.returncode != 0:
        pytest.skip("refused, as tests/io/test_public_robots.py checks that it should be")
    peers.compare_with_mujoco(file, json.loads(app.stdout), by_command)
