#!/usr/bin/env python3
"""Time of a step against the number of contacts and bodies, with fitted exponents.

    tools/bench_scaling.py build/release/sinew [--write docs]

Each point is the fastest of several runs, because other load on the machine only adds time, with its phases. --write
makes docs/scaling.md and docs/figures/scaling.svg.
"""
import argparse
import dataclasses
import datetime
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import contact_scenes  # noqa: E402

PHASES = ("detection", "assembly", "solution", "recovery")
COLOURS = ("#1b6ca8", "#c8553d", "#2a9d5c", "#7b4fa3", "#b8860b")


def make_scene(bodies):
    return ('<mujoco><option timestep="0.002"/><default><geom friction="0.6" mass="1"/></default><worldbody>'
            '<geom name="floor" type="plane" size="5 5 0.1"/>' + "".join(bodies) + "</worldbody></mujoco>")


def make_body(i, geom, x, y, z):
    return f'<body name="b{i}" pos="{x:.6g} {y:.6g} {z:.6g}"><freejoint/><geom {geom}/></body>'


def make_grid(n, height):
    """Separate balls."""
    side = math.ceil(math.sqrt(n))
    return make_scene(make_body(i, 'type="sphere" size="0.05"', 0.2 * (i % side), 0.2 * (i // side), height)
                      for i in range(n))


def make_stack(n):
    return make_scene(make_body(i, 'type="box" size="0.05 0.05 0.05"', 0, 0, 0.05 + 0.1 * i) for i in range(n))


def make_wall(n):
    """Bricks in bond, n layers high and six wide: two patches under each brick that lies on others."""
    bricks = []
    for layer in range(n):
        for k in range(6):
            bricks.append(make_body(len(bricks), 'type="box" size="0.1 0.05 0.05"', 0.205 * k + 0.1025 * (layer % 2), 0,
                                    0.05 + 0.1 * layer))
    return make_scene(bricks)


@dataclasses.dataclass
class Curve:
    name: str
    against: str
    make: object
    counts: tuple
    fit_from: int = 0  # the exponent is fitted to sizes from this on
    begin: float = 0   # [s] of the motion that is not timed
    tolerance: str = "1e-8"
    points: list = dataclasses.field(default_factory=list)

    def fit(self):
        """Exponent of the straight line through the logarithms, by least squares."""
        chosen = [(math.log(p["x"]), math.log(p["us"])) for p in self.points if p["x"] >= self.fit_from]
        mx, my = (statistics.fmean(c[k] for c in chosen) for k in (0, 1))
        return sum((x - mx) * (y - my) for x, y in chosen) / sum((x - mx) ** 2 for x, _ in chosen)


def make_curves():
    return [
        Curve("a stack of boxes: one island", "contacts", make_stack, (1, 2, 5, 10, 20, 35, 50), 20),
        Curve("a wall of bricks: one island", "contacts", make_wall, (2, 3, 4, 5), 20),
        Curve("a heap that settles, to 1e-6", "contacts",
              lambda n: contact_scenes.heap("box", n), (15, 30, 100, 300, 1000), 50, 0.5, "1e-6"),
        Curve("balls at rest apart: many islands", "bodies", lambda n: make_grid(n, 0.05),
              (1, 3, 10, 30, 100, 200, 300, 1000), 10),
        Curve("balls that fall freely", "bodies", lambda n: make_grid(n, 500), (1, 3, 10, 30, 100, 300, 1000), 10),
    ]


def run(app, file, curve, seconds, *more):
    """To `seconds` after the start of what is timed."""
    words = [app, "sim", file, "--for", repr(curve.begin + seconds), "--tolerance", curve.tolerance, "--json", *more]
    out = subprocess.run(words, capture_output=True, text=True)
    if out.returncode not in (0, 5):  # 5: some problems were not solved, which the table shows
        raise RuntimeError(f"{file}: exit code {out.returncode}\n{out.stderr[-2000:]}")
    return json.loads(out.stdout)


def measure(app, curve, n, folder, repetitions):
    file = folder / "scene.xml"
    file.write_text(curve.make(n))
    start, before = [], dict.fromkeys(PHASES, 0)
    if curve.begin:
        record = folder / f"start{n}.h5"
        before = run(app, file, curve, 0, "--record", record, "--every", "1000000000")["phase_seconds"]
        start = ["--resume", record]
    first = run(app, file, curve, 0.02, *start)
    # About 0.4 s of wall clock per run, at least 10 steps, and at most one simulated second. What settles is timed over
    # half a second at least: its steps differ.
    steps = max(250 if curve.begin else 10, min(500, round(0.4 * first["steps_per_second"])))
    runs = [run(app, file, curve, steps * 0.002, *start) for _ in range(2 if curve.begin else repetitions)]
    fastest = min(runs, key=lambda r: r["wall_seconds"])
    contacts = fastest["most_contacts"]
    bodies = len(fastest["bodies"])
    return {"bodies": bodies, "contacts": contacts, "x": contacts if curve.against == "contacts" else bodies,
            "us": 1e6 / fastest["steps_per_second"], "unsolved": max(r["unsolved"] for r in runs),
            **{p: 1e6 * (fastest["phase_seconds"][p] - before[p]) / fastest["steps_here"] for p in PHASES}}


def to_table(curves):
    lines = ["| scene | bodies | contacts | us per step | detection | assembly | solution | recovery | unsolved |",
             "|---" + "|---:" * 8 + "|"]
    for c in curves:
        for p in c.points:
            phases = " | ".join(f"{p[k]:.1f}" for k in PHASES)
            lines.append(f"| {c.name} | {p['bodies']} | {p['contacts']} | {p['us']:.1f} | {phases} | {p['unsolved']} |")
    return lines


def to_fits(curves):
    return [f"- {c.name}: time goes as {c.against} to the power {c.fit():.2f} (from {c.fit_from} on)."
            for c in curves]


def to_svg(curves):
    """Logarithmic axes, one line per curve, names at the right."""
    width, height, left, right, top, bottom = 860, 440, 70, 270, 20, 50
    points = [p for c in curves for p in c.points]
    x_end = math.ceil(math.log10(max(p["x"] for p in points)))
    y_begin = math.floor(math.log10(min(p["us"] for p in points)))
    y_end = math.ceil(math.log10(max(p["us"] for p in points)))

    def at_x(x):
        return left + math.log10(x) / x_end * (width - left - right)

    def at_y(y):
        return height - bottom - (math.log10(y) - y_begin) / (y_end - y_begin) * (height - top - bottom)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           'font-size="13">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for e in range(x_end + 1):
        x = at_x(10**e)
        out.append(f'<path d="M{x:.1f} {top}V{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{height - bottom + 18}" text-anchor="middle">{10**e}</text>')
    for e in range(y_begin, y_end + 1):
        y = at_y(10**e)
        out.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**e:g}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">contacts or bodies</text>'
               f'<text transform="translate(16 {height / 2}) rotate(-90)" text-anchor="middle">a step [us]</text>')
    for k, (curve, colour) in enumerate(zip(curves, COLOURS)):
        line = " ".join(f"{at_x(p['x']):.1f},{at_y(p['us']):.1f}" for p in curve.points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{at_x(p["x"]):.1f}" cy="{at_y(p["us"]):.1f}" r="3" fill="{colour}"/>' for p in curve.points]
        y = top + 20 + 44 * k
        out.append(f'<path d="M{width - right + 12} {y - 4}h18" stroke="{colour}" stroke-width="2"/>'
                   f'<text x="{width - right + 36}" y="{y}">{curve.name}</text>'
                   f'<text x="{width - right + 36}" y="{y + 17}" fill="#666">{curve.against}, '
                   f'power {curve.fit():.2f}</text>')
    return "\n".join([*out, "</svg>", ""])


def to_page(curves):
    return "\n".join([
        "# What a step costs", "",
        f"Made by `make bench-scaling` (tools/bench_scaling.py); do not edit. Measured on {datetime.date.today()}. One thread,",
        "dt = 2 ms, the fastest of several runs.", "",
        "![time of a step against contacts and bodies](figures/scaling.svg)", "", *to_fits(curves), "",
        "Contacts that no chain of touching bodies joins are problems of their own (islands), so that what lies apart",
        "costs in proportion to its number. In one island all contacts feel each other. What rests is not solved again:",
        "the stacks and the balls apart.", "", *to_table(curves), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("app", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, help="the folder docs")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    curves = make_curves()
    with tempfile.TemporaryDirectory() as folder:
        for curve in curves:
            for n in curve.counts:
                curve.points.append(measure(arguments.app, curve, n, pathlib.Path(folder), arguments.repetitions))
                print(f"{curve.name}, {n}: {curve.points[-1]['us']:.1f} us", file=sys.stderr)
    print("\n".join([*to_table(curves), "", *to_fits(curves)]))
    if arguments.write:
        (arguments.write / "scaling.md").write_text(to_page(curves))
        (arguments.write / "figures/scaling.svg").write_text(to_svg(curves))


if __name__ == "__main__":
    main()
