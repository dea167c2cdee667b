"""Runs of a simulation as functions of JAX.

    import sinew.jax
    rollout = sinew.jax.make_rollout(sim, between=50)
    q, v = rollout(q0, v0, control)                            # (steps, nq), (steps, nv), after each step
    jax.grad(lambda c: loss(*rollout(q0, v0, c)))(control)     # by the vector-Jacobian product

On the processor, not under jit: the simulation is not traced. Enable 64 bits (jax_enable_x64), or results are rounded.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .rollout import Rollout

try:
    _jax: Any = importlib.import_module("jax")
except ImportError as e:
    raise ImportError("sinew.jax needs JAX: pip install jax") from e


def make_rollout(simulation: Any, **options: Any) -> Callable[[Any, Any, Any], Any]:
    """sinew.Rollout as a function of JAX, with a gradient (jax.custom_vjp)."""
    rollout = Rollout(simulation, **options)
    as_jax, runs = _jax.numpy.asarray, [0]

    def run(q: Any, v: Any, control: Any) -> Any:
        runs[0] += 1
        return tuple(as_jax(x) for x in rollout.run(np.asarray(q), np.asarray(v), np.asarray(control)))

    def forward(q: Any, v: Any, control: Any) -> Any:
        out = run(q, v, control)
        return out, runs[0]

    def backward(which: Any, by: Any) -> Any:
        if int(which) != runs[0]:
            raise RuntimeError("sinew.jax: the rollout has run again since; make another one")
        return tuple(as_jax(x) for x in rollout.pull_back(np.asarray(by[0]), np.asarray(by[1]))[:3])

    function: Any = _jax.custom_vjp(run)
    function.defvjp(forward, backward)
    out: Callable[[Any, Any, Any], Any] = function
    return out
