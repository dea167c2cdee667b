"""Inverse and forward dynamics, mass matrix, Jacobian and energy of a robot from a file."""
import sys

import numpy as np
import sinew


def main() -> bool:
    # Read and check. A file that breaks a law raises LoadError, whose diagnostics name element and line.
    model = sinew.compile(sinew.load(sys.argv[1] if len(sys.argv) > 1 else "models/dual_arm.xml"))
    print(f"{model.name}: {len(model.bodies) - 1} bodies, {model.nv} freedoms, {model.mass:.1f} kg")

    # A state by chance, within the joint limits.
    rng = np.random.default_rng(1)
    q = sinew.random_configuration(model, seed=1)
    v, a = rng.uniform(-1, 1, (2, model.nv))

    # Inverse dynamics, tau = M a + h. Each algorithm has a workspace, made once; `out=` saves the new array.
    inverse = sinew.RneaWorkspace(model)
    tau = sinew.rnea(model, inverse, q, v, a)
    h = sinew.calc_bias(model, inverse, q, v)

    # Forward dynamics gives the acceleration back.
    again = sinew.aba(model, sinew.AbaWorkspace(model), q, v, tau)
    print(f"aba gives back what rnea was given, to {abs(again - a).max():.0e}")

    # The mass matrix, dense; M a + h is the torque again, 1/2 v M v the kinetic energy.
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    kinetic = sinew.calc_kinetic_energy(model, sinew.EnergyWorkspace(model), q, v)
    print(f"M a + h - tau is {abs(M @ a + h - tau).max():.0e} N m at most")
    print(f"kinetic energy {kinetic:.6f} J, and 1/2 v^T M v = {0.5 * v @ M @ v:.6f} J")

    # The Jacobian of the last body, along the axes of the world, angular rows first: its velocity is J v.
    tip = model.body_names[-1]
    jacobian, motion = sinew.JacobianWorkspace(model), sinew.VelocityWorkspace(model)
    sinew.calc_jacobian(model, jacobian, q)
    J = sinew.get_jacobian(model, jacobian, tip, sinew.ReferenceFrame.mixed)
    sinew.calc_velocities(model, motion, q, v)
    velocity = sinew.get_velocity(model, motion, tip, sinew.ReferenceFrame.mixed)
    print(f"{tip} rises at {velocity[5]:.6f} m/s, and row z of J v = {(J @ v)[5]:.6f} m/s")

    right = abs(again - a).max() < 5e-12 and abs(M @ a + h - tau).max() < 3e-13
    return bool(right and abs(kinetic - 0.5 * v @ M @ v) < 5e-14 * kinetic and abs(J @ v - velocity).max() < 1e-14)


if __name__ == "__main__":
    sys.exit(not main())
