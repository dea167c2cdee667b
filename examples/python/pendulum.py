"""A pendulum in Python: build it, check its energy, hold it with a controller."""
import sys

import numpy as np
import sinew


def build() -> sinew.Model:
    b = sinew.ModelBuilder("pendulum")
    below = sinew.Transform([0, 0, -1])
    b.body("bob").mass(sinew.solid_sphere(1.0, 0.1), below).sphere(0.1, below)
    b.revolute("hinge", "world", "bob").axis([0, 1, 0])
    b.motor("motor", "hinge")
    return b.timestep(1e-3).build()


def main() -> None:
    model = build()
    print(model)

    # Forward and inverse dynamics are inverses of each other.
    q, v, tau = np.array([0.5]), np.array([1.0]), np.array([0.2])
    a = sinew.aba(model, sinew.AbaWorkspace(model), q, v, tau)
    print("tau again:", sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a))

    # A swing without friction keeps its energy.
    swing = sinew.SmoothSimulation(model, dt=1e-2)
    swing.q[0] = 1.0
    before = swing.potential_energy
    swing.run(until=5)
    print("energy lost in 5 s [J]:", before - swing.potential_energy - swing.kinetic_energy)

    # A controller in Python holds it at 0.5 rad.
    gravity = sinew.RneaWorkspace(model)

    def hold(sim: sinew.Stepper) -> None:
        sim.control[:] = 30 * (0.5 - sim.q) - 6 * sim.v + sinew.calc_gravity(model, gravity, sim.q)

    sim = sinew.Simulation(model)
    sim.controller = hold
    sim.run(until=5)
    print("angle [rad]:", sim.q[0])
    if abs(sim.q[0] - 0.5) > 1e-4:
        sys.exit("the controller does not hold it")


if __name__ == "__main__":
    main()
