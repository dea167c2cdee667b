"""Files that are no files, that nest too deep, or whose counts wrap: each command refuses them and says a limit."""
import json
import os
import pathlib
import subprocess

import pytest
from command import BINARY, needs_command


pytestmark = needs_command
REFUSED = 2
MODEL = """<mujoco><option gravity="0 0 0"/><worldbody><body name="b"><joint name="j"/>
<geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""


def sinew(*args, **options):
    """A command that must end by itself, soon."""
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(MODEL)
    return path


@pytest.fixture(params=["/dev/zero", "pipe", "folder"])
def no_file(request, tmp_path):
    if request.param == "pipe":
        os.mkfifo(tmp_path / "pipe.json")
        return tmp_path / "pipe.json"
    return tmp_path if request.param == "folder" else pathlib.Path(request.param)


def expect_refusal(done, *words):
    assert done.returncode == REFUSED, (done.returncode, done.stdout, done.stderr)
    said = " ".join((done.stdout + done.stderr).split())  # messages are wrapped to the width of the terminal
    assert "should not happen" not in said
    for word in words:
        assert word in said, said


@pytest.mark.parametrize("command", [
    ["info", "FILE"], ["check", "FILE"], ["lcp", "FILE"], ["sim", "FILE", "--for", "0.01"],
    ["eval", "MODEL", "--state", "FILE", "--algorithm", "rnea"],
    ["sim", "MODEL", "--for", "0.01", "--resume", "FILE"],
], ids=lambda c: " ".join(c[:1] + c[2:3]))
def test_no_regular_file(command, no_file, model):
    done = sinew(*[{"FILE": no_file, "MODEL": model}.get(word, word) for word in command])
    expect_refusal(done, "not a regular file")


def test_places_to_hold_are_a_file(no_file, model):
    if no_file.suffix == ".json":
        expect_refusal(sinew("count", model, "--constraints", no_file), "not a regular file")


def test_standard_input_has_a_limit(model):
    with open("/dev/zero") as zero:
        done = sinew("eval", model, "--state", "-", "--algorithm", "rnea", stdin=zero)
    expect_refusal(done, "256 MiB, which is the limit")


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("text", [DEEP, '{"M": ' + DEEP + ', "q": [1]}', "[" * 100_000])
def test_deep_json_for_lcp(text, tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(text)
    expect_refusal(sinew("lcp", path), "100", "the limit is 64")


@pytest.mark.parametrize("text", [DEEP, '{"q": ' + DEEP + "}", '{"external": {"b": {"frame": ' + DEEP + "}}}"])
def test_deep_json_for_eval(text, tmp_path, model):
    path = tmp_path / "deep.json"
    path.write_text(text)
    expect_refusal(sinew("eval", model, "--state", path, "--algorithm", "rnea"), "the limit is 64")


def test_brackets_in_text_do_not_nest(tmp_path):
    path = tmp_path / "text.json"
    path.write_text(json.dumps({"[" * 1000 + '\\"': 1, "M": [[1]], "q": [1]}))
    expect_refusal(sinew("lcp", path), "is not a key")


@pytest.mark.parametrize("key, value, word", [
    ("free", 4294967296, "the most that it can be is 3"), ("free", 2**63, "the most that it can be is 3"),
    ("free", 2**64 - 1, "the most that it can be is 3"), ("unilateral", 4294967297, "the most that it can be is 3"),
    ("unilateral", -4294967296, "not a count"), ("free", 1e300, "not a count"), ("free", 1.5, "not a count"),
    ("directions", 1_000_000, "the most that it can be is 1024"), ("directions", 4294967300, "1024"),
])
def test_counts_that_wrap(key, value, word, tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({"W": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "q": [-1, 0, 0], "mu": [0.5], key: value}))
    expect_refusal(sinew("lcp", path), key, word)


def test_a_million_directions_on_the_command_line(tmp_path, model):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({"W": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "q": [-1, 0, 0], "mu": [0.5]}))
    expect_refusal(sinew("lcp", path, "--directions", 1_000_000), "at most 1024")
    done = sinew("sim", model, "--directions", 1_000_000)
    assert done.returncode == 3 and "at most 1024" in done.stderr


def test_pyramids_have_a_limit_of_size(tmp_path):
    contacts = 20
    n = 3 * contacts
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({"W": [[float(i == j) for j in range(n)] for i in range(n)], "q": [-1.0] * n,
                                "mu": [0.5] * contacts, "directions": 1000}))
    expect_refusal(sinew("lcp", path), "20040 unknowns", "16384")


def test_many_numbers_that_json_does_not_know_are_quick(tmp_path, model):
    path = tmp_path / "nan.json"
    path.write_text('{"q": [' + "NaN," * 300_000 + "NaN]}")
    expect_refusal(sinew("eval", model, "--state", path, "--algorithm", "rnea"), "300001 numbers")
