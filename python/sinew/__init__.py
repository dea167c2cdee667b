"""Sinew: multibody dynamics and simulation.

    import sinew
    model = sinew.compile(sinew.load("robot.urdf"))
    ws = sinew.AbaWorkspace(model)
    a = sinew.aba(model, ws, q, v, tau)

Names and argument order are those of the C++ library; outputs are made, or filled where `out=` is given.
docs/python.md has the conventions.
"""
from ._core import *  # noqa: F403
from ._core import VERSION
from ._core import delassus as delassus, lcp as lcp, ltl as ltl, mechanisms as mechanisms, operators as operators

from .code import CompiledCode as CompiledCode, CompiledFunction as CompiledFunction, compile as compile
from .mujoco import MujocoMap as MujocoMap, from_mujoco as from_mujoco
from .pinocchio import PinocchioMap as PinocchioMap, from_pinocchio as from_pinocchio
from .robots import load_robot as load_robot, robot_names as robot_names
from .records import Record as Record, read_record as read_record
from .rollout import Rollout as Rollout

__version__ = VERSION
