"""One fall, six ways to state its contact problem [J14]: same motion, other costs."""
import sys
import time

import numpy as np
import sinew


def main() -> bool:
    # Six spheres on pins swing into a floor and a wall, with friction and restitution; keyframe "start".
    scene = sinew.make_scene(sinew.mechanisms.pendulum(6), timestep=1e-3)
    F = sinew.Formulation
    positions: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    print(f"{'formulation':12}  unknowns  us per step  overlap [m]  energy [J]  differs from os [rad]")
    for formulation in F.os, F.rmc, F.mc, F.nmc_os, F.nmc, F.hinge_pairs:
        # The formulation is one word of the options; the scene, the solver and the step are the same.
        sim = sinew.Simulation(scene, formulation=formulation)
        begin = time.perf_counter()
        sim.run(until=1)
        wall = time.perf_counter() - begin

        # They state the same physics, so the positions agree as well as the solvers do.
        positions.append(sim.q.copy())
        totals, energy = sim.totals, sim.kinetic_energy + sim.potential_energy
        print(f"{formulation.name:12}  {totals.largest_size:8}  {1e6 * wall / totals.steps:11.1f}  "
              f"{totals.deepest:11.1e}  {energy:10.4f}  {abs(sim.q - positions[0]).max():.0e}")
        if totals.unsolved:
            return False
    return bool(np.ptp(positions, axis=0).max() < 2e-11)


if __name__ == "__main__":
    sys.exit(not main())
