#!/usr/bin/env python3
"""Frames, bytes and load of `sinew view`, as one viewer on this machine sees them, as a table for docs/view.md.

tools/bench_view.py [SECONDS]; the command is $SINEW_APP or the release build.
"""
import json
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/apps"))
from view_support import View, read_frame  # noqa: E402

SCENES = ["pendulum:3", "models/scenes/quadruped.xml", "models/scenes/humanoid_falls.xml"]


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        words = f.read().split()
    return (int(words[13]) + int(words[14])) / os.sysconf("SC_CLK_TCK")


def measure(scene, seconds, folder):
    file = scene if ":" in scene else ROOT / scene
    with View(file, cwd=folder) as view, view.viewer() as v:
        first, cpu, begun = v.next(), cpu_seconds(view.process.pid), time.monotonic()
        sizes, gaps, last, frame = [], [], begun, first
        while time.monotonic() < begun + seconds:
            data = v.socket.recv(timeout=5)
            if not isinstance(data, bytes):
                continue
            v.socket.send('{"do":"seen"}')
            now = time.monotonic()
            gaps.append(now - last)
            last, frame = now, read_frame(data)
            sizes.append(len(data))
        wall = time.monotonic() - begun
        gaps.sort()
        return (f"| `{scene}` | {len(sizes) / wall:.0f} | {1000 * gaps[int(0.99 * len(gaps))]:.0f} ms | {sum(sizes) / len(sizes):.0f} | "
                f"{sum(sizes) / wall / 1000:.0f} kB/s | {(frame['time'] - first['time']) / wall:.3f} | "
                f"{100 * (cpu_seconds(view.process.pid) - cpu) / wall:.0f} % | {len(json.dumps(v.hello)) / 1000:.0f} kB |")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    print("| scene | frames/s | 99 % of gaps below | bytes per frame | stream | of real time | of a core | hello |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for scene in SCENES:
            print(measure(scene, seconds, folder), flush=True)


if __name__ == "__main__":
    main()
