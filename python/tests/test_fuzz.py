"""Random calls with random wrong arguments: every one ends in a result or an exception.

In a process of its own, so that a crash is a failure of this test. SINEW_FUZZ: calls (20 000).
"""
import faulthandler
import inspect
import os
import subprocess
import sys

import pytest

CALLS = int(os.environ.get("SINEW_FUZZ", 20000))
SKIPPED = {"Recorder", "write_snapshot", "read_last_snapshot", "RecordReader", "load", "load_urdf", "load_mjcf",  # files
           "run", "_time_call",  # may rightly take for ever
           "find_base_parameters"}


def pool(sinew, np, rng):
    """Objects to call with: right ones, nearly right ones, and nonsense."""
    models = [sinew.compile(s) for s in (sinew.mechanisms.chain(3), sinew.mechanisms.humanoid(), sinew.mechanisms.four_bar())]
    things = [None, True, 0, -1, 1, 3, 7, 10**9, -10**9, 2**80, 0.5, float("nan"), float("inf"), "", "world", "link1", "x\0y",
              b"bytes", [], [1, 2, 3], ["a"], {}, {"a": 1}, (), object(), 1j, type, len, np.float32(1), np.array("x"),
              np.zeros(0), np.zeros((0, 6)), np.zeros((3, 3)), np.eye(4), np.full(6, np.nan), np.arange(6),
              np.zeros(7, np.float32), np.zeros(7, ">f8"), np.zeros((7, 6), order="F"), np.zeros(14)[::2], np.array([None] * 3),
              np.array(["a", "b"]), [[1], [2, 3]], range(5), memoryview(b"12345678")]
    for m in models:
        n, b = m.nv, len(m.bodies)
        q = sinew.random_configuration(m, 1)
        things += [m, m.spec, q, np.zeros(n), np.ones(n), np.zeros(m.nq), np.zeros((n, n)), np.zeros((b, 6)), np.zeros((6, n)),
                   np.zeros((3, n)), m.bodies[-1], m.joints[0], np.full(m.nq, np.nan), q.tolist(), q[:-1]]
        things += m.frames[:1] + [m.body_names[-1], m.joint_names[0]]
        for name in dir(sinew):
            if name.endswith("Workspace"):
                try:
                    things.append(getattr(sinew, name)(m))
                except (TypeError, ValueError):
                    pass
        s = sinew.ConstraintSet(m)
        things += [s, sinew.ConstraintRows(m, s), sinew.ConstrainedWorkspace(m, s), sinew.ActuationWorkspace(m, s),
                   sinew.HybridAbaWorkspace(m, [0]), sinew.Sensors(m), sinew.ContactShapes(m),
                   sinew.delassus.Delassus(m, 3, [(0, 1), (1, 1)]), sinew.ConventionMap(m, sinew.Convention.pinocchio)]
        sim = sinew.Simulation(m, dt=1e-3)
        sim.run(steps=2)
        things += [sim, sim.make_snapshot(), sim.report, sim.totals]
    builder = sinew.ModelBuilder("b")
    things += [builder, builder.body("a"), builder.revolute("j", "world", "a"), builder.tendon("t"), sinew.Transform(),
               sinew.DofSpec(), sinew.JointSpec(name="j"), sinew.BodySpec(), sinew.ShapeSpec(), sinew.LoopSpec(),
               sinew.MaskConstraint(), sinew.solid_sphere(1, 1), sinew.FloorOptions(), sinew.HoldOptions(),
               sinew.lcp.Problem(np.eye(3), -np.ones(3)), sinew.lcp.FrictionProblem(np.eye(3), [-1, 1, 0], [0.5]),
               sinew.lcp.Solver(), sinew.lcp.SolverOptions(), sinew.PlacedShape(sinew.ShapeKind.box, [1, 1, 1])]
    for kind in (sinew.ReferenceFrame, sinew.JointKind, sinew.ShapeKind, sinew.Convention, sinew.Formulation, sinew.lcp.Method,
                 sinew.delassus.Algorithm, sinew.ConstrainedMethod):
        things += list(kind)[:4]
    return things


def targets(sinew):
    """Functions by name, classes, and methods without their object."""
    found = []
    for module in (sinew._core, sinew.lcp, sinew.delassus, sinew.operators):
        for name, thing in vars(module).items():
            if name in SKIPPED or name.startswith("__") or inspect.ismodule(thing):
                continue
            if isinstance(thing, type) and not issubclass(thing, BaseException):
                found.append((name, thing))
                found += [(f"{name}.{k}", getattr(thing, k)) for k in dir(thing)
                          if k not in SKIPPED and (not k.startswith("__") or k in ("__init__", "__getitem__", "__setitem__",
                                                                                    "__delitem__", "__mul__", "__setstate__"))]
            elif callable(thing):
                found.append((name, thing))
    return [(n, f) for n, f in found if callable(f)]


def guess(name, things, by_type, rng):
    """Mostly something that the argument could be, by its name."""
    usual = {"model": "Model", "workspace": "Workspace", "simulation": "Simulation", "constraints": "ConstraintSet",
             "rows": "ConstraintRows", "self": name}
    kind = usual.get(name)
    if kind and rng.random() < 0.7:
        fitting = [t for k, ts in by_type.items() if k.endswith(kind) for t in ts]
        if fitting:
            return fitting[rng.integers(len(fitting))]
    return things[rng.integers(len(things))]


def main(seed, calls):
    import numpy as np
    import sinew
    faulthandler.enable()
    rng = np.random.default_rng(seed)
    things = pool(sinew, np, rng)
    by_type = {}
    for t in things:
        by_type.setdefault(type(t).__name__, []).append(t)
    functions = targets(sinew)
    arrays = by_type["ndarray"]
    good = 0
    for i in range(calls):
        if i % 20000 == 19999:  # what was spoilt on the way is made anew
            things = pool(sinew, np, rng)
        name, f = functions[rng.integers(len(functions))]
        text = getattr(f, "__doc__", None) or ""
        names = [p.split(":")[0].strip(" */") for p in text.split(")")[0].partition("(")[2].split(",")] or ["x"]
        names = names[:rng.integers(len(names) + 1)] if rng.random() < 0.2 else names
        owner = name.partition(".")[0]
        values = []
        for n in names:
            if n == "self":
                own = by_type.get(owner, [])
                values.append(own[rng.integers(len(own))] if own and rng.random() < 0.9 else things[rng.integers(len(things))])
            elif n in ("q", "v", "a", "tau", "out", "x", "external") and rng.random() < 0.7:
                values.append(arrays[rng.integers(len(arrays))])
            else:
                values.append(guess(n, things, by_type, rng))
        with open(os.environ["SINEW_FUZZ_LOG"], "w") if "SINEW_FUZZ_LOG" in os.environ else open(os.devnull, "w") as log:
            if "SINEW_FUZZ_LOG" in os.environ:
                print(i, name, [type(v) for v in values], [repr(v)[:80] for v in values], file=log)
        try:
            f(*values)
            good += 1
        except (MemoryError, KeyboardInterrupt):
            raise
        except Exception:
            pass
    print(f"{calls} calls of {len(functions)} functions, {good} of them good")


@pytest.mark.parametrize("seed", [1, 2])
def test_wrong_arguments_never_crash(seed):
    run = subprocess.run([sys.executable, __file__, str(seed), str(CALLS // 2)], capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    good = int(run.stdout.split()[-4])
    assert good > CALLS // 200  # some of them went through


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
