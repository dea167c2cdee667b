#!/usr/bin/env python3
"""Each header under include/ compiles as the only include of a file, with Clang, and with GCC too where no source
includes it first (the build sees the others).

A header that compiled is not compiled again until it, or a header of Sinew that it includes, changes.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import stamps

COMPILERS = ["clang++-16", "g++"]
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Wshadow", "-Werror",
         "-x", "c++"]


def first_include(source):
    """The header of Sinew that a source includes first; None if it is another."""
    for line in source.read_text().splitlines():
        if line.strip() and not line.lstrip().startswith("//"):
            found = re.match(r'#include "(sinew/[^"]+)"', line)
            return found and found[1]
    return None


def main():
    include = stamps.ROOT / "include"
    headers = sorted(include.rglob("*.hpp"))
    built = {first_include(source) for source in (stamps.ROOT / "src").rglob("*.cpp")}
    missing = [compiler for compiler in COMPILERS if not shutil.which(compiler)]
    if missing or not headers:
        print(f"check_headers: missing {', '.join(missing) or 'headers under include/'}")
        return 1
    versions = [subprocess.run([c, "--version"], capture_output=True, text=True).stdout for c in COMPILERS]
    seen = stamps.Stamps(stamps.ROOT / "build/stamps/headers", [versions, FLAGS])
    # sinew/eigen.hpp needs Eigen, which may be missing.
    system = ["-isystem", "/usr/include/eigen3"]

    def check(header):
        name = header.relative_to(include).as_posix()
        source = f'#include "{name}"\n'
        complaints, files = "", []
        for compiler in COMPILERS[:1] if name in built else COMPILERS:
            with tempfile.TemporaryDirectory() as folder:
                deps = pathlib.Path(folder, "deps")
                command = [compiler, *FLAGS, "-MMD", "-MF", str(deps), "-I", str(include), *system, "-"]
                run = subprocess.run(command, input=source, capture_output=True, text=True)
                if run.returncode == 0:
                    files += [f for f in stamps.read_depfile(deps.read_text()) if f != "-"]
                else:
                    complaints += f"{compiler}: {name} does not compile alone\n{run.stderr}"
        if not complaints:
            seen.set_good(name, [header, *files])
        return complaints

    todo = [h for h in headers if not seen.is_good(h.relative_to(include).as_posix())]
    failures = stamps.run_all(check, todo)
    print(f"check_headers: {len(headers)} headers, {len(todo)} compiled alone, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
