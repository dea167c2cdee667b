"""docs/coming_from.md names things of Sinew, Pinocchio and MuJoCo that are there."""
import importlib
import operator
import re

import pytest
import sinew
from conftest import ROOT

PAGE = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
NAME = re.compile(r"`([A-Za-z_][\w.]*)")


def rows(title):
    part = PAGE.split(f"## From {title}\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")][2:]


def has(module, name):
    try:
        operator.attrgetter(name)(module)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("title", ["Pinocchio", "MuJoCo", "Drake"])
def test_names_of_sinew(title):
    names = {name for row in rows(title) for name in NAME.findall(row[1]) if not name.startswith(".")}
    missing = sorted(name for name in names if not has(sinew, name))
    assert len(names) > 10 and not missing


@pytest.mark.parametrize("title, module, prefix", [("Pinocchio", "pinocchio", "pin."), ("MuJoCo", "mujoco", "mujoco.")])
def test_names_of_the_peer(title, module, prefix):
    peer = pytest.importorskip(module)
    if module == "mujoco":
        importlib.import_module("mujoco.rollout")
    names = {name.removeprefix(prefix) for row in rows(title) for name in NAME.findall(row[0]) if name.startswith(prefix)}
    missing = sorted(name for name in names if not has(peer, name))
    assert len(names) > 15 and not missing
