#!/usr/bin/env python3
"""Runs clang-tidy over the translation units of compile_commands.json; the checks are those of .clang-tidy.

  tools/run_tidy.py [--database build/lint] [--jobs N] [--tests] [FILE...]

Checks the library and the command, algorithms in double only (src/base/scalar_pass.hpp). With --tests also tests and
benchmarks, which take three times as long.

A unit without complaints is not checked again until it, a header of Sinew that it includes, .clang-tidy or the tool
changes.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import time

import stamps

TIDY = str(stamps.ROOT / ".tidy/bin/clang-tidy")  # tools/setup.sh lint


def dependencies(entry):
    """Files of Sinew that the unit includes (system headers are covered by the tool's version)."""
    words = shlex.split(entry["command"])
    del words[words.index("-o"):words.index("-o") + 2]
    words.remove("-c")
    run = subprocess.run([*words, "-MM"], cwd=entry["directory"], capture_output=True, text=True)
    return stamps.read_depfile(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="build/lint", help="folder of compile_commands.json")
    parser.add_argument("--jobs", type=int, help="clang-tidy runs at a time")
    parser.add_argument("--tests", action="store_true", help="tests and benchmarks too")
    parser.add_argument("files", nargs="*", help="only these (default: all)")
    options = parser.parse_args()

    folder = (stamps.ROOT / options.database).resolve()
    # A file that is compiled in several passes (src/base/scalar_pass.hpp) is checked once, as in the first pass.
    entries = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        entries.setdefault(entry["file"], entry)
    database = folder / "tidy"
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(list(entries.values())))
    if options.files:
        wanted = {str(pathlib.Path(f).resolve()) for f in options.files}
        entries = {f: e for f, e in entries.items() if f in wanted}
    elif not options.tests:
        ours = (stamps.ROOT / "src", stamps.ROOT / "apps")
        entries = {f: e for f, e in entries.items() if any(pathlib.Path(f).is_relative_to(o) for o in ours)}
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    # With a configuration that it cannot read, clang-tidy runs no checks and returns exit status 0.
    verdict = subprocess.run([TIDY, "--verify-config"], cwd=stamps.ROOT, capture_output=True, text=True)
    if verdict.returncode != 0 or "No config errors detected" not in verdict.stdout:
        print(f"run_tidy: .clang-tidy cannot be read:\n{verdict.stdout}{verdict.stderr}")
        return 1
    seen = stamps.Stamps(folder / "tidy", [version, stamps.file_hash(stamps.ROOT / ".clang-tidy")])

    def check(file):
        start = time.monotonic()
        run = subprocess.run([TIDY, "-p", str(database), "--quiet", "--use-color=0",
                              "--extra-arg=-DSINEW_ONE_REAL", file],
                             capture_output=True, text=True)
        took = time.monotonic() - start
        if run.returncode == 0 and not run.stdout.strip():
            seen.set_good(file, [file, *dependencies(entries[file])], entries[file]["command"])
            if took > 60:
                print(f"run_tidy: {file} took {took:.0f} s", flush=True)
            return ""
        return run.stdout + (run.stderr if run.returncode != 0 and not run.stdout.strip() else "")

    todo = [file for file, entry in entries.items() if not seen.is_good(file, entry["command"])]
    failures = stamps.run_all(check, todo, options.jobs)
    print(f"run_tidy: {len(entries)} translation units, {len(todo)} read, {failures} with complaints")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
