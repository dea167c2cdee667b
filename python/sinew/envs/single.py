"""A single environment."""
from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from .tasks import Numbers, Task, make_task
from .worlds import Worlds


def spaces(task: Task) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    """Of observations and actions."""
    return (Box(-np.inf, np.inf, (task.observations,), np.float64), Box(-1.0, 1.0, (task.actions,), np.float32))


class Env(gymnasium.Env[Numbers, Any]):
    """gymnasium.make("sinew/Pendulum-v0"), or Env("pendulum"). Nothing is drawn."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: str | Task, render_mode: None = None) -> None:
        if render_mode is not None:
            raise ValueError(f"sinew.envs: there is no render_mode '{render_mode}': nothing is drawn")
        self.task = make_task(task)
        self.worlds = Worlds(self.task, 1, 1)
        self.observation_space, self.action_space = spaces(self.task)
        self.metadata = {**self.metadata, "render_fps": round(1 / (self.task.frame_skip * self.worlds.batch.dt))}

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[Numbers, dict[str, Any]]:
        super().reset(seed=seed)
        self.worlds.reset(np.ones(1, np.bool_), [self.np_random])
        return self.worlds.observe()[0], {}

    def step(self, action: Any) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        rewards, ended, parts = self.worlds.step(np.asarray(action, np.float64)[None, :])
        info: dict[str, Any] = {name: float(part[0]) for name, part in parts.items()}
        info |= self.worlds.causes().get(0, {})
        return self.worlds.observe()[0], float(rewards[0]), bool(ended[0]), False, info
