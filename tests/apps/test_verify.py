"""sinew verify: identities and algorithms against each other."""
import json

import pytest
from command import MODELS, needs_command, sinew

pytest.importorskip("numpy")

pytestmark = needs_command

OK, REFUSED, USAGE, FAILS = 0, 2, 3, 5


def verify(*words):
    return sinew("verify", *words)


def test_every_law_holds_on_our_mechanisms():
    files = sorted(MODELS.glob("*.xml")) + sorted(MODELS.glob("*.urdf"))
    assert len(files) > 15
    for file in files:
        done = verify("--json", "--states", "2", file)
        assert done.returncode == OK, done.stdout + done.stderr
        out = json.loads(done.stdout)
        assert out["failed"] == 0 and len(out["laws"]) >= 50
        assert all(law["holds"] and law["residual"] < 1e-11 for law in out["laws"])


def test_a_law_that_fails_has_an_exit_code_and_is_marked():
    done = verify("--tolerance", "1e-18", MODELS / "humanoid.xml")
    assert done.returncode == FAILS
    assert "FAILS" in done.stdout and "0 failed" not in done.stdout


@pytest.mark.parametrize("words, code, message", [
    (["--states", "0"], USAGE, "--states must be at least 1"),
    (["--tolerance", "-1"], USAGE, "--tolerance must be positive"),
])
def test_wrong_options(words, code, message):
    done = verify(*words, MODELS / "humanoid.xml")
    assert done.returncode == code and message in done.stderr


def test_a_hinge_without_inertia_is_named(tmp_path):
    file = tmp_path / "light.urdf"
    file.write_text("""<robot name="r"><link name="base"/><link name="light"/>
      <joint name="j" type="continuous"><parent link="base"/><child link="light"/><axis xyz="0 0 1"/></joint></robot>""")
    done = verify(file)
    assert done.returncode == REFUSED and "light" in done.stderr


def test_loops_are_embedded_and_their_accelerations_are_those_with_multipliers():
    for name in ("four_bar.xml", "crank_slider.xml", "crank_piston.xml", "geared_arm.xml"):
        out = json.loads(verify("--json", MODELS / name).stdout)
        loops = [law for law in out["laws"] if law["group"] == "embedded loops"]
        assert len(loops) > 20 and all(law["holds"] for law in loops), name
        assert any("multipliers" in law["law"] for law in loops) and "loops_left_out" not in out
    assert not any(law["group"] == "embedded loops"
                   for law in json.loads(verify("--json", MODELS / "humanoid.xml").stdout)["laws"])


def test_loops_that_cannot_be_embedded_are_left_out_with_the_reason(tmp_path):
    file = tmp_path / "flat.xml"  # a parallelogram that lies flat: its loop loses rank there
    file.write_text("""<mujoco><compiler angle="radian"/><worldbody>
      <body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0" mass="1"/>
        <body name="coupler" pos="0.2 0 0"><joint name="b" axis="0 1 0"/>
          <geom type="capsule" size="0.01" fromto="0 0 0 0.4 0 0" mass="1"/></body></body>
      <body name="rocker" pos="0.4 0 0"><joint name="c" axis="0 1 0"/>
        <geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0" mass="1"/></body></worldbody>
      <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.4 0 0"/></equality></mujoco>""")
    done = verify(file)
    assert done.returncode == OK, done.stdout + done.stderr
    assert "loops are left out" in done.stdout
