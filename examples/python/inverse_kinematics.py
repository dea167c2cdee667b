"""Whole-body inverse kinematics: a humanoid reaches out with one hand, feet where they are, balanced above them."""
import sys

import numpy as np
import sinew
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


class Reach:
    """What is asked of a configuration: errors, and their slopes by every coordinate."""

    def __init__(self) -> None:
        self.model = sinew.compile(sinew.load("models/humanoid.xml"))
        self.poses, self.motions = sinew.KinematicsWorkspace(self.model), sinew.JacobianWorkspace(self.model)
        self.centre, self.map = sinew.CentreOfMassWorkspace(self.model), sinew.CentroidalWorkspace(self.model)
        self.q = self.bend_knees()
        self.soles = {name: self.pose(self.q, name) for name in ("left_sole", "right_sole")}
        self.hand, self.balance = "right_hand", sinew.calc_centre_of_mass(self.model, self.centre, self.q)[:2].copy()
        self.target = self.pose(self.q, self.hand).r + np.array([0.25, 0.05, 0.3])

    def bend_knees(self) -> Numbers:
        joints, q = {joint.name: joint for joint in self.model.joints}, self.model.neutral.copy()
        for side in "left", "right":
            for joint, angle in {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4}.items():
                q[joints[f"{side}_{joint}"].q] = angle
        return q

    def pose(self, q: Numbers, name: str) -> sinew.Transform:
        sinew.calc_kinematics(self.model, self.poses, q)
        return sinew.get_frame_pose(self.model, self.poses, name)

    def errors(self, q: Numbers) -> tuple[Numbers, Numbers]:
        sinew.calc_jacobian(self.model, self.motions, q)
        off: list[Numbers] = []
        J: list[Numbers] = []
        for name, held in self.soles.items():  # six rows: turn and shift
            now = self.pose(q, name)
            turn = now.E.T @ held.E  # a small turn is its skew part
            off += [np.array([turn[1, 2] - turn[2, 1], turn[2, 0] - turn[0, 2], turn[0, 1] - turn[1, 0]]) / 2,
                    now.r - held.r]
            J.append(sinew.get_jacobian(self.model, self.motions, name))
        off.append(self.pose(q, self.hand).r - self.target)
        J.append(sinew.get_jacobian(self.model, self.motions, self.hand)[3:])
        off.append(sinew.calc_centre_of_mass(self.model, self.centre, q)[:2] - self.balance)
        J.append(sinew.calc_centroidal_map(self.model, self.map, q)[3:5] / self.model.mass)
        return np.concatenate(off), np.vstack(J)


def main() -> bool:
    task = Reach()
    q = task.q
    for k in range(30):  # Gauss-Newton, damped; of all answers the one that moves least
        off, J = task.errors(q)
        if k % 5 == 0:
            print(f"{k:3}: off by {abs(off).max():.1e}")
        step = -J.T @ np.linalg.solve(J @ J.T + 1e-9 * np.eye(len(off)), off)
        q = sinew.integrate(task.model, q, step, min(1.0, 0.3 / abs(step).max()))
    off, _ = task.errors(q)
    print(f"{len(off)} rows for {task.model.nv} freedoms; hand at {task.pose(q, task.hand).r.round(3)}")
    return bool(abs(off).max() < 1e-8)


if __name__ == "__main__":
    sys.exit(not main())
