#!/usr/bin/env python3
"""Runs `sinew sim FILE --floor --hold --for 5` on every URDF of the robot packages, with its base fixed and floating.

    .venv/bin/python tools/run_public_robots.py build/release/sinew [--for 5] [--limit 60] [--every 1] [--write PAGE]

A run that takes longer than the limit is stopped (SIGTERM). The table has a row per run; the first lines count them.
`--every N` takes each N-th robot only.
"""
import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import robots  # noqa: E402


@dataclasses.dataclass
class Run:
    name: str
    floating: bool
    code: int
    why: str
    summary: dict

    @property
    def speed(self):
        return self.summary.get("real_time_factor", 0)


def run_robot(app, file, floating, seconds, limit):
    command = [str(app), "sim", str(file), "--floor", "--hold", "--for", repr(seconds), "--json"]
    command += ["--floating"] if floating else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate()
    try:
        summary = json.loads(out)
    except json.JSONDecodeError:
        summary = {}
    lines = [line for line in err.splitlines() if line.startswith("sinew:")]
    why = lines[-1].removeprefix("sinew: ") if process.returncode and lines else ""
    if "diagnostics" in summary:
        errors = [d for d in summary["diagnostics"] if d["severity"] == "error"]
        why = f"{errors[0]['element']}: {errors[0]['message']}" if errors else why
    return Run(robots.short_name(file), floating, process.returncode, why.replace(f"{robots.packages()}/", "")[:160], summary)


def describe(run):
    s = run.summary
    if "steps" not in s:
        return f"| {run.name} | {'floating' if run.floating else 'fixed'} | {run.code} | | | | | {run.why} |"
    left_out = next((n for n in s["notes"] if n.startswith("self-collision")), "").split(" ")[1:2]
    return (f"| {run.name} | {'floating' if run.floating else 'fixed'} | {run.code} | {s['real_time_factor']:.3g} | "
            f"{s['most_contacts']} | {s['unsolved']} | {left_out[0] if left_out else 0} | {run.why} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("app", type=pathlib.Path)
    parser.add_argument("--for", dest="seconds", type=float, default=5)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    files = robots.find_urdf()[::options.every]
    runs = []
    for file in files:
        for floating in (False, True):
            runs.append(run_robot(options.app, file, floating, options.seconds, options.limit))
            print(describe(runs[-1]), flush=True)
    ran = [r for r in runs if "steps" in r.summary]
    ended = [r for r in ran if r.code == 0]
    fast = [r for r in ran if r.speed >= 1]
    unsolved = [r for r in ran if r.summary["unsolved"]]
    counts = (f"{len(runs)} runs of {len(files)} robots: {len(ended)} ended with exit code 0, {len(unsolved)} had unsolved "
              f"problems, {len(runs) - len(ran)} were refused; {len(fast)} of {len(ran)} at real time or faster.")
    print(counts)
    if options.write:
        table = "\n".join(describe(r) for r in runs)
        options.write.write_text(
            "# Every public robot on the floor\n\n"
            f"`sinew sim FILE --floor --hold --for {options.seconds:g}`, with the base as it is and with `--floating`, on the\n"
            "URDF files of the installed robot packages (`make public-robots`). A run is stopped after "
            f"{options.limit:g} s. Measured on {datetime.date.today()}.\n\n{counts}\n\n"
            "Left out: pairs of bodies that overlap at the start and cannot touch each other.\n\n"
            "| robot | base | exit code | times real time | most contacts | unsolved | left out | why |\n"
            "|---|---|---|---|---|---|---|---|\n" + table + "\n")


if __name__ == "__main__":
    main()
