#!/usr/bin/env python3
"""Runs clang-tidy over the translation units of compile_commands.json; the checks are those of .clang-tidy.

  tools/run_tidy.py [--database build/lint] [--jobs N] [--tests] [--alone] [FILE...]

Checks the library and the command, algorithms in double only (src/base/scalar_pass.hpp). With --tests also tests and
benchmarks, which take three times as long. Small files of a folder are read together, in the units of
cmake/SinewUnity.cmake, for most of the time goes into headers; --alone reads each file by itself, and so finds a file
that includes too little to be compiled alone.

A unit without complaints is not checked again until it, a header of Sinew that it includes, .clang-tidy or the tool
changes.
"""

import argparse
import json
import pathlib
import re
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


def find_sources(unit):
    """The files of Sinew that a unit consists of."""
    text = pathlib.Path(unit).read_text() if unit.endswith(".cxx") else ""
    return re.findall(r'^#include "(.+\.cpp)"$', text, re.M) or [unit]


def is_below(file, *folders):
    return any(pathlib.Path(file).is_relative_to(stamps.ROOT / folder) for folder in folders)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="build/lint", help="folder of compile_commands.json")
    parser.add_argument("--jobs", type=int, help="clang-tidy runs at a time")
    parser.add_argument("--tests", action="store_true", help="tests and benchmarks too")
    parser.add_argument("--alone", action="store_true", help="each file by itself")
    parser.add_argument("files", nargs="*", help="only these, or the units that they are in (default: all)")
    options = parser.parse_args()

    folder = (stamps.ROOT / options.database).resolve()
    # A file that is compiled in several passes (src/base/scalar_pass.hpp) is checked once, as in the first pass.
    entries = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        if re.search(r"sinew_(packs|checks)\.dir/", entry["command"]):
            continue
        unit = entry["file"]
        for file in find_sources(unit) if options.alone else [unit]:
            entries.setdefault(file, {**entry, "file": file, "command": entry["command"].replace(unit, file)})
    database = folder / "tidy"
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(list(entries.values())))
    if options.files:
        wanted = {str(pathlib.Path(f).resolve()) for f in options.files}
        entries = {f: e for f, e in entries.items() if wanted.intersection(find_sources(f))}
    elif not options.tests:
        entries = {f: e for f, e in entries.items() if is_below(find_sources(f)[0], "src", "apps")}
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    # With a configuration that it cannot read, clang-tidy runs no checks and returns exit status 0.
    verdict = subprocess.run([TIDY, "--verify-config"], cwd=stamps.ROOT, capture_output=True, text=True)
    if verdict.returncode != 0 or "No config errors detected" not in verdict.stdout:
        print(f"run_tidy: .clang-tidy cannot be read:\n{verdict.stdout}{verdict.stderr}")
        return 1
    seen = stamps.Stamps(folder / "tidy", [version, stamps.file_hash(stamps.ROOT / ".clang-tidy")])

    def check(file):
        start = time.monotonic()
        # A unit includes sources: that is what it is for.
        run = subprocess.run([TIDY, "-p", str(database), "--quiet", "--use-color=0",
                              "--checks=-bugprone-suspicious-include", "--extra-arg=-DSINEW_ONE_REAL", file],
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
    sources = sum(len(find_sources(f)) for f in entries)
    print(f"run_tidy: {sources} files in {len(entries)} units, {len(todo)} units read, {failures} with complaints")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
