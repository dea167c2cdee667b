"""An arm that bends: how far its tip sags, how it swings, and what is left when it has come to rest."""
import sys

import numpy as np
import sinew

LENGTH, MASS, STIFFNESS, GRAVITY = 1.0, 0.5, 40.0, 9.81  # m, kg, E I in N m^2, m/s^2


def main() -> bool:
    # A rigid model first: a slender link, held at its root by a stiff position servo.
    b = sinew.ModelBuilder("arm").gravity([0, 0, -GRAVITY]).timestep(1e-3)
    across = MASS * LENGTH**2 / 12
    b.body("link").mass(MASS, [LENGTH / 2, 0, 0], np.diag([1e-6, across, across]))
    b.revolute("shoulder", "world", "link").axis([0, 1, 0])
    b.position_servo("hold", "shoulder", stiffness=1e6, damping=1e4)
    model = b.build()

    # Then the same link as a beam: four modes of bending in the vertical plane, with a little damping.
    beam = sinew.operators.make_beam("link", length=LENGTH, mass=MASS, bending_z=STIFFNESS, modes_z=4,
                                     damping_ratio=0.05, stations=[("tip", LENGTH)])
    beam.replaces_inertia = True
    flexible = sinew.operators.FlexibleModel(model, [beam])
    parts = sinew.operators.FlexibleSko(flexible)

    # Let go straight: it swings about its sag and comes to rest. q has the joint, then the modes.
    sim = sinew.FlexibleSimulation(flexible, dt=1e-3)
    print("coordinates:", *model.joint_names, *sim.extra_coordinates)
    lowest = 0.0
    for _ in range(6000):
        sim.step()
        parts.update(sim.q, sim.v)
        lowest = min(lowest, parts.get_pose(parts.find_place("link", "tip")).r[2])
    tip = parts.get_pose(parts.find_place("link", "tip")).r[2]

    # A clamped beam under its own weight sags by m g L^3 / 8 E I; let go at once it goes about twice as deep.
    sag = MASS * GRAVITY * LENGTH**3 / (8 * STIFFNESS)
    print(f"tip at {1e3 * tip:.3f} mm; m g L^3 / 8 E I is {1e3 * sag:.3f} mm; deepest on the way {1e3 * lowest:.1f} mm")
    return abs(-tip / sag - 1) < 2e-3 and 1.7 < -lowest / sag < 2.1


if __name__ == "__main__":
    sys.exit(not main())
