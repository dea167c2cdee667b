"""Whole-body inverse dynamics: torques and foot forces of a humanoid that rises from a squat."""
import sys

import numpy as np
import sinew


def main() -> bool:
    # The humanoid with bent knees, at rest.
    model = sinew.compile(sinew.load("models/humanoid.xml"))
    joints = {joint.name: joint for joint in model.joints}
    q, v = model.neutral.copy(), np.zeros(model.nv)
    for side in "left", "right":
        for joint, angle in {"hip_pitch": -0.5, "knee": 1.0, "ankle_pitch": -0.5}.items():
            q[joints[f"{side}_{joint}"].q] = angle

    # Both soles are held where they stand: six rows each, along the axes of the sole, angular ones first.
    poses = sinew.KinematicsWorkspace(model)
    sinew.calc_kinematics(model, poses, q)
    feet = sinew.ConstraintSet(model, [
        sinew.MaskConstraint(name=name, body_b=name, pose_a=sinew.get_frame_pose(model, poses, name))
        for name in ("left_sole", "right_sole")])
    print(f"{model.nv} freedoms, {feet.rows} contact rows; row 5 is {feet.row_names[5]}")

    # The wish: the pelvis accelerates upwards by 2 m/s^2. The nearest motion that the feet allow follows: at rest,
    # accelerations obey the same rows as velocities.
    wish = np.zeros(model.nv)
    wish[5] = 2
    a, _ = sinew.project_velocity(model, feet, sinew.ManifoldWorkspace(model, feet), q, wish)

    # Which torques make it? Nothing drives the first six coordinates, the floating base. Of all answers, the shortest.
    motors = list(range(6, model.nv))
    actuation = sinew.ActuationWorkspace(model, feet)
    u, report = sinew.constrained_inverse_dynamics(model, feet, actuation, q, v, a, motors)
    knee = u[joints["left_knee"].v - 6]
    print(f"{report.mobility} ways to move, {report.actuators} motors reach {report.rank} of them; "
          f"knee torque {knee:.1f} N m")

    # Apply them: the same motion comes out, and with it the forces under the feet.
    tau = np.concatenate([np.zeros(6), u])
    again, forces, certificate = sinew.constrained_forward_dynamics(
        model, feet, sinew.ConstrainedWorkspace(model, feet), q, v, tau)
    error = abs(again - a).max()
    print(f"accelerations agree to {error:.0e} rad/s^2; {certificate.status.name}, "
          f"residual {certificate.dynamics_residual:.0e} N m")

    # Newton for the whole: both feet together carry the weight and lift the centre of mass.
    rise = sinew.calc_centre_of_mass_acceleration(model, sinew.CentreOfMassWorkspace(model), q, v, again)[2]
    push, expected = forces[5] + forces[11], model.mass * (9.81 + rise)
    print(f"centre of mass: {rise:.3f} m/s^2 upwards; feet {push:.2f} N, mass (g + a) {expected:.2f} N")
    return bool(error < 1e-11 and abs(push - expected) < 4e-14 * expected and rise > 1 and report.unreached < 1e-11)


if __name__ == "__main__":
    sys.exit(not main())
