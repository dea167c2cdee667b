#!/usr/bin/env python3
"""The compile-time budget, in seconds of the machine that the goals were set on.

  tools/check_build_times.py build/ci [--unit 12] [--total 600]

Reads .ninja_log, prints the ten slowest units and the sum. Wall-clock times of another, or a busy, machine lie, and
ccache hides what a unit costs. So a unit that looks too slow is compiled once more, alone and without ccache, and
judged by processor time; and all times are divided by how much longer than there a yardstick takes here: a small
program that is compiled alone (for units) and twice at once (for the sum, which is what a build on two cores does).
What is over the budget is named; what is over 1.5 times the budget fails, for machines change their speed by that much
from one minute to the next.
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
import time

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
ALONE, PAIR = 5.2, 6.4  # seconds that it took there: processor time alone, wall time of two at once


MOODS = 1.5


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


def measure_machine(compiler):
    """How much longer the yardstick takes here: alone, and two at once."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "yardstick.cpp"
        source.write_text(YARDSTICK)
        command = [compiler, "-std=c++20", "-O2", "-c", str(source), "-o"]
        alone = processor_seconds([*command, folder + "/one.o"])
        start = time.monotonic()
        both = [subprocess.Popen([*command, f"{folder}/{i}.o"]) for i in range(2)]
        if any(p.wait() != 0 for p in both):
            raise RuntimeError("the yardstick does not compile")
        return alone / ALONE, (time.monotonic() - start) / PAIR


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
    parser.add_argument("--total", type=float, default=600, help="seconds for a whole build on two cores")
    parser.add_argument("--compiler", default="c++", help="what the yardstick is compiled by")
    options = parser.parse_args()

    times = read_log(options.build)
    if not times:
        print(f"check_build_times: {options.build}/.ninja_log names no object that is there")
        return 1
    alone, pair = measure_machine(options.compiler)
    print(f"the yardstick takes {alone:.2f} times as long here as where the budget was set, {pair:.2f} times two at once")
    print(f"slowest translation units of {options.build} (wall seconds):")
    ranking = sorted(times.items(), key=lambda item: -item[1])
    for target, seconds in ranking[:10]:
        print(f"  {seconds:6.1f}  {target}")
    slow = []
    for target, seconds in ranking:
        if seconds <= options.unit * alone:
            break
        again = compile_again(options.build, target)
        took = (seconds if again is None else again) / alone
        if took > options.unit:
            print(f"  {target}: {took:.1f} s when compiled alone, the budget is {options.unit:g} s")
        if took > MOODS * options.unit:
            slow.append(target)
    total = sum(times.values()) / 2
    print(f"check_build_times: {len(times)} objects, {len(slow)} too slow; {total:.0f} s on two cores, "
          f"which are {total / pair:.0f} s of the budget's {options.total:g}")
    return 1 if slow or total > MOODS * options.total * pair else 0


if __name__ == "__main__":
    sys.exit(main())
