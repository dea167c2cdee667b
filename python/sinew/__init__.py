"""Sinew: multibody dynamics and simulation.

    import sinew
    model = sinew.compile(sinew.load("robot.urdf"))
    ws = sinew.AbaWorkspace(model)
    a = sinew.aba(model, ws, q, v, tau)

Names and argument order are those of the C++ library; outputs are made, or filled where `out=` is given.
docs/python.md has the conventions.
"""
from ._core import *  # noqa: F403
from ._core import VERSION, delassus, lcp, mechanisms, operators

__version__ = VERSION
