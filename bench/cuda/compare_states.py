#!/usr/bin/env python3
"""Worlds of a device beside the CPU in double: overlap and energy, every tenth of a second.

  PYTHONPATH=build/release/python python3 bench/cuda/compare_states.py MODEL FILE [worlds]

FILE: what step_driver --states wrote; or cpu:SPREAD, the same steps in float32 by the CPU, from velocities of that spread.
The Simulation of each world begins where the world does. Overlap: the deepest of its contacts; energy: of motion and of
height, without springs. Printed: the middle and the worst of the worlds.
"""
import sys

import numpy as np
import sinew

WORLDS, TIMES = 1024, 11


def read_states(model, path):
    """q and v [time, world, number] of a file."""
    data = np.fromfile(path).reshape(TIMES, -1)
    q, v = np.split(data, [WORLDS * model.nq], axis=1)
    return q.reshape(TIMES, WORLDS, -1), v.reshape(TIMES, WORLDS, -1)


def make_states(model, count, spread, steps):
    """The same of worlds that the CPU steps as a device does."""
    worlds = sinew.DeviceSimulation(model, count, contacts=80, rows=150)
    q, v = worlds.state()
    v = v + spread * np.random.default_rng(1).standard_normal(v.shape)
    worlds.set_state(q, v)
    out = [worlds.state()]
    for _ in range(TIMES - 1):
        worlds.step(steps)
        out.append(worlds.state())
    print(worlds.summary(), worlds.failures)
    return (np.array([x[k] for x in out], dtype=float) for k in range(2))


def main():
    model = sinew.compile(sinew.load(sys.argv[1]))
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 32
    one = sinew.Simulation(model)
    steps = round(0.1 / one.dt)
    if sys.argv[2].startswith("cpu:"):
        q, v = make_states(model, count, float(sys.argv[2][4:]), steps)
    else:
        q, v = read_states(model, sys.argv[2])
    shapes, energy = sinew.ContactShapes(model), sinew.EnergyWorkspace(model)

    def measure(q, v):
        gaps = [point.gap for point, _ in shapes.find(q)]
        T, U = sinew.calc_kinetic_energy(model, energy, q, v), sinew.calc_potential_energy(model, energy, q)
        return max(0.0, -min(gaps, default=0.0)), T + U

    found = np.zeros((TIMES, 2, count, 2))  # time, device or CPU, world, overlap and energy
    for i in range(count):
        state = one.state
        state.q, state.v = q[0, i], v[0, i]
        one.restart(state)
        for k in range(TIMES):
            for _ in range(steps if k else 0):
                one.step()
            found[k, 0, i], found[k, 1, i] = measure(q[k, i], v[k, i]), measure(one.q, one.v)
    print("time   overlap [m], middle and worst: device, CPU    energy [J], middle: device, CPU; largest difference")
    for k in range(TIMES):
        (device, cpu), middle = found[k], np.median(found[k], axis=1)
        print(f"{0.1 * k:4.1f}   {middle[0, 0]:.1e} {device[:, 0].max():.1e}   {middle[1, 0]:.1e} {cpu[:, 0].max():.1e}    "
              f"{middle[0, 1]:.6f} {middle[1, 1]:.6f} {abs(device[:, 1] - cpu[:, 1]).max():.1e}")


if __name__ == "__main__":
    main()
