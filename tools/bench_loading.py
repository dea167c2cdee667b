#!/usr/bin/env python3
"""Time from file to model: Sinew against Pinocchio (URDF) and MuJoCo (MJCF), in one run on the same files.

    .venv/bin/python tools/bench_loading.py build/native

Each side loads every file several times in one process; the table shows the best time of each.
"""
import json
import os
import subprocess
import sys
import time

import mujoco
import pinocchio

sys.path.insert(0, os.path.dirname(__file__))
import robots  # noqa: E402

LARGEST = 6  # files of each format


def best_of(load, repeats=7):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        load()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def sinew_times(bench, files):
    out = subprocess.run(
        [bench, "--benchmark_filter=^load/", "--benchmark_format=json", "--benchmark_min_time=0.05",
         "--benchmark_repetitions=5"],
        env={**os.environ, "SINEW_BENCH_FILES": ":".join(map(str, files))}, capture_output=True, text=True, check=True)
    best = {}
    for run in json.loads(out.stdout)["benchmarks"]:
        if run["run_type"] == "iteration" and "error_occurred" not in run:
            file = run["run_name"].removeprefix("load/")
            best[file] = min(best.get(file, 1e9), run["real_time"])
    return best


def largest(files, peer):
    """The files the peer loads, by its time."""
    loaded = []
    for f in files:
        try:
            loaded.append((best_of(lambda: peer(str(f)), 1), f))
        except Exception:  # the peer does not load it
            continue
    return [f for _, f in sorted(loaded, reverse=True)[:LARGEST]]


def main(bench):
    peers = [("Pinocchio", pinocchio.buildModelFromUrdf, robots.find_urdf()),
             ("MuJoCo", mujoco.MjModel.from_xml_path, robots.find_mjcf())]
    worst = {}
    for name, peer, files in peers:
        chosen = largest(files, peer)
        ours = sinew_times(bench, chosen)
        print(f"{'file':44} {'Sinew ms':>9} {name + ' ms':>13} {'ratio':>6}")
        for f in chosen:
            theirs = best_of(lambda: peer(str(f)))
            if str(f) not in ours:
                print(f"{f.name:44}   refused {theirs:13.2f}")
                continue
            ratio = theirs / ours[str(f)]
            worst[name] = min(worst.get(name, 1e9), ratio)
            print(f"{f.name:44} {ours[str(f)]:9.2f} {theirs:13.2f} {ratio:6.1f}")
        print()
    for name, ratio in worst.items():
        print(f"slowest case: {ratio:.1f} times as fast as {name}")


if __name__ == "__main__":
    main(os.path.join(sys.argv[1], "sinew_bench"))
