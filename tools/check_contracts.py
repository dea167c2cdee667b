#!/usr/bin/env python3
"""Checks that a public header states its contract.

1. Its first line names it and says what it is: "// sinew/tree/aba.hpp - forward dynamics by ...".
2. Fields of a struct whose name ends in Workspace say what they hold: numbers and containers by a comment, on the
   same line or the line above; others, such as `CrbaWorkspace<T> crba`, by their type.
"""

import pathlib
import re
import sys

START = re.compile(r"^struct (\w*Workspace)\b[^;]*\{")
FIELD = re.compile(r"^  (std::|(bool|char|double|int|T)\b)[^()]*;")


def check_first_line(text, name):
    first = text.partition("\n")[0]
    if not first.startswith(f"// {name} - "):
        yield f"{name}:1: the first line must be '// {name} - ' and what it is"


def check_fields(text, name):
    inside, before = None, ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := START.match(line):
            inside = match.group(1)
        elif line.startswith("};") or line.startswith(" private:"):
            inside = None
        elif inside and FIELD.match(line) and "//" not in line and not before.lstrip().startswith("//"):
            yield f"{name}:{number}: {inside}: '{line.strip()}' needs a comment that says what it holds"
        before = line


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "include"
    headers = sorted((root / "sinew").rglob("*.hpp"))
    complaints = []
    for header in headers:
        name, text = header.relative_to(root).as_posix(), header.read_text(encoding="utf-8")
        complaints += [*check_first_line(text, name), *check_fields(text, name)]
    print("\n".join(complaints + [f"check_contracts: {len(headers)} headers, {len(complaints)} complaints"]))
    return 1 if complaints or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
