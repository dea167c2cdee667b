"""Errors of sweeps, and names that were nearly right."""
from __future__ import annotations

import difflib
from collections.abc import Iterable


class PlanError(ValueError):
    """A plan that cannot be run: says where, why and what to do."""


class FolderError(RuntimeError):
    """A folder of results that does not fit the plan, or cannot be used."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'friction'?", else the known names where they are few, else nothing."""
    names = sorted(set(known))
    lower = {n.lower(): n for n in names}
    near = difflib.get_close_matches(name.lower(), list(lower), 1, 0.6)
    if near:
        return f"; did you mean '{lower[near[0]]}'?"
    return f"; there are {', '.join(names)}" if 0 < len(names) <= 24 else ""
