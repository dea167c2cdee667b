"""What the tests of `sinew eval` share: the call, the measure of a difference, and the worst ones seen."""
import json
import os

import numpy as np
from command import sinew

SEED = int(os.environ.get("SINEW_SEED", "1"))
EPSILON = np.finfo(float).eps
TOLERANCE = 1e-10

worst = {}  # (peer, quantity) -> (difference, tolerance there, robot); printed by conftest.py
robots = {}  # peer -> names


def evaluate(file, states, algorithms, *options):
    done = sinew("eval", file, "--algorithm", ",".join(algorithms), "--state", "-", *options, input=json.dumps(states))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def difference(ours, theirs):
    """Of two arrays, in the norm, relative to the second."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape, f"{ours.shape} and {theirs.shape}"
    return float(np.linalg.norm(ours - theirs) / max(np.linalg.norm(theirs), 1e-300)) if theirs.size else 0.0


class Comparison:
    """Collects what is wrong with one robot, so that one report names it all."""

    def __init__(self, peer, robot):
        self.peer, self.robot, self.wrong = peer, robot, []
        robots.setdefault(peer, set()).add(robot)

    def see(self, quantity, ours, theirs, tolerance=TOLERANCE, scale=None):
        """scale: what the difference is relative to, where the result itself may cancel to nothing."""
        if scale is not None:
            theirs = np.asarray(theirs, float)
            error = float(np.linalg.norm(np.asarray(ours, float) - theirs) / max(scale, np.linalg.norm(theirs), 1e-300))
        else:
            error = difference(ours, theirs)
        key = (self.peer, quantity)
        if key not in worst or not error <= worst[key][0]:
            worst[key] = (error, tolerance, self.robot)
        if not error <= tolerance:
            self.wrong.append(f"{quantity}: {error:.2e}, tolerance {tolerance:.0e}")

    def finish(self):
        assert not self.wrong, f"{self.robot} (seed {SEED}): " + "; ".join(self.wrong)
