"""Code written for one robot, compiled and loaded.

    code = sinew.compile(model, "rnea,aba")   # writes C, calls cc -O2, loads it; the next time it is in the cache
    tau = code.rnea(q, v, a)
    a, da_dq, da_dv, Minv = sinew.compile(model, "daba").daba(q, v, tau)
    a = sinew.compile(model, "aba", lanes=8).aba(q, v, tau)   # any number of samples: arrays [sample, coordinate]

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

    def __init__(self, name: str, pointer: Any, inputs: list[Shape], outputs: list[Shape], lanes: int) -> None:
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.lanes = lanes  # samples side by side in registers; 1: it takes one sample
        self._pointer = pointer
        pointer.restype = None
        pointer.argtypes = [ctypes.c_long] * (lanes > 1) + [ctypes.c_void_p] * (len(inputs) + len(outputs))

    def _samples(self, arrays: list[Numbers]) -> int | None:
        """Of the arrays that have an axis for them; None: no array has one."""
        found = None
        for x, (name, rows, _) in zip(arrays, self.inputs):
            if x.shape == (rows,):
                continue
            if self.lanes == 1 or x.ndim != 2 or x.shape[1] != rows:
                wanted = f"({rows},)" + (f" or (samples, {rows})" if self.lanes > 1 else "")
                raise ValueError(f"{self.name}: {name} has shape {x.shape}, not {wanted}")
            if found is not None and len(x) != found:
                raise ValueError(f"{self.name}: {name} has {len(x)} samples, another argument {found}")
            found = len(x)
        return found

    def __call__(self, *inputs: ArrayLike) -> Any:
        """The result, or a tuple of them; ValueError names an argument of the wrong size.

        With lanes arguments may be [sample, coordinate], and results are [sample, ...]; an argument that is not is the
        same for all samples.
        """
        if len(inputs) != len(self.inputs):
            raise ValueError(f"{self.name} takes {' '.join(s[0] for s in self.inputs)}: {len(self.inputs)} arrays, "
                             f"not {len(inputs)}")
        arrays = [np.ascontiguousarray(x, dtype=np.float64) for x in inputs]
        samples = self._samples(arrays)
        if samples is not None:
            arrays = [np.ascontiguousarray(np.broadcast_to(x, (samples, rows))) for x, (_, rows, _) in zip(arrays, self.inputs)]
        outer = () if samples is None else (samples,)
        out = [np.empty((*outer, rows) if cols == 1 else (*outer, rows, cols)) for _, rows, cols in self.outputs]
        count = [] if self.lanes == 1 else [1 if samples is None else samples]
        self._pointer(*count, *(x.ctypes.data for x in arrays), *(x.ctypes.data for x in out))
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
        self.lanes: int = about["lanes"]
        end = "_batch" if self.lanes > 1 else ""
        self.functions = {name: CompiledFunction(name, library[f"{about['name']}_{name}{end}"],
                                                 [tuple(s) for s in inputs], [tuple(s) for s in outputs], self.lanes)
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


def _build(model: Model, what: list[str], lanes: int, compiler: str, flags: list[str], folder: pathlib.Path) -> None:
    code = generate(model, what, lanes=lanes)
    for name, text in code.files.items():
        (folder / name).write_text(text)
    command = [compiler, *flags, "-shared", "-fPIC", f"{code.name}.c", "-lm", "-o", "code.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"compile: {' '.join(command)} failed\n{done.stderr[-2000:]}")
    (folder / "about.json").write_text(json.dumps({
        "name": code.name, "model_hash": code.model_hash, "version": VERSION, "lanes": lanes, "command": command,
        "algorithms": [(a.name, a.inputs, a.outputs) for a in code.algorithms]}))


def _compile_code(model: Model, what: str | Sequence[str], lanes: int, flags: Sequence[str] | None) -> CompiledCode:
    if flags is None:  # lanes are for the registers that this machine has
        flags = ["-O2", "-march=native", "-Wno-psabi"] if lanes > 1 else ["-O2"]
    names = [what] if isinstance(what, str) else list(what)
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        raise RuntimeError("compile: no C compiler; install one, or name it in the variable CC")
    core = pathlib.Path(str(sys.modules[Model.__module__].__file__)).stat()  # another build may write other code under the same version
    key = json.dumps([model.hash, VERSION, core.st_mtime_ns, core.st_size, names, lanes, compiler, list(flags), platform.node()])
    folder = _cache_folder() / f"{model.hash:016x}-{VERSION}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if not (folder / "about.json").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as work:
            fresh = pathlib.Path(work) / "code"
            fresh.mkdir()
            _build(model, names, lanes, compiler, list(flags), fresh)
            try:
                fresh.rename(folder)
            except OSError:  # somebody else was faster
                if not (folder / "about.json").exists():
                    raise
    return CompiledCode(folder)


@overload
def compile(spec: ModelSpec, *, strict: bool = False) -> Model: ...
@overload
def compile(spec: Model, what: str | Sequence[str], *, lanes: int = 1,
            flags: Sequence[str] | None = None) -> CompiledCode: ...
def compile(spec: ModelSpec | Model, what: str | Sequence[str] | None = None, *, strict: bool = False, lanes: int = 1,
            flags: Sequence[str] | None = None) -> Model | CompiledCode:
    """A Model from a ModelSpec; or, with `what`, machine code of algorithms for one Model.

    compile(spec): checks a ModelSpec against every law and builds what the algorithms need. LoadError with all
    diagnostics where a law is broken; strict: warnings are errors too.

    compile(model, "rnea,aba"): CompiledCode with a function for each of generated_algorithms() that is named. Writes C,
    builds it by cc (or $CC) with these flags, and loads it; what was built before is in the cache. lanes: 2, 4, 8, ...
    samples are worked on side by side in registers, and the functions take arrays [sample, coordinate] of any number of
    samples. flags: default -O2, with lanes -march=native too.
    """
    if isinstance(spec, Model):
        if what is None:
            raise TypeError("compile: of a Model, say what to compile: " + ", ".join(generated_algorithms()))
        return _compile_code(spec, what, lanes, flags)
    if what is not None:
        raise TypeError("compile: machine code is for a Model; compile(spec) makes one")
    return compile_spec(spec, strict=strict)
