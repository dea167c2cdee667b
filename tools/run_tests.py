#!/usr/bin/env python3
"""Runs a GoogleTest program in shards, a few at once; names failed tests and counts all.

  tools/run_tests.py build/release/sinew_tests [--jobs N] [--filter Urdf*] [--timeout 900]

One process per test, as ctest does it, costs more time than most tests, above all under a sanitizer. Here sixteen
processes run all tests. If one crashes or hangs, the test that it was in is named; the tests of its shard that were
not run count as failed. The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

SHARDS = 16
MARK = re.compile(r"^\[ *(RUN|OK|FAILED|SKIPPED) *\] ([^\s,]+)(?:, where [^\n]*?)?(?: \(\d+ ms\))?$")


def run_shard(program, index, options):
    """Gives {test: "OK", "SKIPPED", "FAILED"} and the output of tests that failed."""
    env = {**os.environ, "GTEST_TOTAL_SHARDS": str(SHARDS), "GTEST_SHARD_INDEX": str(index)}
    command = [program, "--gtest_color=no", f"--gtest_filter={options.filter}"]
    try:
        run = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace", timeout=options.timeout)
        text, ending = run.stdout, f"exit status {run.returncode}"
    except subprocess.TimeoutExpired as e:
        text, ending = (e.stdout or b"").decode(errors="replace"), f"no end after {options.timeout} s"

    results, output, current = {}, [], None
    block = []
    for line in text.splitlines():
        mark = MARK.match(line)
        if mark and mark[1] == "RUN":
            current, block = mark[2], []
        if current:
            block.append(line)
        if mark and mark[1] != "RUN" and mark[2] == current:
            results[current] = mark[1]
            if mark[1] == "FAILED":
                output += block
            current = None
    if current:
        output += [*block, f"{current}: {ending}"]
        results[current] = "FAILED"
    elif not re.fullmatch("exit status [01]", ending):
        output.append(f"shard {index}: {ending} outside of any test")
    return results, output


def find_names(listing):
    """Tests in the text of --gtest_list_tests."""
    suite, names = "", []
    for line in listing.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return [name for name in names if "DISABLED_" not in name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="*", help="as --gtest_filter")
    parser.add_argument("--timeout", type=float, default=900, help="seconds per shard")
    options = parser.parse_args()

    results = {}
    listing = [options.program, "--gtest_list_tests", f"--gtest_filter={options.filter}"]
    planned = find_names(subprocess.run(listing, capture_output=True, text=True, check=True).stdout)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        shards = [pool.submit(run_shard, options.program, i, options) for i in range(SHARDS)]
        for shard in concurrent.futures.as_completed(shards):
            found, output = shard.result()
            results.update(found)
            if output:
                print("\n".join(output), flush=True)
    for name in planned:
        if name not in results:
            print(f"{name}: not run")
            results[name] = "FAILED"
    count = {kind: sorted(name for name, r in results.items() if r == kind) for kind in ("OK", "FAILED", "SKIPPED")}
    if count["SKIPPED"]:
        print(f"skipped: {len(count['SKIPPED'])}")
    for name in count["FAILED"]:
        print(f"FAILED {name}")
    print(f"{len(count['OK'])} passed, {len(count['FAILED'])} failed")
    return 1 if count["FAILED"] or not count["OK"] else 0


if __name__ == "__main__":
    sys.exit(main())
