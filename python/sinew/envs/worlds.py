"""The worlds behind environments, one or many: simulation, chance, and what a step gives."""
from __future__ import annotations

from typing import Any

import numpy as np

from .._core import SimulationBatch
from .device import DeviceBatch
from .tasks import Flags, Numbers, Task


class Worlds:
    """n worlds of a task. device: that of a DeviceSimulation, "cuda" or "cpu"; None: a SimulationBatch."""

    def __init__(self, task: Task, n: int, threads: int, device: str | None = None, precision: str = "float32") -> None:
        self.task, self.scene = task, task.scene()
        self.batch = DeviceBatch(self.scene, n, device, precision) if device else \
            SimulationBatch(self.scene, n, threads=threads)

    def reset(self, which: Flags, random: list[np.random.Generator]) -> None:
        """Those worlds begin again, each with its own chance."""
        q, v = self.batch.q.copy(), self.batch.v.copy()
        for i in np.flatnonzero(which):
            q[i], v[i] = self.task.start(self.scene, random[i])
        self.batch.reset(which, q, v)

    def step(self, actions: Numbers) -> tuple[Numbers, Flags, dict[str, Numbers]]:
        """Rewards, which ended, parts of the rewards. A world that failed has ended, with no reward."""
        limited = np.clip(actions, -1, 1)
        before = self.batch.q.copy()
        self.batch.control[:] = self.task.control(limited)
        self.batch.step(self.task.frame_skip)
        parts = self.task.rewards(before, self.batch, limited)
        failed = self.batch.failed
        if failed.any():
            parts = {name: np.where(failed, 0.0, part) for name, part in parts.items()}
        rewards = np.zeros(len(self.batch))
        for part in parts.values():
            rewards += part
        return rewards, self.task.terminated(self.batch) | failed, parts

    def observe(self) -> Numbers:
        return self.task.observe(self.batch)

    def causes(self) -> dict[int, dict[str, Any]]:
        """Why worlds failed, by number."""
        return {f.index: {"failed": f.cause} for f in self.batch.failures} if self.batch.failed.any() else {}
