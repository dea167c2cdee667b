"""Friction of a box from the path on which it slides: Gauss-Newton with the derivatives of whole steps by friction."""
import sys

import numpy as np
import sinew
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
STEPS = 400  # of 1 ms


def slide(friction: float) -> tuple[Numbers, Numbers]:
    """Where the box is after each step, pushed off at 2 m/s, and the slope of that by the coefficient."""
    b = sinew.ModelBuilder("sled").timestep(1e-3)
    b.body("box").mass(sinew.solid_box(1.5, (0.2, 0.15, 0.1))).box((0.2, 0.15, 0.1)).friction(friction)
    b.free("box", "world", "box").neutral([1, 0, 0, 0, 0, 0, 0.1])
    b.world().plane().friction(friction)
    sim = sinew.Simulation(b.build(), middle_forces=False, refinements=0, recovery=1.0)
    sim.v[3] = 2
    step, slope = sinew.StepDerivatives(sim), np.zeros(12)
    path, slopes = np.zeros(STEPS), np.zeros(STEPS)
    for k in range(STEPS):
        step.step()
        # All corners have the same coefficient, so their columns add up.
        slope = step.state @ slope + step.calc_by_friction().sum(axis=1)
        path[k], slopes[k] = sim.q[4], slope[3]
    return path, slopes


def main() -> bool:
    # What a camera saw: 1 mm of noise.
    true = 0.37
    seen = slide(true)[0] + np.random.default_rng(1).normal(0, 1e-3, STEPS)
    friction, spread = 0.2, np.inf
    for k in range(4):
        path, slope = slide(friction)
        print(f"{k:4}: friction {friction:.5f}, off the path by {np.sqrt(np.mean((path - seen) ** 2)) * 1000:.2f} mm")
        friction += float(slope @ (seen - path) / (slope @ slope))
        spread = float(1e-3 / np.linalg.norm(slope))
    print(f"friction {friction:.5f} +- {spread:.5f}; it is {true}")
    return abs(friction - true) < 4 * spread


if __name__ == "__main__":
    sys.exit(not main())
