"""Torsional and rolling friction beside MuJoCo, where both mean the same: one motion at a time, nothing slides.

MuJoCo's contact is soft, and its friction creeps: 1 % of the change of speed is allowed.
"""
import csv
import math
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed; `make test` installs it")
sys.path[:0] = [str(pathlib.Path(__file__).parent)]
from command import sinew  # noqa: E402

SCENE = """<mujoco><option timestep="1e-3" cone="elliptic" impratio="10"/><worldbody>
  <geom type="plane" size="9 9 1" condim="{condim}" friction="1 .004 .002"/>
  <body name="ball" pos="0 0 .1"><freejoint name="f"/><geom size=".1" mass="2" condim="3" friction="1 .001 .001"/></body>
  </worldbody><keyframe><key name="go" qpos="0 0 .1 1 0 0 0" qvel="{qvel}"/></keyframe></mujoco>"""


@pytest.mark.parametrize("condim, qvel, what", [
    (4, "0 0 0 0 0 5", 5), (6, "0 0 0 0 0 5", 5), (6, ".3 0 0 0 3 0", 4), (6, "0 -.3 0 3 0 0", 3),
    (4, ".3 0 0 0 3 0", 4), (3, "0 0 0 0 0 5", 5)])
def test_as_mujoco(tmp_path, condim, qvel, what):
    file = tmp_path / "ball.xml"
    file.write_text(SCENE.format(condim=condim, qvel=qvel))
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    for _ in range(200):
        mujoco.mj_step(m, d)
    record = tmp_path / "run.csv"
    done = sinew("sim", file, "--state", "go", "--for", "0.2", "--record", record)
    assert done.returncode == 0, done.stderr
    with open(record) as f:
        rows = list(csv.reader(f))
    # columns v.f[0..5] are the angular velocity, then the linear one
    ours = float(rows[-1][rows[0].index(f"v.f[{(what + 3) % 6}]")])
    before = float(qvel.split()[what])
    resisted = condim > 3 and what == 5 or condim > 4
    if not resisted:
        assert math.isclose(ours, before, rel_tol=1e-9)
    else:
        assert 0.2 < abs(before - ours) < abs(before)
    assert abs(ours - d.qvel[what]) < 0.01 * max(abs(before - ours), 0.5)


def test_condim_is_checked(tmp_path):
    file = tmp_path / "ball.xml"
    file.write_text(SCENE.format(condim=5, qvel="0 0 0 0 0 0"))
    done = sinew("check", file)
    assert done.returncode == 2 and "condim 5" in done.stdout + done.stderr
