"""Pictures and films of a record: made where Chromium and ffmpeg are, refused with the name of a package where not."""
import json
import shutil
import struct
import subprocess

import pytest

from browser import ROOT, needs_browser
from command import needs_command, sinew

pytestmark = needs_command


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    file = tmp_path_factory.mktemp("render") / "blocks.h5"
    assert sinew("sim", ROOT / "models/scenes/rocking_block.xml", "--for", "0.5", "--record", file).returncode in (0, 5)
    return file


@needs_browser
def test_picture(record, tmp_path):
    file = tmp_path / "a.png"
    done = sinew("render", record, "-o", file, "--time", "0.2", "--size", "320x200", "--camera", "-40,20", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["frames"] == 1
    head = file.read_bytes()[:24]
    assert head[1:4] == b"PNG" and struct.unpack(">II", head[16:24]) == (320, 200)
    assert sinew("render", record, "-o", file).returncode == 3  # it is there
    done = sinew("render", record, "-o", tmp_path / "b.png", "--follow", "nobody")
    assert done.returncode == 2 and "nobody" in done.stderr and not (tmp_path / "b.png").exists()


@needs_browser
@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg: tools/setup.sh browser installs it")
@pytest.mark.parametrize("ending", ["mp4", "gif"])
def test_film(record, tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    done = sinew("render", record, "-o", file, "--to", "0.4", "--fps", "10", "--size", "160x120")
    assert done.returncode == 0, done.stderr
    assert "4 pictures" in done.stdout
    said = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames",
                           "-of", "csv=p=0", file], capture_output=True, text=True).stdout
    assert said.strip() == "160,120,4"


def test_what_is_missing_is_named(record, tmp_path):
    done = sinew("render", record, "-o", tmp_path / "a.png", env={"PATH": str(tmp_path)})
    assert done.returncode == 2 and "apt install chromium" in done.stderr
    (tmp_path / "chromium").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "chromium").chmod(0o755)
    done = sinew("render", record, "-o", tmp_path / "a.mp4", env={"PATH": str(tmp_path)})
    assert done.returncode == 2 and "apt install ffmpeg" in done.stderr
    done = sinew("render", record, "-o", tmp_path / "a.png", env={"PATH": str(tmp_path)})
    assert done.returncode == 7 and "browser" in done.stderr  # it ends at once
    assert not (tmp_path / "a.png").exists()


def test_usage(record, tmp_path):
    for words in (["-o", tmp_path / "a.avi"], ["-o", tmp_path / "a.png", "--size", "big"], ["-o", tmp_path / "a.mp4", "--time", "1"],
                  ["-o", tmp_path / "a.png", "--from", "1"], ["-o", tmp_path / "a.mp4", "--size", "321x200"],
                  ["-o", tmp_path / "a.png", "--camera", "up"], []):
        assert sinew("render", record, *words).returncode == 3, words
