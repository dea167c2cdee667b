"""Every public class, function, method, attribute and enumerator has a sentence, in help() and in the stubs."""
import ast
import enum
import inspect
import pathlib

import sinew

PRIVATE = {"_time_call"}


def is_silent(function):
    """A function of the extension none of whose overloads has a docstring."""
    signatures = getattr(function, "__nb_signature__", None)
    return signatures is not None and not any(doc for _, doc, *_ in signatures)


def find_silent(module):
    for name, thing in vars(module).items():
        if name.startswith("__") or name in PRIVATE:
            continue
        if not isinstance(thing, type):
            if callable(thing) and is_silent(thing):
                yield name
            continue
        if not thing.__doc__:
            yield name
        if issubclass(thing, enum.Enum):
            yield from (f"{name}.{e.name}" for e in thing if not e.__doc__ or e.__doc__ == thing.__doc__)
            continue
        for k, member in vars(thing).items():
            function = member.fget if isinstance(member, property) else getattr(thing, k)
            if not k.startswith("_") and is_silent(function):
                yield f"{name}.{k}"


def test_everything_has_a_sentence():
    modules = [sinew._core, *(m for m in vars(sinew._core).values() if inspect.ismodule(m))]
    silent = sorted(f"{m.__name__}.{name}" for m in modules for name in find_silent(m))
    assert not silent, f"{len(silent)} without a docstring: {', '.join(silent[:20])}"


def test_stubs_have_the_sentences():
    """Properties of the stub files, by the syntax tree: what an editor shows."""
    silent, properties = [], 0
    for file in sorted((pathlib.Path(sinew.__file__).parent / "_core").glob("*.pyi")):
        for owner in ast.walk(ast.parse(file.read_text())):
            if not isinstance(owner, ast.ClassDef):
                continue
            for f in owner.body:
                if isinstance(f, ast.FunctionDef) and any(getattr(d, "id", "") == "property" for d in f.decorator_list):
                    properties += 1
                    if not ast.get_docstring(f):
                        silent.append(f"{owner.name}.{f.name}")
    assert properties > 700 and not silent, silent[:20]
