#!/usr/bin/env python3
"""Compares Sinew and Pinocchio on the same robots, states, compilers, flags and core.

    .venv/bin/python tools/bench_peers.py [--suite tree|delassus|all] [--robots panda,chain30] [--quick] [--contract]
                                          [--json FILE] [--write]

docs/peers.md says what is measured and how to read it. Exit code 1: the results differ, or a build or a
run failed; 3: something that the comparison needs is not installed.
"""
import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "bench/peers"
BUILD = ROOT / "build/peers"
sys.path[:0] = [str(SOURCE), str(ROOT / "tools")]
import delassus_suite  # noqa: E402
import peer_table  # noqa: E402
from peer_table import COMPILERS, PROGRAMS  # noqa: E402

ROBOTS = {  # file in example-robot-data (none: a mechanism of Sinew), whether the base floats
    "panda": ("panda_description/urdf/panda.urdf", False),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "talos": ("talos_data/robots/talos_full_v2.urdf", True),
    "romeo": ("romeo_description/urdf/romeo_small.urdf", True),  # romeo.urdf has fingers without mass: no M^-1
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", False),
    "chain10": (None, False),
    "chain30": (None, False),
    "chain100": (None, False),
    "humanoid_hands": (None, True),
}
SUITES = {"tree": [r for r in ROBOTS if r != "humanoid_hands"],
          "delassus": list(dict.fromkeys(c.robot for c in delassus_suite.CASES.values()))}
STATES = 256
TOLERANCE = 1e-10


class Missing(Exception):
    pass


def prepare():
    """Pinocchio's Python side, and the folder with its headers."""
    try:
        import pinocchio_side
        import robots
    except ImportError as e:
        raise Missing(f"{e}: call `tools/setup.sh python` and run this with .venv/bin/python") from e
    prefix = robots.packages() / "cmeel.prefix"
    needed = [prefix / "include/pinocchio/algorithm/aba.hpp", prefix / "include/boost/variant.hpp",
              prefix / "share/example-robot-data/robots"]
    absent = [str(f) for f in needed if not f.exists()]
    absent += [c for c in [*COMPILERS.values(), "cmake", "ninja"] if not shutil.which(c)]
    if absent:
        raise Missing(f"not found: {', '.join(absent)}; call `tools/setup.sh build lint python`")
    return pinocchio_side, prefix


def build(prefix, options):
    """Builds the programs with each compiler; Ninja skips what is up to date."""
    folders = {}
    for name, compiler in COMPILERS.items():
        folder = folders[name] = BUILD / (f"{name}-contract" if options.contract else name)
        print(f"build {folder.relative_to(ROOT)} (minutes, the first time)", file=sys.stderr)
        for command in (["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, f"-DCMAKE_CXX_COMPILER={compiler}",
                         f"-DPEERS_PREFIX={prefix}", f"-DPEERS_PYTHON={sys.executable}",
                         f"-DPEERS_CONTRACT={'fast' if options.contract else 'off'}"],
                        ["cmake", "--build", folder, "-j", str(options.jobs), "--target", *options.suites]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                sys.exit(f"bench_peers: {shlex.join(map(str, command))} failed\n{done.stdout[-4000:]}")
    return folders


def robot_file(name, prefix, folders):
    file, _ = ROBOTS[name]
    if file:
        return prefix / "share/example-robot-data/robots" / file
    urdf = BUILD / f"{name}.urdf"
    subprocess.run([folders["gcc"] / "sinew_peer", "--mechanism", name, urdf], check=True)
    return urdf


def peer(program, suite, kind=""):
    """The name of an executable."""
    return f"{program}_peer{kind}" if suite == "tree" else f"{program}_{suite}_peer{kind}"


def run(program, arguments, options):
    """The output of a program: nv, joints, and for each algorithm its time and results."""
    out = program.with_suffix(".json")
    command = [program, *arguments, "--repeats", str(options.repeats), out]
    subprocess.run(command, check=True, preexec_fn=lambda: os.sched_setaffinity(0, {options.core}))
    return json.loads(out.read_text())


def fight(suite, name, more, side, prefix, folders, options):
    """The output of all builds of both programs of a suite for one robot; times are the least of all rounds."""
    urdf, floating = robot_file(name, prefix, folders), ROBOTS[name][1]
    states = BUILD / f"{name}.states"
    side.write_states(side.load(urdf, floating), STATES, states)
    arguments = [urdf, *(["--floating"] if floating else []), *more, states]
    runs = {}
    for _ in range(options.rounds):  # in turn, so that a slow moment of the machine affects all
        for program in PROGRAMS:
            for compiler, folder in folders.items():
                for kind in [k for k in ("", "_narrow") if (folder / peer(program, suite, k)).exists()]:
                    new = run(folder / peer(program, suite, kind), arguments, options)
                    whole = runs.setdefault((program, compiler), {**new, "algorithms": {}})["algorithms"]
                    for algorithm, entry in new["algorithms"].items():
                        old = whole.setdefault(algorithm + kind.replace("_", " "), entry)
                        old["us"] = min(old["us"], entry["us"])
    return runs


def run_tree(side, prefix, folders, options):
    rows = []
    for name in [r for r in SUITES["tree"] if r in options.robots]:
        print(f"run {name}", file=sys.stderr)
        runs = fight("tree", name, [], side, prefix, folders, options)
        rows += peer_table.rows(name, runs, peer_table.ALGORITHMS)
    return rows, peer_table.report(rows)


def run_delassus(side, prefix, folders, options):
    rows = []
    for name, case in delassus_suite.CASES.items():
        if case.robot not in options.robots:
            continue
        print(f"run {name}", file=sys.stderr)
        contacts = BUILD / f"{name.replace(' ', '_')}.contacts"
        contacts.write_text(case.text())
        more = ["--contacts", contacts, *(["--redundant"] if case.redundant else [])]
        runs = fight("delassus", case.robot, more, side, prefix, folders, options)
        rows += [delassus_suite.extend(row, runs, case)
                 for row in peer_table.rows(name, runs, delassus_suite.ALGORITHMS)]
    print("run scaling", file=sys.stderr)
    out = BUILD / "scaling.json"
    subprocess.run([folders["gcc"] / "sinew_delassus_peer", "--scaling", out], check=True,
                   preexec_fn=lambda: os.sched_setaffinity(0, {options.core}))
    return rows, delassus_suite.report(rows, json.loads(out.read_text()))


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.partition("\n")[0]


def flags(folder, target):
    """The flags of a target that affect its speed; of two that contradict, the later counts."""
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        if f"/{target}.dir/" in entry["command"]:
            words = [w for w in shlex.split(entry["command"]) if re.match(r"-([Omf]|std=|DNDEBUG)", w)]
            return " ".join(dict.fromkeys(words))
    return "?"


def setting(folders, options):
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = importlib.metadata.version
    lines = [
        f"- {datetime.date.today()}, {cpu[1] if cpu else platform.processor()} ({platform.machine()}), one thread on "
        f"core {options.core} of {os.cpu_count()}",
        f"- {'; '.join(first_line(c, '--version') for c in COMPILERS.values())}",
        f"- Pinocchio {version('pin')}: `{flags(folders['gcc'], peer('pinocchio', options.suites[0]))}`",
        f"- Sinew {first_line('git', 'describe', '--always', '--dirty')}: `{flags(folders['gcc'], 'sinew')}`",
        f"- example-robot-data {version('example-robot-data')}; {STATES} states, {options.rounds} rounds of "
        f"{options.repeats} repeats"]
    return "\n".join(textwrap.fill(line, 124, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
                     for line in lines)


def write_page(text, marker):
    page = ROOT / "docs/peers.md"
    begin, end = f"<!-- begin {marker} -->", f"<!-- end {marker} -->"
    before, _, rest = page.read_text().partition(begin)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", choices=[*SUITES, "all"], default="tree")
    parser.add_argument("--robots", help="some of " + ",".join(ROBOTS))
    parser.add_argument("--quick", action="store_true", help="one round of few repeats: a test run")
    parser.add_argument("--contract", action="store_true", help="let the compilers fuse a*b+c, on both sides")
    parser.add_argument("--json", type=pathlib.Path, help="write every number there")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/peers.md")
    parser.add_argument("--jobs", type=int, default=1, help="of the build; a job takes up to 2 GB")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="to run on")
    options = parser.parse_args()
    options.rounds, options.repeats = (1, 5) if options.quick else (7, 11)
    options.suites = list(SUITES) if options.suite == "all" else [options.suite]
    there = list(dict.fromkeys(r for s in options.suites for r in SUITES[s]))
    options.robots = options.robots.split(",") if options.robots else there
    if unknown := set(options.robots) - set(there):
        parser.error(f"no robot {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    return options


def main():
    options = parse()
    side, prefix = prepare()
    folders = build(prefix, options)
    head = setting(folders, options)
    every, wrong = {}, []
    for suite in options.suites:
        rows, table = {"tree": run_tree, "delassus": run_delassus}[suite](side, prefix, folders, options)
        every[suite] = rows
        text = f"{head}\n\n{table}"
        print(text)
        bad = [r for r in rows if not r["difference"] <= TOLERANCE]
        if options.write and not bad:
            kind = "contract" if options.contract else "strict"
            write_page(text, kind if suite == "tree" else f"{suite} {kind}")
        wrong += bad
    if options.json:
        options.json.write_text(json.dumps({"setting": head.splitlines(), **every}, indent=1))
    for r in wrong:
        print(f"bench_peers: {r['robot']}, {r['algorithm']}: the results differ by {r['difference']:.1e} relative "
              f"(Pinocchio's own, by compiler and way: {r['peer_difference']:.1e})", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as e:
        print(f"bench_peers: {e}", file=sys.stderr)
        sys.exit(3)
    except subprocess.CalledProcessError as e:
        sys.exit(f"bench_peers: {shlex.join(map(str, e.cmd))}: exit code {e.returncode}")
