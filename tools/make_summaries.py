#!/usr/bin/env python3
"""Write the summaries of three runs into docs/scenes.md: the humanoid, TALOS on the floor, and a scene that fails.

    SINEW_ROBOTS=... tools/make_summaries.py build/release/sinew docs/scenes.md

They hold times of the wall clock, so `make docs` leaves them alone.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- make summaries: begin -->\n", "<!-- make summaries: end -->\n"
WELDS = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/></body></worldbody><equality>
<weld body1="a" relpose="5 0 0 1 0 0 0"/><weld body1="a" relpose="-5 0 0 1 0 0 0"/></equality></mujoco>"""
LINES = 30  # of one screen


def run(app, folder, *words):
    done = subprocess.run([app, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Remarks about the file come first, what went wrong last, as in a terminal.
    said = "".join(textwrap.fill(line, 110, subsequent_indent="  ") + "\n" for line in done.stderr.splitlines())
    before, after = (said, "") if done.returncode == 0 else ("", said)
    text = f"$ sinew {' '.join(words)}\n{before}{done.stdout}{after}"
    if done.returncode != 0:
        text = text.replace("\n", "; echo $?\n", 1) + f"{done.returncode}\n"
    if done.stdout.count("\n") > LINES:
        sys.exit(f"make_summaries: the summary of {words[1]} has {done.stdout.count(chr(10))} lines, a screen {LINES}")
    return text


def main(app, page):
    app = str(pathlib.Path(app).resolve())
    talos = next(pathlib.Path(os.environ["SINEW_ROBOTS"]).rglob("talos_full_v2.urdf"))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "contradictory_welds.xml").write_text(WELDS)
        text = run(app, ROOT, "sim", "models/humanoid.xml")
        text += run(app, talos.parent, "sim", talos.name, "--floating", "--floor", "--hold", "--for", "0.5")
        text += run(app, folder, "sim", "contradictory_welds.xml")
    old = pathlib.Path(page).read_text()
    before, after = old.split(BEGIN)[0], old.split(END)[1]
    pathlib.Path(page).write_text(f"{before}{BEGIN}```\n{text}```\n{END}{after}")


if __name__ == "__main__":
    main(*sys.argv[1:])
