"""A sweep: sliding balls end up rolling at 5/7 of their speed. Also the functions of sweep_ball.toml."""
import pathlib
import sys
import tempfile

import sinew
import sinew.sweep


def measure(sim: sinew.Stepper, sample: sinew.sweep.Sample) -> dict[str, object]:
    """Called after each run; what it returns joins the row."""
    momentum = sim.momentum[3]  # along x
    mass = sum(body.mass for body in sim.model.bodies)
    start = sample.parameters["v/ball.3"]
    assert isinstance(start, float)
    return {"share": momentum / mass / start, "rolling": abs(sim.report.work.contact_friction) < 1e-12}


def main() -> None:
    plan = pathlib.Path(__file__).with_name("sweep_ball.toml")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else folder)
        result = sinew.sweep.run(plan, out, engine="threads")
        share, rolling = result.column("share"), result.column("rolling")
        print(f"{result.rows} samples, {len(result.failures)} failed, hash {result.hash[:16]}")
        print(f"{rolling.sum()} roll; share of the speed: {share[rolling].min():.6f} to {share[rolling].max():.6f}, "
              f"5/7 = {5 / 7:.6f}")
        if result.failures or abs(share[rolling] - 5 / 7).max() > 1e-3:
            sys.exit("the balls do not roll as they should")


if __name__ == "__main__":
    main()
