#!/usr/bin/env python3
"""How time grows with size: exponents, fitted to benchmarks, each within the range that theory gives.

    tools/bench_exponents.py build/release [--repeats 5] [--only aba]

Runs `sinew_bench`, and `sinew reproduce j14` for the pendulum. Of each point the fastest of several runs counts,
because other load on the machine only adds time. Exit code 1 where an exponent, or a speed-up, is out of its range;
what is out of range is measured once more before it counts as wrong.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import subprocess
import sys


@dataclasses.dataclass
class Law:
    what: str       # is measured
    source: str     # says how it grows
    benchmark: str  # its name in sinew_bench
    low: float
    high: float
    smallest: int   # sizes from .. to are fitted
    largest: int
    counter: str = "cpu_time"
    size: object = int  # of the benchmark's argument


def joints(levels):
    return 2 ** levels - 1


# Ranges are those of theory, with room for what does not grow: parts of lower order and the caches.
LAWS = [
    Law("rnea, chain", "AC-4: 1", "ScalingRnea", 0.9, 1.25, 256, 4096),
    Law("aba, chain", "AC-4: 1", "ScalingAba", 0.9, 1.25, 256, 4096),
    Law("crba, chain", "AC-4: 2", "ScalingCrba", 1.7, 2.5, 128, 1024),
    Law("factor, chain", "AC-4: 3", "ScalingFactor", 2.5, 3.5, 128, 1024),
    Law("crba, factor, solve, chain", "AC-3: 2 to 3", "ScalingMassSolve", 2.2, 3.4, 128, 1024),
    Law("rnea, depth 8", "AC-4: 1", "ScalingLegsRnea", 0.9, 1.25, 256, 4096),
    Law("aba, depth 8", "AC-3: 1, whatever branches", "ScalingLegsAba", 0.9, 1.25, 256, 4096),
    Law("crba, depth 8", "AC-4: 1", "ScalingLegsCrba", 0.9, 1.25, 256, 4096),
    Law("factor, depth 8", "AC-4: 1", "ScalingLegsFactor", 0.85, 1.25, 256, 4096),
    # n log^2 n grows as n^1.35 from 63 to 4095; the parts of n and n log n pull it down
    Law("crba, factor, solve, binary tree", "AC-4: n log^2 n", "ScalingBinaryMassSolve", 0.95, 1.36, 63, 4095,
        size=joints),
    Law("aba, binary tree", "AC-4: 1", "ScalingBinaryAba", 0.9, 1.25, 63, 4095, size=joints),
    # nothing of lower order: 1 while all fits into the cache
    Law("M x as operators, chain", "J11 31: 1", "apply_mass", 0.95, 1.05, 64, 4096),
    Law("M^-1 x as operators, chain", "J11 47: 1", "apply_mass_inverse", 0.95, 1.05, 64, 4096),
    Law("flexible links, chain", "J11: 1", "flexible_links", 0.9, 1.1, 20, 200),
    Law("prepare of two trees, chain", "R92: 1", "ScalingTwoTrees", 0.85, 1.1, 100, 1600),
    Law("OS, assembly for 4 contacts", "LC-5: 1", "ScalingContactOs", 0.8, 1.25, 128, 1024, counter="least_assembly"),
    # one step with four contacts, as J14's Table 2 counts its unknowns; what the 5n hinge impulses add grows with n^3,
    # the rest of a step does not
    Law("OS, a step", "LC-11: at most 1.5 (J14: 1.48)", "ContactStep/os/pyramid4", 0, 1.5, 12, 30),
    Law("NMC/OS, a step", "LC-11: 1 to 3 (J14: 2.83)", "ContactStep/nmc_os/pyramid4", 1.3, 3.2, 12, 30),
]


def measure(bench, laws, repeats):
    """{benchmark: {size: least time}} of the laws' benchmarks and counters."""
    names = "|".join(f"^{law.benchmark}/[0-9]+$" for law in laws)
    done = subprocess.run([bench, f"--benchmark_filter={names}", "--benchmark_format=json", "--benchmark_min_time=0.02",
                           f"--benchmark_repetitions={repeats}"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench_exponents: {bench} failed\n{done.stderr}")
    times = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        if row.get("run_type") != "iteration" or "error_occurred" in row:
            continue
        name, _, argument = row["run_name"].rpartition("/")
        for law in laws:
            if law.benchmark == name:
                points = times.setdefault(name, {})
                size = law.size(int(argument))
                points[size] = min(points.get(size, math.inf), row[law.counter])
    return times


def fit(points):
    """Exponent of y over x, by least squares of the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mx, my = (sum(c) / len(logs) for c in zip(*logs))
    return sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)


def check_laws(bench, laws, repeats):
    """The laws that do not hold; prints a row for each."""
    times = measure(bench, laws, repeats)
    wrong = []
    for law in laws:
        points = sorted((x, y) for x, y in times.get(law.benchmark, {}).items() if law.smallest <= x <= law.largest)
        if len(points) < 2:
            sys.exit(f"bench_exponents: {bench} has no '{law.benchmark}' from {law.smallest} to {law.largest}")
        exponent = fit(points)
        good = law.low <= exponent <= law.high
        if not good:
            wrong.append(law)
        print(f"{law.what:<34}{law.smallest:>6} .. {law.largest:<6}{exponent:>7.2f}   {law.low:.2f} to {law.high:.2f}   "
              f"{'' if good else 'WRONG   '}{law.source}", flush=True)
    return wrong


def check_pendulum(sinew, seconds):
    """Complaints about the colliding pendulum of J14, run in both formulations."""
    done = subprocess.run([sinew, "reproduce", "j14", "--for", str(seconds), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench_exponents: {sinew} failed\n{done.stderr}")
    rows = {r["links"]: r for r in json.loads(done.stdout)["pendulum"]}
    speed_ups = [rows[n]["speed_up"] for n in sorted(rows)]
    late = [(n, rows[n]["nmc_os"]["wall_seconds"]) for n in sorted(rows) if n >= 12]
    exponent = fit(late)
    print(f"pendulum, {seconds:g} s: NMC/OS grows as n^{exponent:.2f} from 12 to 30 links; OS is faster by "
          + ", ".join(f"{s:.1f} at {n}" for n, s in zip(sorted(rows), speed_ups)))
    complaints = []
    if not 1.8 <= exponent <= 3.2:
        complaints.append(f"NMC/OS grows as n^{exponent:.2f}, expected 1.8 to 3.2 (J14: 2.83)")
    if any(b < 0.9 * a for a, b in zip(speed_ups, speed_ups[1:])):
        complaints.append("the speed-up does not grow with the number of links")
    if speed_ups[-1] < 30:
        complaints.append(f"the speed-up at 30 links is {speed_ups[-1]:.1f}, expected more than 30 (J14: 55.6)")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="build folder with sinew_bench and sinew")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each benchmark; default 5")
    parser.add_argument("--only", default="", help="laws whose name has this text; leaves the pendulum out")
    parser.add_argument("--seconds", type=float, default=1, help="simulated time of the pendulum; default 1")
    args = parser.parse_args()
    laws = [law for law in LAWS if args.only in law.what]
    bench, sinew = args.build / "sinew_bench", args.build / "sinew"
    if not laws:
        parser.error(f"--only {args.only}: no such law; there are " + "; ".join(law.what for law in LAWS))
    for program in (bench,) if args.only else (bench, sinew):
        if not program.exists():
            parser.error(f"{program} is not there; run `make build`")
    wrong = check_laws(bench, laws, args.repeats)
    if wrong:
        print("\nonce more:")
        wrong = check_laws(bench, wrong, 2 * args.repeats)
    complaints = [f"{law.what} is out of its range" for law in wrong]
    if not args.only:
        complaints += check_pendulum(sinew, args.seconds) and check_pendulum(sinew, args.seconds)
    for complaint in complaints:
        print("bench_exponents: " + complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
