#!/usr/bin/env python3
"""Times Pinocchio and MuJoCo on one model: the peers of `sinew bench --peers`, which calls this.

    bench_one.py FILE [--floating] [--seconds S]

Writes JSON: for each peer its version, how it was timed, and microseconds per call under the names of `sinew bench`;
or why it was not timed. Pinocchio runs as the compiled program of `make bench-peers` where build/peers has it,
otherwise from Python. Times from Python include the call from Python, some tenths of a microsecond each. Exit code 3:
no peer is installed. docs/peers.md has the comparison with equal compilers and flags.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = 64
COMPILED = {"rnea": "rnea", "crba": "crba", "aba": "aba", "minverse": "mass_inverse", "jacobians": "jacobian",
            "kinematics": "kinematics"}
HELP = ("neither pinocchio nor mujoco can be imported by {}: call `tools/setup.sh python` and run again, or set "
        "SINEW_PYTHON to a Python that has them (pip install pin mujoco)")


def median_us(call, states, seconds):
    """The least processor time of this thread over repeats that take `seconds` together."""
    def run(passes):
        start = time.thread_time()
        for _ in range(passes):
            for s in states:
                call(s)
        return time.thread_time() - start

    run(1)
    repeats = 11
    passes = max(1, int(seconds / repeats / max(run(1), 1e-7)))
    return 1e6 * statistics.median(run(passes) for _ in range(repeats)) / (passes * len(states))


def time_compiled(options, model, side):
    """By each compiler that build/peers has. The least time counts, also over the variants of one algorithm."""
    times, builds = {}, []
    with tempfile.TemporaryDirectory() as folder:
        states, out = pathlib.Path(folder) / "states", pathlib.Path(folder) / "out.json"
        side.write_states(model, STATES, states)
        for program in sorted(ROOT.glob("build/peers/*/pinocchio_peer")):
            if program.parent.name.endswith("-contract"):
                continue
            floating = ["--floating"] if options.floating else []
            command = [program, options.file, *floating, "--repeats", "21", states, out]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                print(f"bench_one: {program}: {run.stderr.strip()[-500:]}", file=sys.stderr)
                continue
            builds.append(program.parent.name)
            for name, entry in json.loads(out.read_text())["algorithms"].items():
                ours = COMPILED[name.split()[0]]
                times[ours] = min(entry["us"], times.get(ours, entry["us"]))
    return times, builds


def time_pinocchio(options):
    try:
        import numpy as np
        import pinocchio
    except ImportError as e:
        return {"error": str(e), "missing": True}
    out = {"version": pinocchio.__version__}
    urdf = options.file.suffix == ".urdf"
    try:
        if urdf:
            base = [pinocchio.JointModelFreeFlyer()] if options.floating else []
            model = pinocchio.buildModelFromUrdf(str(options.file), *base)
        else:
            model = pinocchio.buildModelFromMJCF(str(options.file))
    except Exception as e:
        return {**out, "error": " ".join(str(e).split())}
    if urdf:
        sys.path.insert(0, str(ROOT / "bench/peers"))
        try:
            import pinocchio_side
            times, builds = time_compiled(options, model, pinocchio_side)
        except ImportError:
            times = {}
        if times:
            return {**out, "how": f"compiled from its headers by {' and '.join(builds)}, the better one", "us": times}
    data, rng = model.createData(), np.random.default_rng(1)
    pinocchio.seed(1)
    reach = np.full(model.nq, np.pi)
    states = [(pinocchio.randomConfiguration(model, -reach, reach), *rng.uniform(-1, 1, (3, model.nv)))
              for _ in range(STATES)]
    calls = {
        "rnea": lambda s: pinocchio.rnea(model, data, s[0], s[1], s[2]),
        "crba": lambda s: pinocchio.crba(model, data, s[0]),
        "aba": lambda s: pinocchio.aba(model, data, s[0], s[1], s[3]),
        "mass_inverse": lambda s: pinocchio.computeMinverse(model, data, s[0]),
        "jacobian": lambda s: pinocchio.computeJointJacobians(model, data, s[0]),
        "kinematics": lambda s: pinocchio.forwardKinematics(model, data, s[0]),
    }
    return {**out, "how": "from Python, its call included",
            "us": {name: median_us(call, states, options.seconds) for name, call in calls.items()}}


def time_mujoco(options):
    try:
        import mujoco
        import numpy as np
    except ImportError as e:
        return {"error": str(e), "missing": True}
    out = {"version": mujoco.__version__}
    if options.floating:
        return {**out, "error": "its URDF reader makes no floating base"}
    try:
        model = mujoco.MjModel.from_xml_path(str(options.file))
    except Exception as e:
        return {**out, "error": " ".join(str(e).split())}
    bit = mujoco.mjtDisableBit
    model.opt.disableflags |= bit.mjDSBL_CONSTRAINT | bit.mjDSBL_CONTACT | bit.mjDSBL_ACTUATION | bit.mjDSBL_SENSOR
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    forces = np.zeros(model.nv)
    states = []
    for _ in range(STATES):
        q = model.qpos0.copy()
        mujoco.mj_integratePos(model, q, rng.uniform(-1, 1, model.nv), 1)
        states.append((q, *rng.uniform(-1, 1, (3, model.nv))))

    def place(s):
        data.qpos[:] = s[0]
        mujoco.mj_kinematics(model, data)

    def compute_rnea(s):
        place(s)
        data.qvel[:], data.qacc[:] = s[1], s[2]
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, forces)

    def compute_crba(s):
        place(s)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)

    def compute_aba(s):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = s[0], s[1], s[3]
        mujoco.mj_forward(model, data)

    calls = {"rnea": compute_rnea, "crba": compute_crba, "aba": compute_aba, "kinematics": place}
    return {**out, "how": "from Python, its calls included; aba is mj_forward without constraints",
            "us": {name: median_us(call, states, options.seconds) for name, call in calls.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--floating", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each algorithm")
    options = parser.parse_args()
    peers = {"Pinocchio": time_pinocchio(options), "MuJoCo": time_mujoco(options)}
    if all([p.pop("missing", False) for p in peers.values()]):  # a list, so that the word goes from all
        print(f"bench_one: {HELP.format(sys.executable)}", file=sys.stderr)
        return 3
    print(json.dumps(peers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
