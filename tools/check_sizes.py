#!/usr/bin/env python3
"""Lists long files: headers over 200 lines, other sources over 500. Only warns; review decides."""

import pathlib
import sys

LIMITS = {".hpp": 200, ".h": 200, ".cuh": 200, ".cpp": 500, ".cu": 500, ".py": 500, ".ts": 500}
FOLDERS = ["include", "src", "apps", "tests", "bench", "tools", "python", "viewer"]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    long_files = []
    for file in (f for folder in FOLDERS for f in (root / folder).rglob("*") if f.suffix in LIMITS):
        if "node_modules" in file.parts:
            continue
        lines = len(file.read_text(encoding="utf-8", errors="replace").splitlines())
        if lines > LIMITS[file.suffix]:
            long_files.append((lines, file.relative_to(root)))
    for lines, file in sorted(long_files, reverse=True):
        print(f"warning: {file} has {lines} lines; the limit for review is {LIMITS[file.suffix]}")
    print(f"check_sizes: {len(long_files)} long files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
