"""Environments for gymnasium, of our own making.

    import gymnasium
    import sinew.envs                                     # registers sinew/Pendulum-v0, sinew/Quadruped-v0, ...
    env = gymnasium.make("sinew/Humanoid-v0")
    envs = gymnasium.make_vec("sinew/Humanoid-v0", num_envs=64, threads=2)

The vector environment runs on a SimulationBatch; its worlds have the bits of single environments.
"""
from __future__ import annotations

try:
    import gymnasium
except ImportError as e:
    raise ImportError("sinew.envs needs gymnasium: pip install 'sinew[envs]'") from e

from .single import Env as Env
from .tasks import TASKS as TASKS, Task as Task
from .vector import VectorEnv as VectorEnv

for _name, _task in TASKS.items():
    _id = f"sinew/{_name.capitalize()}-v0"
    if _id not in gymnasium.registry:
        gymnasium.register(_id, entry_point="sinew.envs:Env", vector_entry_point="sinew.envs:VectorEnv",
                           max_episode_steps=_task.max_episode_steps, kwargs={"task": _name})
