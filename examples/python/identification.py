"""Identification: the inertial parameters of an arm from its torques, and the torques of another motion from them."""
import sys

import numpy as np
import sinew
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def swing(nv: int, seed: int, times: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Positions, velocities and accelerations of sums of sines: a row for each time."""
    rng = np.random.default_rng(seed)
    q, v, a = (np.zeros((len(times), nv)) for _ in range(3))
    for k in range(1, 5):
        size, phase = rng.uniform(0.1, 0.4, nv), rng.uniform(0, 6, nv)
        angle = k * times[:, None] + phase
        q, v, a = q + size * np.sin(angle), v + k * size * np.cos(angle), a - k * k * size * np.sin(angle)
    return q, v, a


def main() -> bool:
    # The arm whose masses nobody knows, and its measured torques: 0.01 N m of noise.
    model = sinew.compile(sinew.load("models/gu6.xml"))
    inverse, regressor = sinew.RneaWorkspace(model), sinew.RegressorWorkspace(model)
    q, v, a = swing(model.nv, 1, np.linspace(0, 20, 1000))
    tau = np.array([sinew.rnea(model, inverse, *state) for state in zip(q, v, a)])
    measured = tau + np.random.default_rng(2).normal(0, 0.01, tau.shape)

    # tau = Y pi, one block of rows for each time; armature is known and comes off first.
    armature = np.array(model.armature)
    Y = np.vstack([sinew.calc_regressor(model, regressor, *state) for state in zip(q, v, a)])
    known = np.concatenate([armature * x for x in a])
    pi, _, rank, _ = np.linalg.lstsq(Y, measured.ravel() - known, rcond=1e-9)
    print(f"{len(pi)} parameters of {len(model.bodies) - 1} bodies, {rank} of their combinations show in the torques")

    # Of the parameters themselves only those combinations are known, so they are judged by another motion.
    q, v, a = swing(model.nv, 3, np.linspace(0, 10, 200))
    real = np.array([sinew.rnea(model, inverse, *state) for state in zip(q, v, a)])
    foretold = np.array([sinew.calc_regressor(model, regressor, *s) @ pi + armature * s[2] for s in zip(q, v, a)])
    error = np.sqrt(np.mean((foretold - real) ** 2))
    print(f"torques of another motion, up to {abs(real).max():.1f} N m, foretold to {error:.1e} N m")
    true = np.asarray(sinew.get_inertial_parameters(model))
    residual = np.linalg.norm(Y @ (pi - true)) / np.linalg.norm(Y @ true)
    print(f"what the torques show of them is right to {residual:.1e}")
    return bool(error < 0.01 and residual < 1e-3 and rank < len(pi))


if __name__ == "__main__":
    sys.exit(not main())
