"""`sinew generate`: code for one robot."""
import os
import pathlib
import shutil
import subprocess

import pytest
from command import MODELS, needs_command, read, sinew

pytestmark = needs_command
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no cc")


@needs_cc
@pytest.mark.parametrize("options", [(), ("--lanes", "4"), ("--scalar", "float", "--statements", "50")])
def test_code_gives_the_numbers_of_the_library(tmp_path, options):
    out = read("generate", MODELS / "pendulum3.xml", "--what", "rnea,crba", "--what", "fk", "-o", tmp_path / "new" / "code",
               "--name", "arm", *options)
    assert out["name"] == "arm" and list(out["algorithms"]) == ["rnea", "crba", "fk"]
    header, source, test = out["files"]
    program = tmp_path / "test"
    subprocess.run(["cc", "-std=gnu99", "-Wall", "-Werror", "-Wno-psabi", source, test, "-lm", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("largest error") == 3
    assert out["algorithms"]["rnea"]["declaration"] + ";" in open(header, encoding="utf-8").read()


@needs_cc
def test_delassus_matrix_of_frames(tmp_path):
    out = read("generate", MODELS / "humanoid.xml", "--what", "delassus:left_foot,right_sole,rnea", "--name", "man", "-o", tmp_path)
    assert list(out["algorithms"]) == ["delassus", "rnea"]
    assert out["algorithms"]["delassus"]["declaration"] == "void man_delassus(const double *q, double *W)"
    assert "left_foot,right_sole" in (tmp_path / "man.h").read_text(encoding="utf-8")
    program = tmp_path / "test"
    subprocess.run(["cc", "-O0", *out["files"][1:], "-lm", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    wrong = sinew("generate", MODELS / "humanoid.xml", "--what", "delassus:left_sool", "-o", tmp_path)
    assert wrong.returncode == 3 and "did you mean 'left_sole'?" in wrong.stderr


@needs_cc
def test_derivatives_of_a_humanoid_of_50_freedoms(tmp_path):
    """The longest code there is: it is cut into functions, compiles and agrees."""
    talos = "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_full_v2.urdf"
    roots = filter(None, os.environ.get("SINEW_ROBOTS", "").split(os.pathsep))
    found = [pathlib.Path(root) / talos for root in roots if (pathlib.Path(root) / talos).exists()]
    if not found:
        assert os.environ.get("CI") != "true", "SINEW_ROBOTS must name the folder of example-robot-data"
        pytest.skip("SINEW_ROBOTS is not set: no public robots to read")
    out = read("generate", found[0], "--floating", "--what", "daba", "--name", "talos", "-o", tmp_path)
    daba = out["algorithms"]["daba"]
    assert 100 < daba["functions"] < 300
    assert daba["written"]["mul"] + daba["written"]["add"] < daba["kernel"]["mul"] + daba["kernel"]["add"]
    subprocess.run(["cc", "-O0", *out["files"][1:], "-lm", "-o", tmp_path / "test"], check=True)
    done = subprocess.run([tmp_path / "test"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "daba" in done.stdout, done.stdout


def test_step_says_what_it_leaves_out(tmp_path):
    out = sinew("generate", MODELS / "humanoid.xml", "--what", "step", "-o", tmp_path)
    assert out.returncode == 0 and "step leaves out: contacts of" in out.stdout and "stops of" in out.stdout
    assert "left out: contacts of" in (tmp_path / "humanoid.h").read_text(encoding="utf-8")
    refused = sinew("generate", MODELS / "four_bar.xml", "--what", "step", "-o", tmp_path)
    assert refused.returncode == 2 and "step: loop '" in refused.stderr


def test_says_what_was_saved(tmp_path):
    out = read("generate", MODELS / "humanoid.xml", "--what", "aba", "-o", tmp_path)
    aba = out["algorithms"]["aba"]
    assert aba["written"]["mul"] < aba["general"]["mul"] and aba["functions"] > 1
    kernel = read("count", MODELS / "humanoid.xml", "--seed", "1")["algorithms"]["aba"]
    assert aba["kernel"]["mul"] == kernel["mul"] > aba["written"]["mul"]
    text = sinew("generate", MODELS / "humanoid.xml", "--what", "aba", "--lang", "cuda", "-o", tmp_path)
    assert text.returncode == 0 and "general" in text.stdout and "kernel" in text.stdout and "humanoid.cuh" in text.stdout
    cuda = (tmp_path / "humanoid.cuh").read_text(encoding="utf-8")
    assert "__global__ void humanoid_aba_batch" in cuda and out["model_hash"] in cuda


def test_refuses_what_it_does_not_know(tmp_path):
    def refused(*args):
        return sinew("generate", MODELS / "gu6.xml", *args, "-o", tmp_path / "none")

    wrong = refused("--what", "rnae")
    assert wrong.returncode == 3 and "did you mean 'rnea'?" in wrong.stderr
    twice = refused("--what", "rnea,rnea")
    assert twice.returncode == 3 and "asked for twice" in twice.stderr
    assert refused("--what", "rnea", "--lanes", "3").returncode == 3
    assert refused("--what", "rnea", "--lang", "fortran").returncode == 3
    assert refused().returncode == 3
    assert not (tmp_path / "none").exists()


def test_says_where_it_cannot_write(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = sinew("generate", MODELS / "gu6.xml", "--what", "fk", "-o", tmp_path / "file")
    assert done.returncode in (3, 7) and "--out" in done.stderr


def test_help_lists_the_algorithms():
    done = sinew("generate", "--help")
    for name in ("rnea", "aba", "crba", "mass_inverse", "fk"):
        assert name in done.stdout
