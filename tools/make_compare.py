#!/usr/bin/env python3
"""Writes docs/compare.md, our numbers beside those of the peers, and the table of docs/numbers.md that follows.

    tools/make_compare.py [--check]

It measures nothing: every number is taken from the page that its own command wrote, with that page's date.
"""
import argparse
import pathlib
import re
import statistics
import sys
import textwrap

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- make_compare: begin -->\n", "<!-- make_compare: end -->\n"
DATE = re.compile(r"(?:[Mm]easured on |^- )(\d{4}-\d\d-\d\d)", re.M)


class Page:
    """A page of docs/, or a part of it."""

    def __init__(self, name, begin="", end=""):
        self.name = name
        text = (DOCS / name).read_text(encoding="utf-8")
        if begin and begin not in text:
            sys.exit(f"make_compare: docs/{name} has no '{begin}'")
        self.text = text.split(begin, 1)[1] if begin else text
        if end:
            self.text = self.text.split(end, 1)[0]

    def date(self):
        found = DATE.search(self.text)
        if not found:
            sys.exit(f"make_compare: docs/{self.name} does not say when it was measured ('Measured on 2026-11-17.')")
        return found[1]

    def table(self, head):
        """The rows of the table whose first line begins with `head`, as lists of cells; the first row is the head."""
        lines = self.text.splitlines()
        at = next((i for i, line in enumerate(lines) if line.startswith(head)), None)
        if at is None:
            sys.exit(f"make_compare: docs/{self.name} has no table '{head}'")
        rows = []
        for line in lines[at:]:
            if not line.startswith("|"):
                break
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        return [rows[0]] + rows[2:]

    def find(self, pattern):
        found = re.search(pattern, " ".join(self.text.split()))
        if not found:
            sys.exit(f"make_compare: docs/{self.name} does not say '{pattern}'")
        return found


def to_table(rows, columns=None):
    columns = range(len(rows[0])) if columns is None else columns
    picked = [[row[c] for c in columns] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in (picked[0], ["---"] * len(picked[0]), *picked[1:])]


def section(title, command, page, words, table, anchor=""):
    about = f"`{command}`, {page.date()}; more in [{page.name}]({page.name}{anchor}). {words}"
    about = textwrap.fill(about, 119, break_long_words=False, break_on_hyphens=False)
    return ["", f"## {title}", "", about, "", *table]


def wrap_item(text):
    return textwrap.wrap("- " + " ".join(text.split()), 119, subsequent_indent="  ", break_on_hyphens=False)


def make_page():
    strict = Page("peers.md", "<!-- begin strict -->", "<!-- end strict -->")
    delassus = Page("peers.md", "<!-- begin delassus strict -->", "<!-- end delassus strict -->")
    mujoco, motion, robots = Page("mujoco.md"), Page("mujoco_motion.md"), Page("robots.md")
    calls = Page("python.md", "<!-- bench_python: begin -->", "<!-- bench_python: end -->")
    batch = Page("python.md", "<!-- bench_batch: begin -->", "<!-- bench_batch: end -->")
    env = Page("python.md", "<!-- bench_env: begin -->", "<!-- bench_env: end -->")
    lcp = Page("lcp.md", "Beside Siconos", "Five times")
    lines = ["# Beside others", "",
             "Made by `make docs` (tools/make_compare.py) from the tables of other pages; do not edit. Each table names",
             "its command and the day it was measured. Ratios are the peer's time over ours, or our speed over theirs:",
             "above 1 is in our favour, below 1 is not. A page that was measured on a busy machine says so."]
    lines += section("Tree algorithms beside Pinocchio", "make bench-peers", strict,
                     "Same compilers, flags, states and answers. best/best: the better compiler of each side; least: the "
                     "worst case of the row.", to_table(strict.table("| geometric mean over")))
    lines += section("Delassus matrix and constrained dynamics beside Pinocchio", "make bench-peers-delassus", delassus,
                     "Microseconds per call; the best way of each side.",
                     to_table(delassus.table("| case (nv, m)"), [0, 1, 2, 3, 4, 5, 6, 8]),
                     "#the-delassus-matrix-and-constrained-dynamics")
    lines += section("Calls from Python beside Pinocchio and MuJoCo", "make bench-python", calls, "Microseconds per call.",
                     to_table(calls.table("| robot (nv)"), [0, 1, 2, 4, 5, 6, 7]), "#what-a-call-costs")
    lines += section("Simulation beside MuJoCo", "make bench-mujoco", mujoco,
                     "The same files and steps on one thread. MuJoCo's contacts are soft by design.",
                     to_table(mujoco.table("| scene | dt [s]")))
    lines += section("Batches beside MuJoCo", "make bench-batch", batch,
                     "Thousands of steps of worlds per second.",
                     to_table(batch.table("| scene (nv, actuators)")), "#batches")
    lines += section("Environments beside gymnasium's humanoid", "make bench-env", env, "Random actions.",
                     to_table(env.table("| environment")), "#environments-for-gymnasium")
    lines += section("Contact problems beside Siconos", "make bench-siconos", lcp,
                     "A thousand problems; how many each solves, and the seconds it takes.", to_table(lcp.table("| | cases")))
    lines += section("Motion beside MuJoCo's", "make mujoco-motion", motion,
                     "Distance [m] between the two after 1 s without contact; both tend to the same motion.",
                     to_table(motion.table("| scene | 4 ms")))
    urdf = Page("robots.md", "## URDF beside Pinocchio", "| file").text.split("\n\n")[1]
    mjcf = Page("robots.md", "## MJCF beside MuJoCo", "| file").text.split("\n\n")[1]
    packages = robots.find(r"Packages: (.*?)\. ##")[1]
    lines += ["", "## Models", "",
              *textwrap.wrap(f"`make docs`, checked in every CI run; more in [robots.md](robots.md). Packages: {packages}.",
                             119, break_on_hyphens=False),
              "", *wrap_item(f"URDF beside Pinocchio: {urdf}"), *wrap_item(f"MJCF beside MuJoCo: {mjcf}")]
    return "\n".join(lines) + "\n"


def make_rows():
    """Rows of docs/numbers.md: what, number, command, when."""
    strict = Page("peers.md", "<!-- begin strict -->", "<!-- end strict -->")
    delassus = Page("peers.md", "<!-- begin delassus strict -->", "<!-- end delassus strict -->")
    mujoco, lcp = Page("mujoco.md"), Page("lcp.md", "Beside Siconos", "Five times")
    heaps = Page("heaps.md", "<!-- bench_heaps: begin -->", "<!-- bench_heaps: end -->")
    mean = heaps.find(r"(\d+) of \d+ phases .*? is ([\d.]+) in the geometric mean, at least (\d+\.\d+)")
    floor, scenes, scaling = Page("public_robots.md"), Page("public_scenes.md"), Page("scaling.md")
    calls = Page("python.md", "<!-- bench_python: begin -->", "<!-- bench_python: end -->")
    cases = strict.table("| robot (nv)")[1:]
    robots, algorithms = (len({row[c] for row in cases}) for c in (0, 1))
    everything = strict.table("| geometric mean over")[-1]
    w = delassus.find(r"W, least best/best: ([\d.]+).*?geometric mean ([\d.]+)")
    dynamics = delassus.find(r"dynamics, least ratio to constraintDynamics: ([\d.]+).*?geometric mean ([\d.]+)")
    ratios = "; ".join(f"{row[0]}: {row[5]}" for row in mujoco.table("| scene | dt [s]")[1:])
    rests = mujoco.find(r"From 5 to 60 s what should rest moves by at most (\S+ m)")[1]
    shallow = mujoco.find(r"Penetration is at least (\S+) times smaller")[1]
    total = [cell.strip("*") for cell in lcp.table("| | cases")[-1]]
    counts = floor.find(r"(\d+ runs of \d+ robots: .*? at real time or faster)")[1]
    speeds = [float(row[3]) for row in floor.table("| robot | base")[1:] if row[3]]
    files = scenes.find(r"(\d+ files: \d+ ran.*?was not solved)\.")[1]
    python = calls.find(r"Pinocchio over Sinew: ([\d.]+) \(geometric mean\), ([\d.]+) at least")
    above = calls.find(r"Above C\+\+: ([\d.]+) in the middle, ([\d.]+) at most")
    stack = [row for row in scaling.table("| scene | bodies") if row[0].startswith("a stack")]
    rows = [["", "", "command", "when"],
            ["tree algorithms beside Pinocchio 4.1", f"{everything[1]} times as fast in the geometric mean of {robots} robots "
             f"and {algorithms} algorithms, at least {everything[2]}; GCC against GCC {everything[3]} ([table](peers.md))",
             "`make bench-peers`", strict.date()],
            ["the Delassus matrix beside Pinocchio's best routine", f"at least {w[1]} times as fast, {w[2]} in the geometric "
             f"mean; constrained dynamics at least {dynamics[1]} times `constraintDynamics`, {dynamics[2]} in the mean "
             "([table](peers.md#the-delassus-matrix-and-constrained-dynamics))", "`make bench-peers-delassus`",
             delassus.date()],
            ["calls from Python beside Pinocchio", f"{python[1]} times as fast in the geometric mean, at least {python[2]}; "
             f"{above[1]} us above C++ in the middle, {above[2]} at most ([table](python.md#what-a-call-costs))",
             "`make bench-python`", calls.date()],
            ["speed beside MuJoCo 4.0, one thread, same files and steps", f"{ratios}; penetration at least {shallow} times "
             f"smaller; what rests moves {rests} or less from 5 to 60 s ([table](mujoco.md))", "`make bench-mujoco`",
             mujoco.date()],
            ["heaps, walls, towers, chains of 30 to 300 bodies beside MuJoCo 4.0, one thread", f"{mean[2]} times as fast in the "
             f"geometric mean of {mean[1]} phases, at least {mean[3]} ([table](heaps.md))", "`make bench-heaps`", heaps.date()],
            ["1000 friction problems, 1 to 100 contacts", f"{total[2]} solved in {total[3]} s; Siconos 4.4: {total[4]} by NSGS "
             f"in {total[5]} s, {total[6]} with its Newton and proximal solvers in {total[7]} s ([table](lcp.md))",
             "`make bench-siconos`", lcp.date()],
            ["public robots from URDF on a floor, held, 5 s", f"{counts}, the median {statistics.median(speeds):.0f} times ([table](public_robots.md))", "`make public-robots`",
             floor.date()],
            ["public MJCF scenes, 10 s each", f"{files} ([table](public_scenes.md))", "`make public-scenes`", scenes.date()],
            ["a step of boxes on each other", "; ".join(f"{row[1]} boxes ({row[2]} contacts) {row[3]} us" for row in stack
                                                        if row[1] in ("10", "50")) + " ([plot](scaling.md))",
             "`make bench-scaling`", scaling.date()]]
    return "\n".join(to_table(rows)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where a page differs")
    arguments = parser.parse_args()
    numbers = (DOCS / "numbers.md").read_text(encoding="utf-8")
    wanted = {"compare.md": make_page(),
              "numbers.md": numbers.split(BEGIN)[0] + BEGIN + make_rows() + END + numbers.split(END)[1]}
    stale = [name for name, text in wanted.items()
             if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text]
    if not arguments.check:
        for name in stale:
            (DOCS / name).write_text(wanted[name], encoding="utf-8")
    words = "stale; run make docs" if arguments.check else "written"
    print(f"make_compare: {', '.join(stale)} {words}" if stale else "make_compare: as the tables say")
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
