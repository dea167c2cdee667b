"""Sweeps: plans, values of samples, results that do not depend on who made them and how often it was killed."""
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import sinew
from conftest import ROOT

pytest.importorskip("pyarrow", reason="pyarrow is not installed; pip install 'sinew[sweep]'")
from sinew import sweep  # noqa: E402
from sinew.sweep import command, results, sampling, shard  # noqa: E402

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


# --- plans ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("changes, words", [
    ({"duratoin": 1}, "did you mean 'duration'"),
    ({"duration": -1}, "duration must be a number"),
    ({"samples": 0}, "samples must be a whole number from 1"),
    ({"scene": {}}, "one of file, mechanism, model"),
    ({"scene": {"file": "two.xml", "flor": True}}, "did you mean 'floor'"),
    ({"scene": {"file": "no.xml"}}, "no.xml"),
    ({"scene": {"mechanism": "humanoit"}}, "did you mean 'humanoid'"),
    ({"options": {"formulatoin": "os"}}, "did you mean 'formulation'"),
    ({"options": {"formulation": "so"}}, "there is no Formulation 'so'"),
    ({"options": {"relative": 1e-6}}, "does not go with integrator step"),
    ({"keep": {"values": ["totls"]}}, "did you mean 'totals'"),
    ({"keep": {"function": "sweep_functions:measur"}}, "did you mean 'measure'"),
    ({"keep": {"function": "no_such_module:f"}}, "no_such_module"),
    ({"parameters": {"frictoin": [1]}}, "did you mean 'friction'"),
    ({"parameters": {"bodie/ball/mass": [1]}}, "did you mean 'body'"),
    ({"parameters": {"body/bal/mass": [1]}}, "did you mean 'ball'"),
    ({"parameters": {"body/ball/mas": [1]}}, "did you mean 'mass'"),
    ({"parameters": {"joint/hing/damping": [1]}}, "did you mean 'hinge'"),
    ({"parameters": {"actuator/push/kp": [1]}}, "no servo"),
    ({"parameters": {"shape/skin/size": [1]}}, "say which"),
    ({"parameters": {"q/free": [1]}}, "7 coordinates"),
    ({"parameters": {"option/refinements": [1.5]}}, "not a whole number"),
    ({"parameters": {"option/formulation": ["os", "oss"]}}, "did you mean 'os'"),
    ({"parameters": {"friction": ["much"]}}, "not a number"),
    ({"parameters": {"friction": {"relative": True, "grid": [1]}}}, "no number that could be scaled"),
    ({"parameters": {"friction": {"random": "unifrom", "from": 0, "to": 1}}}, "did you mean 'uniform'"),
    ({"parameters": {"friction": {"random": "uniform", "from": 0}}}, "to is missing"),
    ({"parameters": {"friction": {"random": "uniform", "from": 1, "to": 0}}}, "must be less"),
    ({"parameters": {"friction": {"latin": "loguniform", "from": 0, "to": 1}}}, "positive"),
    ({"parameters": {"friction": {"grid": [1], "list": [1]}}}, "it has grid and list"),
    ({"parameters": {"friction": {"grid": []}}}, "at least one value"),
    ({"parameters": {"friction": {"grid": [math.nan]}}}, "not a finite number"),
    ({"parameters": {"friction": {"list": [1, 2]}, "timestep": {"list": [1]}}}, "same length"),
    ({"parameters": {"friction": [1]}}, "no parameter is random"),
])
def test_wrong_plans_are_refused_before_anything_runs(folder, changes, words):
    if "parameters" in changes and "random" not in words:
        changes = {"samples": 1, **changes}
    with pytest.raises(ValueError, match=words):
        sweep.run(plan_of(folder, **changes), folder / "out")
    assert not (folder / "out").exists()


def test_a_plan_of_toml_is_that_of_a_dict(folder):
    (folder / "plan.toml").write_text(textwrap.dedent("""
        duration = 0.02
        samples = 10
        seed = 4
        parameters.gravity.z = { random = "uniform", from = -10, to = -9 }
        scene.file = "two.xml"
        """))
    read = sweep.load_plan(folder / "plan.toml")
    made = plan_of(folder, parameters={"gravity.z": {"random": "uniform", "from": -10.0, "to": -9.0}})
    assert [read.space.values(k) for k in range(10)] == [made.space.values(k) for k in range(10)]
    assert sweep.Runner(read).hash == sweep.Runner(made).hash


# --- values -----------------------------------------------------------------------------------------------------------
def space_of(parameters, draws=1, repeats=1, seed=0):
    return sampling.read_space(parameters, draws, repeats, seed)


def test_grids_are_crossed_lists_go_side_by_side():
    space = space_of({"a": {"grid": [1, 2]}, "b": {"list": [5, 6, 7]}, "c": {"list": [50, 60, 70]},
                      "d": {"grid": {"from": 1, "to": 100, "count": 3, "scale": "log"}}}, repeats=2)
    assert len(space) == 2 * 3 * 3 * 2
    seen = [tuple(space.values(k).values()) for k in range(len(space))]
    assert seen == [(a, b, 10 * b, pytest.approx(d)) for a in (1, 2) for d in (1, 10, 100) for b in (5, 6, 7)
                    for _ in range(2)]
    assert len({space.seed_of(k) for k in range(len(space))}) == len(space)


def test_a_value_depends_on_the_sample_alone():
    parameters = {"a": {"random": "uniform", "from": 0, "to": 1}, "b": {"latin": "normal", "mean": 0, "deviation": 1}}
    forward = [space_of(parameters, 50).values(k) for k in range(50)]
    backward = [space_of(parameters, 50).values(k) for k in reversed(range(50))][::-1]
    assert forward == backward
    assert [v["a"] for v in forward] == [space_of({"a": parameters["a"]}, 50).values(k)["a"] for k in range(50)]
    assert forward != [space_of(parameters, 50, seed=1).values(k) for k in range(50)]
    # Fixed for ever: other numbers would be other results under the same plan.
    assert sampling.random_word(1, "friction", 7) == FIXED_WORD
    assert sampling.permutation(1, "friction", 0, 8).tolist() == FIXED_ORDER


FIXED_WORD, FIXED_ORDER = 12568585601321128901, [0, 2, 6, 1, 7, 3, 4, 5]


def test_laws_are_what_they_say():
    n = 4000
    laws = {"u": {"random": "uniform", "from": 2, "to": 5}, "l": {"random": "loguniform", "from": 1e-3, "to": 10},
            "n": {"random": "normal", "mean": 3, "deviation": 2},
            "t": {"random": "normal", "mean": 0, "deviation": 1, "from": 0, "to": 1},
            "c": {"random": "choice", "of": ["x", "y"]}}
    space = space_of(laws, n)
    rows = [space.values(k) for k in range(n)]
    drawn = {name: np.array([row[name] for row in rows]) for name in laws}

    def distance(values, share):  # Kolmogorov and Smirnov: above 1.95 / sqrt(n) once in a thousand
        s = np.sort(values)
        f = np.array([share(x) for x in s])
        return max(abs(f - np.arange(n) / n).max(), abs(f - np.arange(1, n + 1) / n).max())

    def phi(x):
        return 0.5 * (1 + math.erf(x / math.sqrt(2)))

    limit = 1.95 / math.sqrt(n)
    assert distance(drawn["u"], lambda x: (x - 2) / 3) < limit
    assert distance(drawn["l"], lambda x: math.log(x / 1e-3) / math.log(1e4)) < limit
    assert distance(drawn["n"], lambda x: phi((x - 3) / 2)) < limit
    assert distance(drawn["t"], lambda x: (phi(x) - phi(0)) / (phi(1) - phi(0))) < limit
    assert abs((drawn["c"] == "x").mean() - 0.5) < limit
    u = drawn["u"]
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 4 / math.sqrt(n) and abs(np.corrcoef(u, drawn["n"])[0, 1]) < 4 / math.sqrt(n)


def test_latin_hypercubes_have_one_sample_in_each_part():
    n = 64
    space = space_of({"g": {"grid": [0, 1]}, "a": {"latin": "uniform", "from": 0, "to": 1},
                      "b": {"latin": "uniform", "from": 0, "to": 1}}, n)
    orders = set()
    for block in range(2):
        values = [space.values(block * n + d) for d in range(n)]
        for name in ("a", "b"):
            parts = [int(v[name] * n) for v in values]
            assert sorted(parts) == list(range(n))
            orders.add(tuple(parts))
    assert len(orders) == 4  # each in an order of its own


def test_repeats_have_the_same_values_unless_drawn_again():
    law = {"random": "uniform", "from": 0, "to": 1}
    space = space_of({"a": law, "b": {**law, "redraw": True}}, 5, repeats=3)
    for case in range(5):
        values = [space.values(3 * case + r) for r in range(3)]
        assert len({v["a"] for v in values}) == 1 and len({v["b"] for v in values}) == 3


# --- what parameters do -----------------------------------------------------------------------------------------------
def test_parameters_do_what_one_would_do_by_hand(folder):
    """The same runs without a sweep, bit for bit."""
    values = {"body/ball/mass": 3.0, "joint/hinge/damping": 0.7, "shape/skin/friction": 0.9, "actuator/servo/kp": 35.0,
              "gravity.z": -3.0, "timestep": 1e-3, "q/hinge": 0.4, "v/hinge": -1.0, "q/free.6": 0.11, "control/servo": 0.2,
              "option/formulation": "nmc", "shape/skin/size.x": 0.105, "body/arm/gravity_compensation": 0.5,
              "actuator/push/gear": 2.0, "control/push": 0.3}
    row = sweep.run_sample(plan_of(folder, samples=1, duration=0.3, parameters=values,
                                   keep={"values": ["final", "totals", "certificate", "work"]}), 0)
    spec = sinew.load(folder / "two.xml", load_meshes=True)
    ball, arm = (next(b for b in spec.bodies if b.name == n) for n in ("ball", "arm"))
    ball.inertia, ball.mass, arm.gravity_compensation = ball.inertia * (3.0 / ball.mass), 3.0, 0.5
    hinge = next(j for j in spec.joints if j.name == "hinge")
    hinge.dofs = [hinge.dofs[0].replace(damping=0.7)]
    skin = next(s for s in spec.shapes if s.name == "skin")
    skin.friction, skin.size = 0.9, [0.105, *skin.size[1:]]
    spec.actuators[0].gain, spec.actuators[0].bias = [35, 0, 0], [0, -35, 0]
    spec.actuators[1].gear = [2, 0, 0, 0, 0, 0]
    scene = sinew.make_scene(spec, timestep=1e-3, gravity=[0, 0, -3],
                             set={"hinge": 0.4, "free": [1, 0, 0, 0, 0, 0, 0.11]}, set_velocity={"hinge": -1.0})
    sim = sinew.Simulation(scene, formulation=sinew.Formulation.nmc)
    sim.control[:] = [0.2, 0.3]
    sim.run(steps=300)
    assert row["q"] == tuple(sim.q) and row["v"] == tuple(sim.v) and row["steps"] == 300
    assert row["penetration"] == sim.totals.deepest and row["work.dampers"] == sim.totals.work.dampers
    assert sim.totals.contact_steps > 0 and sim.q[-1] != 0.4


def test_relative_values_and_patterns(folder):
    base = sinew.load(folder / "two.xml")
    plan = plan_of(folder, samples=1, duration=0.0, keep={"function": "sweep_functions:measure"},
                   parameters={"body/*/mass": {"grid": [0.5, 2.0], "relative": True}})
    runner = sweep.Runner(plan)
    for k, factor in enumerate((0.5, 2.0)):
        _, scene = runner._make_scene(plan.space.values(k))
        for body in base.bodies:
            entry = next(b for b in scene.model.bodies if b.name == body.name)
            assert entry.mass == pytest.approx(factor * body.mass, rel=1e-15)
    assert runner.run(0)["height"] == 0.3


def test_the_scene_is_that_of_sinew_sim(folder):
    """Floor, floating base, hold and a table of controls, beside the command."""
    if not os.environ.get("SINEW_APP"):
        pytest.skip("SINEW_APP does not name the command; `make test` does")
    (folder / "table.csv").write_text("time,servo,push\n0,0.1,0\n0.05,0.6,0.2\n")
    cases = [("two.xml", {"control": "table.csv", "friction": 0.3}, ["--control", "table.csv", "--friction", "0.3"]),
             (str(ROOT / "models" / "hand.urdf"), {"floating": True, "floor": True, "hold": True},
              ["--floating", "--floor", "--hold"])]
    for file, words, options in cases:
        plan = plan_of(folder, samples=1, parameters={}, duration=0.1, scene={"file": file, **words})
        row = sweep.run_sample(plan, 0)
        record = folder / "record.h5"
        subprocess.run([os.environ["SINEW_APP"], "sim", file, *options, "--for", "0.1", "--record", record, "--force"],
                       cwd=folder, check=True, capture_output=True)
        reader = sinew.RecordReader(record)
        assert row["q"] == tuple(reader.read("frames/q")[-1]) and row["v"] == tuple(reader.read("frames/v")[-1])


def test_models_of_functions_and_mechanisms(folder):
    plan = sweep.make_plan({"scene": {"mechanism": "pendulum"}, "duration": 0.0, "parameters": {"argument/n": [2, 5]}})
    assert [len(sweep.run_sample(plan, k)["q"]) for k in (0, 1)] == [2, 5]
    (folder / "sweep_functions.py").write_text("import sinew\ndef build(n):\n    return sinew.mechanisms.chain(int(n))\n")
    plan = sweep.make_plan({"scene": {"model": "sweep_functions:build"}, "duration": 0.0,
                            "parameters": {"argument/n": [3], "user/x": ["any"]}}, folder)
    assert len(sweep.run_sample(plan, 0)["q"]) == 3


def test_the_example_rolls_at_five_sevenths(tmp_path):
    """The closed form: what slides first rolls at 5/7 of its speed, whatever friction, mass and step are."""
    result = sweep.run(ROOT / "examples" / "python" / "sweep_ball.toml", tmp_path / "out")
    table = result.table.to_pydict()
    assert result.complete and result.rows == 100 and not result.failures and all(table["rolling"])
    np.testing.assert_allclose(table["share"], 5 / 7, rtol=1e-9)
    sys.modules.pop("sweep_ball"), sys.path.remove(str(ROOT / "examples" / "python"))


def test_records_are_kept(folder):
    result = sweep.run(plan_of(folder, keep={"record": {"every": 5}}), folder / "out", engine="threads", jobs=2)
    files = sorted(p.name for p in (folder / "out" / "records").iterdir())
    assert files == [f"{k:09d}.h5" for k in range(20)]
    reader = sinew.RecordReader(folder / "out" / "records" / files[3])
    assert tuple(reader.read("frames/q")[-1]) == tuple(result.table.column("q")[3].as_py()) and reader.rows == 3


# --- the union --------------------------------------------------------------------------------------------------------
def test_the_union_does_not_depend_on_the_cut(folder):
    plan = plan_of(folder, keep={"function": "sweep_functions:measure"})
    whole = sweep.run(plan, folder / "serial", engine="serial")
    assert whole.complete and whole.rows == 20 and not whole.failures
    ways = {"sizes": {"engine": "threads", "jobs": 3, "shard_size": 1}, "seven": {"engine": "serial", "shard_size": 7},
            "flushed": {"engine": "serial", "flush_seconds": 0.0},
            "processes": {"engine": "processes", "jobs": 2, "shard_size": 4}}
    for name, how in ways.items():
        result = sweep.run(plan, folder / name, **how)
        assert result.hash == whole.hash, name
        assert result.table.drop_columns(["wall_time"]).equals(whole.table.drop_columns(["wall_time"])), name
    for k in (2, 0, 1):
        parts = sweep.run(plan, folder / "parts", engine="serial", part=(k, 3))
        assert parts.complete == (k == 1)
    assert parts.hash == whole.hash
    done = {f: f.stat().st_mtime_ns for f in shards_of(folder / "parts")}
    again = sweep.run(plan, folder / "parts", engine="serial", shard_size=2)
    assert again.hash == whole.hash and done == {f: f.stat().st_mtime_ns for f in shards_of(folder / "parts")}
    table = whole.table.to_pydict()
    assert table["list"][7] == [1.0, 7.0] and table["odd"][:2] == [False, True]
    assert table["seed_again"][4] == str(table["seed"][4])


def test_a_killed_sweep_goes_on(folder):
    """kill -9, twice; what was written stays as it is."""
    file = write_plan(folder, samples=30, keep={"prepare": "sweep_functions:wait"})
    out = folder / "plan.sweep"
    for engine in ("serial", "processes"):
        before = len(shards_of(out))
        process = start(file, "--engine", engine, "--jobs", 2, "--shard-size", 3)
        wait_for(lambda: len(shards_of(out)) >= before + 2, process)
        process.kill(), process.communicate()
    time.sleep(0.3)  # workers without a driver end
    done = {f: f.stat().st_mtime_ns for f in shards_of(out)}
    assert 4 <= len(done) < 20
    process = start(file, "--engine", "threads", "--json")
    report = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 0 and report["rows"] == report["samples"] == 60
    assert done.items() <= {f: f.stat().st_mtime_ns for f in shards_of(out)}.items()
    assert not list(out.rglob(".tmp-*"))
    assert report["hash"] == sweep.run(sweep.load_plan(file), folder / "serial", engine="serial").hash


@pytest.mark.parametrize("engine", ["serial", "threads", "processes"])
def test_signals_end_a_sweep_with_what_is_finished(folder, engine):
    file = write_plan(folder, samples=100, keep={"prepare": "sweep_functions:wait"})
    out = folder / "plan.sweep"
    process = start(file, "--engine", engine, "--jobs", 1, "--flush", 0.1)
    wait_for(lambda: len(shards_of(out)) >= 1, process)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM and "the same command goes on" in errors
    assert 1 <= sweep.collect(out).rows < 200


# --- failures ---------------------------------------------------------------------------------------------------------
def test_a_failing_sample_is_a_row_and_stops_nothing(folder):
    parameters = {**PARAMETERS, "body/arm/mass": {"list": [1.0, -1.0]}, "user/fail": [3.0]}
    plan = plan_of(folder, samples=2, parameters=parameters, keep={"function": "sweep_functions:measure"})
    result = sweep.run(plan, folder / "out", engine="threads", jobs=2)
    negative = [k for k in range(8) if plan.space.values(k)["body/arm/mass"] < 0]
    assert result.complete and [k for k, _, _ in result.failures] == sorted({3, *negative}) and len(negative) == 4
    kinds = {k: (kind, text) for k, kind, text in result.failures}
    assert "mass is -1" in kinds[negative[-1]][1] and kinds[negative[-1]][0] == "LoadError"
    (plain,) = [k for k in kinds if k not in negative] or [None]
    if plain is not None:
        assert kinds[plain][0] == "ZeroDivisionError" and "sweep_functions.py" in kinds[plain][1]
    assert [e is None for e in result.table.column("error").to_pylist()] == [k not in kinds for k in range(8)]
    other = sweep.run(plan, folder / "other", engine="serial", shard_size=1)
    assert other.hash == result.hash
    with pytest.raises(ValueError, match="mass is -1"):
        sweep.run_sample(plan, negative[0])


def test_failures_are_listed_with_the_command_that_repeats_one(folder):
    parameters = {"body/arm/mass": {"grid": [1.0, -1.0]}}
    file = write_plan(folder, samples=1, parameters=parameters)
    process = start(file)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 5 and f"sinew sweep {file} --only 1" in text and "1 failed" in text
    process = start(file, "--only", 1)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 5 and "LoadError" in errors and "Traceback" in errors
    process = start(file, "--only", 0)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "steps = 10" in text


def test_failed_samples_run_again_if_asked(folder):
    marker = folder / "broken"
    (folder / "sweep_functions.py").write_text(
        f"import os\ndef f(sim, sample):\n    if sample.index == 4 and os.path.exists({str(marker)!r}):\n"
        "        raise OSError('disk')\n    return {'x': sample.index}\n")
    marker.touch()
    plan = plan_of(folder, keep={"function": "sweep_functions:f"})
    first = sweep.run(plan, folder / "out", engine="serial")
    assert [f[:2] for f in first.failures] == [(4, "OSError")]
    marker.unlink()
    assert sweep.run(plan, folder / "out", engine="serial").failures == first.failures
    again = sweep.run(plan, folder / "out", engine="serial", retry=True)
    assert not again.failures and again.hash == sweep.run(plan, folder / "fresh", engine="serial").hash


def test_a_sample_that_kills_its_worker_is_a_row(folder):
    plan = plan_of(folder, keep={"prepare": "sweep_functions:kill"})
    result = sweep.run(plan, folder / "out", engine="processes", jobs=2, shard_size=8)
    assert result.complete and [f[:2] for f in result.failures] == [(5, "WorkerDied")]
    assert "SIGKILL" in result.failures[0][2]


def test_a_worker_that_dies_once_is_replaced(folder, monkeypatch):
    monkeypatch.setenv("SWEEP_MARK", str(folder / "mark"))
    plan = plan_of(folder, keep={"prepare": "sweep_functions:kill_once"})
    result = sweep.run(plan, folder / "out", engine="processes", jobs=2, shard_size=8)
    assert (folder / "mark").exists() and result.complete and not result.failures
    assert result.hash == sweep.run(plan, folder / "serial", engine="serial").hash


def test_values_of_several_types_under_one_name(folder):
    plan = plan_of(folder, keep={"function": "sweep_functions:mixed"})
    a = sweep.run(plan, folder / "a", engine="serial", shard_size=1)  # one type per file
    b = sweep.run(plan, folder / "b", engine="serial", shard_size=20)
    assert a.hash == b.hash and a.table.column("x").to_pylist()[:2] == [1.5, None]
    assert a.table.column("x (text)").to_pylist()[:2] == [None, "text"]


# --- files ------------------------------------------------------------------------------------------------------------
def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "x.parquet"
    rows = [{"sample": 0, "x": 1.0, "hash": "h"}]

    def fail(*_):
        raise OSError(28, "No space left on device")

    for call in ("fsync", "replace"):
        with monkeypatch.context() as m:
            m.setattr(os, call, fail)
            with pytest.raises(OSError, match="No space"):
                results.write_rows(file, rows, {})
        assert list(tmp_path.iterdir()) == []
    results.write_rows(file, rows, {"plan": "p"})
    assert list(tmp_path.iterdir()) == [file] and results.read_rows(file)[1]["plan"] == "p"


def test_damaged_files_are_seen(folder):
    plan = plan_of(folder)
    out = folder / "out"
    whole = sweep.run(plan, out, engine="serial", shard_size=5)
    first, second, third, _ = shards_of(out)
    first.write_bytes(first.read_bytes()[:200])  # as after a lost disk
    assert sweep.run(plan, out, engine="serial").hash == whole.hash
    assert (out / "shards" / first.with_suffix(".damaged").name).exists()
    flipped = bytearray(second.read_bytes())
    flipped[300] ^= 1
    kept = second.read_bytes()
    second.write_bytes(flipped)
    with pytest.raises(sweep.FolderError, match=second.name):
        sweep.collect(out)
    second.write_bytes(kept)
    rows, about = results.read_rows(third)
    rows[1]["time"] += 1e-12
    results.write_rows(third, rows, about)
    with pytest.raises(sweep.FolderError, match="hash of sample 11 is wrong"):
        sweep.collect(out)
    shutil.copy(second, third)
    with pytest.raises(sweep.FolderError, match="samples of its name"):
        sweep.collect(out)


def test_rows_with_the_same_numbers_have_the_same_hash():
    row = {"sample": 1, "x": 0.1, "l": (1.0, -0.0), "t": "a", "wall_time": 1.0, "error": "at 0x7f"}
    assert results.row_hash(row) == results.row_hash({**row, "wall_time": 2.0, "error": "at 0x80", "none": None})
    for change in ({"x": math.nextafter(0.1, 1)}, {"l": (1.0, 0.0)}, {"t": "b"}, {"x": True}, {"y": 1.0}):
        assert results.row_hash(row) != results.row_hash({**row, **change})
    assert results.row_hash({**row, "x": math.nan}) == results.row_hash({**row, "x": -math.nan})
    again = results.to_rows(results.to_table([row, {"sample": 2}]))
    assert results.row_hash(again[0]) == results.row_hash(row)


def test_two_results_for_one_sample_are_an_error(folder):
    plan = plan_of(folder)
    whole = sweep.run(plan, folder / "out", engine="serial", shard_size=10)
    f = shard.Folder(folder / "out")
    runner = sweep.Runner(plan)
    rows = [runner.run(k) for k in (3, 4)]
    f.write(3, rows, runner.hash)
    assert sweep.collect(folder / "out").hash == whole.hash  # run twice, with the same result
    rows[1]["kinetic_energy"] = 1.0
    rows[1]["hash"] = results.row_hash(rows[1])
    f.write(3, rows, runner.hash)
    with pytest.raises(sweep.FolderError, match="sample 4 was run twice with different results"):
        sweep.collect(folder / "out")


def test_another_plan_in_the_same_folder_is_refused(folder):
    keep = {"function": "sweep_functions:measure"}
    sweep.run(plan_of(folder, keep=keep), folder / "out", engine="serial")
    changed = {"friction": {"random": "uniform", "from": 0.1, "to": 0.8}}
    with pytest.raises(sweep.FolderError, match=r"plan\.parameters\.friction\.to was 0\.9, is 0\.8.*--out"):
        sweep.run(plan_of(folder, keep=keep, parameters={**PARAMETERS, **changed}), folder / "out")
    with pytest.raises(sweep.FolderError, match=r"plan\.seed was 4\.0, is 5\.0"):
        sweep.run(plan_of(folder, keep=keep, seed=5), folder / "out")
    assert sweep.run(plan_of(folder, keep=keep, name="another name"), folder / "out").complete
    (folder / "two.xml").write_text(SCENE.replace("<mujoco", "<!-- a remark --><mujoco"))
    assert sweep.run(plan_of(folder, keep=keep), folder / "out").complete  # the model is the same
    (folder / "two.xml").write_text(SCENE.replace('mass="2"', 'mass="2.1"'))
    with pytest.raises(sweep.FolderError, match="model was"):
        sweep.run(plan_of(folder, keep=keep), folder / "out")
    (folder / "two.xml").write_text(SCENE)
    (folder / "sweep_functions.py").write_text(FUNCTIONS + "\n")
    with pytest.raises(sweep.FolderError, match="functions.sweep_functions:measure was"):
        sweep.run(plan_of(folder, keep=keep), folder / "out")


# --- the command ------------------------------------------------------------------------------------------------------
def test_parts_come_from_slurm_and_mpi():
    slurm = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "3",
             "SLURM_ARRAY_TASK_STEP": "2"}
    assert command.find_part("slurm", slurm) == (2, 4)
    assert command.find_part("mpi", {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3"}) == (1, 3)
    assert command.find_part("mpi", {"PMI_RANK": "0", "PMI_SIZE": "2"}) == (0, 2)
    assert command.find_part("2/3", {}) == (2, 3) and command.find_part(None, {}) == (0, 1)
    for text, environment in (("3/3", {}), ("x", {}), ("slurm", {}), ("mpi", {}), ("-1/3", {}),
                              ("slurm", {"SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_COUNT": "4"})):
        with pytest.raises(sweep.PlanError, match="--shard"):
            command.find_part(text, environment)
    for n, parts in ((20, 3), (5, 8), (1000, 7)):
        masks = [shard.mask_of_part(n, k, parts) for k in range(parts)]
        assert (sum(m.astype(int) for m in masks) == 1).all()


def test_the_command_of_cpp_hands_over(folder):
    if not os.environ.get("SINEW_APP"):
        pytest.skip("SINEW_APP does not name the command; `make test` does")
    app, file = os.environ["SINEW_APP"], write_plan(folder)

    def call(*words, **environment):
        return subprocess.run([app, "sweep", *map(str, words)], capture_output=True, text=True,
                              env={**os.environ, "SINEW_PYTHON": sys.executable, **environment})

    done = call(file, "--jobs", 2, "--out", folder / "there", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 20 and (folder / "there" / "result.parquet").exists()
    assert call(file, "--out", folder / "there", "--collect").returncode == 0
    missing = call(file, PYTHONPATH="", SINEW_PYTHON=sys._base_executable)
    assert missing.returncode == 3 and "pip install 'sinew[sweep]'" in missing.stderr
    assert call(file, SINEW_PYTHON="/no/such/python").returncode == 3
    assert call(folder / "no.toml").returncode == 2 and call(file, "--shard", "3/3").returncode == 3
    shown = call("--help").stdout  # both list the same options
    for action in command.make_parser()._actions:
        assert all(o in shown for o in action.option_strings)


# --- Ray --------------------------------------------------------------------------------------------------------------
def test_ray_gives_the_same_rows_after_a_worker_was_lost(folder, monkeypatch):
    pytest.importorskip("ray", reason="ray is not installed; pip install -r tools/requirements-sweep.txt")
    mark = folder / "mark"
    monkeypatch.setenv("SWEEP_MARK", str(mark))
    file = write_plan(folder, keep={"prepare": "sweep_functions:kill_once"})
    process = start(file, "--engine", "ray", "--jobs", 1, "--shard-size", 10, "--json",
                    RAY_worker_niceness="0")  # usually 15: on a busy machine its workers hardly start
    try:
        text, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    report = json.loads(text.splitlines()[-1])
    assert mark.exists() and report["rows"] == 20 and not report["failures"]
    assert report["hash"] == sweep.run(sweep.load_plan(file), folder / "serial", engine="serial").hash
