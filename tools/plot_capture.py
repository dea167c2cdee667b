#!/usr/bin/env python3
"""Draws the capture of a satellite, as examples/capture_satellite.cpp simulates it.

    tools/plot_capture.py build/release/example_capture_satellite docs/figures/capture.svg
"""

import argparse
import math
import pathlib
import re
import subprocess

COLOURS, DASHES = ["#0b62a4", "#c2410c"], ["", "7 3"]
LEFT, RIGHT, TOP, HEIGHT, WIDTH = 76, 24, 44, 150, 420
# title, columns with names, powers of ten at the ends of a logarithmic axis
PANELS = [("distance of hand and fixture [m]", [(1, "left"), (2, "right")], None),
          ("turning speed [rad/s]", [(3, "spacecraft"), (4, "satellite")], None),
          ("kinetic energy [J]", [(5, "")], (-3, 1)),
          ("largest change of the momentum so far, part of the whole", [(6, "")], (-16, -12))]


def read(program):
    text = subprocess.run([program, "timeline"], check=True, capture_output=True, text=True).stdout
    rows = [[float(x) for x in line.split()] for line in text.splitlines() if re.match(r"\d", line)]
    events = [(float(t), what) for t, what in re.findall(r"^t = (\d+) s: (.*)$", text, re.MULTILINE)]
    return rows, events[:-1]


def axis(values, log):
    """Ends and grid lines."""
    if log:
        return *log, [(e, f"1e{e}") for e in range(log[0], log[1] + 1)]
    step = 10 ** math.floor(math.log10(max(values)))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if max(values) / s <= 5)
    count = math.ceil(max(values) / step)
    return 0, count * step, [(k * step, f"{k * step:g}") for k in range(count + 1)]


def panel(number, rows, events):
    title, lines, log = PANELS[number]
    x0, y0 = LEFT + number % 2 * (WIDTH + LEFT + RIGHT), TOP + number // 2 * (HEIGHT + TOP + 40)
    end = math.ceil(rows[-1][0])
    low, high, grid = axis([r[c] for r in rows for c, _ in lines], log)

    def at_x(t):
        return x0 + t / end * WIDTH

    def at_y(v):
        return y0 + HEIGHT - ((math.log10(v) if log else v) - low) / (high - low) * HEIGHT

    out = [f'<text x="{x0}" y="{y0 - 10}" font-weight="bold">{title}</text>']
    for value, text in grid:
        y = y0 + HEIGHT - (value - low) / (high - low) * HEIGHT
        out.append(f'<path d="M{x0} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
                   f'<text x="{x0 - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    out += [f'<text x="{at_x(t):.1f}" y="{y0 + HEIGHT + 18}" text-anchor="middle">{t}</text>'
            for t in range(0, end + 1, 4)]
    out.append(f'<text x="{x0 + WIDTH}" y="{y0 + HEIGHT + 34}" text-anchor="end">time [s]</text>')
    for k, (t, _) in enumerate(events):
        out.append(f'<path d="M{at_x(t):.1f} {y0}v{HEIGHT}" stroke="#888" stroke-dasharray="2 3"/>'
                   f'<text x="{at_x(t) + 3:.1f}" y="{y0 + 12}" fill="#555">{k + 1}</text>')
    for (column, name), colour, dash in zip(lines, COLOURS, DASHES):
        points = " ".join(f"{at_x(r[0]):.1f},{at_y(r[column]):.1f}" for r in rows if not log or r[column] > 0)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
                   f'stroke-dasharray="{dash}"/>')
        if name:
            x = x0 + 40 + 120 * (column - lines[0][0])
            out.append(f'<path d="M{x} {y0 + HEIGHT + 30}h22" stroke="{colour}" stroke-width="2" '
                       f'stroke-dasharray="{dash}"/><text x="{x + 28}" y="{y0 + HEIGHT + 34}">{name}</text>')
    return out


def to_svg(rows, events):
    width, height = 2 * (WIDTH + LEFT + RIGHT), 2 * (HEIGHT + TOP + 40) + 30
    names = "; ".join(f"{k + 1}: {what}" for k, (_, what) in enumerate(events))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           'font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for number in range(len(PANELS)):
        out += panel(number, rows, events)
    return "\n".join([*out, f'<text x="{LEFT}" y="{height - 10}" fill="#333">{names}</text>', "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="example_capture_satellite")
    parser.add_argument("figure", type=pathlib.Path, help="the SVG file to write")
    arguments = parser.parse_args()
    arguments.figure.write_text(to_svg(*read(arguments.program.resolve())), encoding="utf-8")


if __name__ == "__main__":
    main()
