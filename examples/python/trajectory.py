"""Trajectory optimisation: an acrobot swings up, by iLQR with the derivatives of forward dynamics."""
import sys

import numpy as np
import sinew
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
DT, STEPS = 0.02, 150
GOAL, FINAL, EFFORT = np.array([np.pi, 0, 0, 0]), np.diag([3000.0, 3000, 300, 300]), 2e-4


def build_acrobot() -> sinew.Model:
    """Two rods that hang; the motor will be at the elbow alone."""
    b = sinew.ModelBuilder("acrobot")
    for name, parent, height in (("arm", "world", 0.0), ("leg", "arm", -1.0)):
        b.body(name).mass(sinew.solid_box(1.0, (0.05, 0.05, 1.0)), sinew.Transform([0, 0, -0.5]))
        b.revolute("to_" + name, parent, name).axis((0, 1, 0)).at((0, 0, height))
    return b.build()


class Acrobot:
    """x = q, v; one step of semi-implicit Euler, and its slopes by x and by the torque u."""

    def __init__(self) -> None:
        self.model = build_acrobot()
        self.forward, self.derivatives = sinew.AbaWorkspace(self.model), sinew.AbaDerivativesWorkspace(self.model)

    def step(self, x: Numbers, u: float) -> Numbers:
        v = x[2:] + DT * sinew.aba(self.model, self.forward, x[:2], x[2:], (0, u))
        return np.concatenate([x[:2] + DT * v, v])

    def slopes(self, x: Numbers, u: float) -> tuple[Numbers, Numbers]:
        _, a_q, a_v, Minv = sinew.calc_aba_derivatives(self.model, self.derivatives, x[:2], x[2:], (0, u))
        v_x, v_u = np.hstack([DT * a_q, np.eye(2) + DT * a_v]), DT * Minv[:, 1]
        return np.vstack([np.eye(2, 4) + DT * v_x, v_x]), np.concatenate([DT * v_u, v_u])


def calc_cost(x: Numbers, u: Numbers) -> float:
    return float((x[-1] - GOAL) @ FINAL @ (x[-1] - GOAL) + EFFORT * (u @ u))


def improve(robot: Acrobot, x: Numbers, u: Numbers, damping: float) -> tuple[Numbers, Numbers]:
    """Backwards: the quadratic value of each state. Forwards: the new motion, with shorter steps until it is better."""
    value, slope_x = 2 * FINAL, 2 * FINAL @ (x[-1] - GOAL)
    gains, steps = np.zeros((STEPS, 4)), np.zeros(STEPS)
    for k in reversed(range(STEPS)):
        A, B = robot.slopes(x[k], u[k])
        slope, curvature = 2 * EFFORT * u[k] + B @ slope_x, 2 * EFFORT + B @ value @ B + damping
        gains[k], steps[k] = -(B @ value @ A) / curvature, -slope / curvature
        slope_x = A.T @ slope_x + gains[k] * slope
        value = A.T @ value @ (A + np.outer(B, gains[k]))
        value = (value + value.T) / 2
    for length in 0.5 ** np.arange(10):
        states, torques = [x[0]], u.copy()
        for k in range(STEPS):
            torques[k] = np.clip(u[k] + length * steps[k] + gains[k] @ (states[-1] - x[k]), -20, 20)
            states.append(robot.step(states[-1], torques[k]))
        if calc_cost(np.array(states), torques) < calc_cost(x, u):
            return np.array(states), torques
    return x, u


def main() -> bool:
    robot = Acrobot()
    x, u, damping = np.zeros((STEPS + 1, 4)), 2 * np.sin(3 * DT * np.arange(STEPS)), 1.0
    for k in range(STEPS):
        x[k + 1] = robot.step(x[k], u[k])
    for k in range(60):
        before = calc_cost(x, u)
        x, u = improve(robot, x, u, damping)
        damping = max(1e-8, damping / 2) if calc_cost(x, u) < before else 8 * damping
        if k % 10 == 0:
            print(f"{k:4}: cost {calc_cost(x, u):9.3f}, off the goal by {abs(x[-1] - GOAL).max():.1e}")
    print(f"upright after {STEPS * DT:.0f} s to {abs(x[-1] - GOAL).max():.1e}; largest torque {abs(u).max():.1f} N m")
    return bool(abs(x[-1] - GOAL).max() < 0.01)


if __name__ == "__main__":
    sys.exit(not main())
