#!/usr/bin/env python3
"""Folder order is dependency order: a file includes only from its own folder and from earlier ones.

Holds for include/sinew/<folder> and src/<folder>. Headers directly in include/sinew (umbrellas, sinew/eigen.hpp) may
include any folder and are included by none. Public headers include only the standard library and Sinew, and no
Eigen, iostream or regex; those of base/ and spatial/ no functional or map either. The one exception is
sinew/eigen.hpp, which exists to adapt Eigen. In src/ only linear/ sees Eigen: it costs seconds per file to
compile. A public header begins with #pragma once, and includes nothing from src/.
"""

import pathlib
import re
import sys

ORDER = ["base", "linear", "spatial", "joint", "model", "sweep", "tree", "derivative", "operators", "delassus",
         "constraint", "lcp", "contact", "sim", "generate", "io", "batch"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
HEAVY = {"iostream", "regex"}
HEAVY_AT_THE_BOTTOM = {"functional", "map"}
ADAPTERS = {"eigen.hpp"}
SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}


def check_file(path, root):
    """Complaints about one file, each 'path:line: text'."""
    relative = path.relative_to(root)
    public = relative.parts[0] == "include"
    inside = relative.parts[2:] if public else relative.parts[1:]
    folder = inside[0] if len(inside) > 1 else None
    complaints = []

    def complain(line, text):
        complaints.append(f"{relative}:{line}: {text}")

    if folder is not None and folder not in ORDER:
        complain(1, f"folder '{folder}' is not in the order of folders; add it to ORDER: {' '.join(ORDER)}")
        return complaints
    if folder is None and not public:
        complain(1, "a source belongs in a folder of src/")
    text = path.read_text(encoding="utf-8")
    if path.suffix in {".hpp", ".h", ".cuh"} and "#pragma once" not in text:
        complain(1, "a header must have #pragma once")

    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, name = match.groups()
        parts = pathlib.PurePosixPath(name).parts
        if ".." in parts:
            complain(number, f'"{name}": includes are written from include/ or src/, not with ..')
            continue
        if parts[0] == "sinew":
            target = parts[1] if len(parts) > 2 else None
            if bracket == "<":
                complain(number, f"<{name}>: include headers of Sinew with quotes")
            if not (root / "include" / name).is_file():
                complain(number, f'"{name}" does not exist')
            if target is None and folder is not None:
                complain(number, f'"{name}" gathers folders for users; include what is needed of it')
        elif bracket == '"':
            target = parts[0] if len(parts) > 1 else folder
            if public:
                complain(number, f'"{name}": a public header includes "sinew/...", nothing of src/')
        else:
            if public and inside[-1] not in ADAPTERS:
                if parts[0] in HEAVY or parts[0].startswith("Eigen"):
                    complain(number, f"<{name}> costs every user of this header; keep it in src/")
                elif len(parts) > 1 or "." in name:
                    complain(number, f"<{name}>: public headers use only the standard library and Sinew")
                elif name in HEAVY_AT_THE_BOTTOM and folder in ("base", "spatial"):
                    complain(number, f"<{name}> is too heavy for {folder}/")
            if not public and parts[0] == "Eigen" and folder != "linear":
                complain(number, f"<{name}> costs seconds to compile; only src/linear/ may include it")
            continue
        if folder and target in ORDER and ORDER.index(target) > ORDER.index(folder):
            complain(number, f'"{name}": {folder}/ may not include from {target}/, which comes after it')
    return complaints


def check_tree(root):
    files = [f for top in ("include/sinew", "src") for f in sorted((root / top).rglob("*")) if f.suffix in SUFFIXES]
    return files, [text for file in files for text in check_file(file, root)]


def main():
    files, complaints = check_tree(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(complaints + [f"check_layers: {len(files)} files, {len(complaints)} complaints"]))
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main())
