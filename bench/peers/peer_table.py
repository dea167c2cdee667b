"""From what the programs of `make bench-peers` wrote to rows, tables and verdicts."""
import math

PROGRAMS = ["pinocchio", "sinew"]
COMPILERS = {"gcc": "g++", "clang": "clang++-16"}
ALGORITHMS = {"rnea": "RNEA", "crba": "CRBA", "aba": "ABA", "minverse": "M^-1", "jacobians": "Jacobians",
              "kinematics": "kinematics", "drnea": "dRNEA", "daba": "dABA"}
GOAL_MEAN, GOAL_LEAST, GOAL_GCC = 2.0, 1.3, 2.5
GOALS = {"CRBA": (None, 1.8), "M^-1": (None, 1.8), "dRNEA": (2.0, 1.4), "dABA": (2.0, 1.4)}  # best/best: mean, least
CONTRADICTION = 1e-6  # relative: not an error of rounding
COLUMNS = [f"{p}_{c}" for p in PROGRAMS for c in COMPILERS]


def difference(ours, reference):
    """Largest difference of two lists of results, relative to the largest number of each."""
    worst = 0.0
    for a, b in zip(ours, reference, strict=True):
        scale = max(map(abs, b), default=0.0) or 1.0
        errors = [abs(x - y) / scale for x, y in zip(a, b, strict=True)]
        worst = max(worst, math.inf if any(map(math.isnan, errors)) else max(errors, default=0.0))
    return worst


def check_joints(robot, runs):
    reference = runs["pinocchio", "gcc"]
    for (program, compiler), run in runs.items():
        if run["joints"] != reference["joints"]:
            raise ValueError(f"{robot}: {program} by {compiler} has the joints {run['joints']}, not those of Pinocchio "
                             f"by gcc: {reference['joints']}")


def rows(robot, runs, algorithms):
    """A row for each algorithm; runs: {(program, compiler): what it wrote}. A way of an algorithm has more words: the
    best way of a program counts, but no way of Pinocchio's that contradicts its first one (CONTRADICTION)."""
    check_joints(robot, runs)
    for algorithm, title in algorithms.items():
        def ways_of(run, algorithm=algorithm):
            return {name: entry for name, entry in run["algorithms"].items() if name.split()[0] == algorithm}

        if not (reference := next(iter(ways_of(runs["pinocchio", "gcc"]).values()), None)):
            continue
        times, best_way, ways, errors, wrong = {}, {}, {}, dict.fromkeys(PROGRAMS, 0.0), {}
        for (program, compiler), run in runs.items():
            for name, entry in ways_of(run).items():
                way = " ".join(name.split()[1:]) or algorithm
                error = difference(entry["results"], reference["results"])
                if program == "pinocchio" and error > CONTRADICTION:
                    wrong[way] = max(error, wrong.get(way, 0.0))
                    continue
                errors[program] = max(errors[program], error)
                ways[program, way] = min(entry["us"], ways.get((program, way), math.inf))
                if entry["us"] < times.get((program, compiler), math.inf):
                    times[program, compiler] = entry["us"]
                    best_way[program, compiler] = way
        best = {p: min(COMPILERS, key=lambda c, p=p: times[p, c]) for p in PROGRAMS}
        yield {"robot": robot, "nv": runs["pinocchio", "gcc"]["nv"], "algorithm": title,
               **{f"{p}_{c}": time for (p, c), time in times.items()},
               "ratio": times["pinocchio", best["pinocchio"]] / times["sinew", best["sinew"]],
               "gcc": times["pinocchio", "gcc"] / times["sinew", "gcc"],
               "difference": errors["sinew"], "peer_difference": errors["pinocchio"],
               "best_way": {p: best_way[p, best[p]] for p in PROGRAMS},
               "ways": {p: {w: us for (q, w), us in ways.items() if q == p} for p in PROGRAMS}, "wrong": wrong}


def mean(numbers):
    """Geometric."""
    numbers = list(numbers)
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def markdown(head, lines, left):
    """A table whose first `left` columns hold words."""
    lines = [head, *lines]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    text = ["| " + " | ".join(cell.ljust(w) if k < left else cell.rjust(w)
                              for k, (cell, w) in enumerate(zip(line, widths))) + " |" for line in lines]
    rule = "|" + "|".join("-" * (w + 1) + ("-" if k < left else ":") for k, w in enumerate(widths)) + "|"
    return "\n".join([text[0], rule, *text[1:]])


def row_goals(rows):
    """What single algorithms are to reach, beyond the goals of all."""
    for algorithm, (goal_mean, goal_least) in GOALS.items():
        some = [r for r in rows if r["algorithm"] == algorithm]
        if some and goal_mean:
            yield f"{algorithm}, geometric mean of best/best", mean(r["ratio"] for r in some), goal_mean, ""
        if some:
            least = min(some, key=lambda r: r["ratio"])
            below = [r["robot"] for r in some if r["ratio"] < goal_least]
            remark = f"below it: {', '.join(below)}" if below else least["robot"]
            yield f"{algorithm}, least best/best", least["ratio"], goal_least, f" ({remark})"


def report(rows):
    """Of the tree algorithms."""
    head = ["robot (nv)", "algorithm", *(c.replace("_", " ") for c in COLUMNS), "best/best", "gcc/gcc", "difference"]
    lines = [[f"{r['robot']} ({r['nv']})", r["algorithm"], *(f"{r[c]:#.3g}" for c in COLUMNS), f"{r['ratio']:.2f}",
              f"{r['gcc']:.2f}", f"{r['difference']:.0e}"] for r in rows]

    def summary(title, some):
        return [title, f"{mean(r['ratio'] for r in some):.2f}", f"{min(r['ratio'] for r in some):.2f}",
                f"{mean(r['gcc'] for r in some):.2f}", f"{max(r['difference'] for r in some):.0e}"]

    means = [summary(key, [r for r in rows if key in (r["algorithm"], r["robot"])])
             for key in [*ALGORITHMS.values(), *dict.fromkeys(r["robot"] for r in rows)]]
    total, gcc = mean(r["ratio"] for r in rows), mean(r["gcc"] for r in rows)
    least = min(rows, key=lambda r: r["ratio"])
    goals = [("geometric mean of best/best", total, GOAL_MEAN, ""),
             ("least best/best", least["ratio"], GOAL_LEAST, f" ({least['robot']}, {least['algorithm']})"),
             ("geometric mean of gcc/gcc", gcc, GOAL_GCC, ""), *row_goals(rows)]
    return "\n\n".join([
        "Microseconds per call. The ratios are Pinocchio's time over Sinew's: more than 1 is in our favour.",
        markdown(head, lines, 2),
        markdown(["geometric mean over", "best/best", "least", "gcc/gcc", "difference"],
                 [*means, summary("all", rows)], 1),
        "\n".join(f"- {name}: {value:.2f}, goal {goal}: **{'met' if value >= goal else 'missed'}**{remark}"
                  for name, value, goal, remark in goals)])
