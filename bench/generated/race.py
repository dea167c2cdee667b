#!/usr/bin/env python3
"""Code that Sinew writes for one robot, beside Pinocchio's algorithms generated through CasADi.

    make bench-generated        or        .venv/bin/python bench/generated/race.py build/release/sinew [--write]

Both sides are C, compiled by `gcc -O2 -march=native -ffp-contract=off`, called from the same loop over 256
random states, in turn; the least of the rounds counts, in processor time. Needs the packages pin and example-robot-data;
CasADi is fetched into build/generated. Exit code 1: results differ. docs/generate.md has the table.
"""
import argparse
import ctypes
import datetime
import math
import os
import pathlib
import re
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build/generated"
sys.path[:0] = [str(ROOT / "bench/peers"), str(ROOT / "tools")]
ROBOTS = {"panda": ("panda_description/urdf/panda.urdf", False),
          "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True),
          "talos": ("talos_data/robots/talos_full_v2.urdf", True)}
ALGORITHMS = ["rnea", "crba", "aba"]
STATES = 256
FLAGS = ["-O2", "-march=native", "-ffp-contract=off"]
TOLERANCE = 1e-10  # of the largest number; M^-1 of talos costs some digits on either side
BOOST = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
         "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]


def call(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"race: {' '.join(map(str, command))} failed\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def build_generator(prefix):
    """The program that writes Pinocchio's algorithms as C; some minutes, the first time."""
    casadi = BUILD / "packages/casadi"
    if not casadi.exists():
        call(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", BUILD / "packages", "casadi")
    program = BUILD / "pinocchio_casadi"
    sources = [HERE / "pinocchio_casadi.cpp", ROOT / "bench/peers/pinocchio_model.cpp"]
    if not program.exists() or any(s.stat().st_mtime > program.stat().st_mtime for s in sources):
        print("compile Pinocchio's algorithms for CasADi's scalar", file=sys.stderr)
        call("clang++-16", "-std=c++20", "-O1", "-DNDEBUG", "-w", *BOOST, f'-DPEERS_PYTHON="{sys.executable}"',
             f'-DPEERS_READER="{ROOT / "bench/peers/pinocchio_side.py"}"', "-I", ROOT / "bench/peers", "-isystem",
             prefix / "include", "-isystem", "/usr/include/eigen3", "-isystem", casadi / "include", *sources, "-L",
             casadi, "-lcasadi", f"-Wl,-rpath,{casadi}", "-o", program)
    return program


def compile_c(source, library):
    """A shared library, and the seconds of processor time that gcc took."""
    start = os.times()
    call("gcc", *FLAGS, "-shared", "-fPIC", source, "-lm", "-o", library)
    end = os.times()
    return ctypes.CDLL(str(library)), end.children_user - start.children_user + end.children_system - start.children_system


def pointer(x):
    return x.ctypes.data_as(ctypes.c_void_p)


class Fight:
    """Both codes of one robot, loaded, with random states in the convention of each."""

    def __init__(self, name, generator, sinew_command, robots):
        import pinocchio
        import pinocchio_side
        import sinew
        file, floating = ROBOTS[name]
        urdf, options = robots / file, ["--floating"] if floating else []
        self.theirs = pinocchio_side.load(urdf, floating)
        self.model = sinew.compile(sinew.load(str(urdf), floating_base=floating))
        started = time.perf_counter()
        call(generator, urdf, *options, BUILD / f"pinocchio_{name}.c")
        self.written = {"pinocchio": time.perf_counter() - started}
        started = time.perf_counter()
        call(sinew_command, "generate", urdf, *options, "--what", ",".join(ALGORITHMS), "--name", name, "-o", BUILD)
        self.written["sinew"] = time.perf_counter() - started
        self.their_code, seconds = compile_c(BUILD / f"pinocchio_{name}.c", BUILD / f"pinocchio_{name}.so")
        self.seconds = {"pinocchio": seconds}
        self.our_code, self.seconds["sinew"] = compile_c(BUILD / f"{name}.c", BUILD / f"{name}.so")
        self.name = name
        rng = np.random.default_rng(1)
        pinocchio.seed(1)
        reach = np.full(self.theirs.nq, np.pi)
        q = np.array([pinocchio.randomConfiguration(self.theirs, -reach, reach) for _ in range(STATES)])
        v, x = rng.uniform(-1, 1, (2, STATES, self.theirs.nv))
        self.their_states = [q, v, x]
        turns = rng.uniform(-np.pi, np.pi, (STATES, self.model.nv))
        self.our_states = [np.array([sinew.integrate(self.model, self.model.neutral, t, 1.0) for t in turns]), v, x]
        self.work = {}
        for a in ALGORITHMS:
            sizes = [ctypes.c_longlong() for _ in range(4)]
            self.their_code[f"{a}_work"](*map(ctypes.byref, sizes))
            self.work[a] = np.zeros(max(1, sizes[2].value), np.int64), np.zeros(max(1, sizes[3].value))

    def result(self, program, algorithm, k):
        nv = self.theirs.nv
        states = self.our_states if program == "sinew" else self.their_states
        inputs = [np.ascontiguousarray(s[k]) for s in states[:1 if algorithm == "crba" else 3]]
        out = np.zeros((nv, nv) if algorithm == "crba" else nv)
        if program == "sinew":
            self.our_code[f"{self.name}_{algorithm}"](*map(pointer, inputs), pointer(out))
            return out
        iw, w = self.work[algorithm]
        arg = (ctypes.c_void_p * 8)(*[i.ctypes.data for i in inputs])
        res = (ctypes.c_void_p * 4)(out.ctypes.data)
        self.their_code[algorithm](arg, res, pointer(iw), pointer(w), 0)
        return out.T if algorithm == "crba" else out

    def difference(self, algorithm):
        """Largest, of the largest number. Each code is compared with its own library: conventions differ."""
        import pinocchio
        import sinew
        worst = 0.0
        data = self.theirs.createData()
        for k in range(3):
            q, v, x = (s[k] for s in self.their_states)
            Q, V, X = (s[k] for s in self.our_states)
            if algorithm == "rnea":
                pairs = [(pinocchio.rnea(self.theirs, data, q, v, x),
                          sinew.rnea(self.model, sinew.RneaWorkspace(self.model), Q, V, X))]
            elif algorithm == "aba":
                pairs = [(pinocchio.aba(self.theirs, data, q, v, x),
                          sinew.aba(self.model, sinew.AbaWorkspace(self.model), Q, V, X))]
            else:
                pairs = [(np.triu(pinocchio.crba(self.theirs, data, q)),
                          sinew.crba(self.model, sinew.CrbaWorkspace(self.model), Q))]
            for theirs, ours in pairs:
                for got, want in ((self.result("pinocchio", algorithm, k), theirs),
                                  (self.result("sinew", algorithm, k), ours)):
                    worst = max(worst, np.abs(got - want).max() / np.abs(want).max())
        return worst

    def time(self, timer, algorithm, program, passes, repeats):
        nq, nv = self.theirs.nq, self.theirs.nv
        inputs = 1 if algorithm == "crba" else 3
        out = np.zeros(nv * nv)
        states = self.our_states if program == "sinew" else self.their_states
        code = self.our_code[f"{self.name}_{algorithm}"] if program == "sinew" else self.their_code[algorithm]
        common = [ctypes.cast(code, ctypes.c_void_p), inputs, STATES, self.model.nq if program == "sinew" else nq, nv,
                  *map(pointer, states), pointer(out)]
        if program == "sinew":
            return timer.time_ours(*common, passes, repeats)
        iw, w = self.work[algorithm]
        return timer.time_theirs(*common, pointer(iw), pointer(w), passes, repeats)


def race(names, generator, command, robots):
    timer, _ = compile_c(HERE / "timer.c", BUILD / "timer.so")
    timer.time_ours.restype = timer.time_theirs.restype = ctypes.c_double
    rows, compiled, wrong, ratios = [], [], [], []
    for name in names:
        print(f"run {name}", file=sys.stderr)
        fight = Fight(name, generator, command, robots)
        compiled.append(f"| {name} | {fight.written['sinew']:.1f} s | {fight.seconds['sinew']:.1f} s "
                        f"| {fight.seconds['pinocchio']:.1f} s |")
        for algorithm in ALGORITHMS:
            off = fight.difference(algorithm)
            if not off <= TOLERANCE:
                wrong.append(f"{name}, {algorithm}: {off:.1e}")
            times = {"sinew": math.inf, "pinocchio": math.inf}
            for _ in range(7):  # in turn
                for program in times:
                    times[program] = min(times[program], fight.time(timer, algorithm, program, 20, 5))
            ratios.append(times["pinocchio"] / times["sinew"])
            rows.append(f"| {name} ({fight.theirs.nv}) | {algorithm} | {times['pinocchio']:#.3g} | {times['sinew']:#.3g} "
                        f"| {ratios[-1]:.2f} | {off:.0e} |")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    text = "\n".join([
        f"{datetime.date.today()}, {cpu[1] if cpu else '?'}, {call('gcc', '--version').splitlines()[0]},",
        f"`{' '.join(FLAGS)}` on both sides. Microseconds per call; difference: of each code from its own",
        "library, relative to the largest number.", "",
        "| robot (nv) | algorithm | Pinocchio by CasADi | Sinew | ratio | difference |", "|---|---|---:|---:|---:|---:|",
        *rows, "", f"Geometric mean of the ratios: {mean:.2f}, goal 1.3: **{'met' if mean >= 1.3 else 'missed'}**.", "",
        "| all three of | `sinew generate` takes | gcc takes, for Sinew's | for CasADi's |", "|---|---|---|---|", *compiled])
    return text, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sinew", type=pathlib.Path, help="the command")
    parser.add_argument("--robots", default=",".join(ROBOTS), help="some of " + ",".join(ROBOTS))
    parser.add_argument("--write", action="store_true", help="put the table into docs/generate.md")
    options = parser.parse_args()
    import robots
    prefix = robots.packages() / "cmeel.prefix"
    BUILD.mkdir(parents=True, exist_ok=True)
    text, wrong = race(options.robots.split(","), build_generator(prefix), options.sinew.resolve(),
                       prefix / "share/example-robot-data/robots")
    print(text)
    for line in wrong:
        print(f"race: results differ: {line}", file=sys.stderr)
    if options.write and not wrong:
        page = ROOT / "docs/generate.md"
        begin, end = "<!-- begin race -->", "<!-- end race -->"
        before, _, rest = page.read_text().partition(begin)
        page.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
