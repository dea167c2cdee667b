#!/usr/bin/env python3
"""Checks the compile-time budget, in seconds of the reference machine.

  tools/check_build_times.py build/ci --during cmake --build build/ci     builds, and measures the machine's speed
  tools/check_build_times.py build/ci [--unit 12] [--total 360]           checks the last build

Reads .ninja_log, prints the ten slowest units and the sum. Machines differ in speed, and a busy one changes from minute
to minute. So a small program, the yardstick, is compiled every minute of a build, and the sum is divided by the ratio
of its mean time to that on the reference machine. ccache hides the cost of a unit, and other jobs make it look slow:
a unit that seems to take more than 1.5 times the budget is compiled once more, alone and without ccache, between two
yardsticks, and judged by processor time. 1.5 times the budget fails.
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
import threading

YARDSTICK = """
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>
int main(int n, char** words) {
  std::map<std::string, std::vector<std::function<bool(const std::string&)>>> rules;
  for (int i = 1; i < n; ++i)
    rules[words[i]].push_back([r = std::regex(words[i])](const std::string& s) { return std::regex_match(s, r); });
  std::vector<std::string> names(words, words + n);
  std::sort(names.begin(), names.end());
  return static_cast<int>(std::count_if(names.begin(), names.end(), [&](const auto& s) { return rules[s][0](s); }));
}
"""
# Processor seconds of the yardstick on the reference machine: alone, and next to another compiler on two cores.
ALONE, BUSY = 5.2, 6.4
FIRST, EVERY = 20, 60  # seconds of a build before the first yardstick, and between two
TOLERATED = 1.5  # times the budget: more fails
YARDSTICKS = "yardsticks.json"


def read_log(build):
    """{object: wall seconds} of the last time that each object was compiled."""
    times = {}
    for line in (build / ".ninja_log").read_text().splitlines():
        fields = line.split("\t")
        if len(fields) >= 4 and fields[3].endswith((".o", ".gch")):
            times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return {target: t for target, t in times.items() if (build / target).exists()}


def processor_seconds(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, "CCACHE_DISABLE": "1"}, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_yardstick(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "yardstick.cpp")
        source.write_text(YARDSTICK)
        words = [compiler, "-std=c++20", "-O2", "-c", str(source), "-o", folder + "/yardstick.o"]
        # Timed by a shell: getrusage would also count the compilers of the build.
        run = subprocess.run(["bash", "-c", 'TIMEFORMAT="%U %S"; time "$@"', "yardstick", *words], check=True,
                             capture_output=True, text=True, env={**os.environ, "CCACHE_DISABLE": "1", "LC_ALL": "C"})
        return sum(map(float, run.stderr.split()[-2:]))


def build_and_watch(build, command, compiler):
    """Runs the command; compiles the yardstick at intervals and stores its times."""
    seen, done = [], threading.Event()

    def watch():
        wait = FIRST
        while not done.wait(wait):
            seen.append(measure_yardstick(compiler))
            wait = EVERY

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = subprocess.run(command).returncode
    done.set()
    watcher.join()
    if seen:
        (build / YARDSTICKS).write_text(json.dumps(seen))
    return status


def find_slowness(build, compiler):
    """Mean time of the yardstick during the build, or its time now, relative to the reference machine."""
    try:
        seen = json.loads((build / YARDSTICKS).read_text())
        print(f"{len(seen)} yardsticks during the build:", *(f"{t:.1f}" for t in seen), "s")
        return sum(seen) / len(seen) / BUSY
    except FileNotFoundError:
        took = measure_yardstick(compiler)
        print(f"no yardstick was taken during the build; now it takes {took:.1f} s")
        return took / ALONE


def compile_again(build, target):
    """Processor seconds of compiling one object, or None if it is not in the compile database."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if "-o" not in words or words[words.index("-o") + 1] != target:
            continue
        with tempfile.TemporaryDirectory() as folder:
            words[words.index("-o") + 1] = os.path.join(folder, "unit.o")
            return processor_seconds(words, cwd=entry["directory"])
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder")
    parser.add_argument("--unit", type=float, default=12, help="seconds for one translation unit")
    parser.add_argument("--total", type=float, default=360, help="seconds for a whole build on two cores")
    parser.add_argument("--compiler", default="c++", help="compiler of the yardstick")
    parser.add_argument("--during", nargs=argparse.REMAINDER, help="the build command")
    options = parser.parse_args()
    if options.during:
        return build_and_watch(options.build, options.during, options.compiler)

    times = read_log(options.build)
    if not times:
        print(f"check_build_times: {options.build}/.ninja_log lists no object that exists; build first")
        return 1
    slowness = find_slowness(options.build, options.compiler)
    print(f"the machine was {slowness:.2f} times as slow as the reference machine")
    print(f"slowest translation units of {options.build} (wall seconds):")
    ranking = sorted(times.items(), key=lambda item: -item[1])
    for target, seconds in ranking[:10]:
        print(f"  {seconds:6.1f}  {target}")
    slow = []
    for target, seconds in ranking:
        if seconds <= TOLERATED * options.unit * slowness:  # what cannot fail is not worth the time
            break
        before = measure_yardstick(options.compiler)
        again = compile_again(options.build, target)
        alone = (before + measure_yardstick(options.compiler)) / 2 / ALONE
        took = seconds / slowness if again is None else again / alone
        if took > options.unit:
            print(f"  {target}: {took:.1f} s when compiled alone, the budget is {options.unit:g} s")
        if took > TOLERATED * options.unit:
            slow.append(target)
    total = sum(times.values()) / 2
    print(f"check_build_times: {len(times)} objects, {len(slow)} too slow; {total:.0f} s on two cores, "
          f"{total / slowness:.0f} s on the reference machine, the budget is {options.total:g} s")
    return 1 if slow or total > TOLERATED * options.total * slowness else 0


if __name__ == "__main__":
    sys.exit(main())
