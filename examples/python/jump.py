"""A quadruped jumps: iLQR through contact, with the derivatives of whole steps of the simulator."""
import sys
from collections.abc import Callable

import numpy as np
import sinew
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Motion = tuple[list[Numbers], list[Numbers], list[Numbers], list[Numbers]]  # states, controls, slopes by x and by u
HOLD, KNOTS, HEIGHT = 5, 50, 0.6  # steps per control, controls, [m] of the trunk at the end; it stands at 0.357
LEGS = np.kron([[1, 0], [1, 0], [0, 1], [0, 1]], [[0, 0], [1, 0], [0, 1]])  # hips roll not, left legs do as right ones
EFFORT = 2e-3  # weights: of controls, of states on the way, of the last one (turn, place, joints; their velocities)
ALONG = np.diag(np.r_[np.full(18, 0.02), np.zeros(18)])
FINAL = np.diag(np.r_[300, 300, 300, 30, 30, 1000, np.full(12, 1), 3, 3, 3, 10, 10, 10, np.full(12, 0.01)])


class Jump:
    """x = (q, v); u: how far the servos of front and hind thighs and shanks are from standing, for HOLD steps each."""

    def __init__(self) -> None:
        scene = sinew.make_scene(sinew.load("models/scenes/quadruped.xml"), keyframe="stand")
        self.sim = sinew.Simulation(scene, middle_forces=False, refinements=0)
        self.state, self.derivatives = sinew.make_state(self.sim.model), sinew.StepDerivatives(self.sim)
        self.stand, self.start = np.array(self.sim.control), np.concatenate([self.sim.q, self.sim.v])
        self.goal = np.concatenate([self.start[:6], [HEIGHT], self.start[7:]])

    def subtract(self, x: Numbers, y: Numbers) -> Numbers:
        return np.concatenate([sinew.difference(self.sim.model, y[:19], x[:19]), x[19:] - y[19:]])

    def run(self, policy: Callable[[int, Numbers], Numbers]) -> Motion:
        self.state.q, self.state.v = self.start[:19], self.start[19:]
        self.sim.restart(self.state)
        x, u, by_x, by_u = [self.start], [np.zeros(4)] * KNOTS, [np.eye(36)] * KNOTS, [np.zeros((36, 4))] * KNOTS
        for k in range(KNOTS):
            u[k] = policy(k, x[k])
            self.sim.control[:] = self.stand + LEGS @ u[k]
            for _ in range(HOLD):
                self.derivatives.step()
                A, B = self.derivatives.state, self.derivatives.control @ LEGS
                by_x[k], by_u[k] = A @ by_x[k], A @ by_u[k] + B
            x.append(np.concatenate([self.sim.q, self.sim.v]))
        return x, u, by_x, by_u

    def calc_cost(self, m: Motion) -> float:
        way, last = [self.subtract(x, self.start) for x in m[0][:-1]], self.subtract(m[0][-1], self.goal)
        return float(last @ FINAL @ last + sum(e @ ALONG @ e for e in way) + EFFORT * sum(u @ u for u in m[1]))

    def improve(self, m: Motion, damping: float) -> Motion:
        """Backwards: the quadratic value of each state. Forwards: the new motion, with shorter changes until better."""
        value, slope_x = 2 * FINAL, 2 * FINAL @ self.subtract(m[0][-1], self.goal)
        shifts, gains = np.zeros((KNOTS, 4)), np.zeros((KNOTS, 4, 36))
        for k, (x, u, A, B) in reversed(list(enumerate(zip(*m)))):
            curvature, slope = B.T @ value @ B + (2 * EFFORT + damping) * np.eye(4), B.T @ slope_x + 2 * EFFORT * u
            shifts[k], gains[k] = -np.linalg.solve(curvature, slope), -np.linalg.solve(curvature, B.T @ value @ A)
            slope_x = A.T @ slope_x + gains[k].T @ slope + 2 * ALONG @ self.subtract(x, self.start)
            value = A.T @ value @ (A + B @ gains[k]) + 2 * ALONG
        for length in 0.5 ** np.arange(8):
            new = self.run(lambda k, x: m[1][k] + length * shifts[k] + gains[k] @ self.subtract(x, m[0][k]))
            if self.calc_cost(new) < self.calc_cost(m):
                return new
        return m


def main() -> bool:
    jump, damping = Jump(), 1.0
    best = jump.run(lambda k, x: np.zeros(4))
    for k in range(1, 31):
        new = jump.improve(best, damping)
        best, damping = new, max(1e-6, damping / 3) if new is not best else 10 * damping
        if k % 5 == 0:
            print(f"{k:4}: cost {jump.calc_cost(best):6.2f}, trunk at {best[0][-1][6]:.3f} m")
    height, end = jump.run(lambda k, x: best[1][k])[0][-1][6], jump.subtract(best[0][-1], jump.goal)
    turn, touching = np.linalg.norm(end[:3]), len(jump.sim.contacts)
    print(f"after {jump.sim.time:.1f} s: trunk at {height:.3f} m, turned by {turn:.3f} rad, {touching} contacts")
    return bool(height > 0.55 and turn < 0.05 and touching == 0)


if __name__ == "__main__":
    sys.exit(not main())
