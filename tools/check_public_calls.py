#!/usr/bin/env python3
"""Checks that every public call with a view, a workspace or an index is tested in tests/**/public_calls_test.cpp.

Those tables (tests/support/public_calls.hpp) make each argument too short, too long, or of another model, and expect
a refusal. This script reads the calls from the headers and compares them with the names in the tables, so that a new
call without a row is noticed. LEFT_OUT lists calls without a row, with the reason.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = ["model", "tree", "derivative", "operators", "delassus", "constraint", "lcp", "contact", "sim", "batch"]

# What is checked: views, workspaces and other things made for a model, and numbers that are indices.
CHECKED = re.compile(
    r"\b(In|Out|OutMatrix|VectorView|MatrixView|FactorVector|FactorMatrix)<"
    r"|\bOutRows\b|\bRows\b|Workspace\b|\b(ConstraintRows|ContactRows|CoupledTree|Stepper|Place|NodeMotions|PvSolver)&"
    r"|\bconst (delassus::)?Problem&|\bConstraintSet&"
    r"|\bint (body|node|joint|actuator|row|constraint|i|v)\b|\bstd::size_t contact\b")

# Reason -> names. `Class::` stands for all of a class.
LEFT_OUT = {
    "numbers of an array that kernels loop over: unchecked, like the operator[] of a vector":
        "Topology:: Problem:: Plan::station_on Plan::begin Plan::end RowDependence:: "
        "TriangleSurface::",
    "parts of the complementarity solvers, behind lcp::Solver, which checks":
        "FreeRows:: BoxReduction:: ConeReduction:: BoxForm:: ConeForm::",
    "what a user writes; Sinew calls it with sizes that are right": "ClosureFunction:: Mechanism::",
    "only tells where a number is not finite": "find_non_finite",
    "a check itself": "Plan::check",
    "checked by the parts that it is made of": "make_pv_workspace make_pvr_workspace make_mixed_workspace "
        "ManifoldWorkspace StepWorkspace ActuationWorkspace",
    "sentences about what another call found": "describe",
    "any stepper, with a pool of threads": "use_threads",
}


def strip(text):
    """Without comments, strings, preprocessor lines and template heads."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*#[^\n]*", "", text, flags=re.M)
    text = re.sub(r"\btemplate\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", text)
    return re.sub(r'"[^"\n]*"', '""', text)


def skip(text, i):
    """The index after the bracket that closes the one before i."""
    depth = 1
    while depth and i < len(text):
        depth += (text[i] in "({[") - (text[i] in ")}]")
        i += 1
    return i


def find_calls(text):
    """(class or '', name, parameters) of every public function that is declared."""
    found, classes, i, start = [], [], 0, 0  # classes: name and access of each open class
    while i < len(text):
        c = text[i]
        if c == "(":
            name = re.search(r"([~\w]+)\s*$", text[start:i])
            end = skip(text, i + 1)
            word = name.group(1) if name else ""
            if word and word not in ("requires", "decltype", "alignas", "noexcept") and "=" not in text[start:i]:
                if not classes or classes[-1][1]:
                    tail = text[end:end + 40]
                    if not re.match(r"\s*(const\s*)?&?\s*(noexcept\s*)?=\s*(delete|default)", tail):
                        found.append((classes[-1][0] if classes else "", word, text[i + 1:end - 1]))
                # The rest of the declaration: an initializer list and a body, or nothing.
                rest = re.compile(r"[;{]").search(text, end)
                i = end if rest is None else rest.start()
                if rest is not None and rest.group() == "{":
                    i = skip(text, i + 1)
                start = i
                continue
            i = end
            continue
        if c == "{":
            head = text[start:i]
            kind = re.search(r"\b(class|struct)\s+(\w+)[^;]*$", head)
            if kind and not re.search(r"\benum\b", head):
                classes.append([kind.group(2), kind.group(1) == "struct"])
                i, start = i + 1, i + 1
                continue
            if re.search(r"\bnamespace\s+detail\b", head) or not re.search(r"\bnamespace\b", head):
                i = skip(text, i + 1)
                start = i
                continue
            i, start = i + 1, i + 1
            continue
        if c == "}":
            if classes:
                classes.pop()
            i, start = i + 1, i + 1
            continue
        if c == ";":
            start = i + 1
        if c == ":" and classes:
            access = re.search(r"(public|private|protected)\s*$", text[start:i])
            if access:
                classes[-1][1] = access.group(1) == "public"
                start = i + 1
        i += 1
    return found


def main():
    tables = "".join(p.read_text() for p in (ROOT / "tests").rglob("public_calls_test.cpp"))
    rows = set(re.findall(r'(?:table\.add|\badd)\(\s*"([\w:]+)"(?:,\s*"(\w+)")?', tables))
    names = {n for pair in rows for n in pair if n}
    for stepper in re.findall(r'add_stepper<(\w+)>', tables):
        names |= {stepper, "Stepper::step", "Stepper::contact_force", "Stepper::contact_body"}
    left_out = {n for text in LEFT_OUT.values() for n in text.split()}
    used, missing, total = set(), [], 0
    for layer in LAYERS:
        for header in sorted((ROOT / "include/sinew" / layer).rglob("*.hpp")):
            if "kernel" in header.parts:
                continue
            for owner, name, parameters in find_calls(strip(header.read_text())):
                if not CHECKED.search(parameters) or re.fullmatch(owner + r"\s*&&", parameters.strip()):
                    continue
                full = owner + "::" + name if owner and name != owner else name
                total += 1
                excuse = {full, owner + "::"} & left_out
                used |= excuse
                if full not in names and not excuse:
                    missing.append(f"{header.relative_to(ROOT)}: {full}({' '.join(parameters.split())})")
    for line in missing:
        print(line)
    for name in sorted(left_out - used):
        print(f"tools/check_public_calls.py: {name} is in LEFT_OUT, but there is no call of that name; remove it")
    print(f"{total} public calls with a view, a workspace or an index; {len(names)} names in the tables, "
          f"{len(missing)} missing")
    return 1 if missing or left_out - used else 0


if __name__ == "__main__":
    sys.exit(main())
