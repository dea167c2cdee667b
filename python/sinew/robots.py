"""Robots of other packages, by name.

    sinew.load_robot("talos_description")                 # robot_descriptions; downloads it the first time
    sinew.load_robot("example_robot_data:talos_full_v2")  # a URDF of example-robot-data
    sinew.load_robot("dm_control:humanoid")               # a model of dm_control's suite

The name of the package may be left out where one package alone has the name. robot_names() lists them.
"""
from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import importlib.util
import pathlib
from collections.abc import Callable
from typing import Any

from ._core import ModelSpec, load

Paths = dict[str, pathlib.Path]


def _example_robot_data() -> Paths:
    """By the stem of the file, or by folder and stem where several files have it."""
    try:
        found = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        return {}
    top = pathlib.Path(str(found.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    files = sorted(top.rglob("*.urdf"))
    stems = [f.stem for f in files]
    return {f.stem if stems.count(f.stem) == 1 else f"{f.relative_to(top).parts[0]}/{f.stem}": f for f in files}


def _dm_control() -> Paths:
    found = importlib.util.find_spec("dm_control")
    places = list(found.submodule_search_locations or []) if found else []
    return {f.stem: f for place in places for f in sorted(pathlib.Path(place, "suite").glob("*.xml"))}


def _robot_descriptions() -> list[str]:
    try:
        return sorted(importlib.import_module("robot_descriptions").DESCRIPTIONS)
    except ImportError:
        return []


_FOLDERS: dict[str, Callable[[], Paths]] = {"example_robot_data": _example_robot_data, "dm_control": _dm_control}
_PIP = {"example_robot_data": "example-robot-data", "dm_control": "dm_control"}


def robot_names() -> dict[str, list[str]]:
    """What load_robot knows, by package; nothing is downloaded."""
    names = {source: sorted(find()) for source, find in _FOLDERS.items()}
    return {**names, "robot_descriptions": _robot_descriptions()}


def _suggest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 3)
    return f"; did you mean {' or '.join(repr(c) for c in close)}?" if close else ""


def _load_description(name: str, floating_base: bool | None, options: dict[str, Any]) -> ModelSpec:
    """Of robot_descriptions: a module whose import downloads the robot."""
    known = _robot_descriptions()
    if not importlib.util.find_spec("robot_descriptions"):
        raise ImportError(f"load_robot: '{name}' needs robot_descriptions: pip install robot_descriptions")
    if name not in known:
        raise ValueError(f"load_robot: robot_descriptions has no '{name}'{_suggest(name, known)}")
    try:
        module = importlib.import_module(f"robot_descriptions.{name}")
    except Exception as e:  # it runs git
        raise RuntimeError(f"load_robot: robot_descriptions could not fetch '{name}' ({type(e).__name__}: {e}); it needs "
                           "git and the network the first time, and keeps robots in ROBOT_DESCRIPTIONS_CACHE") from e
    for kind in ("URDF_PATH", "MJCF_PATH"):
        if hasattr(module, kind):
            file = pathlib.Path(getattr(module, kind))
            if not file.exists():
                raise RuntimeError(f"load_robot: robot_descriptions says that '{name}' is {file}, which is not there; "
                                   "remove its folder in the cache, and load it again")
            roots = [getattr(module, p) for p in ("PACKAGE_PATH", "REPOSITORY_PATH") if hasattr(module, p)]
            options = {"package_paths": [p for r in roots for p in (r, str(pathlib.Path(r).parent))], **options}
            return load(file, floating_base=bool(floating_base) and kind == "URDF_PATH", **options)
    raise ValueError(f"load_robot: '{name}' of robot_descriptions has no URDF_PATH and no MJCF_PATH; xacro is not read")


def load_robot(name: str, *, floating_base: bool = False, strict: bool = False, load_meshes: bool = False) -> ModelSpec:
    """The ModelSpec of a robot by its name, with or without "package:" before it.

    floating_base: URDF only, the root hangs on a free joint. ValueError for a name that is not known or not unique,
    ImportError where its package is missing, RuntimeError where it cannot be downloaded.
    """
    options: dict[str, Any] = {"strict": strict, "load_meshes": load_meshes}
    source, colon, short = name.partition(":")
    if not colon:
        source, short = "", name
    if source == "robot_descriptions" or (not source and short.endswith("_description")):
        return _load_description(short, floating_base, options)
    if source and source not in _FOLDERS:
        every = ", ".join([*_FOLDERS, "robot_descriptions"])
        raise ValueError(f"load_robot: there is no source '{source}'; there are {every}")
    sources = [source] if source else list(_FOLDERS)
    tables = {s: _FOLDERS[s]() for s in sources}
    hits = [s for s in sources if short in tables[s]]
    if len(hits) > 1:
        say = " or ".join(f"{s}:{short}" for s in hits)
        raise ValueError(f"load_robot: '{short}' is in {' and in '.join(hits)}; say {say}")
    if not hits:
        if source and not tables[source]:
            raise ImportError(f"load_robot: '{name}' needs {source}: pip install {_PIP[source]}")
        known = [n for table in tables.values() for n in table] + ([] if source else _robot_descriptions())
        raise ValueError(f"load_robot: {source or 'what is installed'} has no '{short}'{_suggest(short, known)}")
    file = tables[hits[0]][short]
    return load(file, floating_base=floating_base and file.suffix == ".urdf", **options)
