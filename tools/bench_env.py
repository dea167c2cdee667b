#!/usr/bin/env python3
"""Steps per second of vector environments: Sinew's humanoid beside gymnasium's Humanoid-v5 on MuJoCo, in one run.

  make bench-env                      writes the table of docs/python.md
  tools/bench_env.py [--write FILE] [--seconds 4]

Random actions, environments begin again when they end. Each number is the best of three turns, and the programs take
turns, so that a busy machine is busy for all of them. All have 0.015 s per step. The third kind of row is the model of
Humanoid-v5, read by Sinew, with its motors and its step of 0.003 s: the same work, but for the observation.
"""
import argparse
import datetime
import os
import pathlib
import time

import gymnasium
import numpy as np
import sinew
import sinew.envs
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

START, END = "<!-- bench_env: begin -->", "<!-- bench_env: end -->"
WORLDS = 32


class TheirHumanoid(sinew.envs.TASKS["humanoid"]):
    """Humanoid-v5's model and rules of falling, as a task of ours."""

    frame_skip, actions, observations = 5, 17, 45
    healthy, upright = (1.0, 2.0), -1.0

    def scene(self):
        file = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets/humanoid.xml"
        return sinew.make_scene(sinew.load(file))

    def control(self, actions):
        return 0.4 * actions


def make_all(threads):
    theirs = [lambda: gymnasium.make("Humanoid-v5")]
    out = {}
    for n in threads:
        out["Sinew, `sinew/Humanoid-v0`", f"{n} thread{'s' * (n > 1)}", WORLDS, 36] = \
            gymnasium.make_vec("sinew/Humanoid-v0", num_envs=WORLDS, threads=n)
        out["Sinew, model of Humanoid-v5", f"{n} thread{'s' * (n > 1)}", WORLDS, 23] = \
            sinew.envs.VectorEnv(TheirHumanoid(), WORLDS, threads=n)
    out["MuJoCo, Humanoid-v5, SyncVectorEnv", "1 process", WORLDS, 23] = SyncVectorEnv(theirs * WORLDS)
    out["MuJoCo, Humanoid-v5, AsyncVectorEnv", f"{max(threads)} processes", max(threads), 23] = \
        AsyncVectorEnv(theirs * max(threads))
    return out


def run(envs, seconds, seed):
    """Steps per second of the clock, and per second of the processor, all environments together."""
    rng = np.random.default_rng(seed)
    low, high = envs.single_action_space.low, envs.single_action_space.high
    shape = (16, *envs.action_space.shape)
    actions = rng.uniform(low, high, shape).astype(np.float32)
    envs.reset(seed=seed)
    for a in actions:
        envs.step(a)
    count, start, busy = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        for a in actions:
            envs.step(a)
        count += len(actions)
    steps = count * envs.num_envs
    return steps / (time.perf_counter() - start), steps / (time.process_time() - busy)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    threads = sorted({1, min(2, os.cpu_count() or 1)})
    all_envs = make_all(threads)
    best = dict.fromkeys(all_envs, (0.0, 0.0))
    for turn in range(3):
        for key, envs in all_envs.items():
            best[key] = tuple(map(max, best[key], run(envs, options.seconds, turn)))
    for envs in all_envs.values():
        envs.close()
    sync = next(v for k, v in best.items() if "Sync" in k[0])
    lines = ["| environment | worlds | on | nv | steps/s | of MuJoCo's one process | steps per s of the processor | ratio |",
             "|---|---|---|---|---|---|---|---|"]
    for (name, on, worlds, nv), (rate, work) in best.items():
        own = "Async" not in name  # else the work is done by other processes
        lines.append(f"| {name} | {worlds} | {on} | {nv} | {rate:,.0f} | {rate / sync[0]:.2f} | " +
                     (f"{work:,.0f} | {work / sync[1]:.2f} |" if own else "| |"))
    lines += ["", f"Measured on {datetime.date.today()}."]
    table = "\n".join(lines)
    print(table)
    if options.write:
        text = options.write.read_text()
        head, rest = text.split(START)
        options.write.write_text(head + START + "\n" + table + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
