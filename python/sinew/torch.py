"""Runs of a simulation as functions of PyTorch.

    import sinew.torch
    rollout = sinew.torch.Rollout(sim, between=50)
    q, v = rollout(q0, v0, control)              # tensors; (steps, nq), (steps, nv), after each step
    loss(q, v).backward()                        # gradients in q0, v0 and control

On the processor, in double precision; sinew.Rollout is the same for NumPy. One rollout keeps one run: call backward
before it runs again.
"""
from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .rollout import Numbers, Rollout as _Rollout

try:
    _torch: Any = importlib.import_module("torch")
except ImportError as e:
    raise ImportError("sinew.torch needs PyTorch: pip install torch") from e


def _numbers(x: Any) -> Numbers:
    return np.asarray(x.detach().cpu().double().numpy(), dtype=np.float64)


def _forward(ctx: Any, rollout: Rollout, q: Any, v: Any, control: Any) -> Any:
    ctx.rollout = rollout
    rollout.runs += 1
    ctx.run, ctx.like = rollout.runs, q
    out = rollout.rollout.run(_numbers(q), _numbers(v), _numbers(control))
    return tuple(_torch.from_numpy(x).to(q) for x in out)


def _backward(ctx: Any, by_q: Any, by_v: Any) -> Any:
    if ctx.run != ctx.rollout.runs:
        raise RuntimeError("sinew.torch: the rollout has run again since; call backward first, or use another Rollout")
    grads = ctx.rollout.rollout.pull_back(_numbers(by_q), _numbers(by_v))
    return (None, *(_torch.from_numpy(x).to(ctx.like) for x in grads[:3]))


_Function: Any = type("_Function", (_torch.autograd.Function,),
                      {"forward": staticmethod(_forward), "backward": staticmethod(_backward)})


class Rollout:
    """sinew.Rollout for tensors, with a gradient."""

    def __init__(self, simulation: Any, **options: Any) -> None:
        self.rollout = _Rollout(simulation, **options)
        self.runs = 0

    def __call__(self, q: Any, v: Any, control: Any) -> Any:
        """q and v after each step, from q, v and a row of control per step."""
        return _Function.apply(self, q, v, control)
