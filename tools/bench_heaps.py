#!/usr/bin/env python3
"""Scenes of many bodies (tools/contact_scenes.py) beside MuJoCo: one thread, the same files, steps and starts.

    .venv/bin/python tools/bench_heaps.py build/release/sinew [--only box,wall] [--write docs/heaps.md]

Each scene is run in phases: it falls (0 to 0.5 s), settles (0.5 to 2 s) and rests (from 5 s on, half a second). Both
sides begin a phase from their own state at its start. Only stepping is timed.
"""
import argparse
import datetime
import json
import pathlib
import platform
import subprocess
import sys
import tempfile
import textwrap
import time

import mujoco

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import contact_scenes  # noqa: E402
import page_part  # noqa: E402

PHASES = {"falls": (0.0, 0.5), "settles": (0.5, 2.0), "rests": (5.0, 5.5)}


class Mujoco:
    def __init__(self, file):
        self.model = mujoco.MjModel.from_xml_path(str(file))
        self.data = mujoco.MjData(self.model)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)

    def run(self, until):
        """Steps a second, deepest overlap [m] at the end, contacts at the end; None where it blew up."""
        steps = round((until - self.data.time) / self.model.opt.timestep)
        begin = time.perf_counter()
        mujoco.mj_step(self.model, self.data, nstep=steps)
        speed = steps / (time.perf_counter() - begin)
        if self.data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
            return None
        deepest = -min(self.data.contact.dist) if self.data.ncon else 0.0
        return speed, deepest, self.data.ncon


class Sinew:
    def __init__(self, app, file, folder, tolerance, most):
        self.words = [str(app), "sim", str(file), "--tolerance", repr(tolerance), "--json"]
        self.record, self.most = folder / f"{file.stem}.h5", most
        self.record.unlink(missing_ok=True)

    def run(self, until):
        """The summary of the run from the last end to `until`; None where it took too long or ended early."""
        words = [*self.words, "--for", repr(until), "--record", str(self.record), "--every", "1000000000"]
        if self.record.exists():
            words += ["--resume", str(self.record)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=self.most)
        except subprocess.TimeoutExpired:
            return None
        return json.loads(done.stdout) if done.returncode in (0, 5) else None


def measure(app, name, text, folder, tolerances, most):
    """A row for each phase."""
    file = folder / f"{name}.xml"
    file.write_text(text)
    ours = {t: Sinew(app, file, folder / f"{t:g}", t, most) for t in tolerances}
    theirs, rows = Mujoco(file), []
    for phase, (begin, end) in PHASES.items():
        if theirs is not None and theirs.data.time < begin - 1e-9:
            theirs.run(begin)
        found = theirs.run(end) if theirs else None
        for t in list(ours):
            if begin and ours[t].run(begin) is None:
                ours.pop(t)
        runs = {t: side.run(end) for t, side in ours.items()}
        ours = {t: side for t, side in ours.items() if runs[t] is not None}
        rows.append((name, phase, runs, found))
        print(show(rows[-1], tolerances), flush=True)
    return rows


def show(row, tolerances):
    name, phase, runs, found = row
    cells = [name, phase]
    good = next((runs[t] for t in tolerances if runs.get(t)), None)
    cells.append(f"{good['most_contacts'] if good else '-'} / {found[2] if found else '-'}")
    for t in tolerances:
        r = runs.get(t)
        cells.append(f"{r['steps_per_second']:,.0f}" if r else "-")
    cells.append(f"{found[0]:,.0f}" if found else "unstable")
    cells.append(f"{good['steps_per_second'] / found[0]:.2f}" if good and found else "-")
    cells.append(f"{good['unsolved']}" if good else "-")
    cells.append(f"{good['penetration']:.0e}" if good else "-")
    cells.append(f"{found[1]:.0e}" if found else "-")
    return "| " + " | ".join(cells) + " |"


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("app", type=pathlib.Path)
    o.add_argument("--only", help="names, or what names begin with, comma between")
    o.add_argument("--tolerances", default="1e-6,1e-10")
    o.add_argument("--most", type=float, default=120, help="[s] of wall clock for one run of ours")
    o.add_argument("--write", type=pathlib.Path, help="put the table into this page")
    o = o.parse_args()
    tolerances = [float(t) for t in o.tolerances.split(",")]
    scenes = contact_scenes.all_scenes()
    if o.only:
        chosen = {n for w in o.only.split(",") for n in scenes if n == w or (w not in scenes and n.startswith(w))}
        scenes = {n: t for n, t in scenes.items() if n in chosen}
    head = ["scene", "phase", "contacts", *[f"steps/s at {t:g}" for t in tolerances], "MuJoCo's", "ratio", "unsolved",
            "overlap [m]", "MuJoCo's"]
    lines = ["| " + " | ".join(head) + " |", "|---|---" + "|---:" * (len(head) - 2) + "|"]
    print("\n".join(lines))
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for t in tolerances:
            (folder / f"{t:g}").mkdir()
        for scene, text in scenes.items():
            for row in measure(o.app, scene, text, folder, tolerances, o.most):
                lines.append(show(row, tolerances))
                if row[2].get(tolerances[0]) and row[3]:
                    ratios.append(row[2][tolerances[0]]["steps_per_second"] / row[3][0])
    product = 1.0
    for r in ratios:
        product *= r
    mean = product ** (1 / len(ratios)) if ratios else float("nan")
    judged = (f"{len(ratios)} of {3 * len(scenes)} phases have numbers of both sides: the ratio is {mean:.2f} in the "
              f"geometric mean, at least {min(ratios, default=float('nan')):.2f}.")
    print(judged)
    if o.write:
        lines += ["", *textwrap.wrap(f"Measured on {datetime.date.today()}, {platform.machine()}, one thread. {judged}", 118)]
        page_part.replace(o.write, "bench_heaps", lines)


if __name__ == "__main__":
    main()
