"""A run of steps as a function with derivatives, for NumPy; sinew.torch and sinew.jax are made of it.

    rollout = sinew.Rollout(sim, between=50)
    q, v = rollout.run(q0, v0, control)                            # (steps, nq), (steps, nv), after each step
    by_q0, by_v0, by_control, by_applied = rollout.pull_back(by_q, by_v)
    by_parameters = rollout.pull_back_to_parameters(by_q, by_v)    # with parameters=[sinew.StepParameter(...)]

Gradients in q have its numbers. Moves that a joint cannot make (a quaternion that grows) count as zero.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Model, Simulation, State, StepParameter, StepSide, StepTrajectory, calc_rate, make_state

Numbers = NDArray[np.float64]


def _rate_matrix(model: Model, q: Numbers) -> Numbers:
    """(nq, nv) dq/dt = N v."""
    return np.stack([calc_rate(model, q, e) for e in np.eye(model.nv)], axis=1) if model.nv else np.zeros((model.nq, 0))


class Rollout:
    """Steps of a Simulation from a given state, and the gradient of what is made of them."""

    def __init__(self, simulation: Simulation, *, between: int = 0, side: StepSide = StepSide.hold,
                 near: float = 1e-7, smoothing: float = 0.0, parameters: Sequence[StepParameter] = ()) -> None:
        self.simulation = simulation
        self.trajectory = StepTrajectory(simulation, between=between, side=side, near=near, smoothing=smoothing,
                                         parameters=list(parameters))
        self._q: Numbers = np.zeros((0, simulation.model.nq))

    def run(self, q: ArrayLike, v: ArrayLike, control: ArrayLike | None = None, applied: ArrayLike | None = None,
            steps: int | None = None) -> tuple[Numbers, Numbers]:
        """q and v after each step. control and applied: a row per step; without both, `steps` says how many."""
        sim = self.simulation
        rows: list[Numbers | None] = [None if x is None else np.asarray(x, dtype=np.float64) for x in (control, applied)]
        counts: list[int] = [] if steps is None else [steps]
        counts += [len(x) for x in rows if x is not None]
        if len(set(counts)) != 1:
            raise ValueError(f"run: control, applied and steps must agree on the number of steps, but say {counts}")
        count = counts[0]
        state: State = make_state(sim.model)
        state.q, state.v = np.array(q, dtype=float), np.array(v, dtype=float)
        sim.restart(state)
        self.trajectory.clear()
        places: list[Numbers] = [np.array(sim.q)]
        velocities: list[Numbers] = []
        controls, forces = rows
        for k in range(count):
            if controls is not None:
                sim.control[:] = controls[k]
            if forces is not None:
                sim.applied[:] = forces[k]
            self.trajectory.step()
            places.append(np.array(sim.q))
            velocities.append(np.array(sim.v))
        self._q = np.array(places)
        return self._q[1:].copy(), np.array(velocities).reshape(count, sim.model.nv)

    def _gradients(self, by_q: ArrayLike, by_v: ArrayLike) -> Numbers:
        """(steps, 2 nv) along velocity coordinates."""
        model = self.simulation.model
        by_q, by_v = np.asarray(by_q, dtype=np.float64), np.asarray(by_v, dtype=np.float64)
        steps = self.trajectory.steps
        if by_q.shape != (steps, model.nq) or by_v.shape != (steps, model.nv):
            raise ValueError(f"pull_back: by_q has shape {by_q.shape} and by_v {by_v.shape}, "
                             f"they must be {(steps, model.nq)} and {(steps, model.nv)}")
        each = [np.concatenate([_rate_matrix(model, q).T @ g, w]) for q, g, w in zip(self._q[1:], by_q, by_v)]
        return np.array(each, dtype=np.float64).reshape(steps, 2 * model.nv)

    def pull_back_to_parameters(self, by_q: ArrayLike, by_v: ArrayLike) -> Numbers:
        """From the gradients in q and v after each step: that by the numbers of all parameters."""
        none = np.zeros(2 * self.simulation.model.nv)
        return np.asarray(self.trajectory.pull_back_to_parameters(none, self._gradients(by_q, by_v)), dtype=np.float64)

    def pull_back(self, by_q: ArrayLike, by_v: ArrayLike) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """From the gradients in q and v after each step: those by q and v at the start, by control, by applied."""
        model = self.simulation.model
        start, control, applied = self.trajectory.pull_back(np.zeros(2 * model.nv), self._gradients(by_q, by_v))
        # The shortest gradient that says the same of all moves the joints can make.
        rates = _rate_matrix(model, self._q[0])
        by_start = np.asarray(np.linalg.lstsq(rates.T, start[:model.nv], rcond=None)[0], dtype=np.float64)
        return by_start, start[model.nv:], control, applied
