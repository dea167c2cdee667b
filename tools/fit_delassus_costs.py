#!/usr/bin/env python3
"""Fits the rates of src/delassus/cost.cpp for each algorithm: time = node * nodes + rate * operations + entry * rows^2.

  tools/fit_delassus_costs.py build/release/sinew_bench [--write]

Runs the benchmark Delassus/ (several robots, all algorithms), takes the least of eight rounds, and fits the three
numbers by least squares of the relative error, none below zero. Prints a table of predicted against measured times;
--write puts it into docs/delassus.md. Copy the numbers into cost.cpp by hand.
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
    """{algorithm: {scene: ((nodes, operations, rows^2), nanoseconds)}}, the least of eight rounds."""
    out = collections.defaultdict(dict)
    for _ in range(8):
        done = subprocess.run([binary, "--benchmark_filter=^Delassus/", "--benchmark_format=json",
                               "--benchmark_min_time=0.03"], capture_output=True, text=True, check=True)
        for b in json.loads(done.stdout)["benchmarks"]:
            _, scene, algorithm = b["name"].split("/")
            before = out[algorithm].get(scene, (None, float("inf")))[1]
            out[algorithm][scene] = ((b["nodes"], b["operations"], b["rows"] ** 2), min(before, b["cpu_time"]))
    return out


def solve(A, b):
    """Gaussian elimination of a small system; None where it is singular."""
    n, M = len(b), [[*row, x] for row, x in zip(A, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(M[i][k]))
        if abs(M[p][k]) < 1e-12:
            return None
        M[k], M[p] = M[p], M[k]
        for i in range(n):
            if i != k:
                M[i] = [x - M[i][k] / M[k][k] * y for x, y in zip(M[i], M[k])]
    return [M[i][n] / M[i][i] for i in range(n)]


def fit(points):
    """Rates >= 0 with the least sum of (1 - predicted / measured)^2: tries every choice of nonzero rates."""
    rows = [[x / t for x in terms] for terms, t in points]
    best = (float("inf"), None)
    for chosen in ((0, 1, 2), (0, 1), (1, 2), (0, 2), (0,), (1,), (2,)):
        A = [[sum(r[i] * r[j] for r in rows) for j in chosen] for i in chosen]
        x = solve(A, [sum(r[i] for r in rows) for i in chosen])
        if x is None or min(x) < 0:
            continue
        rates = [0.0] * 3
        for i, value in zip(chosen, x):
            rates[i] = value
        off = sum((1 - sum(a * b for a, b in zip(rates, r))) ** 2 for r in rows)
        best = min(best, (off, rates))
    return best[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    measured = measure(args.binary)
    scenes = list(next(iter(measured.values())))
    lines = [f"Fitted {datetime.date.today()}, {platform.processor() or platform.machine()}; measured / predicted time in microseconds:", "",
             "| algorithm | ns per node | ns per operation | ns per entry | " + " | ".join(scenes) + " |",
             "|---|---:|---:|---:|" + "---:|" * len(scenes)]
    for algorithm, values in measured.items():
        rates = fit(list(values.values()))
        cells = [f"{t / 1000:.2f} / {sum(a * b for a, b in zip(rates, x)) / 1000:.2f}"
                 for x, t in (values[s] for s in scenes)]
        lines.append(f"| `{algorithm}` | {rates[0]:.1f} | {rates[1]:.4f} | {rates[2]:.2f} | " + " | ".join(cells) + " |")
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
