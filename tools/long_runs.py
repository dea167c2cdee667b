#!/usr/bin/env python3
"""Runs a million steps: all finite, memory flat, the same bits on 1 and 2 threads and after being killed and resumed.

    tools/long_runs.py build/release/sinew                    box_stack and humanoid with pushes, 1e6 steps each
    tools/long_runs.py build/release/sinew --steps 20000 --only humanoid

Exit code 1 if anything fails.
"""
import argparse
import json
import math
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SCENES = pathlib.Path(__file__).resolve().parents[1] / "models" / "scenes"
DT = 0.002
RUNS = {
    "box_stack": [SCENES / "box_stack.xml"],
    "humanoid": [SCENES / "humanoid_falls.xml", "--pushes", "1"],
}
GROWTH_KB = 1024  # allowed: peak memory in the second half over that in the first


def read_rss(pid):
    """Resident memory in kB; 0 once the process is gone."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def simulate(binary, words, steps, *more, kill_after=None):
    """The summary of a run (None if it was killed), its memory over time and its duration."""
    command = [binary, "sim", *words, "--dt", DT, "--for", repr(steps * DT), "--json", *more]
    start, memory = time.monotonic(), []
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([str(w) for w in command], stdout=out)
        while process.poll() is None:
            time.sleep(0.2)
            memory.append(read_rss(process.pid))
            if kill_after is not None and time.monotonic() - start > kill_after:
                process.send_signal(signal.SIGKILL)
                process.wait()
                return None, memory, time.monotonic() - start
        out.seek(0)
        text = out.read()
    if process.returncode not in (0, 5):  # 5: some problems were not solved, which the table shows
        sys.exit(f"long_runs: exit code {process.returncode} of: {' '.join(map(str, command))}")
    return json.loads(text), [m for m in memory if m], time.monotonic() - start


def same_bits(a, b):
    return all(a[k] == b[k] for k in ("steps", "q", "v", "energy", "unsolved", "worst_residual", "contacts"))


def check(binary, name, steps, folder):
    words, faults = RUNS[name], []
    first, memory, wall = simulate(binary, words, steps)
    half = len(memory) // 2
    grown = max(memory[half:]) - max(memory[:half])
    if not all(math.isfinite(x) for x in first["q"] + first["v"]):
        faults.append("numbers that are not finite")
    if grown > GROWTH_KB:
        faults.append(f"memory grew by {grown} kB")
    second, _, _ = simulate(binary, words, steps, "--threads", "2")
    if not same_bits(first, second):
        faults.append("the run on two threads ended elsewhere")
    record = folder / f"{name}.h5"
    keep = ["--record", record, "--every", str(max(1, steps // 1000))]
    killed, _, at = simulate(binary, words, steps, *keep, kill_after=wall / 2)
    if killed is not None:
        faults.append("the run ended before it was killed")
    resumed, _, _ = simulate(binary, words, steps, *keep, "--resume", record)
    if not same_bits(first, resumed):
        faults.append("the resumed run ended elsewhere")
    print(
        f"{name}: {first['steps']} steps in {wall:.0f} s, {max(memory) / 1024:.1f} MB, grown by {grown} kB; "
        f"unsolved {first['unsolved']}, of them wedged {first['wedged']}, worst residual {first['worst_residual']:.1e}, deepest {first['penetration']:.1e} m; "
        f"killed after {at:.0f} s, {resumed['steps_here']} steps resumed; {'; '.join(faults) or 'the same bits on 1 and 2 threads and resumed'}",
        flush=True,
    )
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the command sinew")
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--only", choices=sorted(RUNS))
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [check(o.binary, n, o.steps, pathlib.Path(folder)) for n in RUNS if o.only in (None, n)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
