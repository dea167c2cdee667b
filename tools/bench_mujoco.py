#!/usr/bin/env python3
"""Sinew against MuJoCo on one thread: the same MJCF files, the same step, the same start (the first keyframe).

    .venv/bin/python tools/bench_mujoco.py build/release/sinew [--quick] [--write docs/mujoco.md]

Speed is the median over repetitions; the two sides take turns, so that other load on the machine affects both. A fall
is one of many, so that each repetition of one starts a little differently, and its speed is all steps over all time. Only
stepping is timed: `steps_per_second` of `sinew sim --json`, and mj_step(model, data, nstep) in one call. Penetration,
drift and energy come from separate runs that are not timed.
"""
import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

import mujoco
import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
import robots  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass
class Scene:
    name: str
    file: pathlib.Path
    seconds: float          # simulated and timed
    start: float = 0.0      # [s] simulated before the timing starts
    rests: bool = False     # it comes to rest: drift is measured
    free_flight: float = 0  # [s] without contact or damping: energy is measured
    falls: bool = False     # it ends differently from each start: many are timed


def scenes():
    ours = ROOT / "models/scenes"
    out = [
        Scene("humanoid falls", ours / "humanoid_falls.xml", 5, falls=True),
        Scene("humanoid lies", ours / "humanoid_falls.xml", 5, start=3, rests=True, falls=True),
        Scene("quadruped", ours / "quadruped.xml", 20, rests=True),
        Scene("box stack", ours / "box_stack.xml", 10, rests=True),
        Scene("gripper", ours / "gripper.xml", 20, rests=True),
        Scene("pendulum, 12 links", ROOT / "models/pendulum12.xml", 2, free_flight=0.15),
    ]
    suite = robots.packages() / "dm_control/suite/humanoid.xml"
    if suite.exists():
        out.append(Scene("dm_control humanoid", suite, 5, falls=True))
    return out


@dataclasses.dataclass
class Row:
    scene: Scene
    ours: dict              # the median run's numbers
    speed: float
    their_speed: float
    their_penetration: float
    their_contacts: int
    drift: float = float("nan")
    their_drift: float = float("nan")
    energy: float = float("nan")         # [J] gained before the first contact
    their_energy: float = float("nan")

    @property
    def ratio(self):
        return self.speed / self.their_speed


class Sinew:
    def __init__(self, app):
        self.app = str(app)

    def run(self, scene, until, record=None, resume=None, state=None):
        command = [self.app, "sim", str(scene.file), "--for", repr(until), "--json"]
        if record:
            command += ["--record", str(record), "--every", "1000000000", "--force"]
        if resume:
            command += ["--resume", str(resume)]
        if state:
            command += ["--state", str(state)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 5):  # 5: some problems were not solved, which the table shows
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads(done.stdout)


def start_mujoco(scene):
    """Model and data at the first keyframe, controls too; the neutral position where there is none."""
    model = mujoco.MjModel.from_xml_path(str(scene.file))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def count_steps(model, seconds):
    return round(seconds / model.opt.timestep)


def make_start(scene, number):
    """Speeds of all hinges, by name, about 1e-3 rad/s; none for number 0."""
    model = mujoco.MjModel.from_xml_path(str(scene.file))
    rng = np.random.default_rng(number)
    hinges = [model.joint(j) for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]
    return {j.name: 1e-3 * rng.standard_normal() for j in hinges} if number else {}


def time_mujoco(scene, speeds):
    model, data = start_mujoco(scene)
    for name, speed in speeds.items():
        data.qvel[model.joint(name).dofadr[0]] = speed
    if scene.start:
        mujoco.mj_step(model, data, nstep=count_steps(model, scene.start))
    steps = count_steps(model, scene.seconds)
    begin = time.perf_counter()
    mujoco.mj_step(model, data, nstep=steps)
    return steps / (time.perf_counter() - begin)


def find_penetration(scene):
    """Deepest overlap [m] and most contacts over the steps that are timed."""
    model, data = start_mujoco(scene)
    first, last = count_steps(model, scene.start), count_steps(model, scene.start + scene.seconds)
    deepest, most = 0.0, 0
    for step in range(last):
        mujoco.mj_step(model, data)
        if step >= first and data.ncon:
            deepest = max(deepest, -float(data.contact.dist.min()))
            most = max(most, int(data.ncon))
    return deepest, most


def find_drifts(sinew, scene, begin, end):
    """Largest distance [m] that any body moved between two times at which it should be at rest."""
    early, late = (sinew.run(scene, t)["bodies"] for t in (begin, end))
    ours = max(np.linalg.norm(np.subtract(late[b]["position"], early[b]["position"])) for b in early)
    model, data = start_mujoco(scene)
    mujoco.mj_step(model, data, nstep=count_steps(model, begin))
    mujoco.mj_forward(model, data)
    before = data.xpos.copy()
    mujoco.mj_step(model, data, nstep=count_steps(model, end - begin))
    mujoco.mj_forward(model, data)
    return float(ours), float(np.linalg.norm(data.xpos - before, axis=1).max())


def find_energies(sinew, scene):
    """Change of the total energy [J] while only gravity acts."""
    ours = sinew.run(scene, scene.free_flight)
    if ours["contact_steps"]:
        raise RuntimeError(f"{scene.name}: something touches before {scene.free_flight} s")
    model, data = start_mujoco(scene)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(model, data)
    before = data.energy.sum()
    mujoco.mj_step(model, data, nstep=count_steps(model, scene.free_flight))
    mujoco.mj_forward(model, data)
    return ours["energy"]["after"] - ours["energy"]["before"], float(data.energy.sum() - before)


def measure(sinew, scene, repetitions, end, folder):
    record = state = None
    speeds = {}
    runs, theirs = [], []
    for k in range(repetitions):
        if scene.falls:
            speeds, state = make_start(scene, k), folder / "state.json"
            state.write_text(json.dumps({"v": speeds}))
        if scene.start and (k == 0 or scene.falls):
            record = folder / "start.h5"
            sinew.run(scene, scene.start, record=record, state=state)
        runs.append(sinew.run(scene, scene.start + scene.seconds, resume=record, state=None if record else state))
        theirs.append(time_mujoco(scene, speeds))
    middle = statistics.harmonic_mean if scene.falls else statistics.median
    speed, their_speed = middle([r["steps_per_second"] for r in runs]), middle(theirs)
    ours = dict(sorted(runs, key=lambda r: r["steps_per_second"])[len(runs) // 2])
    for key in ("penetration", "worst_residual", "most_contacts"):
        ours[key] = max(r[key] for r in runs)
    for key in ("unsolved", "problems"):
        ours[key] = sum(r[key] for r in runs) if scene.falls else ours[key]
    row = Row(scene, ours, speed, their_speed, *find_penetration(scene))
    if scene.rests:
        row.drift, row.their_drift = find_drifts(sinew, scene, max(5.0, scene.start), end)
    if scene.free_flight:
        row.energy, row.their_energy = find_energies(sinew, scene)
    return row


def show_times(x):
    return f"{x:.2f}" if x < 100 else f"{x:.0f}"


def to_table(rows, end):
    head = ["scene", "dt [s]", "contacts", "steps/s", "MuJoCo's", "ratio", "penetration [m]", "MuJoCo's", "ratio",
            f"drift 5 to {end:g} s [m]", "MuJoCo's"]
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    for r in rows:
        depth = r.ours["penetration"]
        smaller = f"{r.their_penetration / depth:.0e}" if depth > 0 else "-"
        drift = ["", ""] if np.isnan(r.drift) else [f"{r.drift:.0e}", f"{r.their_drift:.0e}"]
        lines.append("| " + " | ".join([
            r.scene.name, f"{r.ours['dt']:g}", f"{r.ours['most_contacts']} / {r.their_contacts}", f"{r.speed:,.0f}",
            f"{r.their_speed:,.0f}", show_times(r.ratio), f"{depth:.0e}", f"{r.their_penetration:.0e}", smaller,
            *drift]) + " |")
    return lines


def judge(rows, end):
    ahead = sum(r.ratio >= 1 for r in rows)
    slowest = min(rows, key=lambda r: r.ratio)
    closest = min(r.their_penetration / max(r.ours["penetration"], 1e-300) for r in rows if r.their_penetration > 0)
    resting = [r for r in rows if not np.isnan(r.drift)]
    farthest = max(resting, key=lambda r: r.drift)
    lines = [
        f"- Faster than MuJoCo on {ahead} of {len(rows)} scenes; the slowest beside it is {slowest.scene.name}, at "
        f"{slowest.ratio:.2f} of its speed.",
        f"- Penetration is at least {closest:.0e} times smaller.",
        f"- From 5 to {end:g} s what should rest moves by at most {farthest.drift:.0e} m ({farthest.scene.name}).",
    ]
    for r in rows:
        if not np.isnan(r.energy):
            lines.append(f"- Energy of the {r.scene.name} before anything touches ({r.scene.free_flight:g} s, "
                         f"{r.ours['energy']['before']:.4g} J): changes by {r.energy:+.1e} J here, by "
                         f"{r.their_energy:+.1e} J in MuJoCo.")
    return lines


def to_energy_table(rows):
    lines = ["| scene | energy before [J] | after | unaccounted for | worst residual | unsolved |",
             "|---|---:|---:|---:|---:|---:|"]
    for r in rows:
        e = r.ours["energy"]
        lines.append(f"| {r.scene.name} | {e['before']:.5g} | {e['after']:.5g} | {e['unaccounted']:+.1e} "
                     f"| {r.ours['worst_residual']:.0e} | {r.ours['unsolved']} of {r.ours['problems']} |")
    return lines


def describe_machine():
    name = platform.machine()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} logical processors"


def to_page(rows, app, repetitions, end):
    version = subprocess.run([str(app), "--version"], capture_output=True, text=True, check=False).stdout.strip()
    def wrapped(text, indent=""):
        return textwrap.fill(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join([
        "# Beside MuJoCo", "",
        wrapped("Made by `make bench-mujoco` (tools/bench_mujoco.py); do not edit. The same MJCF files, the same step, "
                f"one thread, both from the first keyframe with its controls. Speed: median of {repetitions} "
                "repetitions that take turns; only stepping is timed. Each repetition of a fall starts with other speeds "
                "of its hinges, about 1e-3 rad/s, on both sides alike, and the speed is all steps over all time. "
                "`humanoid lies` is the fall from 3 s on, each "
                "side from its own state there; our penetration and account include the fall before. Contacts: the "
                "most at once, ours / MuJoCo's. MuJoCo runs as the file says, that is with its own solver, tolerances "
                "and softness."), "",
        wrapped(f"Measured on {datetime.date.today()}. Machine: {describe_machine()}, shared with other work. {version}; MuJoCo {mujoco.__version__} from "
                "PyPI."), "",
        *to_table(rows, end), "", *(wrapped(line, "  ") for line in judge(rows, end)), "",
        "Where the energy of our runs went is accounted for; what is left over is the integrator's error:", "",
        *to_energy_table(rows), "",
        wrapped("What to read into it: MuJoCo's contact is soft by design, ours is solved to a stated residual. "
                "Penetration of MuJoCo is a property of its model (solref, solimp), not an error of its solver, and can "
                "be made smaller at the price of smaller steps. A fall is one of many: starts that differ by 1e-3 rad/s "
                "end in other poses, some of which rest within 3 s while others creep for 10."), ""])



def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("app", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="three repetitions, drift to 10 s")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--only", help="only scenes whose name contains this")
    parser.add_argument("--write", type=pathlib.Path, help="write the page to this file")
    arguments = parser.parse_args()
    repetitions, end = (3, 10.0) if arguments.quick else (arguments.repetitions, 60.0)
    sinew, rows = Sinew(arguments.app), []
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes():
            if arguments.only and arguments.only not in scene.name:
                continue
            rows.append(measure(sinew, scene, repetitions, end, pathlib.Path(folder)))
            r = rows[-1]
            print(f"{scene.name:22} {r.speed:9.0f} steps/s, MuJoCo {r.their_speed:9.0f}: {r.ratio:.2f}", file=sys.stderr)
    print("\n".join([*to_table(rows, end), "", *judge(rows, end), "", *to_energy_table(rows)]))
    if arguments.write:
        arguments.write.write_text(to_page(rows, arguments.app, repetitions, end))


if __name__ == "__main__":
    main()
