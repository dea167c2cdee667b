"""A sample of the public MJCF scenes, 0.1 s each: they run, or are refused with a reason; no number is not finite."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
scenes = pytest.importorskip("run_public_scenes", reason="numpy is not installed")

APP = os.environ.get("SINEW_BIN") or os.environ.get("SINEW_APP")
SAMPLE = [
    "dm_control/suite/acrobot.xml", "dm_control/suite/ball_in_cup.xml", "dm_control/suite/cheetah.xml",
    "dm_control/suite/hopper.xml", "dm_control/suite/humanoid.xml", "dm_control/suite/walker.xml",
    "dm_control/mujoco/testing/assets/arm.xml",
    "dm_control/mujoco/testing/assets/model_with_ball_joints.xml",  # its links overlap the base they turn on
    "dm_control/third_party/ant/ant.xml",                           # so do its legs
    "gymnasium/envs/mujoco/assets/ant.xml", "gymnasium/envs/mujoco/assets/pusher_v5.xml",
    "gymnasium/envs/mujoco/assets/walker2d_v5.xml", "gymnasium_robotics/envs/assets/point/point.xml",
    "gymnasium_robotics/envs/assets/hand/manipulate_egg.xml",
]
pytestmark = pytest.mark.skipif(not APP, reason="SINEW_APP names no binary")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_public_scene_runs_and_all_its_problems_are_solved(name):
    file = scenes.robots.packages() / name
    if not file.exists():
        pytest.skip(f"{name.split('/')[0]} is not installed; `make test` installs it")
    run = scenes.run_scene(APP, file, 0.1, 60)
    assert run.outcome == "ran", run.why
    assert run.summary["unsolved"] == 0
    assert run.summary["worst_residual"] <= 1e-8


def test_what_cannot_be_simulated_is_refused_with_the_element_named(tmp_path):
    file = tmp_path / "muscle.xml"
    file.write_text('''<mujoco><worldbody><body name="b"><joint name="j" type="slide"/><geom size="1"/></body></worldbody>
      <tendon><fixed name="pull"><joint joint="j" coef="1"/></fixed></tendon>
      <actuator><muscle name="winch" tendon="pull"/></actuator></mujoco>''')
    run = scenes.run_scene(APP, file, 0.1, 60)
    assert run.outcome == "refused" and "winch" in run.why
