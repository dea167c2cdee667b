#!/usr/bin/env python3
"""Compares two builds of sinew_bench, for example before and after a change.

    tools/bench_two_builds.py OLD/sinew_bench NEW/sinew_bench [--filter 'Tree|Delassus'] [--rounds 25] [--json]

A shared machine changes its speed from one second to the next. So the two programs take turns in many short rounds,
and the fastest round of each benchmark counts. Prints new / old: the geometric mean, and the extremes.
"""
import argparse
import json
import math
import subprocess
import sys


def run_once(program, pattern):
    """{benchmark: processor time} of one short run."""
    words = [program, f"--benchmark_filter={pattern}", "--benchmark_min_time=0.002", "--benchmark_format=json"]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return {b["name"]: b["cpu_time"] for b in json.loads(out)["benchmarks"] if "cpu_time" in b}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--filter", default=".", help="benchmarks, a regular expression")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    best = {options.old: {}, options.new: {}}
    for k in range(options.rounds):
        for program in (options.old, options.new)[:: 1 if k % 2 else -1]:
            for name, took in run_once(program, options.filter).items():
                best[program][name] = min(took, best[program].get(name, math.inf))
    old, new = best[options.old], best[options.new]
    ratio = {name: new[name] / old[name] for name in new if old.get(name)}
    if not ratio:
        print(f"bench_two_builds: no benchmark in both programs matches '{options.filter}'", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(ratio, indent=1))
        return 0
    mean = math.exp(sum(map(math.log, ratio.values())) / len(ratio))
    print(f"{len(ratio)} benchmarks, new / old: geometric mean {mean:.3f}")
    ranking = sorted(ratio, key=ratio.get)
    for name in ranking if len(ranking) < 20 else ranking[:5] + ranking[-10:]:
        print(f"  {ratio[name]:.3f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
