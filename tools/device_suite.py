#!/usr/bin/env python3
"""Measures steps with contact on a CUDA device, and writes the tables and the plot of docs/device.md.

  tools/device_suite.py FOLDER                  all of it, on a machine with the library, nvcc and a device
  tools/device_suite.py FOLDER build            the two programs: needs build/release/libsinew.a, and nvcc or .cuda/
  tools/device_suite.py FOLDER cases [SCENE..]  the CPU's answers; takes all processors
  tools/device_suite.py FOLDER measure [SCENE..]  needs a device, the driver and cases; into FOLDER/SCENE.json
  tools/device_suite.py FOLDER write            docs/device.md and docs/figures/device.svg, from these

A machine with the device alone needs this file and FOLDER. humanoid.xml of the package mujoco-warp is fetched by pip
if FOLDER has none.
"""
import datetime
import glob
import io
import json
import math
import pathlib
import shutil
import subprocess
import sys
import time
import zipfile

import page_part

ROOT = pathlib.Path(__file__).resolve().parent.parent
# name: title, model, dt, contacts, rows, spread, paths of 16 states for the comparison with the CPU
SCENES = {
    "humanoid": ("humanoid", "humanoid.xml", 5e-3, 40, 64, 0.3, 6250),
    "quadruped": ("quadruped", "models/scenes/quadruped.xml", 2e-3, 30, 90, 0.1, 6250),
    "gripper": ("gripper with a box", "bench/cuda/gripper_box.xml", 2e-3, 40, 100, 0.01, 1250),
    "stack": ("ten-box stack", "models/scenes/box_stack.xml", 2e-3, 80, 150, 0.003, 64),
}
SHOWN = [256, 2048, 8192, 32768, 131072, 262144]
COLOURS = ["#0b62a4", "#c2410c", "#15803d", "#7c3aed"]


def run(*command):
    print("+", *command, file=sys.stderr, flush=True)
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


def find_nvcc():
    local = glob.glob(str(ROOT / ".cuda/lib/python3*/site-packages/nvidia/cu13/bin/nvcc"))
    found = local[0] if local else shutil.which("nvcc")
    if not found:
        sys.exit("device_suite: there is no nvcc; tools/setup.sh cuda gets one")
    return pathlib.Path(found)


def build(folder):
    run("c++", "-std=c++20", "-O2", "-DSINEW_PACK_BYTES=16", "-Iinclude", "-Isrc", "bench/cuda/make_step_case.cpp",
        "build/release/libsinew.a", "-ltinyxml2", "-lfmt", "-lhdf5_serial", "-lpng", "-lz", "-o", folder / "make_step_case")
    nvcc = find_nvcc()
    run(nvcc, "-std=c++20", "-O3", "-arch=sm_90", "-diag-suppress", "20013", "-Iinclude", "-Isrc",
        f"-L{nvcc.parent.parent / 'lib'}", "-o", folder / "step_driver", "bench/cuda/step_driver.cu")
    fetch_humanoid(folder)


def fetch_humanoid(folder):
    if (folder / "humanoid.xml").exists():
        return
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "mujoco-warp==4.0.0")
    with zipfile.ZipFile(next(folder.glob("mujoco_warp*.whl"))) as package:
        (folder / "humanoid.xml").write_bytes(package.read("mujoco_warp/test_data/humanoid/humanoid.xml"))


def make_cases(folder, names):
    for name in names:
        _, model, dt, contacts, rows, spread, paths = SCENES[name]
        model = folder / model if (folder / model).exists() else ROOT / model
        run(folder / "make_step_case", model, folder / f"{name}.case", dt, contacts, rows, spread, paths)
        if name == "humanoid":
            run(folder / "make_step_case", model, folder / "first.case", dt, contacts, rows, spread, 1)


def measure(folder, names):
    driver = folder / "step_driver"
    for name in names:
        said = subprocess.run([driver, "--suite", folder / f"{name}.case"], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        facts = [json.loads(line) for line in said.splitlines()[1:]]
        if name == "humanoid":
            times = []
            for _ in range(3):
                begin = time.monotonic()
                subprocess.run([driver, "--first", folder / "first.case"], check=True, stdout=subprocess.DEVNULL)
                times.append(time.monotonic() - begin)
            facts.append({"what": "first", "seconds": times})
        facts.append({"what": "date", "date": str(datetime.date.today())})
        (folder / f"{name}.json").write_text(json.dumps(facts, indent=0))
        print(said, flush=True)


def pick(facts, what, precision=None, **equal):
    return [f for f in facts if f["what"] == what and precision in (None, f.get("precision"))
            and all(f[k] == v for k, v in equal.items())]


def count(n):
    return f"{int(n):,}".replace(",", " ")


def per_million(n, of):
    x = 1e6 * n / of
    return "0" if n == 0 else count(round(x)) if x >= 10 else f"{x:.2g}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|",
            *("| " + " | ".join(row) + " |" for row in rows), ""]


def to_page(found):
    """The lines between the marks of docs/device.md."""
    title = {name: SCENES[name][0] for name in found}
    rows, notes = [], []
    for name, facts in found.items():
        by_size = {f["worlds"]: f for f in pick(facts, "time", "float", varied=1)}
        rows.append([title[name], *(f"{by_size[n]['best']:.3g} ({by_size[n]['mean']:.3g})" if n in by_size else ""
                                    for n in SHOWN)])
        same = ", ".join(f"{f['best']:.3g} at {count(f['worlds'])}" for f in pick(facts, "time", "float", varied=0))
        double = ", ".join(f"{f['best']:.3g} at {count(f['worlds'])}" for f in pick(facts, "time", "double"))
        notes.append(f"- {title[name]}: {same} with the same 32 starts; in double {double}.")
    lines = [f"Measured on {max(f['date'] for facts in found.values() for f in pick(facts, 'date'))} by "
             "`tools/device_suite.py` on one NVIDIA H200; do not edit this part.", "",
             "**Million steps/s**, float, all worlds different, against the number of worlds: best call (mean of them)", "",
             *table(["scene", *map(count, SHOWN)], rows), *notes, "",
             "![million steps per second against worlds](figures/device.svg)", ""]
    rows = []
    for name, facts in found.items():
        for f in pick(facts, "residuals"):
            rows.append([f"{title[name]}, {f['precision']}", count(f["steps"]),
                         *(per_million(f[k], f["steps"]) for k in ("1e-10", "1e-8", "1e-5", "1e-4", "1e-3", "1e-2")),
                         f"{f['worst']:.1e}"])
    lines += ["**Residuals**: of a million world-steps, how many are above", "",
              *table(["scene", "steps", "1e-10", "1e-8", "1e-5", "1e-4", "1e-3", "1e-2", "worst"], rows)]
    rows = []
    for name, facts in found.items():
        for f in pick(facts, "agreement"):
            limit = "below_1e-5" if f["precision"] == "float" else "below_1e-10"
            share = 100 * f[limit] / max(1, f["unique"])
            rows.append([f"{title[name]}, {f['precision']}", count(f["states"]), count(f["unique"]), f"{share:.2f} %",
                         *(f"{f[k]:.1e}" for k in ("middle", "of_90", "of_99", "of_999", "most"))])
    lines += ["**One step beside `Simulation`** in double: the largest error of v over the largest v (at least 1), of the "
              "states where two", "solvers of the CPU agree to 1e-11, and the share below 1e-10 in double, 1e-5 in float:", "",
              *table(["scene", "states", "unique", "within", "middle", "90 %", "99 %", "99.9 %", "most"], rows)]
    rows = []
    for name, facts in found.items():
        for f in pick(facts, "bits"):
            rows.append([f"{title[name]}, {count(f['worlds'])} worlds, {count(f['steps'])} steps",
                         *(count(f[k]) for k in ("again", "backwards", "of_1", "of_7", "of_part", "beside_poisoned")),
                         f"{count(f['aside_poisoned'] - f['aside'])} of {count(f['poisoned'])}"])
    lines += ["**Bits**: how many worlds differ from the first run: in a second run, in the opposite order, in batches of 1, 7 "
              "and a sixteenth,", "and beside 1 % poisoned worlds (a velocity that is no number, one of 1e30, a force of "
              "1e30); how many of these were set aside:", "",
              *table(["scene", "again", "backwards", "1", "7", "a sixteenth", "beside poisoned", "set aside"], rows)]
    rows = []
    for name, facts in found.items():
        f = pick(facts, "memory", "float")[0]
        rows.append([title[name], *(count(f[k]) for k in ("freedoms", "contacts", "rows")),
                     *(f"{f[k] / 1024:.1f} KB" for k in ("state", "kept", "shared"))])
    lines += ["**Memory per world** in float: room, state, what is kept between phases, and shared memory while it is worked on:", "",
              *table(["scene", "freedoms", "contacts", "rows", "state", "kept", "shared"], rows)]
    for f in pick(found.get("humanoid", []), "first"):
        seconds = ", ".join(f"{s:.2f}" for s in f["seconds"])
        lines += [f"**A fresh process** that steps 4096 humanoids once, from its start to its end: {seconds} s.", ""]
    return lines


def to_svg(found):
    """Logarithmic axes, a line per scene."""
    width, height, left, right, top, bottom = 760, 420, 70, 190, 20, 50
    curves = {SCENES[name][0]: [(f["worlds"], f["best"]) for f in pick(facts, "time", "float", varied=1)]
              for name, facts in found.items()}
    points = [p for curve in curves.values() for p in curve]
    x_begin, x_end = math.log2(min(p[0] for p in points)), math.log2(max(p[0] for p in points))
    y_begin = math.floor(math.log10(min(p[1] for p in points)))
    y_end = math.ceil(math.log10(max(p[1] for p in points)))

    def at_x(x):
        return left + (math.log2(x) - x_begin) / (x_end - x_begin) * (width - left - right)

    def at_y(y):
        return height - bottom - (math.log10(y) - y_begin) / (y_end - y_begin) * (height - top - bottom)

    out = io.StringIO()
    out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
              f'font-size="13">\n<rect width="{width}" height="{height}" fill="white"/>\n')
    for e in range(math.ceil(x_begin), math.floor(x_end) + 1, 2):
        out.write(f'<path d="M{at_x(2**e):.1f} {top}V{height - bottom}" stroke="#ddd"/>'
                  f'<text x="{at_x(2**e):.1f}" y="{height - bottom + 18}" text-anchor="middle">{2**e}</text>\n')
    for e in range(y_begin, y_end + 1):
        out.write(f'<path d="M{left} {at_y(10.0**e):.1f}H{width - right}" stroke="#ddd"/>'
                  f'<text x="{left - 8}" y="{at_y(10.0**e) + 4:.1f}" text-anchor="end">{10.0**e:g}</text>\n')
    out.write(f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">worlds</text>'
              f'<text transform="translate(16 {height / 2}) rotate(-90)" text-anchor="middle">million steps/s</text>\n')
    for k, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[k]
        line = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in curve)
        out.write(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>\n')
        out.writelines(f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{colour}"/>\n' for x, y in curve)
        out.write(f'<text x="{at_x(curve[-1][0]) + 10:.1f}" y="{at_y(curve[-1][1]) + 4:.1f}" fill="{colour}">{name}</text>\n')
    return out.getvalue() + "</svg>\n"


def write(folder):
    found = {name: json.loads((folder / f"{name}.json").read_text()) for name in SCENES
             if (folder / f"{name}.json").exists()}
    page_part.replace(ROOT / "docs/device.md", "suite", to_page(found))
    (ROOT / "docs/figures/device.svg").write_text(to_svg(found))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, what = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:3]
    names = sys.argv[3:] or list(SCENES)
    folder.mkdir(parents=True, exist_ok=True)
    if what in ([], ["build"]):
        build(folder)
    if what in ([], ["cases"]):
        make_cases(folder, names)
    if what in ([], ["measure"]):
        measure(folder, names)
    if what in ([], ["write"]):
        write(folder)


if __name__ == "__main__":
    main()
