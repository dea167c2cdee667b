"""A scene from scratch: a floor, a robot on two wheels, and the controller that balances it."""
import sys
from math import atan2, cos, pi, sin

import sinew


def build() -> sinew.Model:
    # A plane for the world, a tall box that floats, a wheel with a motor on either side. Contacts need no stiffness.
    b = sinew.ModelBuilder("balancer").timestep(2e-3)
    b.world().plane().named("floor").friction(0.9)
    middle = sinew.Transform([0, 0, 0.3])
    b.body("frame").mass(sinew.solid_box(6, [0.05, 0.12, 0.25]), middle).box([0.05, 0.12, 0.25], middle)
    b.free("base", "world", "frame").neutral([1, 0, 0, 0, 0, 0, 0.1])
    axle = sinew.Transform.from_rpy([0, 0, 0], [pi / 2, 0, 0])  # cylinders stand along z; the axle is y
    for name, side in ("right", -0.16), ("left", 0.16):
        b.body(name).mass(sinew.solid_cylinder(0.8, 0.1, 0.02), axle).cylinder(0.1, 0.02, axle)
        b.revolute(f"{name}_axle", "frame", name).axis([0, 1, 0]).at([0, side, 0])
        b.motor(f"{name}_motor", f"{name}_axle")
    return b.build()


def main() -> bool:
    sim = sinew.Simulation(build())
    target = 0.0  # [m] where it shall stand

    # Before each step: torque of the wheels from tilt and travel. The free joint has q = (w x y z, position) and
    # v = (angular, linear), both in the body; see docs/conventions.md.
    def balance(s: sinew.Stepper) -> None:
        tilt, travel = 2 * atan2(s.q[2], s.q[0]), min(max(s.q[4] - target, -0.3), 0.3)
        s.control[:] = 10 * tilt + 1.6 * s.v[1] + 1.2 * travel + 1.9 * s.v[3]

    sim.controller = balance

    # It starts tilted by 0.1 rad, drives a metre ahead, and stands still there.
    sim.q[0], sim.q[2] = cos(0.05), sin(0.05)
    print("  time      x   tilt  motor  contacts")
    for second in range(13):
        target = 0.0 if second < 3 else 1.0
        sim.run(until=second)
        tilt = 2 * atan2(sim.q[2], sim.q[0])
        print(f"{second:4d} s  {sim.q[4]:5.2f}  {tilt:5.2f}  {sim.control[0]:5.2f}  {len(sim.contacts):5d}")
    totals = sim.totals
    print(f"deepest overlap {totals.deepest:.0e} m, {totals.unsolved} of {totals.problems} contact problems unsolved")
    return bool(abs(sim.q[4] - 1) < 0.01 and abs(sim.q[2]) < 1e-3 and totals.unsolved == 0 and totals.deepest < 5e-7)


if __name__ == "__main__":
    sys.exit(not main())
