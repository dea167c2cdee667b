#!/usr/bin/env python3
"""Size, load time and frame rate of reports in Chromium, drawn without a graphics card; writes them into a page.

  tools/report_show.py build/release/sinew [--write docs/report.md]
"""
import argparse
import json
import pathlib
import platform
import shutil
import subprocess
import tempfile
import textwrap
import time

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- report_show -->", "<!-- report_show end -->"
ARGUMENTS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def write_heap(file, count=100):
    """Boxes that fall on each other, five by five, turned a little so that they do not stand."""
    boxes = "".join(
        f'<body name="box{i}" pos="{0.25 * (i % 5) - 0.5} {0.25 * (i // 5 % 5) - 0.5} {0.2 + 0.25 * (i // 25)}" '
        f'euler="{7 * i % 40} {11 * i % 40} {13 * i % 40}"><freejoint/><geom type="box" size="0.1 0.08 0.06" density="500"/></body>'
        for i in range(count))
    file.write_text('<mujoco model="heap"><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>'
                    f'{boxes}</worldbody></mujoco>')


def measure(browser, file):
    """Seconds to the first picture, megabytes of memory, and pictures per second while the cursor moves."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"file://{file}")
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    first = page.evaluate("performance.getEntriesByName('sinew-first-picture')[0].startTime") / 1000
    # The cursor goes through the run in 3 s, a row per picture of the browser.
    rate, work = page.evaluate("""() => new Promise(done => {
      const n = sinew.rows, begun = performance.now(); let pictures = 0, work = 0;
      const next = now => {
        const t = performance.now(), share = (t - begun) / 3000;
        if (share >= 1) return done([pictures / ((t - begun) / 1000), work / pictures]);
        sinew.seekRow(Math.floor(share * n)); work += performance.now() - t;
        ++pictures; requestAnimationFrame(next); };
      requestAnimationFrame(next); })""")
    page.close()
    return first, rate, work


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sinew", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    sinew = options.sinew.resolve()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    lines = ["| run | record | report | of it the run | rows kept | first picture | while scrubbing |", "|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as p:
        folder = pathlib.Path(folder)
        write_heap(folder / "heap.xml")
        browser = p.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for name, scene, seconds in (("pendulum of 12 links, 5 s", "pendulum:12", 5),
                                     ("humanoid that falls, 60 s", ROOT / "models/scenes/humanoid_falls.xml", 60),
                                     ("heap of 100 boxes, 0.5 s", folder / "heap.xml", 0.5)):
            record, html = folder / "run.h5", folder / "run.html"
            subprocess.run([sinew, "sim", scene, "--for", str(seconds), "--record", record, "--force"], capture_output=True)
            said = json.loads(subprocess.run([sinew, "report", record, "-o", html, "--force", "--json"], check=True,
                                             capture_output=True, text=True).stdout)
            first, rate, work = min((measure(browser, html) for _ in range(3)), key=lambda m: m[0])
            run = said["runs"][0]
            lines.append(f"| {name} | {record.stat().st_size / 1e6:.1f} MB | {said['bytes'] / 1e6:.2f} MB | {run['bytes'] / 1e6:.2f} MB | "
                         f"{run['kept']} of {run['rows']} | {first:.2f} s | {rate:.0f} pictures/s; {work:.1f} ms of work each |")
            print(lines[-1], flush=True)
        version = browser.version
        browser.close()
    where = (f"Chromium {version}, 1280 x 800, drawn by the processor (SwiftShader, no graphics card), "
             f"{platform.machine()}, {time.strftime('%Y-%m-%d')}: `make report-show`.")
    text = "\n".join([BEGIN, *lines, "", *textwrap.wrap(where, 118), END])
    if options.write:
        page = options.write.read_text()
        before, rest = page.split(BEGIN)
        options.write.write_text(before + text + rest.split(END)[1])
    else:
        print(where)


if __name__ == "__main__":
    main()
