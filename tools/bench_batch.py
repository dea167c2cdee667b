#!/usr/bin/env python3
"""Batches of simulations beside mujoco.rollout and mujoco.batch, in one run: steps of worlds per second.

  make bench-batch                       writes the table of docs/python.md
  tools/bench_batch.py [--write FILE] [--quick]

The same MJCF files, the same steps, the same random controls, from the file's own position. MuJoCo integrates with its
implicitfast where a file asks for RK4, which evaluates each step four times. Controls are uniform in their whole range,
new every ten steps. The programs take turns; each number is the best of several rounds, of processor time with one
thread and of the wall clock with two. rollout: open loop, one call for all steps. step(k): controls are written every k
steps, then one call.
"""
import argparse
import datetime
import os
import pathlib
import resource
import tempfile
import time

import mujoco
import mujoco.batch
import mujoco.rollout
import numpy as np
import sinew

START, END = "<!-- bench_batch: begin -->", "<!-- bench_batch: end -->"


def time_once(work, threads):
    clock = time.process_time if threads == 1 else time.perf_counter
    start = clock()
    work()
    return clock() - start


def write_arm(folder):
    """Seven hinges with motors, no contact."""
    body = ""
    for i in reversed(range(7)):
        axis = ["0 0 1", "0 1 0"][i % 2]
        body = (f'<body pos="0 0 {0.3 if i else 0}"><joint name="j{i}" axis="{axis}" damping=".5" armature=".02"/>'
                f'<geom type="capsule" fromto="0 0 0 0 0 .3" size=".04" contype="0" conaffinity="0"/>{body}</body>')
    motors = "".join(f'<motor name="m{i}" joint="j{i}" ctrlrange="-5 5" ctrllimited="true"/>' for i in range(7))
    file = folder / "arm.xml"
    file.write_text(f'<mujoco><option timestep=".002" integrator="implicitfast"/><worldbody>{body}</worldbody>'
                    f"<actuator>{motors}</actuator></mujoco>")
    return file


def scenes(packages, folder):
    return {"humanoid (gymnasium)": packages / "gymnasium/envs/mujoco/assets/humanoid.xml",
            "humanoid (dm_control)": packages / "dm_control/suite/humanoid.xml",
            "arm of 7 joints": write_arm(folder)}


class Sinew:
    def __init__(self, file, worlds, threads, controls):
        self.batch = sinew.SimulationBatch(sinew.make_scene(sinew.load(file)), worlds, threads=threads)
        self.controls = controls
        self.states = np.empty((worlds, controls.shape[1] + 1, self.batch.q.shape[1] + self.batch.v.shape[1]))

    def rollout(self):
        self.batch.reset()
        return self.time(lambda: self.batch.rollout(self.controls, self.states))

    def step(self, k):
        self.batch.reset()
        batch, controls = self.batch, self.controls

        def steps():
            for t in range(0, controls.shape[1], k):
                batch.control[:] = controls[:, t]
                batch.step(k)
        return self.time(steps)

    def time(self, work):
        seconds = time_once(work, self.batch.threads)
        if self.batch.failed.any():
            raise SystemExit(f"bench_batch: {self.batch.failures[0]}")
        return seconds


class Mujoco:
    def __init__(self, file, worlds, threads, controls):
        self.model = mujoco.MjModel.from_xml_path(str(file))
        if self.model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
            self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.controls, self.threads = controls, threads
        self.data = [mujoco.MjData(self.model) for _ in range(threads)]
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start = np.empty(size)
        mujoco.mj_getState(self.model, self.data[0], start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.start = np.tile(start, (worlds, 1))
        self.states = np.empty((worlds, controls.shape[1], size))
        self.sensors = np.empty((worlds, controls.shape[1], self.model.nsensordata))
        self.pool = mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0)
        self.batch = mujoco.batch.Batch(self.model, nsim=worlds, nthread=threads)

    def rollout(self):
        return time_once(lambda: self.pool.rollout(self.model, self.data, self.start, self.controls, state=self.states,
                                                   sensordata=self.sensors), self.threads)

    def step(self, k):
        self.batch.reset()
        control = self.batch.bind("ctrl")

        def steps():
            for t in range(0, self.controls.shape[1], k):
                control[:] = self.controls[:, t]
                self.batch.step(nstep=k)
        return time_once(steps, self.threads)


def weigh(file, worlds):
    """A sentence: what a world takes in memory, to be made and to be reset."""
    scene = sinew.make_scene(sinew.load(file))
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    batch = sinew.SimulationBatch(scene, worlds)
    made = time.process_time() - start
    batch.step(100)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # [KiB]
    start = time.process_time()
    batch.reset()
    reset = time.process_time() - start
    return (f"One world of {file.name} takes {memory / 1024 / worlds:.1f} MiB, {1e3 * made / worlds:.2g} ms to be made and "
            f"{1e3 * reset / worlds:.2g} ms to be reset.")


def table(packages, folder, rounds, worlds, steps):
    lines = ["| scene (nv, actuators) | threads | call | Sinew | MuJoCo | ratio |", "|---|---|---|---|---|---|"]
    rng = np.random.default_rng(1)
    files = scenes(packages, folder)
    first = next(f for f in files.values() if f.exists())
    weight = weigh(first, 2 * worlds)
    for name, file in files.items():
        if not file.exists():
            lines.append(f"| {name} | | not installed | | | |")
            continue
        m = mujoco.MjModel.from_xml_path(str(file))
        low, high = m.actuator_ctrlrange.T
        # Held for ten steps, as a policy's would be.
        controls = np.repeat(rng.uniform(low, high, (worlds, steps // 10, m.nu)), 10, 1)
        for threads in 1, 2:
            sides = Sinew(file, worlds, threads, controls), Mujoco(file, worlds, threads, controls)
            assert sides[0].batch.control.shape[1] == m.nu and sides[0].batch.dt == m.opt.timestep
            calls = {"rollout": lambda side: side.rollout(), "step(5)": lambda side: side.step(5),
                     "step(1)": lambda side: side.step(1)}
            for call, run in calls.items():
                least = [np.inf, np.inf]
                for _ in range(rounds):
                    for i, side in enumerate(sides):
                        least[i] = min(least[i], run(side))
                ours, theirs = (controls.shape[0] * controls.shape[1] / t / 1000 for t in least)
                against = "rollout" if call == "rollout" else "batch"
                lines.append(f"| {name} ({m.nv}, {m.nu}) | {threads} | {call} | {ours:.1f} | {theirs:.1f} "
                             f"(`mujoco.{against}`) | {ours / theirs:.2f} |")
                print(lines[-1], flush=True)
    lines.append("")
    lines.append(f"Measured on {datetime.date.today()}. Thousands of steps of worlds per second, {worlds} worlds, {steps} steps. The best of {rounds} rounds.\n"
                 + weight)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="once, for a test that it runs")
    args = parser.parse_args()
    packages = pathlib.Path(os.environ.get("SINEW_ROBOTS") or mujoco.__path__[0] + "/..")
    with tempfile.TemporaryDirectory() as folder:
        text = table(packages, pathlib.Path(folder), *((1, 4, 20) if args.quick else (5, 32, 100)))
    if args.write:
        page = args.write.read_text()
        before, rest = page.split(START)
        args.write.write_text(before + START + "\n" + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
