"""A hand draws a circle: operational-space control of a redundant arm.

    J M^-1 J^T F = a - dJ/dt v + J M^-1 (h - tau_0),   tau = J^T F + tau_0

a is the wanted acceleration of the hand. tau_0 holds weight and posture: it moves only what the hand leaves free.
"""
import sys

import numpy as np
import sinew

HAND, MIXED = "left_grasp", sinew.ReferenceFrame.mixed


def main() -> bool:
    # Two arms on a torso. Nothing touches here, so its shapes are left out.
    spec = sinew.load("models/dual_arm.xml")
    spec.shapes.clear()
    model = sinew.compile(spec)
    damping = np.concatenate([[dof.damping for dof in joint.dofs] for joint in spec.joints if joint.dofs])
    sim = sinew.Simulation(model, dt=1e-3)
    joints = {joint.name: joint for joint in model.joints}
    sim.q[joints["left_shoulder_pitch"].q] = 0.5
    sim.q[joints["left_elbow"].q] = 1.0

    jacobian, kinematics = sinew.JacobianWorkspace(model), sinew.KinematicsWorkspace(model)
    rnea, mass = sinew.RneaWorkspace(model), sinew.MassInverseWorkspace(model)
    sinew.calc_kinematics(model, kinematics, sim.q)
    start = sim.q.copy()
    centre = sinew.get_frame_pose(model, kinematics, HAND).r - [0, 0.1, 0]
    errors: list[float] = []

    def control(s: sinew.Stepper) -> None:
        q, v, w = s.q, s.v, np.pi
        sinew.calc_jacobian_rates(model, jacobian, q, v)
        sinew.calc_kinematics(model, kinematics, q)
        # A circle of 0.1 m, a turn in two seconds; and the acceleration that brings the hand to it.
        arm = 0.1 * np.array([0, np.cos(w * s.time), np.sin(w * s.time)])
        speed = w * np.array([0, -arm[2], arm[1]])
        J = sinew.get_jacobian(model, jacobian, HAND, MIXED)[3:]
        away = centre + arm - sinew.get_frame_pose(model, kinematics, HAND).r
        a = -w**2 * arm + 40 * (speed - J @ v) + 400 * away
        if s.time > 4:
            errors.append(float(np.linalg.norm(away)))
        # Bias with the damping of the joints; the weight, and a spring and a damper towards the start pose.
        h = sinew.calc_bias(model, rnea, q, v) + damping * v
        tau0 = sinew.calc_gravity(model, rnea, q) - sinew.multiply_by_mass(model, rnea, q, 10 * v + 25 * (q - start))
        # The force at the hand, with the inertia that is felt there.
        MJ = J @ sinew.calc_mass_inverse(model, mass, q)
        bias = sinew.get_bias_acceleration(model, jacobian, HAND, MIXED)[3:]
        force = np.linalg.solve(MJ @ J.T, a - bias + MJ @ (h - tau0))
        s.applied[:] = J.T @ force + tau0

    sim.controller = control
    sim.run(until=8)
    print(f"{model.nv} freedoms; the hand keeps to its circle within {1e3 * max(errors):.2f} mm for two turns")
    return max(errors) < 1e-3


if __name__ == "__main__":
    sys.exit(not main())
