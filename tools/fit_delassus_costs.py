#!/usr/bin/env python3
"""Fits the cost lines of src/delassus/cost.cpp: time = start + rate * operations, for each Delassus algorithm.

  tools/fit_delassus_costs.py build/release/sinew_bench [--write]

Runs the benchmark Delassus/ (several robots, all algorithms), takes the least of three rounds, and fits the two numbers by
least squares of the relative error, neither below zero. Prints a table of predicted against measured times, and with
--write puts it into docs/delassus.md. The numbers themselves are copied into cost.cpp by hand.
"""

import argparse
import collections
import datetime
import json
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def measure(binary):
    """{algorithm: {scene: (operations, nanoseconds)}}, the least of three rounds."""
    out = collections.defaultdict(dict)
    for _ in range(3):
        done = subprocess.run([binary, "--benchmark_filter=^Delassus/", "--benchmark_format=json",
                               "--benchmark_min_time=0.1"], capture_output=True, text=True, check=True)
        for b in json.loads(done.stdout)["benchmarks"]:
            _, scene, algorithm = b["name"].split("/")
            before = out[algorithm].get(scene, (0, float("inf")))[1]
            out[algorithm][scene] = (b["operations"], min(before, b["cpu_time"]))
    return out


def fit(points):
    """start, rate >= 0 with the least sum of (1 - predicted / measured)^2."""
    a = [(1 / t, n / t) for n, t in points]
    sxx, sxy, syy = (sum(p[i] * p[j] for p in a) for i, j in ((0, 0), (0, 1), (1, 1)))
    bx, by = sum(p[0] for p in a), sum(p[1] for p in a)
    det = sxx * syy - sxy * sxy
    start, rate = (bx * syy - by * sxy) / det, (by * sxx - bx * sxy) / det
    if start < 0:
        start, rate = 0, by / syy
    return start, rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    measured = measure(args.binary)
    scenes = list(next(iter(measured.values())))
    lines = [f"Fitted {datetime.date.today()}, {platform.processor() or platform.machine()}; measured / predicted time in microseconds:", "",
             "| algorithm | start [ns] | rate [ns an operation] | " + " | ".join(scenes) + " |",
             "|---|---:|---:|" + "---:|" * len(scenes)]
    for algorithm, values in measured.items():
        start, rate = fit(list(values.values()))
        cells = [f"{t / 1000:.2f} / {(start + rate * n) / 1000:.2f}" for n, t in (values[s] for s in scenes)]
        lines.append(f"| `{algorithm}` | {start:.0f} | {rate:.3f} | " + " | ".join(cells) + " |")
    print("\n".join(lines))
    best = {s: min(measured, key=lambda a: measured[a][s][1]) for s in scenes}
    print("\nfastest as measured:", ", ".join(f"{s}: {a}" for s, a in best.items()))
    if args.write:
        page = ROOT / "docs" / "delassus.md"
        text = page.read_text()
        begin, end = "<!-- begin costs -->", "<!-- end costs -->"
        head, tail = text.split(begin)[0], text.split(end)[1]
        page.write_text(head + begin + "\n" + "\n".join(lines) + "\n" + end + tail)


if __name__ == "__main__":
    main()
