#!/usr/bin/env python3
"""Compiles every .cu file of the tree for CUDA devices, and every header of src/batch/cuda on its own.

tools/setup.sh cuda puts NVIDIA's compiler into .cuda/. Only tests that the code compiles: device code is hardly
optimized, which is three times as fast. Objects go to build/cuda, and build/cuda/unoptimized/libsinew_cuda.so is linked
for tests that load the library.

  tools/compile_cuda.py [--jobs N] [FILE...]
  tools/compile_cuda.py --library      build/cuda/libsinew_cuda.so, optimized, for all devices from A100 on
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# PTX for the oldest architecture, machine code for A100 (sm_80) and H100, H200 (sm_90).
FLAGS = ["-std=c++20", "-Ofc=max", "-Xcompiler", "-fPIC", "-gencode", "arch=compute_80,code=[sm_80,sm_90]",
         "-diag-suppress", "20013", "-Xptxas", "-suppress-stack-size-warning", "-Werror", "all-warnings", "-Iinclude", "-Isrc", "-Itests"]
# Machine code for A100, RTX 30 and 40, H100 and H200, B200, RTX 50; PTX for what comes after them.
DEVICES = [80, 86, 89, 90, 100, 120]
LIBRARY = "src/batch/cuda/library.cu"


def find_compiler():
    found = sorted(ROOT.glob(".cuda/lib/python3*/site-packages/nvidia/cu13/bin/nvcc"))
    if not found:
        sys.exit("compile_cuda: no compiler in .cuda/; run tools/setup.sh cuda")
    return found[0]


def list_sources():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", "*.cu", "*.cuh"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split()
    return [name for name in listed if (ROOT / name).exists()]


def object_of(name):
    return ROOT / "build/cuda" / (name.replace("/", "_") + ".o")


def compile_one(compiler, name):
    """Seconds and the compiler's output; a header is compiled as the only include of an empty file."""
    target = object_of(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    source = name
    if name.endswith(".cuh"):
        source = target.with_suffix(".cu")
        source.write_text(f'#include "{(ROOT / name).as_posix()}"\n')
    start = time.monotonic()
    done = subprocess.run([compiler, *FLAGS, "-c", source, "-o", target], cwd=ROOT, capture_output=True, text=True)
    return time.monotonic() - start, done.returncode, (done.stdout + done.stderr).strip()


def link_unoptimized(compiler):
    """The library of what was compiled for the test; its output, empty where all is well."""
    target = ROOT / "build/cuda/unoptimized/libsinew_cuda.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([compiler, "-shared", f"-L{compiler.parent.parent / 'lib'}", object_of(LIBRARY), "-o", target],
                          cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def build_library(compiler, jobs):
    """Of the kernels of DeviceSimulation; NVIDIA's runtime is inside, so that it loads without CUDA."""
    target = ROOT / "build/cuda/libsinew_cuda.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    codes = [flag for d in DEVICES for flag in ("-gencode", f"arch=compute_{d},code=sm_{d}")]
    codes += ["-gencode", f"arch=compute_{DEVICES[-1]},code=compute_{DEVICES[-1]}"]
    start = time.monotonic()
    done = subprocess.run([compiler, "-std=c++20", "-O3", "-shared", "-Xcompiler", "-fPIC,-fvisibility=hidden", *codes,
                           "--threads", str(jobs), "-diag-suppress", "20013", "-Iinclude", "-Isrc",
                           f"-L{compiler.parent.parent / 'lib'}", LIBRARY, "-o", target], cwd=ROOT)
    if done.returncode == 0:
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1e6:.1f} MB in {time.monotonic() - start:.0f} s")
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--library", action="store_true", help="build libsinew_cuda.so")
    parser.add_argument("files", nargs="*", help="only these (default: all)")
    args = parser.parse_args()
    if args.library:
        return build_library(find_compiler(), args.jobs)
    compiler, sources = find_compiler(), args.files or list_sources()
    start, failed = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {name: pool.submit(compile_one, compiler, name) for name in sources}
        for name, run in runs.items():
            seconds, code, said = run.result()
            print(f"{seconds:6.1f} s  {name}{'' if code == 0 else '  FAILED'}", flush=True)
            if said:
                print(said)
            failed += code != 0
    if LIBRARY in sources and not failed:
        if said := link_unoptimized(compiler):
            print(said)
            failed += 1
    print(f"compile_cuda: {len(sources)} files in {time.monotonic() - start:.0f} s, {failed} failed")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
