"""Many environments at once, on one SimulationBatch."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .single import spaces
from .tasks import Flags, Numbers, Task, make_task
from .worlds import Worlds


class VectorEnv(gymnasium.vector.VectorEnv[Numbers, Any, Any]):
    """gymnasium.make_vec("sinew/Humanoid-v0", num_envs=64, threads=2), or VectorEnv("humanoid", 64).

    Steps, seeds and infos are those of gymnasium's SyncVectorEnv of the same environments, bit for bit, for any number
    of environments and threads. autoreset_mode: "NextStep", "SameStep" or "Disabled", as gymnasium defines them.
    device="cuda": the worlds of a DeviceSimulation, in that precision; "cpu" runs the same steps without a device.
    """

    def __init__(self, task: str | Task, num_envs: int = 1, *, max_episode_steps: int | None = None,
                 autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP, threads: int = 1,
                 device: str | None = None, precision: str = "float32") -> None:
        self.task = make_task(task)
        self.worlds = Worlds(self.task, num_envs, threads, device, precision)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.render_mode = None
        self.max_episode_steps = max_episode_steps or self.task.max_episode_steps
        self.single_observation_space, self.single_action_space = spaces(self.task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._random: list[np.random.Generator] = []
        self._done = np.zeros(num_envs, np.bool_)  # ended in the last step
        self._steps = np.zeros(num_envs, np.int64)

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Numbers, dict[str, Any]]:
        """All, or those of options["reset_mask"]. Environment i has a seed of its own: seed + i, or seed[i]."""
        n = self.num_envs
        which = np.ones(n, np.bool_)
        if options and "reset_mask" in options:
            which = np.asarray(options["reset_mask"])
            if which.dtype != np.bool_ or which.shape != (n,) or not which.any():
                raise ValueError(f"reset: options['reset_mask'] must be bools of shape ({n},) with a True among them")
        seeds: list[int | None] = [None] * n if seed is None else \
            [seed + i for i in range(n)] if isinstance(seed, int) else list(seed)
        if len(seeds) != n:
            raise ValueError(f"reset: there are {len(seeds)} seeds for {n} environments")
        fresh = not self._random
        for i, s in enumerate(seeds):
            if fresh:
                self._random.append(seeding.np_random(s if which[i] else None)[0])
            elif s is not None and which[i]:
                self._random[i] = seeding.np_random(s)[0]
        self._begin(which)
        return self.worlds.observe(), {}

    def _begin(self, which: Flags) -> None:
        self.worlds.reset(which, self._random)
        self._done[which], self._steps[which] = False, 0

    def step(self, actions: Any) -> tuple[Numbers, Numbers, Flags, Flags, dict[str, Any]]:
        if not self._random:
            raise gymnasium.error.ResetNeeded("step: reset the environments first")
        given = np.asarray(actions, np.float64)
        if given.shape != (self.num_envs, self.task.actions):
            raise ValueError(f"step: actions have shape {given.shape}, it must be {(self.num_envs, self.task.actions)}")
        resting = self._done.copy()
        if self.autoreset_mode == AutoresetMode.DISABLED and resting.any():
            raise ValueError(f"step: environments {np.flatnonzero(resting).tolist()} have ended; reset them with "
                             "options={'reset_mask': ...}")
        rewards, ended, parts = self.worlds.step(given)
        self._steps += 1
        truncated = self._steps >= self.max_episode_steps
        causes = self.worlds.causes()
        if resting.any():  # NextStep: this step is their reset, and their action does not count
            self._begin(resting)
            rewards[resting], ended[resting], truncated[resting] = 0.0, False, False
        self._done = ended | truncated
        info: dict[str, Any] = {}
        shown = ~resting
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            shown &= ~self._done
            info = self._finish(parts, causes)
        if shown.any():
            for name, part in parts.items():
                info[name], info["_" + name] = np.where(shown, part, 0.0), shown.copy()
        for i, cause in causes.items():
            if shown[i]:
                info = self._add_info(info, cause, i)
        return self.worlds.observe(), rewards, ended, truncated, info

    def _finish(self, parts: dict[str, Numbers], causes: dict[int, dict[str, Any]]) -> dict[str, Any]:
        """SameStep: the last observations and infos of those that ended, which then begin again."""
        done, last, info = self._done.copy(), self.worlds.observe(), dict[str, Any]()
        for i in np.flatnonzero(done).tolist():
            final = {name: float(part[i]) for name, part in parts.items()} | causes.get(i, {})
            info = self._add_info(info, {"final_obs": last[i], "final_info": final}, i)
        self._begin(done)
        return info
