"""Worlds of a DeviceSimulation, as environments use them."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core import DeviceSimulation, Scene
from .tasks import Flags, Numbers


@dataclass(frozen=True)
class Failure:
    """As WorldFailure has it."""

    index: int
    cause: str


class DeviceBatch:
    """q, v and control as arrays of NumPy, copied once per step; a SimulationBatch has the same."""

    def __init__(self, scene: Scene, n: int, device: str, precision: str) -> None:
        self.simulation = DeviceSimulation(scene.model, n, device=device, precision=precision)
        self.control: Numbers = np.zeros((n, len(scene.model.spec.actuators)))
        self.q: Numbers = np.tile(np.asarray(scene.q, np.float64), (n, 1))
        self.v: Numbers = np.tile(np.asarray(scene.v, np.float64), (n, 1))
        self.failed: Flags = np.zeros(n, np.bool_)
        self.dt: float = self.simulation.dt

    def __len__(self) -> int:
        return len(self.simulation)

    @property
    def failures(self) -> list[Failure]:
        return [Failure(f.world, f.text) for f in self.simulation.failures]

    def reset(self, which: Flags, q: Numbers, v: Numbers) -> None:
        self.simulation.set_start(q, v)
        self.simulation.reset(which)
        self._read()

    def step(self, steps: int) -> None:
        self.simulation.set_control(self.control)
        self.simulation.step(steps)
        self._read()

    def _read(self) -> None:
        q, v = self.simulation.state()
        self.q[:], self.v[:] = q, v
        self.failed[:] = False
        for f in self.simulation.failures:
            self.failed[f.world] = True
