#!/usr/bin/env python3
"""Solves the thousand contact problems of tests/support/friction_problems.hpp with Siconos and with Sinew.

    tools/bench_siconos.py [--build build/release] [-- options of the program]

Compiles bench/peers/siconos/contacts.cpp against a built libsinew.a and Debian's libsiconos-numerics-dev, and runs it
on one thread. docs/lcp.md says how to read the table. Exit code 3: something that the comparison needs is missing.
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SICONOS = pathlib.Path("/usr/include/siconos")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", help="build folder with libsinew.a")
    parser.add_argument("rest", nargs="*", help="--first N --count N --tolerance E --blocks 0|1, after --")
    arguments = parser.parse_args()
    library = ROOT / arguments.build / "libsinew.a"
    if not (SICONOS / "numerics/Friction_cst.h").exists():
        print("bench_siconos: Siconos is not installed: apt-get install libsiconos-numerics-dev", file=sys.stderr)
        return 3
    if not library.exists():
        print(f"bench_siconos: {library} does not exist: run `make build`", file=sys.stderr)
        return 3
    program = library.parent / "siconos_contacts"
    includes = [ROOT / "include", ROOT / "tests", SICONOS / "numerics", SICONOS, "/usr/include/suitesparse"]
    subprocess.run(["c++", "-std=c++20", "-O3", "-DNDEBUG", *(f"-I{i}" for i in includes),
                    ROOT / "bench/peers/siconos/contacts.cpp", ROOT / "tests/support/friction_problems.cpp", library,
                    "-lsiconos_numerics", "-o", program], check=True)
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run([program, *arguments.rest], env={**os.environ, **one_thread}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
