"""Environments for gymnasium: its checker, the vector environment beside gymnasium's own, and what can be done in them."""
import warnings

import numpy as np
import pytest
import sinew

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed; `make test` installs it")
import sinew.envs  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

NAMES = sorted(sinew.envs.TASKS)


def make_id(name):
    return f"sinew/{name.capitalize()}-v0"


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_of_gymnasium(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Observations have no bounds and nothing is drawn.
        warnings.filterwarnings("ignore", message=".*(infinity|render|Box observation space).*")
        env = gymnasium.make(make_id(name))
        check_env(env.unwrapped)
    assert env.spec.max_episode_steps == sinew.envs.TASKS[name].max_episode_steps


def equal(a, b, where="info"):
    """Of infos, and everything in them."""
    assert type(a) is type(b) or np.isscalar(a), f"{where}: {type(a)}, {type(b)}"
    if isinstance(a, dict):
        assert a.keys() == b.keys(), f"{where}: {sorted(a)}, {sorted(b)}"
        for key in a:
            equal(a[key], b[key], f"{where} {key}")
    elif isinstance(a, np.ndarray) and a.dtype == object:
        for x, y in zip(a, b, strict=True):
            equal(x, y, where)
    else:
        np.testing.assert_array_equal(a, b, err_msg=where)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("name", NAMES)
def test_worlds_of_a_vector_are_single_environments(name, mode, rng):
    """Bit for bit those of SyncVectorEnv, through the ends of episodes; two threads."""
    steps, limit, n = 25, 7, 3
    single = [lambda: gymnasium.make(make_id(name), max_episode_steps=limit)] * n
    theirs = SyncVectorEnv(single, autoreset_mode=AutoresetMode(mode))
    ours = gymnasium.make_vec(make_id(name), num_envs=n, max_episode_steps=limit, autoreset_mode=mode, threads=2)
    assert isinstance(ours.unwrapped, sinew.envs.VectorEnv) and ours.metadata["autoreset_mode"] == AutoresetMode(mode)
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    (a, info_a), (b, info_b) = theirs.reset(seed=5), ours.reset(seed=5)
    np.testing.assert_array_equal(a, b)
    equal(info_a, info_b)
    ends = 0
    for _ in range(steps):
        actions = rng.uniform(-1.2, 1.2, ours.action_space.shape).astype(np.float32)
        x, y = theirs.step(actions), ours.step(actions)
        for p, q in zip(x[:4], y[:4]):
            np.testing.assert_array_equal(p, q)
        equal(x[4], y[4])
        assert y[0].shape == ours.observation_space.shape and y[0].dtype == np.float64
        done = y[2] | y[3]
        ends += done.sum()
        if mode == "Disabled" and done.any():
            with pytest.raises(ValueError, match="have ended"):
                ours.step(actions)
            mask = done.copy()
            u, v = theirs.reset(options={"reset_mask": done}), ours.reset(options={"reset_mask": mask})
            np.testing.assert_array_equal(u[0], v[0])
    assert ends >= n
    ours.close(), theirs.close()


def test_a_step_can_be_undone_by_a_seed():
    envs = sinew.envs.VectorEnv("quadruped", 4)
    runs = []
    for seed in (3, 3, [3, 4, 5, 7]):
        envs.reset(seed=seed)
        runs.append([envs.step(np.full((4, 12), 0.3))[0] for _ in range(5)][-1])
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0][:3] == runs[2][:3]).all() and (runs[0][3] != runs[2][3]).any()


def test_a_world_that_fails_ends_and_begins_again():
    for mode in ("NextStep", "SameStep"):
        envs = sinew.envs.VectorEnv("pendulum", 3, autoreset_mode=mode)
        envs.reset(seed=0)
        envs.worlds.batch.v[1] = np.nan
        _, rewards, ended, _, info = envs.step(np.zeros((3, 1)))
        assert ended.tolist() == [False, True, False] and rewards[1] == 0 and np.isfinite(rewards).all()
        told = info["final_info"]["failed"] if mode == "SameStep" else info["failed"]
        assert told[0] is None and "finite" in told[1]
        obs, *_ = envs.step(np.zeros((3, 1)))
        assert np.isfinite(obs).all() and not envs.worlds.batch.failed.any()


@pytest.mark.parametrize("name", NAMES)
def test_worlds_of_a_device_are_those_of_a_batch(name, rng):
    """Until something hits hard, which a humanoid does at once; of some worlds the same bits as of all."""
    ours, device, few = (sinew.envs.VectorEnv(name, n, **options) for n, options in
                         ((5, {}), (5, {"device": "cpu", "precision": "float64"}),
                          (2, {"device": "cpu", "precision": "float64"})))
    ours.worlds.batch = sinew.SimulationBatch(ours.worlds.scene, 5, middle_forces=False, refinements=0)
    seen = [env.reset(seed=4)[0] for env in (ours, device, few)]
    for _ in range(1 if name == "quadruped" else 10):
        actions = rng.uniform(-1, 1, ours.action_space.shape)
        steps = [env.step(actions[:env.num_envs]) for env in (ours, device, few)]
        seen = [step[0] for step in steps]
    if name != "humanoid":
        np.testing.assert_allclose(seen[1], seen[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(steps[1][1], steps[0][1], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(seen[2], seen[1][:2])


def test_a_world_of_a_device_that_fails_ends_and_begins_again():
    envs = sinew.envs.VectorEnv("pendulum", 3, device="cpu", autoreset_mode="NextStep")
    envs.reset(seed=1)
    _, rewards, ended, _, info = envs.step([[0.0], [np.nan], [0.0]])
    assert ended.tolist() == [False, True, False] and rewards[1] == 0 and "failed" in info
    observations, *_ = envs.step(np.zeros((3, 1)))
    assert np.isfinite(observations).all() and not envs.worlds.batch.failed.any()


def test_the_gripper_lifts_the_box():
    """The task can be done: above it, down, close, up."""
    env = gymnasium.make(make_id("gripper"))
    obs, _ = env.reset(seed=1)
    total = 0.0
    for k in range(120):
        x = obs[8] / 0.3
        low, closed = k >= 25, k >= 60
        up = k >= 85
        action = np.array([x, 0.5 if up else (-0.99 if low else 0.3), -1.0 if closed else 0.6], np.float32)
        obs, reward, *_, info = env.step(action)
        total += reward
    assert obs[10] > 0.1 and info["reward_lift"] == 5.0


def test_the_quadruped_and_the_pendulum_are_in_reach():
    """Standing still is healthy; and a swing grows when the motor pushes along."""
    env = gymnasium.make(make_id("quadruped"))
    env.reset(seed=0)
    for _ in range(200):
        obs, reward, ended, *_ = env.step(np.zeros(12, np.float32))
        assert not ended
    assert 0.9 < reward < 1.1 and obs[4] == pytest.approx(0.33, abs=0.03)
    env = gymnasium.make(make_id("pendulum"))
    obs, _ = env.reset(seed=3)
    highest = -1.0
    for _ in range(200):
        obs, *_ = env.step(np.array([np.sign(obs[2])], np.float32))
        highest = max(highest, -obs[0])
    assert highest > 0.99  # upside down


def test_a_humanoid_falls_without_control():
    env = gymnasium.make(make_id("humanoid"))
    env.reset(seed=0)
    steps = 0
    for steps in range(400):
        obs, reward, ended, truncated, info = env.step(np.zeros(30, np.float32))
        if ended:
            break
    assert 10 < steps < 399 and ended and info["reward_alive"] == 0.0 and "failed" not in info


def test_errors_name_the_cure():
    with pytest.raises(ValueError, match="no task 'acrobat'.*humanoid"):
        sinew.envs.Env("acrobat")
    envs = sinew.envs.VectorEnv("pendulum", 2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros((2, 1)))
    with pytest.raises(ValueError, match="3 seeds for 2"):
        envs.reset(seed=[1, 2, 3])
    envs.reset(seed=1)
    with pytest.raises(ValueError, match=r"\(1, 2\).*\(2, 1\)"):
        envs.step(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="render_mode"):
        gymnasium.make(make_id("pendulum"), render_mode="human")
