#!/usr/bin/env python3
"""Checks the compile-time budget, in seconds of the reference machine.

  tools/check_build_times.py build/ci --during cmake --build build/ci     builds, and measures the machine's speed
  tools/check_build_times.py build/ci [--unit 12] [--total 360]           checks the last build

Reads what tools/time_compiler.sh noted in a build of preset ci: processor seconds of each object. Prints the ten slowest
and the sum. Machines differ in speed, and a busy one changes from minute to minute. So a small program, the yardstick, is
compiled every minute of a build, and times are divided by the ratio of its mean time to that on the reference machine.
1.5 times the budget of the whole build fails, and twice that of a unit: next to another compiler a large unit takes up to
a third longer than alone, and more so on machines with small caches than the yardstick does.
"""

import argparse
import json
import os
import pathlib
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
BUSY = 6.4  # processor seconds of the yardstick on the reference machine, next to another compiler on two cores
FIRST, EVERY = 20, 60  # seconds of a build before the first yardstick, and between two
TOLERATED, TOLERATED_UNIT = 1.5, 2.0  # times the budget: more fails
YARDSTICKS, SECONDS = "yardsticks.json", "compile_seconds.txt"


def read_seconds(build):
    """{object: processor seconds} of the last time that each object was compiled."""
    times = {}
    if (build / SECONDS).exists():
        for line in (build / SECONDS).read_text().splitlines():
            user, system, target = line.split(" ", 2)
            times[target] = float(user) + float(system)
    return {target: t for target, t in times.items() if (build / target).exists()}


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
    if (build / YARDSTICKS).exists():
        seen = json.loads((build / YARDSTICKS).read_text())
        print(f"{len(seen)} yardsticks during the build:", *(f"{t:.1f}" for t in seen), "s")
    else:
        seen = [measure_yardstick(compiler)]
        print(f"no yardstick was taken during the build; now it takes {seen[0]:.1f} s")
    return sum(seen) / len(seen) / BUSY


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

    times = read_seconds(options.build)
    if not times:
        print(f"check_build_times: no compiler's time is noted in {options.build}/{SECONDS}; make build PRESET=ci")
        return 1
    slowness = find_slowness(options.build, options.compiler)
    print(f"the machine was {slowness:.2f} times as slow as the reference machine")
    print(f"slowest translation units of {options.build}, in processor seconds here and there:")
    ranking = sorted(((t, t / slowness, target) for target, t in times.items()), reverse=True)
    for seconds, scaled, target in ranking[:10]:
        print(f"  {seconds:6.1f} {scaled:6.1f}  {target}")
    slow = [target for _, scaled, target in ranking if scaled > TOLERATED_UNIT * options.unit]
    for target in slow:
        print(f"  {target}: more than {TOLERATED_UNIT} times the budget of {options.unit:g} s")
    total = sum(times.values()) / 2
    print(f"check_build_times: {len(times)} objects, {len(slow)} too slow; {total:.0f} s on two cores, "
          f"{total / slowness:.0f} s on the reference machine, the budget is {options.total:g} s")
    return 1 if slow or total > TOLERATED * options.total * slowness else 0


if __name__ == "__main__":
    sys.exit(main())
