"""Random calls with random arguments, right and wrong: every one ends in a result or an exception.

Arguments are made by their names and types, for one model per call, so that many calls get past the checks; then some are
spoilt. Loaders and records get files, whole ones and broken ones, in a folder of their own.
In a process of its own, so that a crash is a failure of this test. SINEW_FUZZ: calls (20 000). SINEW_FUZZ_LOG: a file that
holds the call that is being made.
"""
import contextlib
import faulthandler
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import pytest

CALLS = int(os.environ.get("SINEW_FUZZ", 80000))
SKIPPED = {"_time_call", "find_base_parameters"}  # may rightly take for ever
SPECIAL = ("__init__", "__getitem__", "__setitem__", "__delitem__", "__mul__", "__setstate__", "__len__", "__iter__", "__repr__")
URDF = """<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="1"/></joint></robot>"""
MJCF = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/>
</body></worldbody></mujoco>"""


def nonsense(np):
    return [None, True, 0, -1, 1, 3, 7, 10**6, -10**9, 2**80, 0.5, float("nan"), float("inf"), "", "world", "link1", "x\0y",
            b"bytes", [], [1, 2, 3], ["a"], {}, {"a": 1}, (), object(), 1j, type, len, np.float32(1), np.array("x"),
            np.zeros(0), np.zeros((0, 6)), np.zeros((3, 3)), np.eye(4), np.full(6, np.nan), np.arange(6),
            np.zeros(7, np.float32), np.zeros(7, ">f8"), np.zeros((7, 6), order="F"), np.zeros(14)[::2],
            np.array([None] * 3), np.array(["a", "b"]), [[1], [2, 3]], range(5), memoryview(b"12345678")]


def write_files(sinew, folder, rng):
    """Models and records, whole and broken."""
    sim = sinew.Simulation(sinew.compile(sinew.mechanisms.chain(3)), dt=1e-3)
    for kind in ("h5", "csv"):
        with sinew.Recorder(folder / f"run.{kind}", sim, overwrite=True) as record:
            sim.run(steps=5, record=record)
    sinew.write_snapshot(folder / "last.snapshot", sim.make_snapshot())
    (folder / "arm.urdf").write_text(URDF)
    (folder / "ball.xml").write_text(MJCF)
    (folder / "empty.urdf").write_text("")
    for file in sorted(folder.iterdir()):
        data = bytearray(file.read_bytes())
        if not data or file.name.startswith("bad"):
            continue
        for _ in range(3):
            data[rng.integers(len(data))] = rng.integers(256)
        (folder / f"bad_{file.name}").write_bytes(data)
        (folder / f"bad_cut_{file.name}").write_bytes(data[:rng.integers(len(data))])
    return [f for f in sorted(folder.iterdir())] + [folder, folder / "none.urdf"]


class World:
    """What fits one model: objects by their type."""

    def __init__(self, sinew, np, spec, rng, files):
        self.model = m = sinew.compile(spec)
        self.sinew, self.np, self.rng, self.files = sinew, np, rng, files
        self.q = sinew.random_configuration(m, int(rng.integers(1000)))
        self.by_type = {}
        sim = sinew.Simulation(m, dt=1e-3)
        sim.run(steps=2)
        s, delassus = sinew.ConstraintSet(m), sinew.delassus.Delassus(m, 3, [(0, 1), (1, 1)])
        builder = sinew.ModelBuilder("b")
        things = [m, m.spec, s, sinew.ConstraintRows(m, s), sinew.ConstrainedWorkspace(m, s), sinew.ActuationWorkspace(m, s),
                  sinew.HybridAbaWorkspace(m, [0]), sinew.HybridCrbaWorkspace(m, [0]), sinew.Sensors(m), sinew.ContactShapes(m),
                  delassus, sinew.ConventionMap(m, sinew.Convention.pinocchio), sim, sim.make_snapshot(), sim.report,
                  sim.totals, sim.totals.work, sim.totals.impulse, sinew.SmoothSimulation(m, dt=1e-3), builder,
                  builder.body("a"), builder.revolute("j", "world", "a"), builder.tendon("t"), sinew.Transform(),
                  sinew.solid_sphere(1, 1), sinew.FloorOptions(), sinew.HoldOptions(), sinew.SensorReadings(m),
                  sinew.lcp.Problem(np.eye(3), -np.ones(3)), sinew.lcp.FrictionProblem(np.eye(3), [-1, 1, 0], [0.5]),
                  sinew.lcp.Solver(), sinew.lcp.SolverOptions(), sinew.PlacedShape(sinew.ShapeKind.box, [1, 1, 1]),
                  sinew.make_scene(m.spec, timestep=1e-3), sinew.RecordReader(files[0].parent / "run.h5"),
                  m.bodies[-1], m.joints[0], *m.frames[:1], *m.spec.joints, *m.spec.bodies]
        rigid = sinew.operators.RigidSko(m)
        rigid.update(self.q, np.zeros(m.nv))
        algebra = sinew.operators.OperatorAlgebra(rigid.sko)
        things += [rigid, rigid.sko, rigid.sko.shape, sinew.operators.SkoDynamics(rigid.sko), algebra, algebra.mass(),
                   algebra.A, sinew.operators.Application(algebra, algebra.mass()), sinew.EmbeddedWorkspace(m, s),
                   sinew.ManifoldWorkspace(m, s), sinew.StepWorkspace(m, s), sinew.ltl.LtlFactor(m), sinew.ltl.LtdlFactor(m),
                   sinew.EquivalentModel(m), sinew.planar_rods(3), sinew.CoupledTree(m, [1])]
        body, node = sinew.operators.FlexibleBody(m.body_names[-1], 2), np.zeros((2, 3))
        rate = sinew.make_forward_dynamics(m)
        run = sinew.Integrator(m, rate, method=sinew.IntegrationMethod.rk4, dt=1e-2)
        run.step()
        things += [sinew.operators.Aggregation(rigid.sko, [("two", [0, 1])]), sinew.operators.Refinement(rigid.sko),
                   sinew.operators.Transformation(rigid.sko), sinew.operators.Aggregation(rigid.sko, []).freedoms,
                   sinew.operators.BodyPart(0, "p", np.eye(6), np.eye(6)), body,
                   sinew.operators.FlexibleNode("n", [0, 0, 0], node, node), sinew.operators.MaterialPoint(1, [1, 0, 0], node),
                   rate, run, run.last_step, run.report, sinew.StatePoint(self.q, np.zeros(m.nv)), sinew.make_projection(m, s),
                   sinew.make_embedded_dynamics(m, s), sinew.make_state(m), sinew.CollisionSolver(m, s), sinew.JointLimits(m),
                   sinew.make_joint_row(m, 1, np.arange(6.0)), sinew.Dual(0.5, 1), sim.mocap,
                   sinew.ContactSolver(m, s), sinew.FrictionlessContacts(m),
                   sinew.delassus.OperatorWorkspace(m, 3, [(0, 1), (1, 1)]),
                   sinew.delassus.PvDynamicsWorkspace(m, 2, [(0, 1), (1, 1)]), sinew.ConstrainedDcaWorkspace(m, s), sinew.DhRow(1, 2, 3, 4),
                   sinew.SoftContact(m, sinew.SoftSurface(1e4, 100)), sinew.calc_explicit_form(np.eye(2, 3), [1, 2]),
                   sinew.VelocityConstraint(2, 1, lambda q, t: ([[q[0], 1]], [t]))]
        zero = np.zeros(m.nv)
        collision = sinew.CollisionSolver(m, s).solve(self.q, zero, [])
        step = sinew.ContactSolver(m, s).solve(self.q, zero, zero, 1e-3, [])
        things += [collision, collision.energy, step, step.work, step.certificate, sinew.EventSimulation(m, dt=1e-3),
                   sinew.constrained_forward_dynamics(m, s, sinew.ConstrainedWorkspace(m, s), self.q, zero, zero)[2],
                   sinew.prepare_embedding(m, s, sinew.EmbeddedWorkspace(m, s), self.q, zero), sinew.find_mobility(m, s, self.q),
                   sinew.analyse_actuation(m, s, sinew.ActuationWorkspace(m, s), self.q, [0]), sinew.LoopSpring(1, 2),
                   sinew.operators.Riccati(rigid.sko), sinew.operators.Branches(rigid.sko.shape), sinew.SoftSurface(1, 2),
                   sinew.find_spanning_tree(3, [(0, 1), (1, 2)]), sinew.MaskConstraint(name="m"),
                   sinew.RollingConstraint(name="r"), sinew.make_contact_point(m, 1, 0, [0, 0, 0], [0, 0, 1])]
        with contextlib.suppress(ValueError):  # not with loops
            beam = sinew.operators.make_beam(m.body_names[-1], bending_y=1, modes_y=1)
            beam.replaces_inertia = True
            flexible = sinew.operators.FlexibleModel(m, [beam])
            bent = sinew.operators.FlexibleSko(flexible)
            bent.update(np.append(self.q, 0), np.zeros(flexible.nv))
            things += [flexible, bent, sinew.FlexibleSimulation(flexible, dt=1e-3)]
        for name in dir(sinew):
            with contextlib.suppress(TypeError, ValueError):
                if name.endswith("Workspace"):
                    things.append(getattr(sinew, name)(m))
                elif name.endswith("Spec") and name != "ModelSpec":
                    things.append(getattr(sinew, name)())
                elif name == "SimulationBatch":
                    things.append(sinew.SimulationBatch(m, 3, dt=1e-3, threads=2))
                elif name == "Batch":
                    things.append(sinew.Batch(m, 5))
        for name in ("bodies", "joints", "shapes", "frames", "loops", "couplings", "tendons", "actuators", "keyframes"):
            things.append(getattr(m.spec, name))
        for thing in things:
            for kind in type(thing).__mro__[:-1]:
                self.by_type.setdefault(kind.__name__, []).append(thing)

    def pick(self, things):
        return things[self.rng.integers(len(things))]

    def array(self, name):
        m, np = self.model, self.np
        n, b = m.nv, len(m.bodies)
        if name in ("q", "q0", "q1"):
            return self.q.copy()
        if name == "external":
            return self.rng.uniform(-1, 1, (b, 6))
        if name in ("v", "a", "tau", "x", "qdd", "before", "impulse", "other") and self.rng.random() < 0.9:
            return self.rng.uniform(-1, 1, n)
        if name == "actuated":
            return np.arange(n)
        if name in ("E", "A"):
            return np.eye(3)
        if name == "controls":
            return self.rng.uniform(-1, 1, (3, 4, len(m.actuator_names)))
        shapes = [(3,), (3,), (3,), (6,), (n,), (m.nq,), (n, n), (6, n), (3, n), (b, 6), (3, n), (3, m.nq), (5, n), (5, m.nq), (0,)]
        return self.rng.uniform(-1, 1, self.pick(shapes))

    def make(self, name, kind):
        """Something that an argument of this name and type can be."""
        m, rng = self.model, self.rng
        options = [k.strip() for k in re.split(r"\|(?![^\[]*\])", kind)]
        if name in ("file", "path") or "PathLike" in kind:
            return self.pick(self.files)
        if name == "dataset":
            return self.pick(["frames/q", "contacts/force", "contacts/count", "meta/joints", "meta/options", "bodies/names", "x",
                              "committed", "snapshots/bytes", "frames"])
        if name == "names":
            return self.pick(["q", ("q", "v"), ["time"], ("x.link1",), (), "none"])
        for option in sorted(options, key=lambda _: rng.random()):
            last = option.split("[")[0].split(".")[-1]
            if last in self.by_type:
                return self.pick(self.by_type[last])
            if last in ("ArrayLike", "NDArray"):
                return self.array(name)
            if last == "bool":
                return bool(rng.integers(2))
            if last == "int":
                return int(self.pick([0, 1, 2, 3, 5]))
            if last == "float":
                return float(self.pick([0.001, 0.01, 0.1, 1, 2, -1, 0]))
            if last == "str":
                return str(self.pick([*m.body_names, *m.joint_names, "floor", "mass", "w"]))
            if last in ("list", "Sequence"):
                inner = option.partition("[")[2].removesuffix("]")
                return [self.make(name, inner) for _ in range(rng.integers(4))] if inner else []
            if last == "Mapping":
                return {self.pick(m.joint_names): 0.1}
            if last == "Callable":
                return lambda *_: None
            enum = getattr(self.sinew, last, None) or getattr(self.sinew.lcp, last, None) or getattr(
                self.sinew.delassus, last, None)
            if isinstance(enum, type) and hasattr(enum, "__members__"):
                return self.pick(list(enum))
        return None


def split(text):
    """Of a list in a signature, at its outermost commas."""
    parts, depth, word = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            break
        if c == "," and depth == 0:
            parts, word = [*parts, word], ""
        else:
            word += c
    return [p.strip() for p in [*parts, word] if p.strip()]


def signatures(function):
    """Of each overload: name, type, whether it may be left out."""
    out = []
    for line in (getattr(function, "__doc__", None) or "").splitlines():
        if "->" not in line or "(" not in line or line.lstrip()[:1].isdigit():
            break
        found, keyword = [], False
        for p in split(line.partition("(")[2]):
            if p in ("*", "/"):
                keyword |= p == "*"
                continue
            name, _, kind = p.partition(":")
            found.append((name.lstrip("*"), kind.partition("=")[0].strip(), "=" in kind or p.startswith("*"), keyword))
        out.append(found)
    return out


def targets(sinew):
    """Functions by name, classes, methods without their object, and properties."""
    found = []
    for module in (sinew._core, sinew.lcp, sinew.delassus, sinew.operators, sinew.mechanisms):
        for name, thing in vars(module).items():
            if name in SKIPPED or name.startswith("__") or inspect.ismodule(thing):
                continue
            if isinstance(thing, type) and not issubclass(thing, BaseException):
                found.append((name, thing, signatures(thing.__init__)))
                for k in dir(thing):
                    member = inspect.getattr_static(thing, k)
                    if k in SKIPPED or (k.startswith("__") and k not in SPECIAL):
                        continue
                    if isinstance(member, property):
                        found.append((f"{name}.{k}", member.fget, [[("self", name, False, False)]]))
                        if member.fset:
                            kind = (signatures(member.fset) or [[("self", name, False, False), ("value", "", False, False)]])[0]
                            found.append((f"{name}.{k} =", member.fset, [kind]))
                    elif callable(getattr(thing, k)):
                        found.append((f"{name}.{k}", getattr(thing, k), signatures(getattr(thing, k))))
            elif callable(thing):
                found.append((name, thing, signatures(thing)))
    return [(n, f, s or [[]]) for n, f, s in found if callable(f)]


def main(seed, calls):
    import numpy as np
    import sinew
    faulthandler.enable()
    warnings.simplefilter("ignore")  # of nanobind: __init__ on what is made already
    rng = np.random.default_rng(seed)
    functions, wrong = targets(sinew), nonsense(np)
    good, reached, log = 0, set(), os.environ.get("SINEW_FUZZ_LOG")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i in range(calls):
            if i % 5000 == 0:  # what was spoilt on the way is made anew
                files = write_files(sinew, pathlib.Path(folder), rng)
                specs = (sinew.mechanisms.chain(3), sinew.mechanisms.humanoid(), sinew.mechanisms.four_bar())
                worlds = [World(sinew, np, s, rng, files) for s in specs]
            world = worlds[rng.integers(len(worlds))]
            name, f, overloads = functions[rng.integers(len(functions))]
            owner = name.partition(".")[0]
            values, keywords = [], {}
            for argument, kind, optional, keyword in overloads[rng.integers(len(overloads))]:
                # "names" of a slow call must not be nonsense: 10^6 steps would never end.
                slow = argument in ("n", "steps", "until", "length", "levels", "stages", "branches", "hands", "threads",
                                    "stem_length", "branch_length", "samples", "count", "iterations") or name == "Stepper.run" or name.startswith("Integrator.")
                if optional and rng.random() < (0.3 if keyword else 0.5):
                    if not keyword:
                        break
                    continue
                value = world.make(argument, kind or owner if argument == "self" else kind)
                if rng.random() < 0.06 and not slow:
                    value = wrong[rng.integers(len(wrong))]
                elif rng.random() < 0.03 and not slow:  # right, but of another model
                    value = worlds[rng.integers(len(worlds))].make(argument, kind or owner if argument == "self" else kind)
                if keyword and argument not in ("fields", "kwargs"):
                    keywords[argument] = value
                elif argument in ("fields", "kwargs", "args"):
                    continue
                else:
                    values.append(value)
            if name == "Stepper.run":
                values[1:] = [None, int(rng.integers(4))]
            if log:
                pathlib.Path(log).write_text(f"{i} {name} {[repr(v)[:200] for v in values]} {keywords}")
            try:
                f(*values, **keywords)
                good += 1
                reached.add(name)
            except (MemoryError, KeyboardInterrupt):
                raise
            except Exception:
                pass
        os.chdir("/")
    print(f"{calls} calls of {len(functions)} functions, {good} good, of {len(reached)} functions")


@pytest.mark.parametrize("seed", [1, 2])
def test_calls_never_crash(seed):
    run = subprocess.run([sys.executable, __file__, str(seed), str(CALLS // 2)], capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    numbers = [int(x) for x in re.findall(r"\d+", run.stdout.splitlines()[-1])]
    assert numbers[2] > numbers[0] // 4 and numbers[3] > numbers[1] // 2, run.stdout  # many of them went through


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
