"""The mass matrix as a formula: its factors, its inverse, and what it costs to apply each."""
import sys

import numpy as np
import sinew

ops = sinew.operators


def main() -> bool:
    # A rigid model as weights, hinge maps and inertias on a tree; update() fills them at a state.
    model = sinew.compile(sinew.mechanisms.humanoid())
    rigid = ops.RigidSko(model)
    rigid.update(model.neutral, np.zeros(model.nv))
    o = ops.OperatorAlgebra(rigid.sko)
    o.update()

    # Formulas are values: nothing is calculated until they are applied, each factor in one sweep over the tree.
    mass = o.H * o.A * o.M * ~o.A * ~o.H
    solve = ops.inverse(mass)
    print(f"A humanoid with {model.nv} freedoms")
    for name, formula in ("mass matrix", mass), ("inverse", solve):
        x = ops.Application(o, formula)
        print(f"{name:12} {formula!s:40} {x.multiplications} multiplications, {x.additions} additions")
    print("the inverse was found:", solve.reason)

    # One after the other is the identity. The matrix itself, for those who want to see it, is crba's.
    x = np.sin(np.arange(model.nv) + 1.0)
    force = ops.Application(o, mass).apply(rigid.stack(x))
    back = rigid.unstack(ops.Application(o, solve).apply(force))
    M = sinew.crba(model, sinew.CrbaWorkspace(model), model.neutral)
    errors = abs(back - x).max(), abs(rigid.unstack(force) - M @ x).max()
    print(f"inverse times mass returns its argument to {errors[0]:.0e}; formula and crba agree to {errors[1]:.0e}")
    return bool(errors[0] < 2e-12 and errors[1] < 1e-12)


if __name__ == "__main__":
    sys.exit(not main())
