#!/usr/bin/env python3
"""The compile-time budget: no translation unit above 10 s, a whole build under 6 minutes on two cores.

  tools/check_build_times.py build/ci [--unit 10] [--total 360]

Reads .ninja_log, prints the ten slowest and the sum. Wall-clock times of a busy machine lie, and ccache hides what a
unit costs, so a unit that looks too slow is compiled once more, alone and without ccache, and judged by processor
time.
"""

import argparse
import json
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile


def read_log(build):
    """{object: wall seconds} of the last time that each object was compiled."""
    times = {}
    for line in (build / ".ninja_log").read_text().splitlines():
        fields = line.split("\t")
        if len(fields) >= 4 and fields[3].endswith((".o", ".gch")):
            times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return {target: t for target, t in times.items() if (build / target).exists()}


def compile_again(build, target):
    """Processor seconds of compiling one object, or None if it is not in the compile database."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if "-o" not in words or words[words.index("-o") + 1] != target:
            continue
        with tempfile.TemporaryDirectory() as folder:
            words[words.index("-o") + 1] = os.path.join(folder, "unit.o")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(words, cwd=entry["directory"], check=True, env={**os.environ, "CCACHE_DISABLE": "1"},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder")
    parser.add_argument("--unit", type=float, default=10, help="seconds for one translation unit")
    parser.add_argument("--total", type=float, default=360, help="seconds for a whole build on two cores")
    options = parser.parse_args()

    times = read_log(options.build)
    if not times:
        print(f"check_build_times: {options.build}/.ninja_log names no object that is there")
        return 1
    print(f"slowest translation units of {options.build} (wall seconds):")
    ranking = sorted(times.items(), key=lambda item: -item[1])
    for target, seconds in ranking[:10]:
        print(f"  {seconds:6.1f}  {target}")
    slow = []
    for target, seconds in ranking:
        if seconds <= options.unit:
            break
        again = compile_again(options.build, target)
        if again is not None:
            times[target] = again
        if again is None or again > options.unit:
            slow.append(target)
            print(f"  {target}: {times[target]:.1f} s of processor time when compiled alone, {options.unit:g} s allowed")
    total = sum(times.values()) / 2
    print(f"check_build_times: {len(times)} objects, {len(slow)} too slow; {total:.0f} s on two cores, "
          f"{options.total:g} s allowed")
    return 1 if slow or total > options.total else 0


if __name__ == "__main__":
    sys.exit(main())
