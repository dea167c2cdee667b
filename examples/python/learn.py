"""Learning by PPO in PyTorch: a weak motor learns to swing a rod up, in many worlds of a vector environment at once.

    python examples/python/learn.py [--device cuda]   # else worlds are on the processor
"""
import argparse
import importlib
import sys
import time
from typing import Any

import sinew.envs

ROUNDS, HORIZON, EPOCHS, PARTS = 40, 64, 8, 4
GAMMA, LAMBDA, CLIP, SPREAD = 0.97, 0.95, 0.2, 1e-3


def make_net(torch: Any, inputs: int, outputs: int) -> Any:
    line, bend = torch.nn.Linear, torch.nn.Tanh
    return torch.nn.Sequential(line(inputs, 64), bend(), line(64, 64), bend(), line(64, outputs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=128)
    parser.add_argument("--device", help="cuda or cpu: worlds of a DeviceSimulation")
    o = parser.parse_args()
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        print("learn: skipped, PyTorch is not installed (pip install torch)")
        return 0
    torch.manual_seed(0)
    envs = sinew.envs.VectorEnv("pendulum", o.worlds, autoreset_mode="SameStep", device=o.device)
    policy, value, width = make_net(torch, 3, 1), make_net(torch, 3, 1), torch.nn.Parameter(torch.zeros(1))
    learner = torch.optim.Adam([*policy.parameters(), *value.parameters(), width], lr=3e-3)

    def see(observation: Any) -> Any:
        return torch.as_tensor(observation, dtype=torch.float32) / torch.tensor([1.0, 1.0, 5.0])

    def choose(x: Any) -> Any:  # width: log of the standard deviation
        return torch.distributions.Normal(policy(x), width.exp())

    now, means, begin = see(envs.reset(seed=1)[0]), list[float](), time.perf_counter()
    for number in range(ROUNDS):
        steps: list[Any] = []  # seen, done, how likely that was, value there, reward, whether it goes on
        with torch.no_grad():
            for _ in range(HORIZON):
                chosen = choose(now)
                act = chosen.sample()
                after, reward, ended, cut, _ = envs.step(act.numpy())
                gained = torch.as_tensor(reward, dtype=torch.float32)[:, None] / 10
                goes_on = torch.as_tensor(~(ended | cut))[:, None]
                steps.append((now, act, chosen.log_prob(act), value(now), gained, goes_on))
                now = see(after)
            # Advantages, last step first [Schulman et al. 2016, eq. 16]. The last step of an episode teaches nothing.
            gain: Any = torch.zeros(o.worlds, 1)
            last, gains = value(now), list[Any]()
            for _, _, _, here, gained, goes_on in reversed(steps):
                gain, last = goes_on * (gained + GAMMA * last - here + GAMMA * LAMBDA * gain), here
                gains.insert(0, gain)
        x, a, old, values, rewards = (torch.cat([step[k] for step in steps]) for k in range(5))
        target = torch.cat(gains) + values
        advantage = (target - values - torch.cat(gains).mean()) / (torch.cat(gains).std() + 1e-8)
        for _ in range(EPOCHS):
            for part in torch.randperm(len(x)).chunk(PARTS):
                chosen = choose(x[part])
                ratio = (chosen.log_prob(a[part]) - old[part]).exp()
                better = torch.min(ratio * advantage[part], ratio.clamp(1 - CLIP, 1 + CLIP) * advantage[part])
                loss = -better.mean() + ((value(x[part]) - target[part])**2).mean() - SPREAD * chosen.entropy().mean()
                learner.zero_grad()
                loss.backward()
                learner.step()
        means.append(float(rewards.mean()) * 10)
        if number % 5 == 4:
            print(f"round {number + 1}: reward per step {sum(means[-5:]) / 5:.2f}, {time.perf_counter() - begin:.0f} s")
    return 0 if sum(means[-5:]) > sum(means[:5]) / 4 else 1


if __name__ == "__main__":
    sys.exit(main())
