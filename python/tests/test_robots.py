"""Robots of other packages by name: the real ones that are installed, and a package made like robot_descriptions."""
import importlib
import os
import sys

import pytest
import sinew
from conftest import ROOT

DESCRIPTION = '''REPOSITORY_PATH = {root!r}
PACKAGE_PATH = {root!r}
{kind} = {file!r}
'''


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package with the interface of robot_descriptions."""
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    names = ["arm_description", "human_mj_description", "gone_description", "far_description", "xacro_description"]
    (package / "__init__.py").write_text(f"DESCRIPTIONS = {dict.fromkeys(names)!r}\n")
    models = ROOT / "models"
    urdf = sorted(models.glob("*.urdf"))[0]
    for name, kind, file in (("arm", "URDF_PATH", urdf), ("human_mj", "MJCF_PATH", models / "humanoid.xml"),
                             ("gone", "URDF_PATH", tmp_path / "gone.urdf"), ("xacro", "XACRO_PATH", "x.xacro")):
        (package / f"{name}_description.py").write_text(DESCRIPTION.format(root=str(models), kind=kind, file=str(file)))
    (package / "far_description.py").write_text("raise OSError('no network')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [n for n in sys.modules if n.partition(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    yield urdf
    for name in [n for n in sys.modules if n.partition(".")[0] == "robot_descriptions"]:
        del sys.modules[name]


def test_robot_descriptions(descriptions):
    arm = sinew.compile(sinew.load_robot("arm_description"))
    assert arm.hash == sinew.compile(sinew.load(descriptions)).hash
    floating = sinew.compile(sinew.load_robot("robot_descriptions:arm_description", floating_base=True))
    assert floating.nv == arm.nv + 6
    human = sinew.compile(sinew.load_robot("human_mj_description"))
    assert human.hash == sinew.compile(sinew.load(ROOT / "models" / "humanoid.xml")).hash
    assert "arm_description" in sinew.robot_names()["robot_descriptions"]
    for name, error, text in (("arn_description", ValueError, "did you mean .*'arm_description'"),
                              ("gone_description", RuntimeError, "gone.urdf, which is not there"),
                              ("far_description", RuntimeError, "could not fetch 'far_description'.*no network"),
                              ("xacro_description", ValueError, "no URDF_PATH")):
        with pytest.raises(error, match=text):
            sinew.load_robot(name)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install robot_descriptions"):
        sinew.load_robot("talos_description")
    with pytest.raises(ImportError, match="pip install dm_control"):
        sinew.load_robot("dm_control:humanoid")


def test_example_robot_data():
    names = sinew.robot_names()["example_robot_data"]
    if not names:
        pytest.skip("example-robot-data is not installed; `make test` installs it")
    assert "talos_full_v2" in names and "ur5_robot" in names and len(names) > 50
    talos = sinew.compile(sinew.load_robot("talos_full_v2", floating_base=True))
    assert talos.nv == sinew.compile(sinew.load_robot("example_robot_data:talos_full_v2")).nv + 6 == 50
    with pytest.raises(ValueError, match="did you mean.*'talos_full_v2'"):
        sinew.load_robot("talos_ful_v2")
    with pytest.raises(ValueError, match="no source 'somewhere'.*dm_control"):
        sinew.load_robot("somewhere:talos")


def test_dm_control():
    names = sinew.robot_names()["dm_control"]
    if not names:
        pytest.skip("dm_control is not installed; `make test` installs it")
    assert sinew.compile(sinew.load_robot("dm_control:humanoid")).nv == 27
    assert sinew.load_robot("cheetah").joints and os.sep not in "".join(names)
    with pytest.raises(ValueError, match="did you mean 'cheetah'"):
        sinew.load_robot("dm_control:chetah")
