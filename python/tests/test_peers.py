"""All states of tests/apps/test_eval_peers.py again, through the package: the same files, states and tolerances."""
import pathlib
import sys

import pytest
import sinew
from conftest import ROOT
from evaluation import Evaluation, info_of

sys.path.insert(0, str(ROOT / "tests" / "apps"))
import peers  # noqa: E402


def load(file, floating):
    try:
        floats = floating and pathlib.Path(file).suffix == ".urdf"
        return sinew.compile(sinew.load(file, floating_base=floats))
    except sinew.LoadError:
        pytest.skip("refused, as tests/io/test_public_robots.py checks that it should be")


def by_package(file, states, algorithms, convention, floating):
    evaluation = Evaluation(load(file, floating), convention)
    return [evaluation(state, algorithms) for state in states]


@peers.floatings
@peers.urdf_files
def test_pinocchio(file, floating):
    load(file, floating)
    peers.compare_with_pinocchio(file, floating, peers.short_name(file), by_package)


@peers.floatings
@peers.tilts
def test_axes_that_are_nearly_aligned(tmp_path, power, floating):
    pytest.importorskip("pinocchio")
    file = tmp_path / "nearly.urdf"
    file.write_text(peers.nearly_aligned(3 * 10.0**-power))
    peers.compare_with_pinocchio(file, floating, f"axes off by 3e-{power}", by_package)


@peers.mjcf_files
def test_mujoco(file):
    peers.compare_with_mujoco(file, info_of(load(file, False)), by_package)
