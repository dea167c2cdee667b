#!/usr/bin/env python3
"""Writes docs/diagnostics.md from the catalogue in src/base/code.cpp and the numbers in include/sinew/base/code.hpp.

  tools/make_diagnostics.py [--check]     --check: writes nothing, fails if the page is out of date
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/diagnostics.md"
SEVERITY = {"E": "error", "W": "warning", "N": "note"}
GROUPS = {1: "Files and XML", 2: "Physical laws", 3: "Graph and names", 4: "Joints, tendons, actuators", 5: "Not understood or not kept"}


def read_catalogue(root):
    """[(number, name, severity, law)] in order of number; SystemExit if the two sources disagree."""
    header = (root / "include/sinew/base/code.hpp").read_text(encoding="utf-8")
    table = (root / "src/base/code.cpp").read_text(encoding="utf-8")
    body = re.search(r"enum class Code\s*\{(.*?)\};", header, re.DOTALL)
    numbers = {name: int(number) for name, number in re.findall(r"(\w+)\s*=\s*(\d+)", body.group(1) if body else "")}
    rows = re.findall(r'SINEW_CODE\((\w+),\s*(\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', table)
    names = [name for name, _, _ in rows]
    if not rows or sorted(names) != sorted(numbers):
        odd = sorted(set(names) ^ set(numbers)) or "entries that occur twice, or none at all"
        sys.exit(f"make_diagnostics: code.hpp and code.cpp do not list the same codes: {odd}")
    unknown = sorted({severity for _, severity, _ in rows} - set(SEVERITY))
    if unknown:
        sys.exit(f"make_diagnostics: unknown severity {', '.join(unknown)}")
    unquote = lambda law: "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', law)).replace('\\"', '"')
    return sorted((numbers[name], name, SEVERITY[severity], unquote(law)) for name, severity, law in rows)


def make_page(catalogue):
    lines = ["# Diagnostics", "",
             "Made by `make docs` from `src/base/code.cpp`; do not edit.", "",
             "A loader or builder that refuses, repairs or passes over something says so with one of these codes. Each",
             "diagnostic also names the file, the line, the element, the value found and a repair. A code never changes",
             "its meaning. With `--strict` (in C++: the `strict` option) every warning is an error."]
    group = None
    for number, name, severity, law in catalogue:
        if number // 100 != group:
            group = number // 100
            lines += ["", f"## S{group}xx: {GROUPS[group]}", "", "| code | name | severity | what must hold |",
                      "|---|---|---|---|"]
        lines.append(f"| S{number} | `{name}` | {severity} | {law.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def main():
    page, text = ROOT / PAGE, make_page(read_catalogue(ROOT))
    if "--check" in sys.argv[1:]:
        current = page.is_file() and page.read_text(encoding="utf-8") == text
        print(f"make_diagnostics: {PAGE} is " + ("up to date" if current else "out of date, run `make docs`"))
        return 0 if current else 1
    page.parent.mkdir(exist_ok=True)
    page.write_text(text, encoding="utf-8")
    print(f"make_diagnostics: wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
