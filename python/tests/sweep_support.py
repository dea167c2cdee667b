"""What the tests of sweeps share: a scene, functions, plans, commands."""
import json
import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed; pip install 'sinew[sweep]'")
from sinew import sweep  # noqa: E402

SCENE = """
<mujoco model="two">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 .1" friction="0.4"/>
    <body name="ball" pos="0 0 0.3"><freejoint name="free"/>
      <geom name="skin" type="sphere" size="0.1" mass="2"/></body>
    <body name="arm" pos="1 0 1"><joint name="hinge" type="hinge" axis="0 1 0" damping="0.1"/>
      <geom name="rod" type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="1"/></body>
  </worldbody>
  <actuator><position name="servo" joint="hinge" kp="20"/><motor name="push" joint="hinge"/></actuator>
</mujoco>
"""
FUNCTIONS = """
import os, signal, time
def measure(sim, sample):
    if sample.parameters.get("user/fail") == sample.index:
        raise ZeroDivisionError("asked for")
    return {"height": sim.q[6], "seed_again": str(sample.seed), "list": [1, sample.index], "odd": bool(sample.index % 2)}
def kill(sim, sample):
    if sample.index == 5:
        os.kill(os.getpid(), signal.SIGKILL)
def kill_once(sim, sample):
    mark = os.environ["SWEEP_MARK"]
    if sample.index == 5 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
def wait(sim, sample):
    time.sleep(0.01)
def wait_long(sim, sample):
    open(os.path.join(os.environ["SWEEP_MARK"], str(sample.index)), "w").close()
    time.sleep(1)
def mixed(sim, sample):
    return {"x": "text" if sample.index % 2 else 1.5}
"""
PARAMETERS = {"friction": {"random": "uniform", "from": 0.1, "to": 0.9},
              "body/ball/mass": {"latin": "loguniform", "from": 0.5, "to": 5},
              "q/hinge": [0.0, 0.5]}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "two.xml").write_text(SCENE)
    (tmp_path / "sweep_functions.py").write_text(FUNCTIONS)
    yield tmp_path
    sys.modules.pop("sweep_functions", None)
    sys.path[:] = [p for p in sys.path if p != str(tmp_path)]


def plan_of(folder, **changes):
    data = {"scene": {"file": "two.xml"}, "duration": 0.02, "samples": 10, "seed": 4, "parameters": PARAMETERS}
    return sweep.make_plan({**data, **changes}, folder)


def to_toml(data):
    """As much TOML as these plans need."""
    top = [f"{k} = {json.dumps(v)}" for k, v in data.items() if not isinstance(v, dict)]
    for name, table in ((k, v) for k, v in data.items() if isinstance(v, dict)):
        top.append(f"[{name}]")
        for key, value in table.items():
            text = json.dumps(value) if not isinstance(value, dict) else (
                "{ " + ", ".join(f"{k} = {json.dumps(v)}" for k, v in value.items()) + " }")
            top.append(f"{json.dumps(key)} = {text}")
    return "\n".join(top)


def write_plan(folder, **changes):
    file = folder / "plan.toml"
    file.write_text(to_toml(dict(plan_of(folder, **changes).data)))
    return file


def start(*words, **environment):
    return subprocess.Popen([sys.executable, "-m", "sinew.sweep", *map(str, words)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})


def shards_of(out):
    return sorted((out / "shards").glob("[0-9]*.parquet")) if out.exists() else []


def wait_for(condition, process=None, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end and (process is None or process.poll() is None), process and process.communicate()
        time.sleep(0.005)
