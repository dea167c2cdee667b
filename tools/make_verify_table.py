#!/usr/bin/env python3
"""Makes the table of docs/operators.md: `sinew verify` on our models and on every public robot.

    SINEW_ROBOTS=FOLDER tools/make_verify_table.py build/ci/sinew [--write docs/operators.md]

Runs `sinew verify --json` on models/, on models/scenes/ and on the robots of the packages in SINEW_ROBOTS
(tools/robots.py): URDF files with a fixed and with a floating base, MJCF files as they are. The table goes between the
two marks of the page. Exit code 1 if a law fails anywhere.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- table of verify: made by tools/make_verify_table.py, do not edit -->"
END = "<!-- end of the table of verify -->"
FAILS, REFUSED = 5, 2


@dataclasses.dataclass
class Outcome:
    group: str
    file: str
    laws: int = 0
    failed: int = 0
    residual: float = 0.0  # the worst
    law: str = ""          # which one
    why_not: str = ""      # "nothing moves", "hinge without inertia", "refused"; empty where it was verified
    message: str = ""


def read_outcome(group, file, code, out, err):
    """What one run of `sinew verify --json` says."""
    if code in (0, FAILS):
        laws = json.loads(out)["laws"]
        # null stands for a number that is not finite
        worst = max(laws, key=lambda law: float("inf") if law["residual"] is None else law["residual"])
        residual = float("inf") if worst["residual"] is None else worst["residual"]
        name = f"{worst['law']} [{worst['equation']}]" if worst["equation"] else worst["law"]
        return Outcome(group, file, len(laws), sum(not law["holds"] for law in laws), residual, name)
    message = (err or out).strip()
    if code != REFUSED:
        return Outcome(group, file, failed=1, residual=float("inf"), law=f"exit code {code}", message=message)
    reason = "nothing moves" if "nothing moves" in message else \
        "hinge without inertia" if "meets no inertia" in message else "refused"
    return Outcome(group, file, why_not=reason, message=message)


def find_cases():
    """(group, name, words of the command line)"""
    cases = [("mechanisms of `models/`", f.name, [f])
             for f in sorted([*(ROOT / "models").glob("*.xml"), *(ROOT / "models").glob("*.urdf")])]
    cases += [("scenes of `models/scenes/`", f.name, [f]) for f in sorted((ROOT / "models/scenes").glob("*.xml"))]
    import robots  # noqa: PLC0415: needs numpy, which the functions above do not
    for file in robots.find_urdf():
        cases.append(("public URDF, fixed base", robots.short_name(file), [file]))
        cases.append(("public URDF, floating base", robots.short_name(file), ["--floating", file]))
    for file in robots.find_mjcf():
        cases.append((f"public MJCF of {robots.short_name(file).split('/')[0]}", robots.short_name(file), [file]))
    return cases


def run_case(app, case, states, limit):
    group, name, words = case
    command = [app, "verify", "--json", "--states", str(states), *words]
    try:
        done = subprocess.run([str(w) for w in command], capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return Outcome(group, name, why_not="refused", message=f"not done after {limit:g} s")
    return read_outcome(group, name, done.returncode, done.stdout, done.stderr)


def to_table(outcomes):
    lines = ["| models | verified | hold | worst relative residual | of the law | not verified |",
             "|---|---:|---:|---:|---|---|"]
    groups = list(dict.fromkeys(o.group for o in outcomes))
    for group in groups + (["all"] if len(groups) > 1 else []):
        of_group = [o for o in outcomes if group in (o.group, "all")]
        done = [o for o in of_group if not o.why_not]
        reasons = [o.why_not for o in of_group if o.why_not]
        others = ", ".join(f"{reasons.count(r)} {r}" for r in sorted(set(reasons))) or "-"
        worst = max(done, key=lambda o: o.residual, default=None)
        residual, law = (f"{worst.residual:.1e}", f"`{worst.law}`") if worst else ("-", "-")
        lines.append(f"| {group} | {len(done)} | {sum(o.failed == 0 for o in done)} | {residual} | {law} | {others} |")
    return "\n".join(lines) + "\n"


def put_between_marks(page, table):
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the page has no lines '{BEGIN}' and '{END}'")
    return f"{before}{begin}\n{table}{end}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("app", type=pathlib.Path)
    parser.add_argument("--states", type=int, default=2, help="random states of each model")
    parser.add_argument("--limit", type=float, default=300.0, help="wall clock for each model [s]")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only models whose name contains this")
    parser.add_argument("--write", type=pathlib.Path, help="the page with the two marks")
    arguments = parser.parse_args()
    cases = [c for c in find_cases() if arguments.only in c[1]]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = list(pool.map(lambda c: run_case(arguments.app, c, arguments.states, arguments.limit), cases))
    for o in outcomes:
        if o.why_not == "refused" or o.failed:
            print(f"{o.group}, {o.file}: {o.failed} failed {o.law} {o.message.splitlines()[0] if o.message else ''}",
                  file=sys.stderr)
    table = to_table(outcomes)
    print(table, end="")
    if arguments.write:
        arguments.write.write_text(put_between_marks(arguments.write.read_text(encoding="utf-8"), table),
                                   encoding="utf-8")
    return 1 if any(o.failed for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
