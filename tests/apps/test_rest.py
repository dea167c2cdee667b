"""Heaps that come to rest stand still exactly, at a loose tolerance too."""
import json
import pathlib
import sys

import pytest
from command import needs_command, sinew

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import contact_scenes  # noqa: E402

pytestmark = needs_command


@pytest.mark.parametrize("kind, count", [("box", 5), ("box", 10), ("mesh", 10)])
def test_heap_at_a_loose_tolerance(tmp_path, kind, count):
    """With answers within 1e-6 and no better, parts of the heaps of ten went on at 1e-7 rad/s for ever."""
    scene = tmp_path / "heap.xml"
    scene.write_text(contact_scenes.heap(kind, count))
    done = sinew("sim", scene, "--tolerance", "1e-6", "--for", "4", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["energy"]["kinetic"] == 0 and found["unsolved"] == 0


def test_corrections_throw_nothing_about():
    """A humanoid with its head between trunk and arm: what an overlap of micrometres asks for would make it turn at 26
    rad/s within a step, and at 2500 in the run that this state is from, with the impulses it had. It turned at 5.4."""
    here = pathlib.Path(__file__).resolve().parent
    scene = here.parents[1] / "models/scenes/humanoid_falls.xml"
    done = sinew("sim", scene, "--for", "0.002", "--state", here / "pinched_state.json", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["slowed"] == 1 and max(map(abs, found["v"])) < 16.5 and found["penetration"] < 1e-4
