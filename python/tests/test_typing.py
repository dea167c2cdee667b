"""mypy and pyright, both strict, on the package with its stubs and on the examples."""
import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest
import sinew
from conftest import ROOT

PACKAGE = pathlib.Path(sinew.__file__).parent  # where the stubs are, beside the extension
EXAMPLES = ROOT / "examples" / "python"
WRONG = """import sinew
model = sinew.compile(sinew.mechanisms.chain(3))
sinew.aba(model, sinew.RneaWorkspace(model), [0.0], [0.0], [0.0])
print(model.nv.mass)
"""


def run_mypy(folder, *files):
    pytest.importorskip("mypy", reason="mypy is not installed; `make test` installs it")
    options = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(folder / "mypy")]
    return subprocess.run([sys.executable, "-m", "mypy", *options, *map(str, files)], capture_output=True, text=True, cwd=folder, env={"MYPYPATH": str(PACKAGE.parent)}, timeout=300)


def run_pyright(folder, *files):
    """basedpyright: the same checker, and it brings its own node."""
    if not importlib.util.find_spec("basedpyright"):
        pytest.skip("basedpyright is not installed; `make test` installs it")
    (folder / "pyrightconfig.json").write_text(json.dumps(
        {"include": [str(f) for f in files], "extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "strict",
         "pythonVersion": "3.11"}))
    return subprocess.run([sys.executable, "-m", "basedpyright", "-p", str(folder), "--pythonpath", sys.executable],
                          capture_output=True, text=True, cwd=folder, timeout=300)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    file = tmp_path_factory.mktemp("wrong") / "wrong.py"
    file.write_text(WRONG)
    return file


# One run each: the checkers take seconds to begin. They must find what is wrong, and nothing besides.
@pytest.mark.parametrize("check", [run_mypy, run_pyright])
def test_package_and_examples(check, wrong, tmp_path):
    done = check(tmp_path, PACKAGE, *sorted(EXAMPLES.glob("*.py")), wrong)
    found = [line for line in done.stdout.splitlines() if "error:" in line]
    others = [line for line in found if "wrong.py" not in line]
    assert not others, "\n".join(others[:40])
    assert sorted({int(line.split("wrong.py:")[1].split(":")[0]) for line in found}) == [3, 4], done.stdout + done.stderr
