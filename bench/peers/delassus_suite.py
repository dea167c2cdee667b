"""The second suite of `make bench-peers`: contacts of robots, the Delassus matrix and constrained dynamics.

docs/peers.md says what is compared.
"""
import dataclasses
import math

from peer_table import COMPILERS, PROGRAMS, markdown, mean

ALGORITHMS = {"delassus": "W", "dynamics": "dynamics"}
GOALS = [  # algorithm, what is called so, which entry of its rows, least
    ("W", "W, least best/best", "ratio", 2.0),
    ("dynamics", "dynamics, least ratio to constraintDynamics", "plain_ratio", 2.0),
    ("dynamics", "dynamics, least best/best", "ratio", 1.5),
]


@dataclasses.dataclass
class Case:
    robot: str
    contacts: list  # (frame, rows, shift)
    redundant: bool = False

    def text(self):
        return "".join(f"{frame} {rows} {x} {y} {z}\n" for frame, rows, (x, y, z) in self.contacts)


def hold(rows, *frames):
    return [(f, rows, (0, 0, 0)) for f in frames]


FEET = ["left_sole_link", "right_sole_link"]
HANDS = ["wrist_left_ft_tool_link", "wrist_right_ft_tool_link"]
TIPS = [f"{side}_hand_{finger}_tip" for side in ("left", "right")
        for finger in ("thumb", "first", "middle", "ring", "little")]
CASES = {
    "anymal 4x3": Case("anymal", hold(3, "LF_FOOT", "LH_FOOT", "RF_FOOT", "RH_FOOT")),
    "talos 2x6": Case("talos", hold(6, *FEET)),
    "talos 4x6": Case("talos", hold(6, *FEET, *HANDS)),
    "talos 8x3": Case("talos", [(f, 3, (x, y, 0)) for f in FEET for x in (-.1, .1) for y in (-.05, .05)], True),
    "chain100 2x6": Case("chain100", hold(6, "link1", "tip"), True),  # the first link has one dof
    "chain100 1x6": Case("chain100", hold(6, "tip")),
    "humanoid_hands 2x6+10x3": Case("humanoid_hands", hold(6, "left_sole", "right_sole") + hold(3, *TIPS)),
}


def extend(row, runs, case):
    """What only this suite tells: rows, our own choice, and Pinocchio's constraintDynamics alone."""
    ours, theirs = row["ways"]["sinew"], row["ways"]["pinocchio"]
    row["m"] = sum(rows for _, rows, _ in case.contacts)
    row["choice"] = runs["sinew", "gcc"]["choice"] if row["algorithm"] == "W" else "mixed"
    row["choice_ratio"] = min(theirs.values()) / ours[row["choice"]]
    if row["algorithm"] == "dynamics":
        rival = min(us for way, us in theirs.items() if way.startswith("constraintDynamics"))
        row["plain_ratio"] = rival / min(ours.values())
    return row


def slope(points, x, way):
    """Exponents of us = c x^k: fitted to all points, and between the last two."""
    logs = [(math.log(p[x]), math.log(p["us"][way])) for p in points]
    mx, my = (sum(v) / len(logs) for v in zip(*logs))
    fit = sum((a - mx) * (b - my) for a, b in logs) / sum((a - mx) ** 2 for a, _ in logs)
    (a, b), (c, d) = logs[-2:]
    return fit, (d - b) / (c - a)


def scaling_table(points, x):
    ways = list(points[0]["us"])
    fixed = {"n": "m", "m": "n"}[x]
    head = [f"{x} ({fixed} = {points[0][fixed]})", *(str(p[x]) for p in points), "exponent", "last two"]
    lines = [[w.split()[1], *(f"{p['us'][w]:#.3g}" for p in points), *(f"{k:.2f}" for k in slope(points, x, w))]
             for w in ways]
    return markdown(head, lines, 1)


def report(rows, scaling):
    columns = [f"{p}_{c}" for p in PROGRAMS for c in COMPILERS]
    head = ["case (nv, m)", "", *(c.replace("_", " ") for c in columns), "best/best", "by", "gcc/gcc", "difference"]
    lines = [[f"{r['robot']} ({r['nv']}, {r['m']})", r["algorithm"], *(f"{r[c]:#.3g}" for c in columns),
              f"{r['ratio']:.2f}", f"{r['best_way']['pinocchio']} / {r['best_way']['sinew']}", f"{r['gcc']:.2f}",
              f"{r['difference']:.0e}"] for r in rows]
    parts = ["Microseconds per call. The ratios are Pinocchio's time over Sinew's: more than 1 is in our favour.",
             markdown(head, lines, 2)]
    for title in ALGORITHMS.values():
        some = [r for r in rows if r["algorithm"] == title]
        if some:
            parts += [f"{title}: every way, by its better compiler", ways_table(some)]
    parts.append("\n".join([*goals(rows), *contradictions(rows)]))
    if scaling:
        parts += ["Sinew alone (gcc), microseconds. A chain, frames held at both ends; then a binary tree, frames held "
                  "at its leaves:", scaling_table(scaling["joints"], "n"), scaling_table(scaling["rows"], "m")]
    return "\n\n".join(parts)


def goals(rows):
    for title, name, ratio, goal in GOALS:
        if some := [r for r in rows if r["algorithm"] == title]:
            least = min(some, key=lambda r: r[ratio])
            verdict = "met" if least[ratio] >= goal else "missed"
            yield (f"- {name}: {least[ratio]:.2f}, goal {goal}: **{verdict}** ({least['robot']}); geometric mean "
                   f"{mean(r[ratio] for r in some):.2f}")


def contradictions(rows):
    for way in dict.fromkeys(w for r in rows for w in r["wrong"]):
        worst = max(r["wrong"].get(way, 0.0) for r in rows)
        yield f"- not counted, for it contradicts Pinocchio's first way by up to {worst:.0e}: its {way}"


def ways_table(rows):
    names = {p: list(dict.fromkeys(w.removesuffix(" narrow") for r in rows for w in r["ways"][p])) for p in PROGRAMS}
    head = ["case", *(f"{p[0].upper()}: {w}" for p in PROGRAMS for w in names[p]), "choice", "best/choice"]
    lines = []
    for r in rows:
        cells = [r["robot"]]
        for p in PROGRAMS:
            for w in names[p]:
                times = [us for v, us in r["ways"][p].items() if v.removesuffix(" narrow") == w]
                cells.append(f"{min(times):#.3g}" if times else "")
        lines.append([*cells, r["choice"], f"{r['choice_ratio']:.2f}"])
    return markdown(head, lines, 1)
