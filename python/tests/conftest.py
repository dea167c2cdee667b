"""What the tests share: models of our own, and public robots where they are installed."""
import os
import pathlib
import signal

import numpy as np
import pytest

sinew = pytest.importorskip("sinew", reason="the package is not built; `make python` builds it")
ROOT = pathlib.Path(__file__).parents[2]
# A shell starts what it runs in the background with SIGINT ignored: tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
MECHANISMS = {
    "humanoid": lambda: sinew.mechanisms.humanoid(),
    "chain": lambda: sinew.mechanisms.chain(7),
    "tree": lambda: sinew.mechanisms.binary_tree(4),
    "stem": lambda: sinew.mechanisms.stem_with_branches(4, 2),
    "long": lambda: sinew.mechanisms.chain(60),  # long enough that calls release the GIL
}


@pytest.fixture(params=sorted(MECHANISMS))
def model(request):
    return sinew.compile(MECHANISMS[request.param]())


@pytest.fixture
def rng():
    return np.random.default_rng(int(os.environ.get("SINEW_SEED", 1)))


def random_state(model, rng):
    q = sinew.random_configuration(model, int(rng.integers(1 << 30)))
    return q, *(rng.uniform(-2, 2, model.nv) for _ in range(3))


def find_robot(*parts):
    """A file of example-robot-data, or a skip."""
    for root in filter(None, os.environ.get("SINEW_ROBOTS", "").split(os.pathsep)):
        found = sorted(pathlib.Path(root).glob("cmeel.prefix/share/example-robot-data/robots/" + "/".join(parts)))
        if found:
            return found[0]
    pytest.skip("example-robot-data is not installed; `make test` installs it")
