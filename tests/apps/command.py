"""The command under test, for all files of this folder: $SINEW_BIN, $SINEW_APP or the release build."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
BINARY = os.environ.get("SINEW_BIN") or os.environ.get("SINEW_APP") or str(ROOT / "build/release/sinew")
needs_command = pytest.mark.skipif(not pathlib.Path(BINARY).exists(), reason="SINEW_APP names no binary")


def sinew(*args, **more):
    """Runs a command that ends by itself; more: options of subprocess.run, such as input and env."""
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=120, **more)


def start(*args, **more):
    """A command that goes on."""
    return subprocess.Popen([BINARY, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def read(*args, code=0, **more):
    """What a command says with --json."""
    done = sinew(*args, "--json", **more)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)
