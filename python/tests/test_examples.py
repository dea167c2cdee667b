"""Every program of examples/python runs from the root of the repository and finds its own result right."""
import os
import pathlib
import subprocess
import sys

import pytest
import sinew
from conftest import ROOT

PROGRAMS = sorted((ROOT / "examples" / "python").glob("*.py"))
NEEDS = {"sweep_ball": "pyarrow", "learn": "torch"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_example(program):
    if program.stem in NEEDS:
        pytest.importorskip(NEEDS[program.stem])
    package = str(pathlib.Path(sinew.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-B", str(program)], cwd=ROOT, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, PYTHONPATH=package))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() and len(program.read_text().splitlines()) <= 80
