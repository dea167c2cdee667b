"""A four-bar linkage: write it, close it, count its freedoms, let it swing without drift."""
import sys
from math import pi

import numpy as np
import sinew


def build() -> sinew.Model:
    # Three rods in the x-y plane: crank and coupler in a row, the rocker on its own pivot.
    b = sinew.ModelBuilder("four_bar").gravity([0, -9.81, 0])
    for name, length in {"crank": 0.2, "coupler": 0.45, "rocker": 0.4}.items():
        rod = sinew.Transform.from_rpy([length / 2, 0, 0], [0, pi / 2, 0])  # a thin rod lies along z
        b.body(name).mass(sinew.thin_rod(length, length / 2), rod)
    b.revolute("drive", "world", "crank").axis([0, 0, 1])
    b.revolute("knuckle", "crank", "coupler").axis([0, 0, 1]).at([0.2, 0, 0])
    b.revolute("swing", "world", "rocker").axis([0, 0, 1]).at([0.5, 0, 0])
    # The pin that closes the loop: the far end of the coupler on the far end of the rocker.
    b.loop(sinew.LoopSpec(name="pin", kind=sinew.JointKind.revolute, body_a="coupler", body_b="rocker",
                          pose_a=sinew.Transform([0.45, 0, 0]), pose_b=sinew.Transform([0.4, 0, 0])))
    return b.build()


def main() -> bool:
    model = build()
    constraints = sinew.ConstraintSet(model)  # the model's own loops and couplings

    # Angles read off a sketch; the nearest position that closes the loop follows from them.
    manifold = sinew.ManifoldWorkspace(model, constraints)
    q, closed = sinew.project_position(model, constraints, manifold, [1.0, -0.4, 1.5])
    print(f"closed from {closed.distance:.3f} m to {closed.residual:.0e} m in {closed.iterations} iterations")

    # Five rows in space, of which the plane leaves two that count.
    mobility = sinew.find_mobility(model, constraints, q)
    print(f"mobility {mobility.lowest}: {mobility.freedoms} joints, {mobility.rows} rows of rank {mobility.rank}")

    # How it starts to move, with a certificate: residuals, rank, redundant rows.
    v, tau = np.zeros(3), np.zeros(3)
    solver = sinew.ConstrainedWorkspace(model, constraints)
    a, _, certificate = sinew.constrained_forward_dynamics(model, constraints, solver, q, v, tau)
    print(f"crank starts with {a[0]:.4f} rad/s^2; {certificate}")

    # Ten seconds on the manifold, in steps of 1 ms: no drift, and the energy stays.
    energy, step = sinew.EnergyWorkspace(model), sinew.StepWorkspace(model, constraints)
    before, loop, fastest, kinetic = sinew.calc_potential_energy(model, energy, q), 0.0, 0.0, 0.0
    for _ in range(10000):
        q, v, report = sinew.step_rk4_projected(model, constraints, step, q, v, tau, 1e-3)
        kinetic = sinew.calc_kinetic_energy(model, energy, q, v)
        loop, fastest = max(loop, report.position.residual), max(fastest, kinetic)
    lost = abs(before - kinetic - sinew.calc_potential_energy(model, energy, q)) / fastest
    print(f"after 10 s: loop open by {loop:.0e} m at most, energy changed by {lost:.0e} of the largest kinetic energy")
    return closed.reached and mobility.lowest == 1 and loop < 1e-11 and lost < 3e-8


if __name__ == "__main__":
    sys.exit(not main())
