"""Sweeps: what parameters do to a scene, and what is recorded."""
import os
import subprocess
import sys

import numpy as np
import pytest
import sinew
from conftest import ROOT
from sweep_support import folder, plan_of  # noqa: F401
from sinew import sweep


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
