"""Values of parameters. What sample k gets depends on the plan and on k, never on other samples or on who asks.

Random numbers are counted, not drawn: word `index` of the Philox stream whose key is a hash of seed and parameter.
NumPy promises that the raw words of its bit generators stay the same; its distributions are not used.
"""
from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from .errors import PlanError, did_you_mean

Value = float | bool | str | tuple[float, ...]
KINDS = ("grid", "list", "random", "latin")
LAWS = {"uniform": ("from", "to"), "loguniform": ("from", "to"), "normal": ("mean", "deviation"), "choice": ("of",)}


def _key(seed: int, *words: object) -> int:
    text = "\0".join(["sinew.sweep", str(seed), *map(str, words)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")


def random_word(seed: int, name: str, index: int) -> int:
    """64 random bits."""
    return int(np.random.Philox(key=_key(seed, name), counter=index).random_raw())


def random_share(seed: int, name: str, index: int) -> float:
    """Uniform between 0 and 1, without both."""
    return ((random_word(seed, name, index) >> 12) + 0.5) * 2.0**-52


@lru_cache(maxsize=64)
def permutation(seed: int, name: str, block: int, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A random order of 0 .. n-1: that of n random words."""
    words = np.random.Philox(key=_key(seed, name, "order", block)).random_raw(n)
    return np.argsort(words, kind="stable").astype(np.int64)


def latin_share(seed: int, name: str, block: int, draw: int, n: int) -> float:
    """Of n draws, one in each of n equal parts of (0, 1)."""
    part = int(permutation(seed, name, block, n)[draw])
    share = (part + random_share(seed, name + "\0latin", block * n + draw)) / n
    return min(share, math.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class Law:
    """A distribution, by its inverse."""

    name: str
    numbers: Mapping[str, Any]

    def at(self, share: float) -> Value:
        n = self.numbers
        if self.name == "uniform":
            return float(n["from"] + share * (n["to"] - n["from"]))
        if self.name == "loguniform":
            low, high = math.log(n["from"]), math.log(n["to"])
            return math.exp(low + share * (high - low))
        if self.name == "choice":
            values: Sequence[Value] = n["of"]
            return values[min(int(share * len(values)), len(values) - 1)]
        normal = NormalDist(n["mean"], n["deviation"])
        low = normal.cdf(n["from"]) if "from" in n else 0.0
        high = normal.cdf(n["to"]) if "to" in n else 1.0
        x = normal.inv_cdf(min(max(low + share * (high - low), 5e-324), math.nextafter(1.0, 0.0)))
        return float(min(max(x, n.get("from", -math.inf)), n.get("to", math.inf)))


@dataclass(frozen=True)
class Parameter:
    """One parameter of a plan: its path, and where its values come from."""

    path: str
    kind: str  # of KINDS
    values: tuple[Value, ...] = ()  # grid, list
    law: Law | None = None  # random, latin
    relative: bool = False  # values are factors of what the scene has
    redraw: bool = False  # random: a new value for each repeat

    def at(self, seed: int, place: Place, draws: int) -> Value:
        if self.kind == "grid":
            return self.values[place.grid[self.path]]
        if self.kind == "list":
            return self.values[place.row]
        assert self.law
        if self.kind == "latin":
            return self.law.at(latin_share(seed, self.path, place.block, place.draw, draws))
        return self.law.at(random_share(seed, self.path, place.sample if self.redraw else place.case))


@dataclass(frozen=True)
class Place:
    """Where sample k stands: k = ((grid point * rows + row) * draws + draw) * repeats + repeat."""

    sample: int
    case: int  # samples with the same parameters
    block: int  # grid point and row: one latin hypercube
    row: int
    draw: int
    repeat: int
    grid: Mapping[str, int]


@dataclass(frozen=True)
class Space:
    """All samples of a plan."""

    parameters: tuple[Parameter, ...]
    draws: int
    repeats: int
    seed: int

    @property
    def rows(self) -> int:
        return next((len(p.values) for p in self.parameters if p.kind == "list"), 1)

    def __len__(self) -> int:
        points = math.prod(len(p.values) for p in self.parameters if p.kind == "grid")
        return points * self.rows * self.draws * self.repeats

    def place(self, k: int) -> Place:
        if not 0 <= k < len(self):
            raise IndexError(f"there is no sample {k}; the plan has {len(self)}, counted from 0")
        case, repeat = divmod(k, self.repeats)
        block, draw = divmod(case, self.draws)
        point, row = divmod(block, self.rows)
        grid: dict[str, int] = {}
        for p in reversed([p for p in self.parameters if p.kind == "grid"]):  # the last one runs fastest
            point, grid[p.path] = divmod(point, len(p.values))
        return Place(k, case, block, row, draw, repeat, grid)

    def values(self, k: int) -> dict[str, Value]:
        place = self.place(k)
        return {p.path: p.at(self.seed, place, self.draws) for p in self.parameters}

    def seed_of(self, k: int) -> int:
        """A seed for what happens in sample k; each repeat has its own. 63 bits."""
        return random_word(self.seed, "seed of samples", k) >> 1


# --- reading ----------------------------------------------------------------------------------------------------------
def read_value(where: str, x: object) -> Value:
    """A finite number, a truth value, a text or a list of numbers."""
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    if isinstance(x, str):
        return x
    if isinstance(x, (int, float, np.integer, np.floating)):
        if not math.isfinite(x):
            raise PlanError(f"{where}: {x} is not a finite number")
        return float(x)
    if isinstance(x, (list, tuple, np.ndarray)):
        numbers = [read_value(where, y) for y in x]
        if all(isinstance(y, float) for y in numbers):
            return tuple(y for y in numbers if isinstance(y, float))
    raise PlanError(f"{where}: {x!r} is no number, text or list of numbers")


def _number(where: str, table: Mapping[str, Any], name: str) -> float:
    x = read_value(f"{where}.{name}", table[name])
    if not isinstance(x, float):
        raise PlanError(f"{where}.{name} must be a number, it is {x!r}")
    return x


def _read_values(where: str, x: object) -> tuple[Value, ...]:
    if isinstance(x, Mapping):
        unknown = sorted(set(x) - {"from", "to", "count", "scale"})
        if unknown or not {"from", "to", "count"} <= set(x):
            raise PlanError(f"{where} is a list of values, or {{ from = A, to = B, count = N }} with scale = \"log\" or "
                            f"\"linear\"" + (f"; it has no '{unknown[0]}'" if unknown else ""))
        a, b, count = _number(where, x, "from"), _number(where, x, "to"), x["count"]
        scale = x.get("scale", "linear")
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise PlanError(f"{where}.count must be a whole number from 1 on, it is {count!r}")
        if scale not in ("linear", "log"):
            raise PlanError(f"{where}.scale is \"linear\" or \"log\", not {scale!r}")
        if scale == "log" and not (a > 0 and b > 0):
            raise PlanError(f"{where}: a logarithmic scale needs positive ends, they are {a:g} and {b:g}")
        shares = [i / (count - 1) if count > 1 else 0.0 for i in range(count)]
        if scale == "log":
            inner = [math.exp(math.log(a) + s * (math.log(b) - math.log(a))) for s in shares]
        else:
            inner = [a + s * (b - a) for s in shares]
        return tuple([a, *inner[1:-1], b]) if count > 1 else (a,)
    if not isinstance(x, (list, tuple, np.ndarray)) or len(x) == 0:
        raise PlanError(f"{where} must be a list with at least one value, it is {x!r}")
    return tuple(read_value(f"{where}[{i}]", y) for i, y in enumerate(x))


def _read_law(where: str, name: object, table: Mapping[str, Any]) -> Law:
    if not isinstance(name, str) or name not in LAWS:
        raise PlanError(f"{where}: there is no law {name!r}{did_you_mean(str(name), LAWS)}")
    missing = [n for n in LAWS[name] if n not in table]
    if missing:
        raise PlanError(f"{where}: law '{name}' needs {' and '.join(LAWS[name])}; {missing[0]} is missing")
    if name == "choice":
        return Law(name, {"of": _read_values(f"{where}.of", table["of"])})
    numbers = {n: _number(where, table, n) for n in ("from", "to", "mean", "deviation") if n in table}
    if "from" in numbers and "to" in numbers and not numbers["from"] < numbers["to"]:
        raise PlanError(f"{where}: from = {numbers['from']:g} must be less than to = {numbers['to']:g}")
    if name == "loguniform" and not numbers["from"] > 0:
        raise PlanError(f"{where}: loguniform needs positive ends; from = {numbers['from']:g}")
    if name == "normal" and not numbers["deviation"] > 0:
        raise PlanError(f"{where}: deviation must be positive, it is {numbers['deviation']:g}")
    return Law(name, numbers)


def read_parameter(path: str, entry: object) -> Parameter:
    where = f"parameters.\"{path}\""
    if isinstance(entry, (list, tuple)):
        entry = {"grid": entry}
    if not isinstance(entry, Mapping):
        entry = {"grid": [entry]}  # one value for all
    kinds = [k for k in KINDS if k in entry]
    if len(kinds) != 1:
        raise PlanError(f"{where} needs one of {', '.join(KINDS)}" + (f"; it has {' and '.join(kinds)}" if kinds else ""))
    kind = kinds[0]
    allowed = {kind, "relative"}
    law: Law | None = None
    values: tuple[Value, ...] = ()
    if kind in ("random", "latin"):
        law = _read_law(where, entry[kind], entry)
        allowed |= set(LAWS[law.name])
        allowed |= {"from", "to"} if law.name == "normal" else set()
        allowed |= {"redraw"} if kind == "random" else set()
    else:
        values = _read_values(f"{where}.{kind}", entry[kind])
    for name in entry:
        if name not in allowed:
            raise PlanError(f"{where} has no '{name}' beside {kind}{did_you_mean(name, allowed)}")
    for name in ("relative", "redraw"):
        if not isinstance(entry.get(name, False), bool):
            raise PlanError(f"{where}.{name} is true or false, not {entry[name]!r}")
    relative = bool(entry.get("relative", False))
    candidates = law.numbers["of"] if law and law.name == "choice" else values
    if relative and not all(isinstance(v, float) for v in candidates):
        raise PlanError(f"{where}: relative values are factors, so they must be numbers")
    return Parameter(path, kind, values, law, relative, bool(entry.get("redraw", False)))


def read_space(parameters: Mapping[str, object], draws: int, repeats: int, seed: int) -> Space:
    read = tuple(read_parameter(path, entry) for path, entry in parameters.items())
    lists = [p for p in read if p.kind == "list"]
    for p in lists[1:]:
        if len(p.values) != len(lists[0].values):
            raise PlanError(f"lists go side by side, so they have the same length: '{lists[0].path}' has "
                            f"{len(lists[0].values)} values, '{p.path}' {len(p.values)}. Use grid to cross them")
    if draws > 1 and not any(p.law for p in read):
        raise PlanError(f"samples = {draws}, but no parameter is random or latin: all would be the same; use repeats")
    return Space(read, draws, repeats, seed)
