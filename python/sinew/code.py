"""Code written for one robot, compiled and loaded.

    code = sinew.compile(model, "rnea,aba")   # writes C, calls cc -O2, loads it; the next time it is in the cache
    tau = code.rnea(q, v, a)
    a, da_dq, da_dv, Minv = sinew.compile(model, "daba").daba(q, v, tau)

docs/generate.md says what the code is. Files are kept under $SINEW_CACHE, or else $XDG_CACHE_HOME/sinew or
~/.cache/sinew, by the hash of the model, the version of Sinew, the compiler and its flags.
"""
from __future__ import annotations

import ctypes
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import VERSION, Model, ModelSpec, generate, generated_algorithms
from ._core import compile as compile_spec

Numbers = NDArray[np.float64]
Shape = tuple[str, int, int]  # name, rows, columns


class CompiledFunction:
    """One algorithm for one robot. It takes and gives arrays, and allocates only these."""

    def __init__(self, name: str, pointer: Any, inputs: list[Shape], outputs: list[Shape]) -> None:
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self._pointer = pointer
        pointer.restype = None
        pointer.argtypes = [ctypes.c_void_p] * (len(inputs) + len(outputs))

    def __call__(self, *inputs: ArrayLike) -> Any:
        """The result, or a tuple of them; ValueError names an argument of the wrong size."""
        if len(inputs) != len(self.inputs):
            raise ValueError(f"{self.name} takes {' '.join(s[0] for s in self.inputs)}: {len(self.inputs)} arrays, "
                             f"not {len(inputs)}")
        arrays = [np.ascontiguousarray(x, dtype=np.float64) for x in inputs]
        for x, (name, rows, _) in zip(arrays, self.inputs):
            if x.shape != (rows,):
                raise ValueError(f"{self.name}: {name} has shape {x.shape}, not ({rows},)")
        out = [np.empty(rows if cols == 1 else (rows, cols)) for _, rows, cols in self.outputs]
        self._pointer(*(x.ctypes.data for x in arrays), *(x.ctypes.data for x in out))
        return out[0] if len(out) == 1 else tuple(out)

    def __repr__(self) -> str:
        return f"<{self.name}: {' '.join(s[0] for s in self.inputs)} -> {' '.join(s[0] for s in self.outputs)}>"


class CompiledCode:
    """Functions for one robot: code.rnea, code.aba, as they were asked for."""

    def __init__(self, folder: pathlib.Path) -> None:
        """Of a folder that `compile` filled."""
        about: dict[str, Any] = json.loads((folder / "about.json").read_text())
        library = ctypes.CDLL(str(folder / "code.so"))
        self.folder = folder  # header, source, test and library
        self.model_hash: int = about["model_hash"]
        self.functions = {name: CompiledFunction(name, library[f"{about['name']}_{name}"],
                                                 [tuple(s) for s in inputs], [tuple(s) for s in outputs])
                          for name, inputs, outputs in about["algorithms"]}

    def __getattr__(self, name: str) -> CompiledFunction:
        functions = self.__dict__.get("functions", {})
        if name not in functions:
            raise AttributeError(f"the code has no function '{name}'; it has {', '.join(functions)}")
        function: CompiledFunction = functions[name]
        return function

    def __repr__(self) -> str:
        return f"<code for one robot: {', '.join(self.functions)}>"


def _cache_folder() -> pathlib.Path:
    if chosen := os.environ.get("SINEW_CACHE"):
        return pathlib.Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (pathlib.Path(base) if base else pathlib.Path.home() / ".cache") / "sinew"


def _build(model: Model, what: list[str], compiler: str, flags: list[str], folder: pathlib.Path) -> None:
    code = generate(model, what)
    for name, text in code.files.items():
        (folder / name).write_text(text)
    command = [compiler, *flags, "-shared", "-fPIC", f"{code.name}.c", "-lm", "-o", "code.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"compile: {' '.join(command)} failed\n{done.stderr[-2000:]}")
    (folder / "about.json").write_text(json.dumps({
        "name": code.name, "model_hash": code.model_hash, "version": VERSION, "command": command,
        "algorithms": [(a.name, a.inputs, a.outputs) for a in code.algorithms]}))


def _compile_code(model: Model, what: str | Sequence[str], flags: Sequence[str]) -> CompiledCode:
    names = what.split(",") if isinstance(what, str) else list(what)
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        raise RuntimeError("compile: no C compiler; install one, or name it in the variable CC")
    core = pathlib.Path(str(sys.modules[Model.__module__].__file__)).stat()  # another build may write other code under the same version
    key = json.dumps([model.hash, VERSION, core.st_mtime_ns, core.st_size, names, compiler, list(flags), platform.node()])
    folder = _cache_folder() / f"{model.hash:016x}-{VERSION}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if not (folder / "about.json").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as work:
            fresh = pathlib.Path(work) / "code"
            fresh.mkdir()
            _build(model, names, compiler, list(flags), fresh)
            try:
                fresh.rename(folder)
            except OSError:  # somebody else was faster
                if not (folder / "about.json").exists():
                    raise
    return CompiledCode(folder)


@overload
def compile(spec: ModelSpec, *, strict: bool = False) -> Model: ...
@overload
def compile(spec: Model, what: str | Sequence[str], *, flags: Sequence[str] = ("-O2",)) -> CompiledCode: ...
def compile(spec: ModelSpec | Model, what: str | Sequence[str] | None = None, *, strict: bool = False,
            flags: Sequence[str] = ("-O2",)) -> Model | CompiledCode:
    """A Model from a ModelSpec; or, with `what`, machine code of algorithms for one Model.

    compile(spec): checks a ModelSpec against every law and builds what the algorithms need. LoadError with all
    diagnostics where a law is broken; strict: warnings are errors too.

    compile(model, "rnea,aba"): CompiledCode with a function for each of generated_algorithms() that is named. Writes C,
    builds it by cc (or $CC) with these flags, and loads it; what was built before is in the cache.
    """
    if isinstance(spec, Model):
        if what is None:
            raise TypeError("compile: of a Model, say what to compile: " + ", ".join(generated_algorithms()))
        return _compile_code(spec, what, flags)
    if what is not None:
        raise TypeError("compile: machine code is for a Model; compile(spec) makes one")
    return compile_spec(spec, strict=strict)
