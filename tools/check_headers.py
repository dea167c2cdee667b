#!/usr/bin/env python3
"""Each header under include/ compiles as the only include of a file, with Clang. (GCC sees them in the build.)

A header that another one includes before anything else is compiled with that one: there too nothing stands before it. A
header that compiled is not compiled again until it, or a header of Sinew that it includes, changes.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import stamps

COMPILER = "clang++-16"
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Wshadow", "-Werror",
         "-x", "c++"]


def find_first(header):
    """The header of Sinew that this one includes before anything else, by its name; "" if there is none."""
    first = re.search(r'^\s*#\s*include\s+(\S+)', header.read_text(encoding="utf-8"), re.M)
    return first[1].strip('"') if first and first[1].startswith('"') else ""


def main():
    include = stamps.ROOT / "include"
    headers = sorted(include.rglob("*.hpp"))
    if not shutil.which(COMPILER) or not headers:
        print(f"check_headers: missing {'headers under include/' if shutil.which(COMPILER) else COMPILER}")
        return 1
    version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True).stdout
    seen = stamps.Stamps(stamps.ROOT / "build/stamps/headers", [version, FLAGS])
    # sinew/eigen.hpp needs Eigen, which may be missing.
    system = ["-isystem", "/usr/include/eigen3"]

    def check(header):
        name = header.relative_to(include).as_posix()
        source = f'#include "{name}"\n'
        with tempfile.TemporaryDirectory() as folder:
            deps = pathlib.Path(folder, "deps")
            command = [COMPILER, *FLAGS, "-MMD", "-MF", str(deps), "-I", str(include), *system, "-"]
            run = subprocess.run(command, input=source, capture_output=True, text=True)
            if run.returncode != 0:
                return f"{name} does not compile alone\n{run.stderr}"
            seen.set_good(name, [header, *(f for f in stamps.read_depfile(deps.read_text()) if f != "-")])
        return ""

    behind = {find_first(h) for h in headers}
    leading = [h for h in headers if h.relative_to(include).as_posix() not in behind]
    todo = [h for h in leading if not seen.is_good(h.relative_to(include).as_posix())]
    failures = stamps.run_all(check, todo)
    print(f"check_headers: {len(headers)} headers, {len(headers) - len(leading)} of them first in another one, {len(todo)} "
          f"compiled alone, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
