"""A thousand states in one call, and sixteen simulations of robots that differ in mass."""
import sys

import numpy as np
import sinew


def main() -> bool:
    # Forward dynamics of a thousand states: a row of each array is a state, several fill a register.
    robot = sinew.compile(sinew.load("models/humanoid.xml"))
    rng = np.random.default_rng(1)
    q = np.stack([sinew.random_configuration(robot, seed=i) for i in range(1000)])
    v, tau = rng.uniform(-1, 1, (2, 1000, robot.nv))
    a = sinew.Batch(robot, threads=2).aba(q, v, tau)

    # A sample has the same bits in any company: the same call for one of them alone.
    alone = sinew.Batch(robot).aba(q[777:778], v[777:778], tau[777:778])
    same = bool((alone[0] == a[777]).all())
    print(f"{len(a)} states; sample 777 alone has the same bits: {same}")

    # Sixteen quadrupeds stand on the floor, each with a trunk of another mass.
    scene = sinew.make_scene(sinew.load("models/scenes/quadruped.xml"))
    masses = 8 + 0.5 * np.arange(16)
    worlds = sinew.SimulationBatch(scene, 16, threads=2, perturb={"mass": {"trunk": masses}})
    worlds.step(500)
    for failure in worlds.failures:  # one that fails is set aside with its cause; the others go on
        print(failure)

    # What a learner would see of them: quantities by name, a row per world.
    seen = worlds.observe(("z.trunk", "contacts"))
    print(f"after {worlds.time[0]:.1f} s the trunk of {masses[0]} kg is {seen[0, 0]:.4f} m high, "
          f"that of {masses[-1]} kg {seen[-1, 0]:.4f} m")

    # Rollouts: controls in, states out, [world, time, number].
    controls = np.broadcast_to(scene.control, (16, 100, len(scene.control)))
    states = worlds.rollout(controls)
    print(f"states of a rollout: {states.shape}")
    return same and not worlds.failures and bool((np.diff(seen[:, 0]) < 0).all())


if __name__ == "__main__":
    sys.exit(not main())
