#!/usr/bin/env python3
"""tools/sweep_show.py [--write docs/sweep.md] - sweeps that are killed in every way, and what they cost

1000 runs of a falling humanoid: serial, with Ray while a worker is killed every second and the driver once, on two nodes
of Ray of which one is removed, as a SLURM array of which one task is killed. All must end complete with the same hash.
Processes that it kills are those that it started: drivers by their handle, workers by the notes in the sweep's folder.
Ray stays on this machine's loopback.
"""
import argparse
import atexit
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # loopback alone, see sinew/sweep/ray_engine.py
os.environ["RAY_worker_niceness"] = "0"  # usually 15: on a busy machine workers would hardly start within a second

import sinew  # noqa: E402
from sinew import sweep  # noqa: E402
from sinew.sweep.shard import Folder  # noqa: E402

ROOT = pathlib.Path(__file__).parents[1]
PLAN = f"""
duration = %s
samples = 500
seed = 1
[scene]
file = "{ROOT}/models/humanoid.xml"
[keep]
values = ["totals", "certificate", "energy", "final"]
[parameters]
timestep = [1e-3, 2e-3]
friction = {{ random = "uniform", from = 0.2, to = 1.0 }}
gravity.z = {{ random = "normal", mean = -9.81, deviation = 0.5 }}
"body/*/mass" = {{ latin = "uniform", from = 0.8, to = 1.2, relative = true }}
"""


def start(plan, out, *words, **environment):
    command = [sys.executable, "-m", "sinew.sweep", str(plan), "--out", str(out), "--json", "--quiet", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    atexit.register(lambda: process.poll() is None and process.kill())
    return process


def finish(process):
    text, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(f"sweep_show: a sweep ended with {process.returncode}: {text}")
    return json.loads(text.splitlines()[-1])


def workers_of(out):
    """Processes that say that they are at a sample of this folder."""
    found = {}
    for file in (out / "notes").glob("*-*") if (out / "notes").exists() else ():
        a, _, b = file.name.partition("-")
        if note := Folder(out).read_note((int(a), int(b))):
            found[note.process] = note.sample
    return found


def count_rows(out):
    return int(Folder(out).is_done(1000).sum()) if (out / "shards").exists() else 0


def wait_for(condition, process, seconds=900):
    end = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            sys.exit("sweep_show: the sweep ended, or hangs, before it could be killed")
        time.sleep(0.02)


class Killer(threading.Thread):
    """SIGKILL to a worker of the folder, every second."""

    def __init__(self, out):
        super().__init__(daemon=True)
        self.out, self.killed, self.ended = out, 0, threading.Event()

    def run(self):
        while not self.ended.wait(1.0):
            workers = sorted(workers_of(self.out))  # none: all are still starting
            for pid in workers[self.killed % 2:][:1] or workers[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed += 1


def show_ray(plan, out):
    killer = Killer(out)
    begin = time.monotonic()
    driver = start(plan, out, "--engine", "ray", "--jobs", "2", "--shard-size", "10")
    killer.start()
    wait_for(lambda: count_rows(out) >= 400, driver)
    driver.kill(), driver.communicate()
    at = count_rows(out)
    report = finish(start(plan, out, "--engine", "ray", "--jobs", "2", "--shard-size", "10"))
    killer.ended.set()
    return report, time.monotonic() - begin, f"{killer.killed} workers killed; driver killed at {at} samples"


def show_nodes(plan, out):
    import ray
    from ray.cluster_utils import Cluster

    assert ray.util.get_node_ip_address() == "127.0.0.1", "Ray would leave this machine"
    small = {"num_cpus": 1, "object_store_memory": 80 << 20, "node_ip_address": "127.0.0.1", "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=small)
    node = cluster.add_node(**{k: v for k, v in small.items() if k != "include_dashboard"})
    begin = time.monotonic()
    driver = start(plan, out, "--engine", "ray", "--address", cluster.address, "--shard-size", "10")
    wait_for(lambda: count_rows(out) >= 300 and len(workers_of(out)) == 2, driver)
    at = count_rows(out)
    cluster.remove_node(node, allow_graceful=False)
    report = finish(driver)
    seconds = time.monotonic() - begin
    cluster.shutdown()
    return report, seconds, f"one of two nodes removed at {at} samples"


def show_slurm(plan, out):
    begin = time.monotonic()

    def task(k):
        return start(plan, out, "--shard", "slurm", "--engine", "serial", "--flush", "0.5", SLURM_ARRAY_TASK_ID=str(k),
                     SLURM_ARRAY_TASK_COUNT="3", SLURM_ARRAY_TASK_MIN="0")

    tasks = [task(k) for k in range(3)]
    wait_for(lambda: count_rows(out) >= 300, tasks[1])
    tasks[1].kill(), tasks[1].communicate()
    at = count_rows(out)
    for k in (0, 2):
        finish(tasks[k])
    left = 1000 - count_rows(out)
    finish(task(1))
    report = finish(start(plan, out, "--collect"))
    return report, time.monotonic() - begin, f"task 1 of 3 killed at {at} samples; repeated alone: {left} samples were left"


def bare_loop(plan):
    """What somebody would write without a sweep: the same runs and the same numbers, kept in memory."""
    base = sinew.load(ROOT / "models" / "humanoid.xml", load_meshes=True)
    rows = []
    for k in range(len(plan)):
        p = plan.space.values(k)
        spec = base.copy()
        for body in spec.bodies:
            mass = body.mass * p["body/*/mass"]
            body.inertia, body.mass = body.inertia * (mass / body.mass), mass
        scene = sinew.make_scene(spec, timestep=p["timestep"], friction=p["friction"], gravity=[0, 0, p["gravity.z"]])
        sim = sinew.Simulation(scene)
        sim.run(steps=round(plan.duration / sim.dt))
        t = sim.totals
        rows.append((t.steps, t.collisions, t.unsolved, t.worst_residual, t.deepest, sim.kinetic_energy,
                     sim.potential_energy, sim.unaccounted_energy, sim.q.copy(), sim.v.copy()))
    return rows


def show_overhead(folder, rounds):
    """Serial sweep less bare loop, per sample; the least of several rounds of each, in turn. CPU time and wall clock."""
    (folder / "short.toml").write_text(PLAN % 0.02)
    plan = sweep.load_plan(folder / "short.toml")
    best = {}

    def measure(name, call):
        wall, cpu = time.perf_counter(), time.process_time()
        value = call()
        took = (time.perf_counter() - wall, time.process_time() - cpu)
        best[name] = tuple(map(min, took, best.get(name, took)))
        return value

    for i in range(rounds):
        rows = measure("loop", lambda: bare_loop(plan))
        result = measure("sweep", lambda: sweep.run(plan, folder / f"short{i}", engine="serial"))
        same = [tuple(q) == tuple(r[8]) for q, r in zip(result.table.column("q").to_pylist(), rows)]
        assert all(same) and len(same) == 1000, "the bare loop does not do the same"
    return {n: [1e3 * x for x in best[n]] for n in best}  # ms in all = us per sample


def main():
    o = argparse.ArgumentParser(description=__doc__)
    o.add_argument("--write", help="put the table into this page")
    o.add_argument("--duration", type=float, default=0.1, help="of each run [s]")
    o.add_argument("--rounds", type=int, default=5, help="of the overhead's measurement")
    o = o.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    lines = ["| 1000 runs | what happened | complete | hash | seconds |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plan = folder / "show.toml"
        plan.write_text(PLAN % o.duration)
        begin = time.monotonic()
        first = finish(start(plan, folder / "serial", "--engine", "serial"))
        kinds = [("serial", lambda: (first, time.monotonic() - begin, "nothing"))]
        kinds += [("Ray, 2 workers", lambda: show_ray(plan, folder / "ray")),
                  ("Ray, 2 nodes", lambda: show_nodes(plan, folder / "nodes")),
                  ("SLURM array of 3", lambda: show_slurm(plan, folder / "slurm"))]
        failed = False
        for kind, call in kinds:
            report, seconds, what = call()
            good = report["rows"] == report["samples"] == 1000 and not report["failures"]
            same = report["hash"] == first["hash"]
            failed |= not (good and same)
            lines.append(f"| {kind} | {what} | {'yes' if good else 'NO'} | `{report['hash'][:16]}`"
                         f"{'' if same else ' DIFFERS'} | {seconds:.0f} |")
            print(lines[-1], flush=True)
        cost = show_overhead(folder, o.rounds)
    wall, cpu = (cost["sweep"][i] - cost["loop"][i] for i in (0, 1))
    lines += ["", f"Overhead per sample: {cpu:.0f} us of processor time, {wall:.0f} us of wall clock with the files on disk.",
              f"It is the difference of a serial sweep of 1000 runs, each 20 ms long ({cost['sweep'][0]:.0f} us per run),",
              f"and of a bare loop that does the same ({cost['loop'][0]:.0f} us); the least of {o.rounds} rounds."]
    print("\n".join(lines))
    if o.write:
        page = pathlib.Path(o.write)
        text = page.read_text()
        head, tail = text.index("<!-- sweep_show: begin -->\n"), text.index("<!-- sweep_show: end -->")
        page.write_text(text[:head] + "<!-- sweep_show: begin -->\n" + "\n".join(lines) + "\n" + text[tail:])
    sys.exit(failed)


if __name__ == "__main__":
    main()
