"""Every public robot loads and agrees with its own program, or is refused with a diagnostic to act on."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
robots = pytest.importorskip("robots", reason="numpy is not installed")

APP = os.environ.get("SINEW_APP", str(pathlib.Path(__file__).parents[2] / "build/release/sinew"))


def check(out):
    if out.loads and out.peer_error:
        return  # nothing to compare with
    if not out.loads:
        assert out.error.startswith("S"), "a refusal names its law"
        assert out.peer_error, f"refused ({out.error}), though its own program loads it"
        return
    assert out.nv_difference == 0
    assert out.body_difference == 0
    assert out.mass_difference <= 1e-10
    assert out.pose_difference <= 1e-10
    assert out.inertia_difference <= 1e-10
    assert out.mesh_inertia_difference <= 1e-6  # MuJoCo's own error, see tools/robots.py


def files(found, package):
    if found:
        return [pytest.param(f, id=robots.short_name(f)) for f in found]
    why = f"{package} is not installed; `make test` installs it"
    if os.environ.get("CI") == "true":
        raise RuntimeError(why)
    return [pytest.param(None, marks=pytest.mark.skip(reason=why))]


@pytest.mark.parametrize("file", files(robots.find_urdf(), "example-robot-data"))
def test_urdf_agrees_with_pinocchio(file):
    check(robots.urdf_outcome(APP, file))


@pytest.mark.parametrize("file", files(robots.find_mjcf(), "mujoco, dm_control or gymnasium"))
def test_mjcf_agrees_with_mujoco(file):
    check(robots.mjcf_outcome(APP, file))
