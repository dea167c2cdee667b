#!/usr/bin/env python3
"""Runs `sinew sim` on every MJCF file of the packages mujoco, dm_control, gymnasium and gymnasium-robotics.

    .venv/bin/python tools/run_public_scenes.py build/release/sinew [--for 10] [--limit 120] [--write PAGE]

A run that takes longer than the limit is stopped (SIGTERM) and prints its summary up to there.
"""
import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

sys.path.insert(0, os.path.dirname(__file__))
import robots  # noqa: E402

REFUSED, UNSOLVED, NOT_FINITE = 2, 5, 6


@dataclasses.dataclass
class Run:
    file: pathlib.Path
    outcome: str              # ran, cut, refused, not finite, failed
    why: str = ""             # reason why it did not run to the end, or at all
    peer_loads: bool = True   # MuJoCo reads the file
    summary: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self):
        return robots.short_name(self.file)


def peer_loads(file):
    import mujoco
    try:
        mujoco.MjModel.from_xml_path(str(file))
    except Exception:
        return False
    return True


def find_reason(text):
    """The first error of a refusal: diagnostics as JSON on stdout, or a line on stderr."""
    try:
        errors = [d for d in json.loads(text).get("diagnostics", []) if d["severity"] == "error"]
        where = f"line {errors[0]['line']}: " if errors[0]["line"] else ""
        text = f"S{errors[0]['code']} {where}{errors[0]['element']}: {errors[0]['message']}"
    except (json.JSONDecodeError, IndexError, KeyError, AttributeError):
        pass
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("note:")]
    return (lines[0] if lines else "no message").replace(f"{robots.packages()}/", "")


def run_scene(app, file, seconds, limit):
    command = [str(app), "sim", str(file), "--for", repr(seconds), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return Run(file, "failed", f"one step takes longer than {limit:g} s")
    code = process.returncode
    if code in (0, UNSOLVED, NOT_FINITE, 128 + signal.SIGTERM):
        outcome = {0: "ran", UNSOLVED: "ran", NOT_FINITE: "not finite"}.get(code, "cut")
        why = f"stopped after {limit:g} s of wall clock" if outcome == "cut" else find_reason(err) if code else ""
        return Run(file, outcome, why, True, json.loads(out))
    reason = find_reason(out if out.strip() else err)
    if code == REFUSED:
        return Run(file, "refused", reason, peer_loads(file))
    return Run(file, "failed", f"exit code {code}: {reason}")


def run_all(app, files, seconds, limit, jobs=1, done=lambda run: None):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = []
        for run in pool.map(lambda f: run_scene(app, f, seconds, limit), files):
            done(run)
            runs.append(run)
        return runs


def to_row(run):
    s = run.summary
    if not s:
        return f"| {run.name} | {run.outcome} | | | | | | |"
    return (f"| {run.name} | {run.outcome} | {s['seconds']:.3g} | {s['steps_per_second']:,.0f} "
            f"| {s['most_contacts']} | {s['unsolved']} of {s['problems']} | {s['worst_residual']:.0e} "
            f"| {s['penetration']:.0e} |")


def to_counts(runs):
    count = {o: sum(r.outcome == o for r in runs) for o in ("ran", "cut", "refused", "not finite", "failed")}
    refused_by_us = sum(r.outcome == "refused" and r.peer_loads for r in runs)
    unsolved = [r for r in runs if r.summary and r.summary["unsolved"]]
    return [f"{len(runs)} files: {count['ran']} ran, {count['cut']} were cut at the limit of wall clock, "
            f"{count['refused']} refused ({refused_by_us} of them are read by MuJoCo), {count['not finite']} not finite, "
            f"{count['failed']} failed otherwise. {len(unsolved)} had a contact problem that was not solved."]


def to_page(runs, seconds, limit):
    about = ("Made by `make public-scenes` (tools/run_public_scenes.py); do not edit. Every MJCF file of the packages of "
             f"tools/requirements.txt through `sinew sim FILE --for {seconds:g}`, one that takes longer than {limit:g} s "
             "of wall clock stopped there. Start: the first keyframe with its controls; without one the neutral position, "
             "however it may overlap. Penetration is the deepest at the end of any step, a bad start included. "
             f"Measured on {datetime.date.today()}.")
    lines = ["# Public scenes", "", textwrap.fill(about, 119), "", textwrap.fill(to_counts(runs)[0], 119), ""]
    lines += ["| file | outcome | simulated [s] | steps/s | contacts | unsolved | worst residual | penetration [m] |",
              "|---|---|---:|---:|---:|---:|---:|---:|", *(to_row(r) for r in runs), ""]
    reasons = [r for r in runs if r.why]
    if reasons:
        lines += ["## Why not", ""]
        lines += [textwrap.fill(f"- {r.name}: {r.outcome}{'' if r.peer_loads else ' (MuJoCo refuses it too)'}: {r.why}",
                                119, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
                  for r in reasons]
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("app", type=pathlib.Path)
    parser.add_argument("--for", dest="seconds", type=float, default=10.0)
    parser.add_argument("--limit", type=float, default=120.0, help="wall clock for each [s]")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only files whose name contains this")
    parser.add_argument("--write", type=pathlib.Path)
    arguments = parser.parse_args()
    files = [f for f in robots.find_mjcf() if arguments.only in str(f)]
    runs = run_all(arguments.app, files, arguments.seconds, arguments.limit, arguments.jobs,
                   lambda r: print(to_row(r), r.why, flush=True))
    print(to_counts(runs)[0])
    if arguments.write:
        arguments.write.write_text(to_page(runs, arguments.seconds, arguments.limit))
    return 1 if any(r.outcome in ("not finite", "failed") for r in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
