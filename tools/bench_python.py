#!/usr/bin/env python3
"""Calls from Python beside Pinocchio and MuJoCo, in one run: what a call costs, and what the binding adds to it.

  make bench-python                      writes the table of docs/python.md
  tools/bench_python.py [--write FILE] [--quick]

Each number is the best of many short loops, and the programs take turns, so that a busy machine is busy for all of them. "above C++" is the whole call less the same call of the library, timed in a loop inside the extension
(sinew._core._time_call): what arrays, checks and Python cost. Robots: example-robot-data (SINEW_ROBOTS).
"""
import argparse
import datetime
import os
import pathlib
import sys
import time

import numpy as np
import sinew
from sinew import _core

ROBOTS = {"ur5": ("ur_description/urdf/ur5_robot.urdf", False), "panda": ("panda_description/urdf/panda.urdf", False),
          "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True),
          "talos": ("talos_data/robots/talos_full_v2.urdf", True)}
CALLS = ["fk", "rnea", "crba", "aba", "mass_inverse"]
START, END = "<!-- bench_python: begin -->", "<!-- bench_python: end -->"


def nothing():
    pass


def time_loops(function, calls, loops):
    """Seconds of one pass through the loop, the best of many short loops: the others were interrupted."""
    least = float("inf")
    passes = range(calls)
    for _ in range(loops):
        start = time.perf_counter()
        for _ in passes:
            function()
        least = min(least, time.perf_counter() - start)
    return least / calls


def best(function, loops):
    """Seconds of one call, less what a loop with an empty function takes."""
    return time_loops(function, 50, loops) - time_loops(nothing, 50, loops)


def make_sinew(file, floating):
    m = sinew.compile(sinew.load(file, floating_base=floating))
    q, v, a = sinew.random_configuration(m, 1), np.linspace(-1, 1, m.nv), np.linspace(1, -2, m.nv)
    out, M, fk = np.empty(m.nv), np.empty((m.nv, m.nv)), sinew.KinematicsWorkspace(m)
    rnea, aba, crba, inverse = (w(m) for w in (sinew.RneaWorkspace, sinew.AbaWorkspace, sinew.CrbaWorkspace,
                                               sinew.MassInverseWorkspace))
    # An empty lambda costs as much as the loop's empty function: what remains is the call itself.
    calls = {"fk": lambda: sinew.calc_kinematics(m, fk, q), "rnea": lambda: sinew.rnea(m, rnea, q, v, a, out),
             "crba": lambda: sinew.crba(m, crba, q, M), "aba": lambda: sinew.aba(m, aba, q, v, a, out),
             "mass_inverse": lambda: sinew.calc_mass_inverse(m, inverse, q, M)}
    inside = {name: (lambda name=name: _core._time_call(m, name, q, v, a)) for name in CALLS}
    return m, calls, inside


def make_pinocchio(file, floating):
    import pinocchio as pin
    m = pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if floating else []))
    d = m.createData()
    q, v, a = pin.neutral(m), np.linspace(-1, 1, m.nv), np.linspace(1, -2, m.nv)
    return {"fk": lambda: pin.forwardKinematics(m, d, q), "rnea": lambda: pin.rnea(m, d, q, v, a),
            "crba": lambda: pin.crba(m, d, q), "aba": lambda: pin.aba(m, d, q, v, a),
            "mass_inverse": lambda: pin.computeMinverse(m, d, q)}


def make_mujoco(model):
    """MuJoCo on the same model, through our MJCF; the nearest of its calls."""
    import mujoco
    spec = model.spec
    spec.shapes.clear(), spec.meshes.clear()
    try:
        m = mujoco.MjModel.from_xml_string(sinew.to_mjcf(spec, lossy=True))
    except Exception as e:
        print(f"MuJoCo refuses {model.name}: {e}", file=sys.stderr)
        return {}
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    out = np.empty(m.nv)
    return {"fk": lambda: mujoco.mj_kinematics(m, d), "rnea": lambda: mujoco.mj_rne(m, d, 1, out)}


def table(root, rounds, loops):
    lines = ["| robot (nv) | call | Sinew | above C++ | Pinocchio | ratio | MuJoCo | ratio |", "|---|---|---|---|---|---|---|---|"]
    above, ratios = [], []
    for name, (path, floating) in ROBOTS.items():
        file = root / "cmeel.prefix/share/example-robot-data/robots" / path
        model, ours, inside = make_sinew(file, floating)
        theirs, mujoco = make_pinocchio(file, floating), make_mujoco(model)
        for call in CALLS:
            times = {k: np.inf for k in ("ours", "inside", "pin", "mj")}
            for _ in range(rounds):
                times["ours"] = min(times["ours"], best(ours[call], loops))
                times["inside"] = min(times["inside"], inside[call]())
                times["pin"] = min(times["pin"], best(theirs[call], loops))
                if call in mujoco:
                    times["mj"] = min(times["mj"], best(mujoco[call], loops))
            us = {k: 1e6 * t for k, t in times.items()}
            above.append(us["ours"] - us["inside"])
            ratios.append(us["pin"] / us["ours"])
            mj = f"{us['mj']:.2f} | {us['mj'] / us['ours']:.2f}" if np.isfinite(us["mj"]) else "|"
            lines.append(f"| {name} ({model.nv}) | {call} | {us['ours']:.3f} | {above[-1]:.3f} | {us['pin']:.2f} | "
                         f"{ratios[-1]:.2f} | {mj} |")
    lines.append("")
    lines.append(f"Measured on {datetime.date.today()}. Microseconds per call with `out` given. Above C++: {np.median(above):.3f} in the middle, "
                 f"{max(above):.3f} at most.\nPinocchio over Sinew: {np.exp(np.mean(np.log(ratios))):.2f} (geometric mean), "
                 f"{min(ratios):.2f} at least.")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="once, for a test that it runs")
    args = parser.parse_args()
    root = pathlib.Path(os.environ.get("SINEW_ROBOTS", "."))
    text = table(root, *((1, 20) if args.quick else (9, 300)))
    print(text)
    if args.write:
        page = args.write.read_text()
        head, rest = page.split(START)
        args.write.write_text(head + START + "\n" + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
