"""What there is to do: models, actions, observations and rewards, for many worlds at once.

Arrays have a row per world. A row depends on its own world alone, so that one world or many give the same numbers.
"""
from __future__ import annotations

import abc
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from .._core import (ActuatorSpec, ModelBuilder, Scene, SelfCollision, Transform, make_scene, mechanisms, solid_box,
                     solid_capsule, solid_sphere)

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Batch(Protocol):
    """What a task sees of its worlds: a SimulationBatch, or worlds on a device."""

    def __len__(self) -> int: ...
    @property
    def q(self) -> Numbers: ...
    @property
    def v(self) -> Numbers: ...
    @property
    def dt(self) -> float: ...


class Task(abc.ABC):
    """A model with a purpose."""

    frame_skip: ClassVar[int]  # steps of the simulation per step of the environment
    max_episode_steps: ClassVar[int]
    actions: ClassVar[int]  # each in [-1, 1]
    observations: ClassVar[int]

    @abc.abstractmethod
    def scene(self) -> Scene:
        """The model where an episode begins, but for chance."""

    @abc.abstractmethod
    def control(self, actions: Numbers) -> Numbers:
        """[world, actuator] of actions in [-1, 1]."""

    @abc.abstractmethod
    def observe(self, worlds: Batch) -> Numbers: ...

    @abc.abstractmethod
    def rewards(self, before: Numbers, worlds: Batch, actions: Numbers) -> dict[str, Numbers]:
        """Parts of the reward by name; the reward is their sum. before: q at the beginning of the step."""

    def terminated(self, worlds: Batch) -> Flags:
        return np.zeros(len(worlds), np.bool_)

    def start(self, scene: Scene, random: np.random.Generator) -> tuple[Numbers, Numbers]:
        """q and v of one world: those of the scene, a little off."""
        q, v = np.array(scene.q), np.array(scene.v)
        v += random.uniform(-self.noise, self.noise, v.shape)
        return q, v

    noise: ClassVar[float] = 0.01


class Pendulum(Task):
    """Swing a rod up and hold it, with a motor that is too weak to lift it at once. Angle 0 is down."""

    frame_skip, max_episode_steps, actions, observations = 10, 200, 1, 3
    torque = 2.0

    def scene(self) -> Scene:
        b = ModelBuilder("pendulum")
        middle = Transform([0, 0, -0.5])
        b.body("rod").mass(solid_capsule(1, 0.03, 0.5), middle).capsule(0.03, 0.5, middle)
        b.revolute("hinge", "world", "rod").axis([0, 1, 0]).damping(0.02)
        b.motor("motor", "hinge", self.torque)
        return make_scene(b.timestep(5e-3).spec)

    def start(self, scene: Scene, random: np.random.Generator) -> tuple[Numbers, Numbers]:
        return random.uniform(-np.pi, np.pi, 1), random.uniform(-1, 1, 1)

    def control(self, actions: Numbers) -> Numbers:
        return actions

    def observe(self, worlds: Batch) -> Numbers:
        return np.concatenate([np.cos(worlds.q), np.sin(worlds.q), worlds.v], axis=1)

    def rewards(self, before: Numbers, worlds: Batch, actions: Numbers) -> dict[str, Numbers]:
        from_top = (worlds.q[:, 0] % (2 * np.pi)) - np.pi
        return {"reward_angle": -from_top**2, "reward_speed": -0.1 * worlds.v[:, 0]**2,
                "reward_control": -1e-3 * actions[:, 0]**2}


class _Walker(Task):
    """Get forward along x without falling. The first joint is the free one."""

    healthy: ClassVar[tuple[float, float]]  # heights of the base [m]
    upright: ClassVar[float]  # least cosine of its tilt
    alive: ClassVar[float] = 1.0
    cost: ClassVar[float] = 0.1  # of the mean square of the actions

    def observe(self, worlds: Batch) -> Numbers:
        # Without x and y: walking is the same everywhere.
        return np.concatenate([worlds.q[:, :4], worlds.q[:, 6:], worlds.v], axis=1)

    def rewards(self, before: Numbers, worlds: Batch, actions: Numbers) -> dict[str, Numbers]:
        forward = (worlds.q[:, 4] - before[:, 4]) / (self.frame_skip * worlds.dt)
        return {"reward_forward": forward, "reward_alive": np.where(self.terminated(worlds), 0.0, self.alive),
                "reward_control": -self.cost * (actions**2).sum(axis=1) / self.actions}

    def terminated(self, worlds: Batch) -> Flags:
        q, (low, high) = worlds.q, self.healthy
        up = 1 - 2 * (q[:, 1]**2 + q[:, 2]**2)
        fallen: Flags = (q[:, 6] < low) | (q[:, 6] > high) | (up < self.upright)
        return fallen


class Quadruped(_Walker):
    """A trunk on four legs of three joints each, moved by position servos."""

    frame_skip, max_episode_steps, actions, observations = 5, 1000, 12, 35
    healthy, upright = (0.15, 0.6), 0.5
    reach = np.tile([0.3, 0.5, 0.5], 4)  # of the servos about the stance [rad]
    stance = np.tile([0.0, 0.7, -1.4], 4)

    def scene(self) -> Scene:
        b = ModelBuilder("quadruped")
        b.world().plane().named("floor").friction(0.9)
        b.body("trunk").mass(solid_box(8, [0.25, 0.1, 0.06])).box([0.25, 0.1, 0.06]).friction(0.9)
        b.free("base", "world", "trunk")
        half, middle = 0.1, Transform([0, 0, -0.1])
        for leg, x, y in (("fl", 1, 1), ("fr", 1, -1), ("hl", -1, 1), ("hr", -1, -1)):
            b.body(f"{leg}_hip").mass(solid_sphere(0.6, 0.05))
            b.body(f"{leg}_thigh").mass(solid_capsule(0.8, 0.025, half), middle)
            shin = b.body(f"{leg}_shin").mass(solid_capsule(0.3, 0.015, half), middle)
            shin.sphere(0.025, Transform([0, 0, -0.2])).named(f"{leg}_foot").friction(0.9)
            b.revolute(f"{leg}_roll", "trunk", f"{leg}_hip").at([0.2 * x, 0.1 * y, 0]).axis([1, 0, 0]).limits(-0.8, 0.8)
            pitch = b.revolute(f"{leg}_pitch", f"{leg}_hip", f"{leg}_thigh")
            pitch.at([0, 0.05 * y, 0]).axis([0, 1, 0]).limits(-1, 2.5)
            b.revolute(f"{leg}_knee", f"{leg}_thigh", f"{leg}_shin").at([0, 0, -0.2]).axis([0, 1, 0]).limits(-2.6, -0.3)
        spec = b.timestep(4e-3).spec
        for joint in list(spec.joints)[1:]:
            spec.actuators.append(_servo(joint.name, 60, 1.5, 30))
            joint.dofs = [joint.dofs[0].replace(armature=0.01)]
        height = 2 * 0.2 * np.cos(0.7) + 0.025
        return make_scene(spec, q=[1, 0, 0, 0, 0, 0, height, *self.stance], self_collision=SelfCollision.off)

    def control(self, actions: Numbers) -> Numbers:
        return self.stance + self.reach * actions


class Humanoid(_Walker):
    """The humanoid of sinew.mechanisms, 36 freedoms, with a motor on each of its 30 joints."""

    frame_skip, max_episode_steps, actions, observations = 3, 1000, 30, 71
    healthy, upright, alive = (0.6, 1.5), 0.5, 5.0

    def scene(self) -> Scene:
        spec = mechanisms.humanoid()
        spec.timestep = 5e-3
        for joint in list(spec.joints)[1:]:
            dof = joint.dofs[0]
            joint.dofs = [dof.replace(damping=0.01 * dof.max_effort, armature=0.02)]
            spec.actuators.append(_motor(joint.name, 0.4 * dof.max_effort))
        return make_scene(spec, self_collision=SelfCollision.off)

    def control(self, actions: Numbers) -> Numbers:
        return actions


class Gripper(Task):
    """Two fingers on a gantry lift a box from the floor. Actions: where along x, how high, how wide."""

    frame_skip, max_episode_steps, actions, observations = 10, 200, 3, 20
    side, table = 0.03, 0.1  # half a side of the box; how high it must be [m]

    def scene(self) -> Scene:
        b = ModelBuilder("gripper")
        b.world().plane().named("floor").friction(0.8)
        b.body("rail").mass(solid_box(1, [0.05, 0.05, 0.05]))
        b.body("palm").mass(solid_box(0.5, [0.03, 0.1, 0.02])).box([0.03, 0.1, 0.02]).named("palm").touches(1, 1)
        b.prismatic("along", "world", "rail").axis([1, 0, 0]).limits(-0.3, 0.3).damping(5)
        b.prismatic("lift", "rail", "palm").at([0, 0, 0.2]).axis([0, 0, 1]).limits(-0.12, 0.2).damping(5)
        for name, sign in (("left", 1), ("right", -1)):
            finger = b.body(name).mass(solid_box(0.1, [0.02, 0.008, 0.04]), Transform([0, 0, -0.06]))
            finger.box([0.02, 0.008, 0.04], Transform([0, 0, -0.06])).named(name).friction(1.0)
            b.prismatic(f"{name}_slide", "palm", name).axis([0, sign, 0]).limits(0.01, 0.09).damping(2)
            b.exclude(name, "palm")
        s = self.side
        b.body("box").mass(solid_box(0.2, [s, s, s])).box([s, s, s]).named("box").friction(1.0)
        b.free("box_joint", "world", "box")
        spec = b.timestep(2e-3).spec
        for joint, stiffness, damping, most in (("along", 800, 60, 60), ("lift", 1500, 80, 80),
                                                ("left_slide", 600, 20, 20), ("right_slide", 600, 20, 20)):
            spec.actuators.append(_servo(joint, stiffness, damping, most))
        return make_scene(spec, q=[0, 0, 0.07, 0.07, 1, 0, 0, 0, 0, 0, s])

    def start(self, scene: Scene, random: np.random.Generator) -> tuple[Numbers, Numbers]:
        q, v = np.array(scene.q), np.array(scene.v)
        q[8] += random.uniform(-0.1, 0.1)
        turn = random.uniform(-0.2, 0.2)
        q[4:8] = [np.cos(turn / 2), 0, 0, np.sin(turn / 2)]
        return q, v

    def control(self, actions: Numbers) -> Numbers:
        wide = 0.05 + 0.04 * actions[:, 2]
        return np.stack([0.3 * actions[:, 0], 0.04 + 0.16 * actions[:, 1], wide, wide], axis=1)

    def observe(self, worlds: Batch) -> Numbers:
        q, v = worlds.q, worlds.v
        return np.concatenate([q, v[:, :4], v[:, 7:10], q[:, :1] - q[:, 8:9], self._gap(q)[:, None]], axis=1)

    def _gap(self, q: Numbers) -> Numbers:
        """From the middle of the fingers' tips to the box [m]."""
        up: Numbers = 0.2 + q[:, 1] - 0.06 - q[:, 10]
        gap: Numbers = np.sqrt((q[:, 0] - q[:, 8])**2 + q[:, 9]**2 + up**2)
        return gap

    def rewards(self, before: Numbers, worlds: Batch, actions: Numbers) -> dict[str, Numbers]:
        lifted = np.clip(worlds.q[:, 10] - self.side, 0, self.table)
        return {"reward_near": -self._gap(worlds.q), "reward_lift": lifted / self.table * 5,
                "reward_control": -1e-2 * (actions**2).sum(axis=1)}


def _motor(joint: str, gear: float) -> ActuatorSpec:
    """Torque = gear times control in [-1, 1]."""
    return ActuatorSpec(name=joint, target=joint, gear=[gear, 0, 0, 0, 0, 0], gain=[1, 0, 0], control_lower=-1.0,
                        control_upper=1.0)


def _servo(joint: str, stiffness: float, damping: float, most: float) -> ActuatorSpec:
    """Force = stiffness (control - q) - damping v, at most `most`."""
    return ActuatorSpec(name=joint, target=joint, gear=[1, 0, 0, 0, 0, 0], gain=[stiffness, 0, 0],
                        bias=[0, -stiffness, -damping], force_lower=-most, force_upper=most)


TASKS: dict[str, type[Task]] = {"pendulum": Pendulum, "quadruped": Quadruped, "humanoid": Humanoid, "gripper": Gripper}


def make_task(task: str | Task) -> Task:
    """A task by name, or the task itself; ValueError with the names that there are."""
    if isinstance(task, Task):
        return task
    if task not in TASKS:
        raise ValueError(f"sinew.envs: there is no task '{task}'; there are {', '.join(TASKS)}")
    return TASKS[task]()
