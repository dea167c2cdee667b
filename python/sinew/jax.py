"""Runs of a simulation as functions of JAX.

    import sinew.jax
    rollout = sinew.jax.make_rollout(sim, between=50)
    q, v = rollout(q0, v0, control)                            # (steps, nq), (steps, nv), after each step
    jax.grad(lambda c: loss(*rollout(q0, v0, c)))(control)     # by the vector-Jacobian product

Also under jit and vmap, which call back to the processor (jax.pure_callback): many runs go one after the other.
Gradients need the run they belong to: where the simulation has made another since, it is made again. Enable 64 bits
(jax_enable_x64), or results are rounded.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .rollout import Numbers, Rollout

try:
    _jax: Any = importlib.import_module("jax")
except ImportError as e:
    raise ImportError("sinew.jax needs JAX: pip install jax") from e


class _Runs:
    """The calls that JAX makes: NumPy inside, JAX's default precision at the border."""

    def __init__(self, rollout: Rollout) -> None:
        self.rollout = rollout
        self.last: list[Numbers] = []

    def run(self, *start: Any) -> tuple[Any, ...]:
        self.last = []
        q, v, control = now = [np.array(x, dtype=np.float64) for x in start]
        out = self.rollout.run(q, v, control)
        self.last = now
        return _round(out)

    def pull_back(self, q: Any, v: Any, control: Any, by_q: Any, by_v: Any) -> tuple[Any, ...]:
        now = (q, v, control)
        if not (self.last and all(np.array_equal(a, b) for a, b in zip(self.last, now))):
            self.run(*now)
        return _round(self.rollout.pull_back(by_q, by_v)[:3])


def _round(arrays: Any) -> tuple[Any, ...]:
    kind = _jax.numpy.result_type(float)
    return tuple(np.asarray(x, dtype=kind) for x in arrays)


def _call(function: Any, shapes: list[tuple[int, ...]], *arguments: Any) -> Any:
    kind = _jax.numpy.result_type(float)
    out = tuple(_jax.ShapeDtypeStruct(s, kind) for s in shapes)
    return _jax.pure_callback(function, out, *arguments, vmap_method="sequential")


def make_rollout(simulation: Any, **options: Any) -> Callable[[Any, Any, Any], Any]:
    """sinew.Rollout as a function of JAX, with a gradient (jax.custom_vjp)."""
    runs, model, controls = _Runs(Rollout(simulation, **options)), simulation.model, len(simulation.control)

    def run(q: Any, v: Any, control: Any) -> Any:
        q, v, control = (_jax.numpy.asarray(x, dtype=float) for x in (q, v, control))
        for name, x, shape in (("q", q, (model.nq,)), ("v", v, (model.nv,)), ("control", control, (None, controls))):
            if len(x.shape) != len(shape) or x.shape[-1] != shape[-1]:
                wanted = str(shape).replace("None", "steps")
                raise ValueError(f"sinew.jax: {name} has shape {x.shape}, it must be {wanted}")
        steps = len(control)
        return _call(runs.run, [(steps, model.nq), (steps, model.nv)], q, v, control)

    def forward(q: Any, v: Any, control: Any) -> Any:
        return run(q, v, control), (q, v, control)

    def backward(start: Any, by: Any) -> Any:
        return _call(runs.pull_back, [np.shape(x) for x in start], *start, *by)

    function: Any = _jax.custom_vjp(run)
    function.defvjp(forward, backward)
    out: Callable[[Any, Any, Any], Any] = function
    return out
